//! What rows say of themselves, measured by a made-up page. Not here: findings.

use concurrency_playground::wire::{Runtime, Strategy};

use super::{Params, claim, row, run};
use crate::fake_page::{FakePage, flag, number, text};

/// The lesson's own figures, in virtual time: a gap of 1.6 s, no timeout; on a thread 0.1 s and a timeout at 0.5 s; the
/// program ends with the thread after 1.8 s.
#[test]
fn stall_shows_the_lessons_figures() {
    let result = run(&mut FakePage::default(), "stall", &[]);
    let blocking = row(&result, Strategy::EventLoop, Some("blocking"), None);
    assert_eq!(
        (blocking.longest_gap_ms, blocking.timeout_fired),
        (Some(1_600.0), Some(false))
    );
    assert!(
        blocking
            .culprit
            .as_deref()
            .is_some_and(|culprit| culprit.contains("time.sleep") && culprit.contains("1.5 s"))
    );
    let thread = row(&result, Strategy::ToThread, Some("to-thread"), None);
    assert_eq!(
        (thread.longest_gap_ms, thread.timeout_after_ms),
        (Some(100.0), Some(500.0))
    );
    assert_eq!(thread.program_ended_ms, Some(1_800.0));
    assert!(thread.notes.iter().any(|note| note.contains("n = 1")));
    let own = row(&result, Strategy::ToThread, Some("own-timeout"), None);
    assert_eq!(own.program_ended_ms, Some(1_100.0));
    let handlers = row(&result, Strategy::EventLoop, Some("handlers-awaiting"), None);
    assert_eq!(
        handlers
            .call_ended_ms
            .zip(handlers.call_started_ms)
            .map(|(end, start)| end - start),
        Some(100.0)
    );
}

#[test]
fn results_of_computing_are_compared_with_pythons() {
    let result = run(&mut FakePage::default(), "cpu-bound", &[]);
    for row in result
        .rows
        .iter()
        .filter(|row| row.variant.as_deref() != Some("half-size"))
    {
        let expected = "89266, 89542, 89612, 89079, 89383, 89474, 89487, 89501";
        assert_eq!(
            (row.value.as_deref(), row.expected.as_deref()),
            (Some(expected), Some(expected)),
            "{}",
            row.label
        );
        assert_eq!(row.totals.as_ref().map(Vec::len), Some(8));
    }
    let params = [
        ("workload", text("squares")),
        ("size", number(20_000_000)),
        ("tasks", number(4)),
    ];
    let result = run(&mut FakePage::default(), "cpu-bound", &params);
    let serial = row(&result, Strategy::Serial, None, None);
    assert_eq!(serial.expected.as_deref(), Some("2666666466666670000000"));
    assert_eq!(serial.value, serial.expected);
}

#[test]
fn rows_are_what_the_parameters_say() {
    let rows = |lab: &str, params: Params| -> Vec<(Option<String>, Option<Runtime>)> {
        run(&mut FakePage::default(), lab, params)
            .rows
            .iter()
            .map(|row| (row.variant.clone(), row.runtime))
            .collect()
    };
    assert_eq!(rows("lost-updates", &[]).len(), 9);
    assert_eq!(rows("lost-updates", &[("variant", text("plain"))]).len(), 3);
    assert_eq!(rows("lost-updates", &[("runtime", text("gil"))]).len(), 7);
    let one = rows("lost-updates", &[("runtime", text("gil")), ("variant", text("queue"))]);
    assert_eq!(one, [(Some("queue".to_owned()), Some(Runtime::Gil))]);
    assert_eq!(rows("fan-out", &[]).len(), 11);
    assert_eq!(rows("fan-out", &[("variant", text("limited"))]).len(), 1);
    assert_eq!(rows("stall", &[]).len(), 9);
    assert_eq!(rows("stall", &[("where", text("page"))]).len(), 3);
    assert_eq!(rows("cpu-bound", &[]).len(), 6);
    let legacy = rows(
        "cpu-bound",
        &[("runtime", text("gil-legacy")), ("strategy", text("threads"))],
    );
    assert_eq!(legacy.last(), Some(&(None, Some(Runtime::GilLegacy))));
    // Serial, half, two threads, two isolates, and the curve's 1 to 8.
    assert_eq!(rows("cpu-bound", &[("curve", flag(true))]).len(), 14);
}

#[test]
fn a_counting_row_says_what_its_additions_cost_and_why() {
    let notes = |params: Params| {
        let result = run(&mut FakePage::default(), "lost-updates", params);
        let notes = |runtime| {
            row(&result, Strategy::Threads, Some("plain"), Some(runtime))
                .notes
                .join(" ")
        };
        [notes(Runtime::Gil), notes(Runtime::FreeThreaded)]
    };
    let [locked, free] = notes(&[("variant", text("plain"))]);
    assert!(locked.contains("was made to cost"), "{locked}");
    assert!(free.contains("as in an interpreter"), "{free}");
    let [tight, _] = notes(&[("variant", text("plain")), ("budgetMs", number(300))]);
    assert!(tight.contains("Give a row more time"), "{tight}");
    let [few, _] = notes(&[("variant", text("plain")), ("additions", number(10))]);
    assert!(few.contains("more additions"), "{few}");
}

#[test]
fn what_a_claim_needs_is_said_in_the_words_of_its_control() {
    let result = run(&mut FakePage::default(), "cpu-bound", &[("pool", text("cold"))]);
    assert_eq!(
        claim(&result, "processes-gain").why,
        "It needs “Interpreters and processes start” set to “before the measurement”."
    );
    let result = run(&mut FakePage::default(), "cpu-bound", &[("workers", number(2))]);
    assert_eq!(
        claim(&result, "free-threads-gain").why,
        "It needs “Workers” to be 4 or more."
    );
}
