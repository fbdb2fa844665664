//! When is Python's lock on? Build × setting × extension, computed from the rule; nothing here is measured.
//!
//! The rule, after CPython 3.14's `config_read_gil` and `_PyImport_CheckGILEnabled`: the default build always has the
//! lock, and asking it for none is a fatal error at start. The free-threaded build starts without it; `PYTHON_GIL` or
//! `-X gil` decides where it is set; where it is not, importing an extension that does not say it is ready switches
//! the lock on, with a warning, for the rest of the process.

use crate::labs::Evidence;
use crate::labs::rows::empty;
use crate::wire::{Provenance, Row, Runtime, Strategy};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Setting {
    Unset,
    Zero,
    One,
}

/// The state of the lock once the extension is imported.
fn lock(build: Runtime, setting: Setting, is_ready: bool) -> &'static str {
    match (build, setting) {
        (Runtime::FreeThreaded, Setting::One) => "on",
        (Runtime::FreeThreaded, Setting::Zero) => "off",
        (Runtime::FreeThreaded, Setting::Unset) => {
            if is_ready {
                "off"
            } else {
                "on"
            }
        }
        (Runtime::Gil | Runtime::GilLegacy, Setting::Zero) => "fatal",
        (Runtime::Gil | Runtime::GilLegacy, Setting::Unset | Setting::One) => "on",
    }
}

/// The table's twelve rows.
pub fn rows(evidence: &Evidence<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    for (build, build_id) in [(Runtime::Gil, "default"), (Runtime::FreeThreaded, "free-threaded")] {
        for (setting, setting_id) in [(Setting::Unset, "unset"), (Setting::Zero, "0"), (Setting::One, "1")] {
            for (is_ready, extension_id) in [(true, "ready"), (false, "unready")] {
                let variant = format!("{build_id}-{setting_id}-{extension_id}");
                let label = evidence.words.say(&format!("{}.variant.{variant}", evidence.lab));
                let value = lock(build, setting, is_ready);
                let mut row = empty(Strategy::Threads, label, Provenance::Derived);
                row.notes
                    .push(evidence.words.say(&format!("{}.lock.{value}", evidence.lab)));
                row.variant = Some(variant);
                row.runtime = Some(build);
                row.value = Some(value.to_owned());
                rows.push(row);
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_build_cannot_do_without() {
        for is_ready in [true, false] {
            assert_eq!(lock(Runtime::Gil, Setting::Unset, is_ready), "on");
            assert_eq!(lock(Runtime::Gil, Setting::One, is_ready), "on");
            assert_eq!(lock(Runtime::Gil, Setting::Zero, is_ready), "fatal");
        }
    }

    #[test]
    fn an_unready_extension_switches_it_on_unless_told_otherwise() {
        assert_eq!(lock(Runtime::FreeThreaded, Setting::Unset, true), "off");
        assert_eq!(lock(Runtime::FreeThreaded, Setting::Unset, false), "on");
        assert_eq!(lock(Runtime::FreeThreaded, Setting::Zero, false), "off");
        assert_eq!(lock(Runtime::FreeThreaded, Setting::One, true), "on");
    }
}
