//! The A rows of the table of behaviours through the stack interpreter, by their number.
//!
//! Not here: what each row is (`difference::rows`; the comparison with CPython runs the same).

use concurrency_playground::machine::event_loop::{Complaint, LoopSettings, WaitsOn};
use concurrency_playground::machine::Nanoseconds;

use crate::difference::{row, run, run_with};

/// Runs a row and compares what it says.
fn check(name: &str) {
    let row = row(name);
    let told: Vec<String> = run(&row.script, None).lines().filter_map(told).collect();
    let ends = row.says.iter().any(|line| line.contains(" run "));
    let told = told.iter().filter(|line| ends || !line.contains(" run "));
    assert_eq!(told.collect::<Vec<_>>(), row.says, "{name}");
}

/// A line of the log as a row writes it: the second, who, what; nothing of steps that are only over.
fn told(line: &str) -> Option<String> {
    let mut words = line.splitn(4, ' ');
    let (time, who) = (words.next()?, words.next()?);
    let time = Nanoseconds(time.parse().expect("a line begins with the time")).to_string();
    let time = time.trim_end_matches(" s");
    if who == "run" {
        return Some(format!("{time} run {}", words.collect::<Vec<_>>().join(" ")));
    }
    let _step = words.next()?;
    let what = words.next().unwrap_or_default();
    (what != "slept" && what != "blocked").then(|| format!("{time} {who} {what}"))
}

macro_rules! rows {
    ($($test:ident: $($name:literal),+;)*) => {$(
        #[test]
        fn $test() {
            $(check($name);)+
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
    let slow = run.event_loop.complaints().iter().filter_map(|complaint| match complaint {
        Complaint::Slow { length, .. } => Some(*length),
        _ => None,
    });
    assert_eq!(slow.collect::<Vec<_>>(), [Nanoseconds::millis(100), Nanoseconds::millis(250)]);
}

#[test]
fn a39() {
    check("A39");
    let run = run_with(&row("A39").script, LoopSettings::default());
    let cycle = run.event_loop.cycle();
    assert_eq!(cycle.len(), 2, "{cycle:?}");
    assert!(cycle.iter().all(|(_, on)| matches!(on, WaitsOn::Lock(_))), "{cycle:?}");
    assert_ne!(cycle[0].1, cycle[1].1);
}
