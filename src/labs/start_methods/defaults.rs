//! The default start method, by platform and version: computed from the rule; nothing here is measured.
//!
//! The rule, after CPython's `multiprocessing/context.py`: Windows can only spawn; macOS spawns since 3.8; elsewhere a
//! process is forked, since 3.14 by a fork server where descriptors can be handed over.

use crate::labs::Evidence;
use crate::labs::rows::empty;
use crate::wire::{Provenance, Row, Strategy};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Platform {
    Linux,
    MacOs,
    Windows,
}

/// The method that `multiprocessing.get_start_method()` gives in this version, 3.`minor`.
fn default_method(platform: Platform, minor: u32) -> &'static str {
    match platform {
        Platform::Windows => "spawn",
        Platform::MacOs if minor >= 8 => "spawn",
        Platform::Linux if minor >= 14 => "forkserver",
        Platform::Linux | Platform::MacOs => "fork",
    }
}

/// The table's rows: each platform before and after its default changed.
pub fn rows(evidence: &Evidence<'_>) -> Vec<Row> {
    let table = [
        ("default-linux-old", Platform::Linux, 13),
        ("default-linux", Platform::Linux, 14),
        ("default-macos-old", Platform::MacOs, 7),
        ("default-macos", Platform::MacOs, 8),
        ("default-windows", Platform::Windows, 14),
    ];
    let row = |(variant, platform, minor): (&str, Platform, u32)| {
        let label = evidence.words.say(&format!("{}.variant.{variant}", evidence.lab));
        let mut row = empty(Strategy::Processes, label, Provenance::Derived);
        row.variant = Some(variant.to_owned());
        row.value = Some(default_method(platform, minor).to_owned());
        row
    };
    table.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_change_with_the_version() {
        assert_eq!(default_method(Platform::Linux, 13), "fork");
        assert_eq!(default_method(Platform::Linux, 14), "forkserver");
        assert_eq!(default_method(Platform::MacOs, 7), "fork");
        assert_eq!(default_method(Platform::MacOs, 14), "spawn");
        assert_eq!(default_method(Platform::Windows, 3), "spawn");
    }
}
