//! The A rows of the table of behaviours through the stack interpreter, by their number.
//!
//! Not here: what each row is (`difference::rows`; the comparison with CPython runs the same).

use concurrency_playground::machine::Nanoseconds;
use concurrency_playground::machine::event_loop::{Complaint, LoopSettings, WaitsOn};

use crate::difference::{row, run_with};

macro_rules! rows {
    ($($test:ident: $($name:literal),+;)*) => {$(
        #[test]
        fn $test() {
            $(row($name).check();)+
        }
    )*};
}

rows! {
    a1: "A1";
    a2: "A2";
    a3: "A3";
    a4: "A4";
    a6: "A6";
    a7: "A7";
    a8: "A8";
    a9: "A9";
    a10: "A10";
    a11: "A11";
    a12: "A12";
    a14: "A14";
    a15: "A15";
    a16: "A16";
    a17: "A17";
    a18: "A18";
    a19: "A19";
    a21: "A21, the inner first", "A21, the outer first";
    a23: "A23";
    a24: "A24";
    a25: "A25";
    a26: "A26";
    a27: "A27";
    a29: "A29";
    a30: "A30, semaphore", "A30, lock";
    a32: "A32";
    a33: "A33";
    a34: "A34";
    a35: "A35";
    a36: "A36, in one step", "A36, giving way";
    a37: "A37";
    a40: "A40";
    a41: "A41";
    a44: "A44";
}

#[test]
fn a38() {
    let settings = LoopSettings {
        debug: true,
        ..LoopSettings::default()
    };
    let run = run_with(&row("A38").script, settings);
    let slow = run
        .event_loop
        .complaints()
        .iter()
        .filter_map(|complaint| match complaint {
            Complaint::Slow { length, .. } => Some(*length),
            _ => None,
        });
    assert_eq!(
        slow.collect::<Vec<_>>(),
        [Nanoseconds::millis(100), Nanoseconds::millis(250)]
    );
}

#[test]
fn a39() {
    row("A39").check();
    let run = run_with(&row("A39").script, LoopSettings::default());
    let cycle = run.event_loop.cycle();
    assert_eq!(cycle.len(), 2, "{cycle:?}");
    assert!(cycle.iter().all(|(_, on)| matches!(on, WaitsOn::Lock(_))), "{cycle:?}");
    assert_ne!(cycle[0].1, cycle[1].1);
}
