//! Code that lets go of the interpreter lock: SHA-256 of big buffers, of many small messages, of many files.
//!
//! Not here: the hashing (`live`, `workloads`), the rows' actions (`hashing`), and their model (`model`).

mod claims;
mod hashing;
mod known;
mod model;

use super::ceilings::check_length;
use super::evidence::{median_hand_overs, median_overlap, sample_overlap};
use super::parameters::{BUDGET_MS, CORES, LOGICAL_CORES, Parameter, REPEATS, RUNTIME, Value};
use super::rows::{measured, runtime_of};
use super::{About, Asked, Complaint, Evidence, Lab, Model, linked, presets};
use crate::measure::digits::whole;
use crate::measure::verdict::Verdict;
use crate::measure::{Experiment, Sample, TakenRow, digits, from_start};
use crate::text::args;
use crate::wire::{Environment, HashesSeen, JobOutcome, Mode, Named, Row, Runtime, Strategy};
use hashing::Hashing;

/// The lab.
#[derive(Clone, Copy, Debug)]
pub struct LockRelease;

/// Its place in the list.
pub const LAB: LockRelease = LockRelease;

/// Bytes of a file: a page of text, and enough that hashing it lets go of the lock.
const FILE_BYTES: u32 = 1 << 16;

/// What is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// One long buffer a task.
    Big,
    /// Many messages a task.
    Small,
    /// Files, shared out among the tasks; each is read first.
    Files,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Big, Self::Small, Self::Files];

    const fn id(self) -> &'static str {
        match self {
            Self::Big => "big",
            Self::Small => "small",
            Self::Files => "files",
        }
    }

    /// The parameter that says how much of it.
    const fn parameter(self) -> &'static str {
        match self {
            Self::Big => "bufferMiB",
            Self::Small => "messages",
            Self::Files => "files",
        }
    }

    /// So much of it is quickly done anywhere.
    const fn first_probe(self) -> u32 {
        match self {
            Self::Big => 1,
            Self::Small => 250,
            Self::Files => 20,
        }
    }

    const fn note(self) -> &'static str {
        match self {
            Self::Big => "note.fewer-mebibytes",
            Self::Small => "note.fewer-messages",
            Self::Files => "note.fewer-files",
        }
    }
}

const PARAMETERS: &[Parameter] = &[
    Parameter::choice("buffers", None, &["big", "small", "files"]),
    Parameter::unsigned("bufferMiB", "MiB", 32, 1, 256),
    Parameter::unsigned("messages", "", 100_000, 1, 400_000),
    Parameter::unsigned("messageBytes", "bytes", 64, 1, 65_536),
    Parameter::unsigned("files", "", 2_000, 1, 20_000),
    Parameter::unsigned("tasks", "", 8, 1, 64),
    Parameter::unsigned("threads", "", 4, 1, 64),
    RUNTIME,
    REPEATS,
    BUDGET_MS,
    presets::parameter("lesson-a"),
    CORES,
    LOGICAL_CORES,
];

impl Lab for LockRelease {
    fn about(&self) -> About {
        About {
            id: "lock-release",
            modes: &[Mode::Measured, Mode::Model],
            parameters: PARAMETERS,
            strategies: &[Strategy::Serial, Strategy::Threads, Strategy::Processes],
            variants: model::VARIANTS,
            claims: claims::CLAIMS,
            opening: &[("budgetMs", Value::Unsigned(300))],
            minutes: 10,
            sections: &[
                "A: Code that releases the lock",
                "B: What threads are good for",
                "C: The interpreter lock",
            ],
            #[cfg(not(target_arch = "wasm32"))]
            words: include_str!("text.en.json"),
            #[cfg(not(target_arch = "wasm32"))]
            lesson: include_str!("lesson.en.md"),
        }
    }

    fn check(&self, asked: &Asked, _environment: &Environment) -> Result<(), Complaint> {
        check_length(hashing::n_rows(asked), asked)
    }

    fn plan(&self, asked: &Asked, environment: &Environment) -> Box<dyn Experiment> {
        Box::new(Hashing::new(asked, environment))
    }

    fn rows(&self, evidence: &Evidence<'_>) -> Vec<Row> {
        evidence.taken.rows.iter().map(|taken| row(evidence, taken)).collect()
    }

    fn finding(&self, evidence: &Evidence<'_>, rows: &[Row]) -> (&'static str, Named) {
        if evidence.is_void() {
            return ("void", args([]));
        }
        found(evidence, rows)
    }

    fn model(&self) -> Option<&'static dyn Model> {
        linked(&model::MODEL)
    }
}

/// The kinds of input that a run has.
fn kinds(asked: &Asked) -> impl Iterator<Item = Kind> + '_ {
    Kind::ALL.into_iter().filter(|kind| asked.allows("buffers", kind.id()))
}

/// The runtimes that a run has: with the lock and without it, where none was asked for.
fn runtimes(asked: &Asked) -> Vec<Runtime> {
    match asked.choice("runtime").and_then(runtime_of) {
        Some(runtime) => vec![runtime],
        None => vec![Runtime::Gil, Runtime::FreeThreaded],
    }
}

/// What one sample saw.
fn seen(sample: &Sample) -> Option<&HashesSeen> {
    match sample.jobs.first() {
        Some(JobOutcome::Hashed(seen)) => Some(seen),
        _ => None,
    }
}

/// What a row hashes.
fn kind_of(taken: &TakenRow) -> Option<Kind> {
    let variant = taken.subject.variant.as_deref();
    Kind::ALL.into_iter().find(|kind| variant == Some(kind.id()))
}

fn row(evidence: &Evidence<'_>, taken: &TakenRow) -> Row {
    let mut row = measured(evidence, taken);
    let last = taken.samples.last().and_then(|sample| Some((sample, seen(sample)?)));
    let Some(((sample, seen), kind)) = last.zip(kind_of(taken)) else {
        return row;
    };
    row.value = seen.digests.first().cloned();
    row.expected = known::digest(seen.input_bytes).map(str::to_owned);
    row.spans = Some(from_start(&sample.spans));
    if taken.subject.runtime == Some(Runtime::FreeThreaded) {
        row.overlap = median_overlap(taken);
        row.overlaps = Some(taken.samples.iter().map(sample_overlap).collect());
    } else {
        row.releases = Some(seen.releases);
        row.hand_overs = median_hand_overs(taken).map(whole);
    }
    let size = match kind {
        Kind::Big => seen.input_bytes >> 20,
        Kind::Small => seen.inputs / evidence.asked.unsigned("tasks").max(1),
        Kind::Files => seen.inputs,
    };
    let asked = evidence.asked.unsigned(kind.parameter());
    if size != asked {
        row.scaled_size = Some(size);
        let numbers = args([("size", size.into()), ("asked", asked.into())]);
        row.notes.push(evidence.say(kind.note(), &numbers));
    }
    if kind == Kind::Files {
        row.notes.push(evidence.say("note.reads", &args([])));
    }
    row
}

/// The row of several threads that hash this kind, where it ran: under the lock if any is, else without it.
fn several<'run>(evidence: &Evidence<'run>, kind: Kind) -> Option<&'run TakenRow> {
    let mut runtimes = runtimes(evidence.asked).into_iter();
    runtimes.find_map(|runtime| evidence.row(Strategy::Threads, Some(kind.id()), Some(runtime)))
}

/// What the rows show, by how several threads compare with one.
fn found(evidence: &Evidence<'_>, rows: &[Row]) -> (&'static str, Named) {
    let judged = Kind::ALL.map(|kind| {
        let taken = several(evidence, kind)?;
        let row = rows
            .iter()
            .zip(&evidence.taken.rows)
            .find(|(_, other)| other.subject == taken.subject);
        Some((evidence.comparison(taken)?.verdict, row?.0))
    });
    let all = || judged.iter().flatten();
    if all().next().is_none() {
        let median = rows.iter().find_map(|row| row.median_ms).unwrap_or_default();
        return ("unavailable", args([("median", digits::significant(median, 3).into())]));
    }
    if all().all(|(verdict, _)| *verdict == Verdict::TooFew) {
        return ("too-few", args([]));
    }
    let [big, small, _] = &judged;
    let is_locked = all().all(|(_, row)| row.runtime != Some(Runtime::FreeThreaded));
    if let (Some(big), Some(small), true) = (big, small, is_locked) {
        let numbers = args([("big", speedup(big.1).into()), ("small", speedup(small.1).into())]);
        let id = match (big.0 == Verdict::Faster, small.0 == Verdict::Faster) {
            (true, false) => "released",
            (true, true) => "both-faster",
            (false, true) => "reversed",
            (false, false) => "none-faster",
        };
        return (id, numbers);
    }
    let best = all().max_by(|one, two| speedup(one.1).total_cmp(&speedup(two.1)));
    let Some((verdict, row)) = best else {
        return ("too-few", args([]));
    };
    let numbers = args([("label", row.label.as_str().into()), ("speedup", speedup(row).into())]);
    match verdict {
        Verdict::Faster => ("faster", numbers),
        Verdict::Slower => ("slower", numbers),
        Verdict::NoDifference | Verdict::TooFew => ("no-difference", numbers),
    }
}

fn speedup(row: &Row) -> f64 {
    let bounds = (
        row.speedup_low.unwrap_or_default(),
        row.speedup_high.unwrap_or_default(),
    );
    digits::rounded(row.speedup.unwrap_or_default(), bounds.0, bounds.1)
}
