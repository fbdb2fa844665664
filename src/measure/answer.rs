//! Reads what became of an action. Not here: what to do with it.

use crate::wire::{Action, ActionOutcome, BatchHow, Impossible, Job, JobOutcome, RequestEnd, WorkSpan};

/// One sample of one row.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The sample's time in milliseconds: seen by the lab worker where it did the work, else by the page.
    pub ms: f64,
    /// From the start to the last answer, seen by the page, in milliseconds.
    pub elapsed_ms: f64,
    /// What the jobs answered.
    pub jobs: Vec<JobOutcome>,
    /// Who worked when: the jobs' own record, or the page's for isolates.
    pub spans: Vec<WorkSpan>,
    /// Workers or threads that had really started.
    pub started: u32,
    /// Whether the page was hidden meanwhile.
    pub hidden: bool,
}

/// Whether the outcome answers the action, and what it says.
///
/// # Errors
/// In words for developers: a bug of the page, or a wrong version.
pub fn read(action: &Action, outcome: ActionOutcome) -> Result<Result<Sample, Impossible>, String> {
    let (elapsed_ms, jobs, spans, started, hidden) = match outcome {
        ActionOutcome::Unavailable { why } => return Ok(Err(why)),
        ActionOutcome::Performed {
            elapsed_ms,
            jobs,
            spans,
            started,
            hidden,
        } => (elapsed_ms, jobs, spans, started, hidden),
    };
    let n_wanted = match action {
        Action::OnLab { .. } | Action::OnPage { .. } | Action::OnPair { .. } => 1,
        Action::OnIsolates { jobs, .. } | Action::OnOwnProcesses { jobs, .. } | Action::OnNewIsolates { jobs, .. } => {
            jobs.len()
        }
        Action::OnNetwork { .. } => 0,
    };
    if jobs.len() != n_wanted {
        return Err(format!("{n_wanted} job outcomes were due, {} came", jobs.len()));
    }
    let fits = match action {
        Action::OnLab { job, .. } => jobs.iter().all(|outcome| answers(job, outcome)),
        Action::OnIsolates { jobs: asked, .. } | Action::OnNewIsolates { jobs: asked, .. } => {
            asked.iter().zip(&jobs).all(|(job, outcome)| answers(job, outcome))
        }
        Action::OnOwnProcesses { jobs: asked, .. } => asked
            .iter()
            .zip(&jobs)
            .all(|(job, outcome)| answers(job, outcome) || matches!(outcome, JobOutcome::Died { .. })),
        Action::OnPair { .. } => jobs.iter().all(|outcome| matches!(outcome, JobOutcome::Crossed { .. })),
        Action::OnPage { .. } => jobs.iter().all(|outcome| matches!(outcome, JobOutcome::Stalled(_))),
        Action::OnNetwork { .. } => true,
    };
    if !fits {
        return Err("a job was answered by an outcome of another kind".to_owned());
    }
    if jobs.iter().any(went_past) {
        return Ok(Err(past_whom(action)));
    }
    let ms = match (action, jobs.first()) {
        (Action::OnLab { .. } | Action::OnPage { .. } | Action::OnPair { .. }, Some(outcome)) => {
            own_time(outcome).unwrap_or(elapsed_ms)
        }
        _ => elapsed_ms,
    };
    let times = [ms, elapsed_ms].into_iter().chain(jobs.iter().filter_map(own_time));
    if times.into_iter().any(|time| !time.is_finite() || time < 0.0) {
        return Err("a time was negative or not a number".to_owned());
    }
    let spans = jobs
        .first()
        .filter(|_| matches!(action, Action::OnLab { .. }))
        .and_then(|outcome| match outcome {
            JobOutcome::Computed { spans, .. } => Some(spans.clone()),
            JobOutcome::Hashed(seen) => Some(seen.spans.clone()),
            _ => None,
        })
        .unwrap_or(spans);
    Ok(Ok(Sample {
        ms,
        elapsed_ms,
        jobs,
        spans,
        started,
        hidden,
    }))
}

fn own_time(outcome: &JobOutcome) -> Option<f64> {
    match outcome {
        JobOutcome::Computed { elapsed_ms, .. }
        | JobOutcome::Counted { elapsed_ms, .. }
        | JobOutcome::Played { elapsed_ms, .. }
        | JobOutcome::Blocked { elapsed_ms } => Some(*elapsed_ms),
        JobOutcome::Hashed(seen) => Some(seen.elapsed_ms),
        JobOutcome::Appended(seen) => Some(seen.elapsed_ms),
        JobOutcome::Crossed { crossing_ms, .. } => Some(*crossing_ms),
        JobOutcome::Stalled(seen) => Some(seen.program_ended_ms),
        JobOutcome::Batched(seen) => Some(seen.ended_ms - seen.started_ms),
        JobOutcome::Calibrated { nanoseconds } => Some(nanoseconds / 1e6),
        // A job that is timed by the page, or of the bench alone.
        _ => None,
    }
}

/// Whether a request reached the host of the site instead of the slow API.
fn went_past(outcome: &JobOutcome) -> bool {
    let tries = match outcome {
        JobOutcome::Batched(seen) => &seen.tries,
        JobOutcome::Requested { tries } => tries,
        _ => return false,
    };
    tries.iter().any(|tried| tried.end == RequestEnd::PassedBy)
}

/// Browsers that send blocking requests past their service worker send others to it.
fn past_whom(action: &Action) -> Impossible {
    match action {
        Action::OnLab {
            job: Job::Batch(batch), ..
        } if matches!(batch.how, BatchHow::Tasks | BatchHow::Limited) => Impossible::NoServiceWorker,
        _ => Impossible::BlockingPassesBy,
    }
}

fn answers(job: &Job, outcome: &JobOutcome) -> bool {
    match (job, outcome) {
        (Job::Ping, JobOutcome::Pinged { .. })
        | (Job::Count(_), JobOutcome::Counted { .. })
        | (Job::CalibrateCount { .. }, JobOutcome::Calibrated { .. })
        | (Job::Hash(_), JobOutcome::Hashed(_))
        | (Job::Append(_), JobOutcome::Appended(_))
        | (Job::Stall(_), JobOutcome::Stalled(_))
        | (Job::Scene { .. } | Job::Waits(_), JobOutcome::Played { .. })
        | (Job::Batch(_), JobOutcome::Batched(_))
        | (Job::Block { .. } | Job::Busy { .. }, JobOutcome::Blocked { .. }) => true,
        (Job::Compute(job), JobOutcome::Computed { totals, .. }) => job.tasks.len() == totals.len(),
        (Job::Request(_), JobOutcome::Requested { tries }) => {
            let is_time = |ms: f64| ms.is_finite() && ms >= 0.0;
            !tries.is_empty()
                && tries
                    .iter()
                    .all(|tried| is_time(tried.start_ms) && is_time(tried.end_ms))
        }
        _ => false,
    }
}
