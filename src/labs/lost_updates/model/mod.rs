//! The modelled half: the same counting on the machines of the lessons, each addition as its read, its write and the
//! places where another thread may come between.
//!
//! Not here: which rows there are (`cases`), what runs on the machine (`program`), and what is claimed of it (`claims`).

mod cases;
mod claims;
mod program;
mod puzzle;

use super::share;
use crate::labs::puzzles::Puzzle;
use crate::labs::{Asked, Model, ModelClaim, Modelled, Scene, presets};
use crate::machine::Nanoseconds;
use crate::machine::front::Here;
use crate::machine::threads::Machine;
use crate::measure::digits::whole;
use crate::measure::statistics::median;
use crate::measure::{Subject, digits};
use crate::text::{Words, args};
use crate::wire::{Named, Row, Runtime, Sabotage, Strategy};
use cases::{Case, cases};
use program::Seen;

/// Races a row: the same program again in the same process, so that chance takes another turn.
const RACES: u32 = 5;

/// The modelled half.
#[derive(Clone, Copy, Debug)]
pub struct LostUpdatesModel;

impl Model for LostUpdatesModel {
    fn claims(&self) -> &'static [ModelClaim] {
        claims::CLAIMS
    }

    fn settle(&self, asked: &mut Asked) {
        presets::settle(asked);
    }

    fn scenes(&self, asked: &Asked) -> Vec<Subject> {
        cases(asked).into_iter().map(|case| case.subject).collect()
    }

    fn scene(&self, asked: &Asked, subject: &Subject, sabotage: Option<Sabotage>) -> Scene {
        let case = cases(asked).into_iter().find(|case| case.subject == *subject);
        let case = case.expect("a scene is asked for with one of the subjects of `scenes`");
        let mut settings = presets::machine_settings(asked, case.runtime, sabotage);
        settings.switch_interval = case.variant.switch_interval(asked);
        // Slow motion: what an addition does is as much dearer as there are fewer of them.
        let transfer = settings.costs.cell_transfer.0.saturating_mul(case.slower);
        settings.costs.cell_transfer = Nanoseconds(transfer);
        let mut machine = Machine::new(settings);
        let here = Here::new();
        let seen = Seen::default();
        let costs = program::Costs::of(&presets::of(asked), case.slower);
        if case.subject.strategy == Strategy::EventLoop {
            machine.start_loop(program::of_tasks(&here, &case, costs, &seen, sabotage));
        } else {
            machine.start(program::of_threads(&here, &case, costs, &seen, sabotage));
        }
        let read = move |machine: &Machine, _: &_, row: &mut Row| read(machine, &case, &seen, row);
        Scene {
            machine,
            read: Box::new(read),
        }
    }

    fn puzzles(&self, asked: &Asked) -> Vec<Puzzle> {
        let mut all: Vec<Puzzle> = cases(asked)
            .iter()
            .filter_map(|case| puzzle::puzzle(asked, case))
            .collect();
        // Where most can happen comes first; several rows may count in the same way.
        all.sort_by_key(|puzzle| std::cmp::Reverse(puzzle.program.grain));
        all.dedup();
        all
    }

    fn puzzle_of(&self, asked: &Asked, subject: &Subject) -> Option<Puzzle> {
        let found = cases(asked).into_iter().find(|case| case.subject == *subject);
        found.and_then(|case| puzzle::puzzle(asked, &case))
    }

    fn annotate(&self, asked: &Asked, words: &Words, rows: &mut [Row]) {
        let wanted = asked.unsigned("additions");
        for (case, row) in cases(asked).into_iter().zip(rows.iter_mut()) {
            if case.subject.strategy == Strategy::EventLoop || case.additions == wanted {
                continue;
            }
            row.scaled_size = Some(case.additions);
            let slower = u32::try_from(case.slower).unwrap_or(u32::MAX);
            let id = if case.is_slow_motion(wanted) {
                "lost-updates.model.note.slow-motion"
            } else {
                "lost-updates.model.note.fewer"
            };
            let numbers = args([
                ("asked", wanted.into()),
                ("size", case.additions.into()),
                ("times", slower.into()),
            ]);
            row.notes.push(words.fill(id, &numbers));
        }
    }

    fn finding(&self, modelled: &Modelled<'_>) -> (&'static str, Named) {
        let rows = || modelled.rows.iter().filter(|row| row.available);
        let losing = rows().filter(|row| row.lost.unwrap_or_default() > 0);
        let worst = losing.max_by(|one, two| share(one).total_cmp(&share(two)));
        let is_locked = |row: &Row| row.runtime == Some(Runtime::Gil) && row.variant.as_deref() == Some("plain");
        let lucky = rows().any(|row| is_locked(row) && row.lost == Some(0));
        let Some(worst) = worst else {
            return (if lucky { "luck" } else { "none-lost" }, args([]));
        };
        let numbers = args([
            ("label", worst.label.as_str().into()),
            ("share", digits::significant(share(worst), 3).into()),
        ]);
        (if lucky { "luck-beside-loss" } else { "lost" }, numbers)
    }
}

fn read(machine: &Machine, case: &Case, seen: &Seen, row: &mut Row) {
    let races = seen.races.borrow();
    let expected = case.expected();
    let losses = races
        .iter()
        .map(|race| u32::try_from(expected - race.value).unwrap_or_default());
    let losses: Vec<u32> = losses.collect();
    row.value = races.last().map(|race| race.value.to_string());
    row.expected = Some(expected.to_string());
    row.lost = median(&losses.iter().map(|lost| f64::from(*lost)).collect::<Vec<f64>>()).map(whole);
    row.losses = Some(losses);
    row.samples_ms = races.iter().map(|race| race.took.as_millis()).collect();
    row.median_ms = median(&row.samples_ms);
    if case.subject.strategy == Strategy::Threads && case.runtime != Runtime::FreeThreaded {
        let all = machine.hand_overs();
        row.hand_overs = u32::try_from((all.forced + all.voluntary) / u64::from(RACES)).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labs::{Lab, Value};
    use crate::machine::threads::Progress;

    /// The shares lost of every race of one row.
    fn shares(variant: &'static str, runtime: &'static str, threads: u32) -> Vec<f64> {
        let mut asked = Asked::defaults(super::super::LAB.about().parameters, crate::wire::Mode::Model, 1);
        asked.set("variant", Value::Choice(variant));
        asked.set("runtime", Value::Choice(runtime));
        asked.set("threads", Value::Unsigned(threads));
        LostUpdatesModel.settle(&mut asked);
        let case = cases(&asked).into_iter().next().expect("the variant has a row");
        let mut scene = LostUpdatesModel.scene(&asked, &case.subject, None);
        let ended = scene.machine.run(u64::MAX);
        assert!(matches!(ended, Progress::Ended(Ok(_))), "{ended:?}");
        let mut row = crate::labs::rows::empty(Strategy::Threads, String::new(), crate::wire::Provenance::Modelled);
        (scene.read)(&scene.machine, &ended, &mut row);
        let expected = case.expected() as f64;
        row.losses
            .unwrap_or_default()
            .into_iter()
            .map(|lost| f64::from(lost) / expected)
            .collect()
    }

    /// Read, give the lock up, write: in each round all threads read the same number, and one of them counts.
    #[test]
    fn giving_the_lock_up_in_between_keeps_one_of_n() {
        for n in [2, 4, 16] {
            let all = shares("wide", "gil", n);
            let right = 1.0 - 1.0 / f64::from(n);
            assert!(all.iter().all(|share| (share - right).abs() < 0.01), "{n}: {all:?}");
        }
    }

    /// More threads lose more, and hardly ever all but one of n: threads are not in step.
    #[test]
    fn free_threads_lose_most() {
        let (four, eight) = (shares("plain", "free-threaded", 4), shares("plain", "free-threaded", 8));
        let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
        assert!((0.5..0.76).contains(&mean(&four)), "{four:?}");
        assert!(mean(&eight) > mean(&four), "{eight:?}");
    }
}
