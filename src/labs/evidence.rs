//! What a run took, as a lab's claims and findings look at it. Not here: deciding anything.

use super::claims::Need;
use super::parameters::Asked;
use super::rows::median_ms;
use crate::measure::statistics::{Estimate, median};
use crate::measure::verdict::{Comparison, compare};
use crate::measure::{Sample, Taken, TakenRow, notes, overlap};
use crate::text::{Words, args};
use crate::wire::{Environment, JobOutcome, Named, Runtime, Strategy};

/// Everything a lab may look at when it concludes.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'run> {
    /// The lab's id: the prefix of its texts.
    pub lab: &'static str,
    /// What was asked.
    pub asked: &'run Asked,
    /// Where it ran.
    pub environment: &'run Environment,
    /// What was taken.
    pub taken: &'run Taken,
    /// The words of the asked language.
    pub words: &'run Words,
}

impl<'run> Evidence<'run> {
    /// A text of this lab, filled.
    #[must_use]
    pub fn say(&self, id: &str, args: &Named) -> String {
        self.words.fill(&format!("{}.{id}", self.lab), args)
    }

    /// Whether the page was hidden: then no time of this run means anything.
    #[must_use]
    pub fn is_void(&self) -> bool {
        self.taken.hidden || self.environment.hidden
    }

    /// The row, where it ran. None as variant or runtime means any.
    #[must_use]
    pub fn row(&self, strategy: Strategy, variant: Option<&str>, runtime: Option<Runtime>) -> Option<&'run TakenRow> {
        self.taken.rows.iter().find(|row| {
            row.subject.strategy == strategy
                && variant.is_none_or(|variant| row.subject.variant.as_deref() == Some(variant))
                && runtime.is_none_or(|runtime| row.subject.runtime == Some(runtime))
                && row.is_available()
                && !row.samples.is_empty()
        })
    }

    /// The row that the first others are compared with, where it ran.
    #[must_use]
    pub fn baseline(&self) -> Option<&'run TakenRow> {
        self.taken
            .rows
            .iter()
            .find(|row| row.subject.baseline && !row.samples.is_empty())
    }

    /// How a row compares with its baseline: the nearest above it.
    #[must_use]
    pub fn comparison(&self, row: &TakenRow) -> Option<Comparison> {
        let above = self.taken.rows.iter().take_while(|other| other.subject != row.subject);
        let nearest = above.filter(|other| other.subject.baseline).last();
        let baseline = nearest.or_else(|| self.baseline())?;
        compare(&baseline.samples_ms(), &row.samples_ms(), self.asked.seed)
    }

    /// The row's speed-up with its interval.
    #[must_use]
    pub fn speedup(&self, row: Option<&TakenRow>) -> Option<Estimate> {
        self.comparison(row?).map(|comparison| comparison.speedup)
    }

    /// What is missing for a claim, in words; the first need that is not met, none when all are.
    #[must_use]
    pub fn lacks_of(&self, needs: &[Need]) -> Option<String> {
        needs.iter().find_map(|need| self.lacks(need))
    }

    /// What is missing, in words; none when the need is met.
    #[must_use]
    fn lacks(&self, need: &Need) -> Option<String> {
        let words = self.words;
        let cores = self.environment.cores_claimed;
        match *need {
            Need::Ran(strategy, variant, runtime) => self
                .row(strategy, variant, runtime)
                .is_none()
                .then(|| words.say("need.ran")),
            Need::Cores(least) => (cores < least)
                .then(|| words.fill("need.cores", &args([("least", least.into()), ("cores", cores.into())]))),
            Need::QuietMachine => {
                let busy = self.baseline().is_some_and(|row| notes::is_busy(&row.samples_ms()));
                busy.then(|| words.say("need.quiet-machine"))
            }
            Need::Overlap(variant, runtime, least) => {
                let seen = self
                    .row(Strategy::Threads, Some(variant), Some(runtime))
                    .and_then(median_overlap);
                (seen.unwrap_or_default() * 100.0 < f64::from(least)).then(|| {
                    let seen = seen.unwrap_or_default();
                    words.fill("need.overlap", &args([("least", least.into()), ("seen", seen.into())]))
                })
            }
            Need::HandOvers(variant, runtime, least) => {
                let seen = self
                    .row(Strategy::Threads, Some(variant), Some(runtime))
                    .and_then(median_hand_overs);
                (seen.unwrap_or_default() < f64::from(least)).then(|| {
                    let seen = seen.unwrap_or_default();
                    words.fill(
                        "need.hand-overs",
                        &args([("least", least.into()), ("seen", seen.into())]),
                    )
                })
            }
            Need::Size(least) => (self.taken.size < least).then(|| {
                words.fill(
                    "need.size",
                    &args([("least", least.into()), ("size", self.taken.size.into())]),
                )
            }),
            Need::LongSamples(least) => {
                let seen = self.baseline().map(median_ms).unwrap_or_default();
                (seen < f64::from(least)).then(|| words.fill("need.long-samples", &args([("least", least.into())])))
            }
            Need::All(needs) => self.lacks_of(needs),
            _ => need.of_values(self.lab, self.asked, words),
        }
    }
}

/// The median share of the time in which workers overlapped.
#[must_use]
pub fn median_overlap(row: &TakenRow) -> Option<f64> {
    median(&row.samples.iter().map(sample_overlap).collect::<Vec<_>>())
}

/// How much of a sample's time at least two workers were busy: counted by the threads, or from the spans.
#[must_use]
pub fn sample_overlap(sample: &Sample) -> f64 {
    match sample.jobs.first() {
        Some(JobOutcome::Counted { overlap, .. }) => *overlap,
        _ => overlap(&sample.spans).share,
    }
}

/// The median number of hand-overs of the interpreter lock.
#[must_use]
pub fn median_hand_overs(row: &TakenRow) -> Option<f64> {
    let counts = row.samples.iter().filter_map(|sample| match sample.jobs.first() {
        Some(JobOutcome::Counted { hand_overs, .. } | JobOutcome::Computed { hand_overs, .. }) => {
            Some(f64::from(*hand_overs))
        }
        Some(JobOutcome::Hashed(seen)) => Some(f64::from(seen.hand_overs)),
        _ => None,
    });
    median(&counts.collect::<Vec<_>>())
}
