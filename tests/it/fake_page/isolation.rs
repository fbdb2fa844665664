//! Lists, crossings and a trap with made-up times. Not here: the page.

use concurrency_playground::wire::{
    ActionOutcome, AppendJob, CrossJob, Crossing, Impossible, Job, JobOutcome, ListSeen, Sabotage,
};

use super::{FakePage, outcome_ms, performed, share_out};

impl FakePage {
    /// On the lab worker: of threads one list begun anew, of the parent what it has.
    pub fn append(&mut self, job: &AppendJob) -> JobOutcome {
        let is_own = job.sabotage == Some(Sabotage::ListsOfTheirOwn);
        let lists = match job.threads {
            0 => vec![self.parents_list],
            threads if is_own => (0..threads).map(|_| job.items / threads).collect(),
            threads => vec![job.items; threads as usize],
        };
        JobOutcome::Appended(ListSeen {
            elapsed_ms: self.noisy(0.01 + f64::from(job.items) * 1e-5),
            before: 0,
            lists,
        })
    }

    /// Each has a list that it keeps, or all have the parent's.
    pub fn append_on_isolates(&mut self, workers: u32, jobs: &[Job], hidden: bool) -> ActionOutcome {
        let times: Vec<f64> = jobs.iter().map(|_| self.noisy(0.05)).collect();
        let (elapsed_ms, spans) = share_out(&times, workers);
        let is_shared = self.sabotage == Some(Sabotage::ListThatIsShared);
        let mut outcomes = Vec::new();
        for (job, span) in jobs.iter().zip(&spans) {
            let Job::Append(AppendJob { items, .. }) = job else {
                panic!("{job:?} among others");
            };
            let own = self.isolates_lists.entry(span.worker).or_default();
            let list = if is_shared { &mut self.parents_list } else { own };
            let before = *list;
            *list += items;
            outcomes.push(JobOutcome::Appended(ListSeen {
                elapsed_ms: 0.01,
                before,
                lists: vec![*list],
            }));
        }
        performed(elapsed_ms, outcomes, spans, workers, hidden)
    }

    /// A copy takes 0.4 ms a MiB, and each message 0.05.
    pub fn cross(&mut self, job: CrossJob) -> JobOutcome {
        let mebibytes = f64::from(job.bytes) / 1_048_576.0;
        let copies = match job.way {
            Crossing::Copy => self.sabotage != Some(Sabotage::SendingThatTakesNothing),
            Crossing::Transfer => false,
            Crossing::Share => self.sabotage == Some(Sabotage::SharingThatCopies),
        };
        let message_ms = if job.way == Crossing::Share {
            0.05 / self.free_speed
        } else {
            0.05
        };
        let crossing_ms = self.noisy(message_ms + if copies { 0.4 * mebibytes } else { 0.0 });
        JobOutcome::Crossed {
            crossing_ms,
            rounds: (f64::from(job.least_ms) / crossing_ms).ceil() as u32,
            bytes: job.bytes,
        }
    }

    pub fn on_own_processes(&mut self, jobs: &[Job], hidden: bool) -> ActionOutcome {
        let spreads = self.sabotage == Some(Sabotage::TrapThatSpreads);
        let has_trap = jobs.iter().any(|job| matches!(job, Job::Fault { .. }));
        let outcomes: Vec<JobOutcome> = jobs
            .iter()
            .map(|job| match job {
                Job::Fault { .. } => died(),
                _ if spreads && has_trap => died(),
                Job::Busy { ms } => JobOutcome::Blocked {
                    elapsed_ms: self.noisy(f64::from(*ms)),
                },
                other => panic!("no time for {other:?}"),
            })
            .collect();
        let times: Vec<f64> = outcomes.iter().map(outcome_ms).collect();
        let (elapsed_ms, spans) = share_out(&times, jobs.len() as u32);
        performed(elapsed_ms + 0.5, outcomes, spans, jobs.len() as u32, hidden)
    }
}

fn died() -> JobOutcome {
    JobOutcome::Died {
        detail: "RuntimeError: unreachable".to_owned(),
    }
}

pub fn no_isolates(asked: u32) -> ActionOutcome {
    ActionOutcome::Unavailable {
        why: Impossible::IsolatesFailed {
            started: asked / 2,
            detail: "no more".to_owned(),
        },
    }
}
