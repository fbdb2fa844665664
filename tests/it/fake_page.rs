//! A page without a browser: does what the session asks, with made-up times that always come out the same, or for
//! real on native threads. A fault is put into every job it is asked to do.

#![allow(
    clippy::indexing_slicing,
    reason = "a test that indexes wrongly fails, and says where"
)]

mod counting;
mod hashing;
mod isolation;
mod virtual_time;

use std::collections::BTreeMap;

use concurrency_playground::live::event_loop::Program;
use concurrency_playground::live::{Host, perform};
use concurrency_playground::session::Session;
use concurrency_playground::wire::{
    Action, ActionOutcome, ComputeJob, Environment, Framed, Hands, Impossible, Job, JobOutcome, LabResult,
    RawParameter, RawValue, Reply, Request, RequestTry, RunRequest, Runtime, Sabotage, Scheme, ServiceWorkerState,
    SharedMemory, WorkSpan, Workload,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

use virtual_time::{block, in_virtual_time, stall_in_virtual_time, virtual_host};

/// The page and everything that can be wrong with it.
pub struct FakePage {
    pub environment: Environment,
    /// Cores that really are there.
    pub cores: u32,
    /// Put into every job.
    pub sabotage: Option<Sabotage>,
    /// Compute and count on native threads instead of making times up.
    pub real: bool,
    pub pool: Pool,
    pub isolates_start: bool,
    /// What becomes of requests to the slow API.
    pub slow: Slow,
    /// The page is hidden during this action.
    pub hidden_at: Option<usize>,
    /// How much longer a sample takes at random, as a share.
    pub noise: f64,
    /// How much slower or faster threads under the lock are than one thread.
    pub lock_speed: f64,
    /// How much slower or faster free threads and isolates are than they should be.
    pub free_speed: f64,
    /// What starting one isolate after the other takes each.
    pub start_ms: f64,
    /// What was asked, in order.
    pub asked: Vec<Action>,
    pub random: Pcg32,
    /// Lengths of lists: the lab worker's, and each isolate's.
    pub parents_list: u32,
    pub isolates_lists: BTreeMap<u32, u32>,
}

/// What becomes of a pool.
#[derive(Clone, Copy, PartialEq)]
pub enum Pool {
    Starts,
    Fails,
    /// One thread fewer than asked.
    StartsShort,
}

/// Who answers requests.
#[derive(Clone, Copy, PartialEq)]
pub enum Slow {
    Answers,
    /// Blocking requests reach the host, as in WebKit.
    BlockingPassesBy,
    /// All do.
    PassesBy,
    /// Each takes so many milliseconds more than its delay, but for those that the loop makes one after another.
    Late(f64),
}

pub fn environment() -> Environment {
    Environment {
        engine: "fake".to_owned(),
        engine_version: "1".to_owned(),
        isolated: true,
        shared_memory: SharedMemory::Works,
        simd: true,
        cores_claimed: 8,
        clock_step_ms: 0.005,
        service_worker: ServiceWorkerState::Controls,
        scheme: Scheme::Http,
        framed: Framed::No,
        hidden: false,
    }
}

pub fn request(lab: &str, params: &[(&str, RawValue)]) -> RunRequest {
    let parameter = |(name, value): &(&str, RawValue)| RawParameter {
        name: (*name).to_owned(),
        value: value.clone(),
    };
    RunRequest {
        lab: text(lab),
        mode: text("measured"),
        params: params.iter().map(parameter).collect(),
        seed: RawValue::Missing,
        schedule: RawValue::Missing,
        language: RawValue::Missing,
        unknown: Vec::new(),
    }
}

pub fn text(value: &str) -> RawValue {
    RawValue::Text {
        value: value.to_owned(),
    }
}

pub fn number(value: u32) -> RawValue {
    RawValue::Number { value: value.into() }
}

pub fn flag(value: bool) -> RawValue {
    RawValue::Flag { value }
}

impl Default for FakePage {
    fn default() -> Self {
        Self {
            environment: environment(),
            cores: 8,
            sabotage: None,
            real: false,
            pool: Pool::Starts,
            isolates_start: true,
            slow: Slow::Answers,
            hidden_at: None,
            noise: 0.01,
            lock_speed: 0.98,
            free_speed: 1.0,
            start_ms: 40.0,
            asked: Vec::new(),
            random: Pcg32::seed_from_u64(1),
            parents_list: 0,
            isolates_lists: BTreeMap::new(),
        }
    }
}

impl FakePage {
    /// Runs a lab to its result.
    pub fn run(&mut self, lab: &str, params: &[(&str, RawValue)]) -> LabResult {
        self.converse(Session::default(), request(lab, params))
    }

    /// Models a lab to its result.
    pub fn model(&mut self, lab: &str, params: &[(&str, RawValue)]) -> LabResult {
        self.model_of(request(lab, params))
    }

    /// Models what is asked for to its result.
    pub fn model_of(&mut self, run: RunRequest) -> LabResult {
        let session = self.sabotage.map_or_else(Session::default, Session::sabotaged);
        let mode = text("model");
        self.converse(session, RunRequest { mode, ..run })
    }

    fn converse(&mut self, mut session: Session, run: RunRequest) -> LabResult {
        let environment = self.environment.clone();
        let mut reply = session.handle(Request::Start { run, environment });
        loop {
            reply = match reply {
                Reply::Perform { action, .. } => {
                    let outcome = self.perform(action);
                    session.handle(Request::Continue { outcome })
                }
                Reply::Working { .. } => session.handle(Request::GoOn),
                Reply::Finished { result } => return result,
                other => panic!("the run ended in {other:?}"),
            };
        }
    }

    pub fn perform(&mut self, mut action: Action) -> ActionOutcome {
        self.asked.push(action.clone());
        let hidden = self.hidden_at == Some(self.asked.len() - 1);
        match &mut action {
            Action::OnLab { job, .. } => put_in(self.sabotage, job),
            Action::OnIsolates { jobs, .. }
            | Action::OnOwnProcesses { jobs, .. }
            | Action::OnNewIsolates { jobs, .. } => {
                jobs.iter_mut().for_each(|job| put_in(self.sabotage, job));
            }
            Action::OnPage { stall, .. } => stall.sabotage = self.sabotage,
            Action::OnPair { .. } | Action::OnNetwork { .. } => {}
        }
        let lies = self.sabotage == Some(Sabotage::CapabilityThatLies);
        match action {
            Action::OnLab {
                threads, job, callers, ..
            } => {
                let started = match self.pool {
                    Pool::Fails if threads > 0 && !lies => {
                        return ActionOutcome::Unavailable {
                            why: Impossible::PoolFailed {
                                detail: "no".to_owned(),
                            },
                        };
                    }
                    Pool::StartsShort => threads.saturating_sub(1),
                    _ => threads,
                };
                let answering = if lies { 0 } else { started };
                let outcome = match job {
                    Job::Ping => JobOutcome::Pinged { threads: answering },
                    Job::Stall(stall) => JobOutcome::Stalled(stall_in_virtual_time(stall, callers)),
                    Job::Scene { scene, sabotage } => {
                        in_virtual_time(Program::scene(scene, sabotage, virtual_host(self.slow)), self.slow)
                    }
                    Job::Batch(batch) => {
                        in_virtual_time(Program::batch(batch, callers, virtual_host(self.slow)), self.slow)
                    }
                    Job::Waits(job) => in_virtual_time(Program::waits(job, virtual_host(self.slow)), self.slow),
                    _ if self.real => crate::live::on_pool(&job),
                    job => self.made_up(&job),
                };
                performed(outcome_ms(&outcome) + 0.5, vec![outcome], Vec::new(), started, hidden)
            }
            Action::OnIsolates { workers, jobs, .. } => {
                if !self.isolates_start {
                    return isolation::no_isolates(workers);
                }
                self.on_isolates(workers, &jobs, hidden)
            }
            Action::OnPair { job, .. } => {
                if !self.isolates_start {
                    return isolation::no_isolates(2);
                }
                let outcome = self.cross(job);
                performed(outcome_ms(&outcome) + 20.0, vec![outcome], Vec::new(), 2, hidden)
            }
            Action::OnOwnProcesses { jobs, .. } => {
                if !self.isolates_start {
                    return isolation::no_isolates(jobs.len() as u32);
                }
                self.on_own_processes(&jobs, hidden)
            }
            Action::OnNewIsolates { jobs, .. } => self.on_new_isolates(&jobs, hidden),
            Action::OnPage { stall, .. } => {
                let mut seen = stall_in_virtual_time(stall, 1);
                let longest = seen.slow_steps.iter().map(|step| step.length_ms).fold(16.7, f64::max);
                seen.longest_frame_gap_ms = Some(longest);
                performed(
                    seen.program_ended_ms,
                    vec![JobOutcome::Stalled(seen)],
                    Vec::new(),
                    0,
                    hidden,
                )
            }
            Action::OnNetwork { delay_ms, .. } => {
                performed(f64::from(delay_ms) + 3.0, Vec::new(), Vec::new(), 1, hidden)
            }
        }
    }

    fn on_isolates(&mut self, workers: u32, jobs: &[Job], hidden: bool) -> ActionOutcome {
        if jobs.iter().any(|job| matches!(job, Job::Request(_))) {
            return self.ask(workers, jobs, hidden);
        }
        if matches!(jobs.first(), Some(Job::Append(_))) {
            return self.append_on_isolates(workers, jobs, hidden);
        }
        let outcomes: Vec<JobOutcome> = jobs
            .iter()
            .map(|job| match job {
                Job::Ping => JobOutcome::Pinged { threads: 0 },
                _ if self.real => perform(job, Host::native()),
                _ => self.made_up(job),
            })
            .collect();
        let one_by_one = self.sabotage == Some(Sabotage::PoolThatRunsOneAfterAnother);
        let at_once = if one_by_one { 1 } else { workers.min(self.cores).max(1) };
        let times: Vec<f64> = outcomes
            .iter()
            .map(|outcome| outcome_ms(outcome) / self.free_speed)
            .collect();
        let (elapsed_ms, spans) = share_out(&times, at_once);
        performed(elapsed_ms + 0.5, outcomes, spans, workers, hidden)
    }

    /// Requests by isolates: waiting takes no cores.
    fn ask(&mut self, workers: u32, jobs: &[Job], hidden: bool) -> ActionOutcome {
        let own: Vec<Vec<RequestTry>> = jobs
            .iter()
            .map(|job| match job {
                Job::Request(job) => {
                    virtual_host(self.slow);
                    block(job, self.slow)
                }
                other => panic!("no request: {other:?}"),
            })
            .collect();
        let length = |tries: &Vec<RequestTry>| tries.last().map_or(0.0, |last| last.end_ms);
        let one_by_one = self.sabotage == Some(Sabotage::PoolThatRunsOneAfterAnother);
        let times: Vec<f64> = own.iter().map(length).collect();
        let (elapsed_ms, spans) = share_out(&times, if one_by_one { 1 } else { workers });
        let moved = own.iter().zip(&spans).map(|(tries, span)| JobOutcome::Requested {
            tries: tries
                .iter()
                .map(|tried| RequestTry {
                    start_ms: tried.start_ms + span.start_ms,
                    end_ms: tried.end_ms + span.start_ms,
                    ..*tried
                })
                .collect(),
        });
        performed(elapsed_ms + 0.5, moved.collect(), spans, workers, hidden)
    }

    /// One after another, each with its start.
    fn on_new_isolates(&mut self, jobs: &[Job], hidden: bool) -> ActionOutcome {
        if !self.isolates_start {
            let why = Impossible::IsolatesFailed {
                started: 0,
                detail: "no more".to_owned(),
            };
            return ActionOutcome::Unavailable { why };
        }
        let is_kept = self.sabotage == Some(Sabotage::PoolThatIsNeverNew);
        let (n_jobs, start_ms) = (jobs.len() as u32, self.start_ms);
        match self.on_isolates(if is_kept { n_jobs } else { 1 }, jobs, hidden) {
            ActionOutcome::Performed {
                elapsed_ms,
                jobs,
                spans,
                ..
            } if is_kept => performed(elapsed_ms * 0.8, jobs, spans, 1, hidden),
            ActionOutcome::Performed {
                elapsed_ms,
                jobs,
                spans,
                ..
            } => performed(elapsed_ms + start_ms * f64::from(n_jobs), jobs, spans, n_jobs, hidden),
            unavailable @ ActionOutcome::Unavailable { .. } => unavailable,
        }
    }

    fn made_up(&mut self, job: &Job) -> JobOutcome {
        match job {
            Job::Compute(job) => self.compute(job),
            Job::Count(job) => self.count(job),
            Job::Hash(job) => self.hash(job),
            Job::Append(job) => self.append(job),
            Job::CalibrateCount { .. } => JobOutcome::Calibrated { nanoseconds: 78.0 },
            Job::Block { ms } => {
                let blocks = self.sabotage != Some(Sabotage::CallThatDoesNotBlock);
                let elapsed_ms = self.noisy(if blocks { f64::from(*ms) } else { 0.1 });
                JobOutcome::Blocked { elapsed_ms }
            }
            _ => panic!("no time for {job:?}"),
        }
    }

    fn compute(&mut self, job: &ComputeJob) -> JobOutcome {
        let (hands, sabotage) = (job.hands, job.sabotage);
        let timed = if sabotage == Some(Sabotage::TimeThatIgnoresSize) {
            150_000
        } else {
            job.size
        };
        let unit_ms = if job.workload == Workload::Names { 16e-5 } else { 1e-6 };
        let times: Vec<f64> = job
            .tasks
            .iter()
            .map(|_| self.noisy(unit_ms * f64::from(timed)))
            .collect();
        let free = matches!(
            hands,
            Hands::Threads {
                runtime: Runtime::FreeThreaded,
                ..
            }
        );
        let unlocked = free || sabotage == Some(Sabotage::NoInterpreterLock);
        let workers = if let Hands::Threads { workers, .. } = hands {
            workers
        } else {
            1
        };
        let one_by_one = sabotage == Some(Sabotage::PoolThatRunsOneAfterAnother) || !unlocked;
        let at_once = if one_by_one { 1 } else { workers.min(self.cores) };
        let speed = match hands {
            Hands::Alone => 1.0,
            Hands::Threads { .. } if free => self.free_speed,
            Hands::Threads { .. } => self.lock_speed,
        };
        let times: Vec<f64> = times.into_iter().map(|ms| ms / speed).collect();
        let (elapsed_ms, spans) = share_out(&times, at_once);
        let is_wrong = sabotage == Some(Sabotage::WrongTotals) && hands != Hands::Alone;
        let totals = job
            .tasks
            .iter()
            .map(|task| total(job.workload, *task, job.size) - u128::from(is_wrong))
            .map(|total| total.to_string());
        JobOutcome::Computed {
            elapsed_ms,
            totals: totals.collect(),
            spans,
            hand_overs: u32::from(!unlocked) * 40,
        }
    }

    fn noisy(&mut self, ms: f64) -> f64 {
        ms * (1.0 + self.noise * self.random.random::<f64>())
    }
}

fn performed(
    elapsed_ms: f64,
    jobs: Vec<JobOutcome>,
    spans: Vec<WorkSpan>,
    started: u32,
    hidden: bool,
) -> ActionOutcome {
    ActionOutcome::Performed {
        elapsed_ms,
        jobs,
        spans,
        started,
        hidden,
    }
}

fn put_in(fault: Option<Sabotage>, job: &mut Job) {
    match job {
        Job::Compute(job) => job.sabotage = fault,
        Job::Count(job) => job.sabotage = fault,
        Job::Hash(job) => job.sabotage = fault,
        Job::Append(job) => job.sabotage = fault,
        Job::Scene { sabotage, .. } => *sabotage = fault,
        Job::Stall(stall) => stall.sabotage = fault,
        Job::Batch(batch) => batch.sabotage = fault,
        Job::Request(request) => request.sabotage = fault,
        Job::Waits(job) => job.sabotage = fault,
        _ => {}
    }
}

fn outcome_ms(outcome: &JobOutcome) -> f64 {
    match outcome {
        JobOutcome::Computed { elapsed_ms, .. }
        | JobOutcome::Counted { elapsed_ms, .. }
        | JobOutcome::Blocked { elapsed_ms } => *elapsed_ms,
        JobOutcome::Hashed(seen) => seen.elapsed_ms,
        JobOutcome::Appended(seen) => seen.elapsed_ms,
        JobOutcome::Crossed { crossing_ms, .. } => *crossing_ms,
        JobOutcome::Stalled(seen) => seen.program_ended_ms,
        JobOutcome::Batched(seen) => seen.ended_ms - seen.started_ms,
        JobOutcome::Played { elapsed_ms, .. } => *elapsed_ms,
        _ => 0.2,
    }
}

/// CPython's total where this page needs it to be right, else a number that differs by task.
fn total(workload: Workload, task: u32, size: u32) -> u128 {
    const FLAGGED: [u128; 8] = [89_266, 89_542, 89_612, 89_079, 89_383, 89_474, 89_487, 89_501];
    let n = u128::from(size);
    match workload {
        Workload::Names if size == 150_000 && task < 8 => FLAGGED[task as usize],
        Workload::Names => n * 6 / 10 + u128::from(task) + 1,
        Workload::Squares => n.saturating_sub(1) * n * (2 * n).saturating_sub(1) / 6,
        Workload::Modulo => n / 7 * 14 + [0, 0, 1, 5, 7, 9, 13][size as usize % 7],
    }
}

/// Who is free gets the next task: the elapsed time and who did what when.
fn share_out(times: &[f64], workers: u32) -> (f64, Vec<WorkSpan>) {
    let mut free_at: Vec<f64> = vec![1_000.0; workers.max(1) as usize];
    let mut spans = Vec::new();
    for (task, ms) in (0..).zip(times) {
        let worker = (0..free_at.len())
            .min_by(|one, two| free_at[*one].total_cmp(&free_at[*two]))
            .expect("one at least");
        let start_ms = free_at[worker];
        free_at[worker] += ms;
        spans.push(WorkSpan {
            worker: worker as u32,
            task,
            start_ms,
            end_ms: free_at[worker],
        });
    }
    (free_at.into_iter().fold(1_000.0, f64::max) - 1_000.0, spans)
}
