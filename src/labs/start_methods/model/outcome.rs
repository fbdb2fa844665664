//! What became of a script: who started whom, what ran again, who failed with what.
//!
//! A row's log holds it all, a line `process: text` each; the end of a traceback has the exit code behind it.
//!
//! Not here: the script, and what CPython does with it.

use super::cases::{Case, cases};
use super::recorded;
use super::script::{Script, Seen, TOP_LEVEL, class};
use crate::labs::Asked;
use crate::machine::threads::{Machine, ProcessReport, Progress};
use crate::text::{Words, args};
use crate::wire::{LogLine, Row, Strategy};

/// The first process's name.
const MAIN: &str = "MainProcess";

/// What stands before a traceback's exit code.
const EXIT_CODE: &str = ", exit code ";

/// What a row shows, put shortly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome<'row> {
    /// How often the top level ran in the first process.
    pub runs: u32,
    /// How often it ran again, as `__mp_main__`.
    pub imports: u32,
    /// What a child failed with.
    pub child: Option<&'row str>,
    /// The child's exit code where it failed.
    pub exit_code: Option<&'row str>,
    /// What the first process failed with.
    pub parent: Option<&'row str>,
}

impl<'row> Outcome<'row> {
    /// Reads it from a row's log.
    pub fn of(row: &'row Row) -> Self {
        let mut outcome = Self {
            runs: 0,
            imports: 0,
            child: None,
            exit_code: None,
            parent: None,
        };
        let lines = row.log.iter().flatten().filter_map(|line| line.text.split_once(": "));
        for (process, text) in lines {
            match (
                text.strip_prefix(TOP_LEVEL),
                text.split_once(EXIT_CODE),
                process == MAIN,
            ) {
                (Some(_), _, true) => outcome.runs += 1,
                (Some(_), _, false) => outcome.imports += 1,
                (None, Some((error, _)), true) => outcome.parent = Some(error),
                (None, Some((error, code)), false) => (outcome.child, outcome.exit_code) = (Some(error), Some(code)),
                (None, None, _) => {}
            }
        }
        outcome
    }
}

/// Whether a row is of the script.
pub fn is_outcome(row: &Row) -> bool {
    let variant = row.variant.as_deref().unwrap_or_default();
    row.strategy == Strategy::Processes && (variant.ends_with("-file") || variant.ends_with("-stdin"))
}

/// Whether it ends as it does in CPython; so does every row that is none of a script.
pub fn ends_as_recorded(row: &Row, asked: &Asked) -> bool {
    let of_row = cases(asked)
        .into_iter()
        .find(|(subject, _)| subject.variant == row.variant);
    match of_row {
        Some((_, Case::Outcome(script))) => recorded::of(script).is(&Outcome::of(row)),
        _ => true,
    }
}

/// Puts what was said into the row, and who started whom as its first note: without words, which the machine has not.
pub fn read(machine: &Machine, progress: &Progress, seen: &Seen, row: &mut Row) {
    let reports = machine.process_reports();
    let report_of = |id| reports.iter().find(|report| report.id == id);
    let said = seen.said.borrow();
    let lines = said.iter().map(|said| {
        let report = report_of(said.process);
        let name = report.map(|report| report.name.as_str()).unwrap_or_default();
        let code = report.and_then(|report| report.exit_code).unwrap_or(1);
        let text = if said.is_error {
            format!("{name}: {}{EXIT_CODE}{code}", said.text)
        } else {
            format!("{name}: {}", said.text)
        };
        LogLine {
            at_ms: said.at.as_millis(),
            text,
        }
    });
    row.log = Some(lines.collect());
    row.notes = vec![family(&reports)];
    row.workers = u32::try_from(reports.len()).ok().and_then(|all| all.checked_sub(1));
    row.value = Some(match progress {
        Progress::Ended(Err(exception)) => class(exception).to_owned(),
        _ => recorded::ENDS_WELL.to_owned(),
    });
}

/// Who started whom: `MainProcess → forkserver, forkserver → Process-1`.
fn family(reports: &[ProcessReport]) -> String {
    let name_of = |id| {
        reports
            .iter()
            .find(|report| report.id == id)
            .map(|report| report.name.as_str())
    };
    let starts = reports.iter().filter_map(|child| {
        let parent = name_of(child.parent?)?;
        Some(format!("{parent} → {}", child.name))
    });
    starts.collect::<Vec<_>>().join(", ")
}

/// Says it in words.
pub fn tell(script: Script, words: &Words, row: &mut Row) {
    let outcome = Outcome::of(row);
    let numbers = args([
        ("imports", outcome.imports.into()),
        ("child", outcome.child.unwrap_or_default().into()),
        ("code", outcome.exit_code.unwrap_or_default().into()),
        ("parent", outcome.parent.unwrap_or_default().into()),
        ("family", row.notes.join(" ").into()),
    ]);
    let ran = match (outcome.imports, script.method) {
        (0, _) => "start-methods.model.note.ran-once",
        _ => "start-methods.model.note.ran-again",
    };
    let failed = (outcome.child.is_some() || outcome.parent.is_some()).then_some("start-methods.model.note.failed");
    let family = (!row.notes.join("").is_empty()).then_some("start-methods.model.note.family");
    let notes = [Some(ran), failed, family].into_iter().flatten();
    row.notes = notes.map(|id| words.fill(id, &numbers)).collect();
}
