//! What a lab models: scenes for the machine, one a row, and the sentences that the model's numbers prove.
//!
//! Not here: any lab's scene. Not here either: samples and intervals; a modelled number is exact.

use std::fmt::Debug;

use super::claims::{Decision, Need};
use super::parameters::Asked;
use super::puzzles::Puzzle;
use super::rows;
use crate::machine::threads::{Machine, Progress};
use crate::measure::Subject;
use crate::measure::digits::significant;
use crate::text::{Words, args};
use crate::wire::{Claim, ClaimKind, Holds, Named, Provenance, Row, Runtime, Sabotage, Strategy};

/// A lab's model, in a build that has models: the one that measures goes without, and without the machine.
#[must_use]
pub const fn linked(model: &'static dyn Model) -> Option<&'static dyn Model> {
    if cfg!(feature = "model") { Some(model) } else { None }
}

/// The modelled half of a lab.
pub trait Model: Debug + Sync {
    /// Its claims. One that the measured half makes too has the same id.
    fn claims(&self) -> &'static [ModelClaim];

    /// Fills in what follows from other values, as the cores do from the preset.
    fn settle(&self, _asked: &mut Asked) {}

    /// The rows, in the order shown. A baseline stands above the rows that are compared with it.
    fn scenes(&self, asked: &Asked) -> Vec<Subject>;

    /// The machine of one row, ready to run.
    fn scene(&self, asked: &Asked, subject: &Subject, sabotage: Option<Sabotage>) -> Scene;

    /// The small programs that can be stepped through with these values; a schedule is of one of them, and without one
    /// the first is shown.
    fn puzzles(&self, _asked: &Asked) -> Vec<Puzzle> {
        Vec::new()
    }

    /// The small program whose every schedule belongs to this row.
    fn puzzle_of(&self, _asked: &Asked, _subject: &Subject) -> Option<Puzzle> {
        None
    }

    /// What this row has still to work out once its machine has ended: what is too large for a trace.
    fn sequel(&self, _asked: &Asked, _subject: &Subject, _sabotage: Option<Sabotage>) -> Option<Box<dyn Sequel>> {
        None
    }

    /// Adds what rows say of each other, and notes in words, once all have ended and are compared with the baseline.
    fn annotate(&self, _asked: &Asked, _words: &Words, _rows: &mut [Row]) {}

    /// What the run found: an id in the lab's table under `model.finding.`, and its numbers and words.
    fn finding(&self, modelled: &Modelled<'_>) -> (&'static str, Named);
}

/// The rest of a row that its machine has begun: large, without a trace, and run slice by slice like it.
pub trait Sequel: Debug {
    /// Goes on for a slice of some 10 ms; true while there is more to do.
    fn go_on(&mut self) -> bool;

    /// How far it is, in words.
    fn progress(&self, label: &str, words: &Words) -> String;

    /// Puts what it found into the row. The row is then part of the run's hash.
    fn fill(&mut self, row: &mut Row);
}

/// What puts a lab's quantities into a row: from the machine, and from how its run ended.
pub type Reader = Box<dyn FnOnce(&Machine, &Progress, &mut Row)>;

/// One row in the making.
pub struct Scene {
    /// Its machine, started and not yet run.
    pub machine: Machine,
    /// Puts the lab's own quantities into the row, once the machine has ended or stands still for ever.
    pub read: Reader,
}

impl Debug for Scene {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Scene").finish_non_exhaustive()
    }
}

/// One claim of a model.
#[derive(Clone, Copy, Debug)]
pub struct ModelClaim {
    /// Its id within the lab.
    pub id: &'static str,
    /// Its kind: a claim about speed is one that a measurement could only decide from an interval.
    pub kind: ClaimKind,
    /// Outside these it is not applicable; the first that fails is the reason.
    pub needs: &'static [Need],
    /// The fault under which a test sees it false.
    pub sabotage: Sabotage,
    /// Decides, where the needs are met.
    pub decide: fn(&Modelled<'_>) -> Decision,
}

/// Everything a claim or a finding of a model may look at.
#[derive(Clone, Copy, Debug)]
pub struct Modelled<'run> {
    /// The lab's id: the prefix of its texts.
    pub lab: &'static str,
    /// What was asked.
    pub asked: &'run Asked,
    /// The rows, all of them ended.
    pub rows: &'run [Row],
    /// The words of the asked language.
    pub words: &'run Words,
}

impl<'run> Modelled<'run> {
    /// The row; none as variant or runtime means any.
    #[must_use]
    pub fn row(&self, strategy: Strategy, variant: Option<&str>, runtime: Option<Runtime>) -> Option<&'run Row> {
        self.rows.iter().find(|row| {
            row.strategy == strategy
                && variant.is_none_or(|variant| row.variant.as_deref() == Some(variant))
                && runtime.is_none_or(|runtime| row.runtime == Some(runtime))
                && row.available
        })
    }

    /// How long a row's program took, in milliseconds of the machine's time; none where it did not run.
    #[must_use]
    pub fn ms(&self, strategy: Strategy, variant: Option<&str>, runtime: Option<Runtime>) -> Option<f64> {
        self.row(strategy, variant, runtime)?.median_ms
    }

    fn lacks(&self, need: &Need) -> Option<String> {
        let words = self.words;
        match *need {
            Need::Ran(strategy, variant, runtime) => self
                .row(strategy, variant, runtime)
                .is_none()
                .then(|| words.say("need.ran")),
            // What the model needs of sizes it states itself; noise, clocks and overlap are none of its concerns.
            Need::Cores(_)
            | Need::QuietMachine
            | Need::Overlap(..)
            | Need::HandOvers(..)
            | Need::Size(_)
            | Need::LongSamples(_) => None,
            Need::All(needs) => needs.iter().find_map(|need| self.lacks(need)),
            _ => need.of_values(self.lab, self.asked, words),
        }
    }
}

impl ModelClaim {
    /// Judges what was modelled.
    #[must_use]
    pub fn judge(&self, modelled: &Modelled<'_>) -> Claim {
        let words = modelled.words;
        let say = |id: &str, args: &Named| words.fill(&format!("{}.model.{id}", modelled.lab), args);
        let (holds, why) = if let Some(missing) = self.needs.iter().find_map(|need| modelled.lacks(need)) {
            (Holds::NotApplicable, missing)
        } else {
            let decision = (self.decide)(modelled);
            let suffix = match decision.holds {
                Holds::True => "true",
                Holds::False => "false",
                Holds::NotApplicable => "unclear",
            };
            (
                decision.holds,
                say(&format!("why.{}.{suffix}", self.id), &decision.args),
            )
        };
        Claim {
            id: self.id.to_owned(),
            kind: self.kind,
            holds,
            why,
            text: say(&format!("claim.{}", self.id), &args([])),
        }
    }
}

/// The part of a modelled row that is the same in every lab: what it is, and how long its program took.
#[must_use]
pub fn modelled(lab: &str, subject: &Subject, ms: f64, words: &Words) -> Row {
    let mut row = rows::empty(subject.strategy, rows::label(lab, subject, words), Provenance::Modelled);
    row.variant.clone_from(&subject.variant);
    row.runtime = subject.runtime;
    row.baseline = subject.baseline;
    row.workers = subject.workers;
    row.samples_ms = vec![ms];
    row.median_ms = Some(ms);
    row
}

/// Who held an event loop longest, in words: the task, the call, its line and the length. None where no step was long,
/// however many short ones there were.
#[must_use]
pub fn culprit(machine: &Machine, words: &Words) -> Option<String> {
    let longest = machine.stalls().into_iter().max_by_key(|stall| stall.length)?;
    let id = if longest.call.is_empty() {
        "row.culprit-unnamed"
    } else {
        "row.culprit"
    };
    let args = args([
        ("task", longest.name.as_ref().into()),
        ("call", longest.call.into()),
        ("line", longest.line.into()),
        ("length", significant(longest.length.as_millis(), 4).into()),
    ]);
    Some(words.fill(id, &args))
}

/// Fills in how rows compare with the nearest baseline above them: exactly, for a model has no noise.
pub fn compare(rows: &mut [Row]) {
    let mut base = rows.iter().find(|row| row.baseline).and_then(|row| row.median_ms);
    for row in rows {
        if row.baseline {
            base = row.median_ms;
            continue;
        }
        let Some((base, ms)) = base.zip(row.median_ms.filter(|ms| *ms > 0.0)) else {
            continue;
        };
        row.speedup = Some(base / ms);
        row.efficiency = row.workers.map(|workers| base / ms / f64::from(workers.max(1)));
    }
}
