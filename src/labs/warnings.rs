//! What to know about a whole run before believing it. Not here: notes about one row (`rows`).

use super::evidence::Evidence;
use crate::measure::{TakenRow, notes};
use crate::text::args;
use crate::wire::{Named, Warning};

/// Fewer samples than this can never decide a comparison (`measure::verdict`).
const FEW_SAMPLES: usize = 5;

/// The named warnings of a run.
#[must_use]
pub fn warnings(evidence: &Evidence<'_>) -> Vec<Warning> {
    let repeated = || {
        let rows = evidence.taken.rows.iter();
        rows.filter(|row| !row.subject.once && row.is_available() && !row.samples.is_empty())
    };
    let step = evidence.environment.clock_step_ms;
    let is_any = |check: &dyn Fn(&TakenRow) -> bool| repeated().any(check);
    let fewer = evidence.taken.pool.filter(|(asked, started)| started < asked);
    let pool = fewer.map_or_else(Named::default, |(asked, started)| {
        args([("asked", asked.into()), ("started", started.into())])
    });
    let coarse = args([("step", step.into())]);
    let found = [
        ("hidden", evidence.is_void(), Named::default()),
        ("fewer-started", fewer.is_some(), pool),
        (
            "busy",
            evidence.baseline().is_some_and(|row| notes::is_busy(&row.samples_ms())),
            Named::default(),
        ),
        (
            "coarse-clock",
            is_any(&|row| notes::is_too_short(&row.samples_ms(), step)),
            coarse,
        ),
        (
            "few-samples",
            is_any(&|row| row.samples.len() < FEW_SAMPLES),
            Named::default(),
        ),
        (
            "outliers",
            is_any(&|row| notes::n_outliers(&row.samples_ms()) > 0),
            Named::default(),
        ),
        (
            "trend",
            is_any(&|row| notes::has_trend(&row.samples_ms())),
            Named::default(),
        ),
    ];
    let words = evidence.words;
    found
        .into_iter()
        .filter(|(_, applies, _)| *applies)
        .map(|(id, _, args)| Warning {
            id: id.to_owned(),
            text: words.fill(&format!("warning.{id}"), &args),
        })
        .collect()
}
