//! Schedules as text, and gone through step by step.

use concurrency_playground::explore::{CannotGo, MAX_STEPS, Schedule, ScheduleProblem, System, Thread, replay};
use proptest::prelude::*;

use super::counter::Counter;

const HASH: u32 = 0x7c1f_09ab;

fn schedule(letters: &str) -> Schedule {
    Schedule(letters.bytes().map(|letter| Thread(letter - b'A')).collect())
}

#[test]
fn a_schedule_has_the_text_of_the_worked_example() {
    let text = schedule("BAAAABBB").write(HASH);
    assert_eq!(text, "7c1f09ab.BA4B3");
    assert_eq!(Schedule::parse(&text, HASH, 2), Ok(schedule("BAAAABBB")));
    assert_eq!(schedule("BAAAABBB").runs(), "BA4B3");
    assert_eq!(schedule("BAAAABBB").letters(), "BAAAABBB");
}

#[test]
fn nothing_is_a_schedule_too() {
    assert_eq!(schedule("").write(1), "00000001.");
    assert_eq!(Schedule::parse("00000001.", 1, 2), Ok(Schedule::default()));
}

#[test]
fn what_is_no_schedule_is_refused_with_its_reason() {
    let longest = format!("7c1f09ab.A{MAX_STEPS}");
    assert_eq!(
        Schedule::parse(&longest, HASH, 1).map(|schedule| schedule.0.len()),
        Ok(MAX_STEPS as usize)
    );
    for (text, problem) in [
        ("", ScheduleProblem::NoProgram),
        ("BA4B3", ScheduleProblem::NoProgram),
        ("7c1f09a.B", ScheduleProblem::NoProgram),
        ("7c1f09abc.B", ScheduleProblem::NoProgram),
        ("7C1F09AB.B", ScheduleProblem::NoProgram),
        ("+c1f09ab.B", ScheduleProblem::NoProgram),
        ("äc1f09a.B", ScheduleProblem::NoProgram),
        ("00000001.B", ScheduleProblem::OtherProgram { hash: 1 }),
        ("7c1f09ab.BC", ScheduleProblem::NotAThread { at: 10 }),
        ("7c1f09ab.b", ScheduleProblem::NotAThread { at: 9 }),
        ("7c1f09ab.4", ScheduleProblem::NotAThread { at: 9 }),
        ("7c1f09ab.A.B", ScheduleProblem::NotAThread { at: 10 }),
        ("7c1f09ab.Aé", ScheduleProblem::NotAThread { at: 10 }),
        ("7c1f09ab.A0", ScheduleProblem::BadCount { at: 10 }),
        ("7c1f09ab.A02", ScheduleProblem::BadCount { at: 10 }),
        ("7c1f09ab.A100001", ScheduleProblem::BadCount { at: 15 }),
        ("7c1f09ab.A99999999999999999999", ScheduleProblem::BadCount { at: 15 }),
        ("7c1f09ab.A100000B", ScheduleProblem::TooLong),
        ("7c1f09ab.A60000B60000", ScheduleProblem::TooLong),
    ] {
        assert_eq!(Schedule::parse(text, HASH, 2), Err(problem), "{text}");
    }
}

proptest! {
    #[test]
    fn texts_round_trip(
        runs in prop::collection::vec((0_u8..8, 1_usize..200), 0..40),
        hash in any::<u32>(),
    ) {
        let steps = runs.iter().flat_map(|(thread, length)| vec![Thread(*thread); *length]);
        let schedule = Schedule(steps.collect());
        let text = schedule.write(hash);
        prop_assert!(text.chars().all(|c| c.is_ascii_alphanumeric() || "_.,:;~*-".contains(c)));
        prop_assert_eq!(Schedule::parse(&text, hash, 8), Ok(schedule.clone()));
        // The same from its letters one by one.
        let letters = format!("{hash:08x}.{}", schedule.letters());
        prop_assert_eq!(Schedule::parse(&letters, hash, 8), Ok(schedule));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[0-9a-f]{8}\\.[A-C0-9é.]{0,30}|.{0,20}", n_threads in 0_u8..=32) {
        let hash = text.get(..8).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0);
        if let Ok(schedule) = Schedule::parse(&text, hash, n_threads) {
            prop_assert!(schedule.0.len() <= MAX_STEPS as usize);
            prop_assert!(schedule.0.iter().all(|thread| thread.0 < n_threads));
            prop_assert_eq!(Schedule::parse(&schedule.write(hash), hash, n_threads), Ok(schedule));
        }
    }
}

#[test]
fn a_replay_shows_every_state_and_counts_preemptions() {
    let system = Counter::new(2, 1, 2, true);
    let replayed = replay(&system, &schedule("BAAB")).expect("it can be gone");
    assert_eq!(replayed.states.len(), 5);
    assert_eq!(replayed.states[0], system.start());
    assert_eq!((system.outcome(replayed.end()), replayed.n_preemptions), (1, 1));
    // Going on after the other has ended is no preemption; a schedule may stop anywhere.
    assert_eq!(
        replay(&system, &schedule("AAB")).map(|replayed| replayed.n_preemptions),
        Ok(0)
    );
    let refused = replay(&system, &schedule("AAA")).expect_err("A has ended");
    assert_eq!(
        refused,
        CannotGo {
            step: 2,
            thread: Thread(0)
        }
    );
    let refused = replay(&system, &schedule("AC")).expect_err("there is no C");
    assert_eq!(
        refused,
        CannotGo {
            step: 1,
            thread: Thread(2)
        }
    );
    assert!(replay(&system, &Schedule(vec![Thread(200)])).is_err());
}
