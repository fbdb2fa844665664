//! What became of a row's requests. Not here: what follows from it (`claims`).

use super::asking::Asking;
use super::summary::{errors, in_flight, percentile};
use crate::measure::TakenRow;
use crate::wire::{JobOutcome, RequestEnd, RequestTry, Row};

/// What one row's requests came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// From the first request to the end of all, in milliseconds.
    pub makespan_ms: f64,
    /// When the whole batch was given up, if it was.
    pub gave_up_ms: Option<f64>,
    /// Requests that were answered.
    pub answered: u32,
    /// Those that failed or were refused.
    pub failed: u32,
    /// All others: given up, begun or not.
    pub cancelled: u32,
    /// How many were under way at once, at most.
    pub in_flight_max: u32,
    /// How long each answered request took, the shortest first.
    took_ms: Vec<f64>,
    start_ms: f64,
    tries: Vec<RequestTry>,
}

/// What the row's one sample saw; none where it did not run.
pub fn seen(taken: &TakenRow, asking: &Asking) -> Option<Seen> {
    let jobs = &taken.samples.first()?.jobs;
    let mut seen = match jobs.first()? {
        JobOutcome::Batched(batch) => Seen {
            makespan_ms: batch.ended_ms - batch.started_ms,
            gave_up_ms: batch.gave_up_ms,
            answered: count(batch.took_ms.len()),
            failed: batch.failed,
            cancelled: 0,
            in_flight_max: 0,
            took_ms: batch.took_ms.clone(),
            start_ms: batch.started_ms,
            tries: batch.tries.clone(),
        },
        _ => of_jobs(jobs)?,
    };
    seen.cancelled = asking.requests.saturating_sub(seen.answered + seen.failed);
    seen.took_ms.sort_by(f64::total_cmp);
    seen.in_flight_max = in_flight(&seen.spans(), seen.start_ms).0;
    Some(seen)
}

/// Requests that were each a job of its own, by the clocks of the workers that made them.
fn of_jobs(jobs: &[JobOutcome]) -> Option<Seen> {
    let each: Vec<&[RequestTry]> = jobs
        .iter()
        .filter_map(|job| match job {
            JobOutcome::Requested { tries } => Some(tries.as_slice()),
            _ => None,
        })
        .collect();
    let all = || each.iter().flat_map(|tries| tries.iter());
    let start_ms = all().map(|tried| tried.start_ms).reduce(f64::min)?;
    let end_ms = all().map(|tried| tried.end_ms).reduce(f64::max)?;
    let ends = each.iter().filter_map(|tries| tries.first().zip(tries.last()));
    let answered = ends.filter(|(_, last)| last.end == RequestEnd::Answered);
    let took_ms: Vec<f64> = answered.map(|(first, last)| last.end_ms - first.start_ms).collect();
    Some(Seen {
        makespan_ms: end_ms - start_ms,
        gave_up_ms: None,
        answered: count(took_ms.len()),
        failed: count(each.len() - took_ms.len()),
        cancelled: 0,
        in_flight_max: 0,
        took_ms,
        start_ms,
        tries: all().copied().collect(),
    })
}

impl Seen {
    /// Puts it into a row.
    pub fn tell(&self, asking: &Asking, row: &mut Row) {
        row.samples_ms = vec![self.makespan_ms];
        row.median_ms = Some(self.makespan_ms);
        (row.low_ms, row.high_ms) = (None, None);
        row.answered = Some(self.answered);
        row.errors = Some(errors(0, self.failed, self.cancelled));
        let (most, curve) = in_flight(&self.spans(), self.start_ms);
        (row.in_flight_max, row.in_flight) = (Some(most), Some(curve));
        let took = |percent| percentile(&self.took_ms, percent);
        (row.p50_ms, row.p95_ms, row.p99_ms) = (took(50), took(95), took(99));
        row.timeout_fired = asking.deadline_ms.map(|_| self.gave_up_ms.is_some());
        row.timeout_after_ms = self.gave_up_ms;
    }

    fn spans(&self) -> Vec<(f64, f64)> {
        self.tries.iter().map(|tried| (tried.start_ms, tried.end_ms)).collect()
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
