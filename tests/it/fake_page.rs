//! A page without a browser: does what the session asks, with made-up times that always come out the same, or for
//! real on native threads. A fault is put into every job it is asked to do.

#![allow(
    clippy::indexing_slicing,
    reason = "a test that indexes wrongly fails, and says where"
)]

use std::cell::Cell;

use concurrency_playground::live::event_loop::Program;
use concurrency_playground::live::{Host, perform};
use concurrency_playground::session::Session;
use concurrency_playground::wire::{
    Action, ActionOutcome, ComputeJob, CountJob, CountVariant, Environment, Framed, Hands, Impossible, Job, JobOutcome,
    LabResult, RawParameter, RawValue, Reply, Request, RunRequest, Runtime, Sabotage, Scheme, ServiceWorkerState,
    SharedMemory, StallJob, StallSeen, WorkSpan, Workload,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

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
}

/// What becomes of a pool.
#[derive(Clone, Copy, PartialEq)]
pub enum Pool {
    Starts,
    Fails,
    /// One thread fewer than asked.
    StartsShort,
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
            hidden_at: None,
            noise: 0.01,
            lock_speed: 0.98,
            free_speed: 1.0,
            start_ms: 40.0,
            asked: Vec::new(),
            random: Pcg32::seed_from_u64(1),
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
            Action::OnIsolates { jobs, .. } | Action::OnNewIsolates { jobs, .. } => {
                jobs.iter_mut().for_each(|job| put_in(self.sabotage, job));
            }
            Action::OnPage { stall, .. } => stall.sabotage = self.sabotage,
            Action::OnNetwork { .. } => {}
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
                    Job::Scene { scene, sabotage } => in_virtual_time(Program::scene(scene, sabotage, virtual_host())),
                    _ if self.real => crate::live::on_pool(&job),
                    job => self.made_up(&job),
                };
                performed(outcome_ms(&outcome) + 0.5, vec![outcome], Vec::new(), started, hidden)
            }
            Action::OnIsolates { workers, jobs, .. } => {
                if !self.isolates_start {
                    let why = Impossible::IsolatesFailed {
                        started: workers / 2,
                        detail: "no more".to_owned(),
                    };
                    return ActionOutcome::Unavailable { why };
                }
                self.on_isolates(workers, &jobs, hidden)
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
            Job::CalibrateCount { .. } => JobOutcome::Calibrated { nanoseconds: 78.0 },
            Job::Block { ms } => {
                let blocks = self.sabotage != Some(Sabotage::CallThatDoesNotBlock);
                let elapsed_ms = self.noisy(if blocks { f64::from(*ms) } else { 0.1 });
                JobOutcome::Blocked { elapsed_ms }
            }
            _ => panic!("no time for {job:?}"),
        }
    }

    fn count(&mut self, job: &CountJob) -> JobOutcome {
        let expected = job.threads * job.additions;
        let addition_ms = 78e-6 * f64::from(job.work_per_bytecode) / 10.0 * self.noisy(1.0);
        let is_free = job.runtime == Runtime::FreeThreaded;
        let in_line = addition_ms * f64::from(expected);
        let elapsed_ms = if is_free {
            in_line * times_as_dear(job) / f64::from(job.threads.min(self.cores))
        } else {
            in_line
        };
        let interval_ms = (f64::from(job.switch_interval_us) / 1e3).max(0.1);
        let hand_overs = if is_free { 0 } else { (elapsed_ms / interval_ms) as u32 };
        let value = expected - (f64::from(expected) * share_lost(job, hand_overs)).ceil() as u32;
        let overlap = if is_free && self.cores > 1 { 0.9 } else { 0.0 };
        JobOutcome::Counted {
            elapsed_ms,
            value,
            expected,
            overlap,
            at_once: job.threads,
            hand_overs,
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
        Job::Scene { sabotage, .. } => *sabotage = fault,
        Job::Stall(stall) => stall.sabotage = fault,
        _ => {}
    }
}

fn outcome_ms(outcome: &JobOutcome) -> f64 {
    match outcome {
        JobOutcome::Computed { elapsed_ms, .. }
        | JobOutcome::Counted { elapsed_ms, .. }
        | JobOutcome::Blocked { elapsed_ms } => *elapsed_ms,
        JobOutcome::Stalled(seen) => seen.program_ended_ms,
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

fn share_lost(job: &CountJob, hand_overs: u32) -> f64 {
    let without = |fault, share| if job.sabotage == Some(fault) { 0.0 } else { share };
    let with = |fault| if job.sabotage == Some(fault) { 0.1 } else { 0.0 };
    match (job.variant, job.runtime) {
        (CountVariant::Plain, Runtime::Gil) => with(Sabotage::NoInterpreterLock),
        (CountVariant::Plain, Runtime::GilLegacy) if hand_overs < 15 => 0.0,
        (CountVariant::Plain, Runtime::GilLegacy) => without(Sabotage::PlainThatIsAtomic, 0.4),
        (CountVariant::Plain, Runtime::FreeThreaded) => without(Sabotage::PlainThatIsAtomic, 0.55),
        (CountVariant::Call, _) if hand_overs < 15 && job.runtime != Runtime::FreeThreaded => 0.0,
        (CountVariant::Call, _) => without(Sabotage::CallWithoutCheckPoint, 0.42),
        (CountVariant::Wide, _) => without(Sabotage::WideThatKeepsTheLock, 1.0 - 1.0 / f64::from(job.threads)),
        (CountVariant::Lock, _) => with(Sabotage::LockThatDoesNotLock),
        (CountVariant::Atomic, _) => with(Sabotage::AtomicThatTears),
        (CountVariant::OwnThenMerge, _) => with(Sabotage::SharedOwnCounters),
        (CountVariant::Queue | CountVariant::Batches, _) => with(Sabotage::QueueThatDrops),
        (CountVariant::Sharded, _) => with(Sabotage::LockThatDoesNotLock),
    }
}

/// What an addition costs a free thread, against one that it makes on its own.
fn times_as_dear(job: &CountJob) -> f64 {
    match job.variant {
        CountVariant::Lock | CountVariant::Queue => 4.0,
        CountVariant::Sharded => 2.0,
        CountVariant::Batches => 1.2,
        CountVariant::OwnThenMerge if job.sabotage == Some(Sabotage::SharedOwnCounters) => 1.8,
        _ => 1.0,
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

thread_local! {
    static VIRTUAL_MS: Cell<f64> = const { Cell::new(0.0) };
}

/// A clock that only moves when somebody waits.
fn virtual_host() -> Host {
    VIRTUAL_MS.set(0.0);
    Host {
        now_ms: || VIRTUAL_MS.get(),
        block_ms: |ms| VIRTUAL_MS.set(VIRTUAL_MS.get() + ms),
        busy_ms: |ms| VIRTUAL_MS.set(VIRTUAL_MS.get() + ms),
    }
}

/// The real program of the stall lab in virtual time.
fn stall_in_virtual_time(job: StallJob, callers: u32) -> StallSeen {
    match in_virtual_time(Program::new(job, callers, virtual_host())) {
        JobOutcome::Stalled(seen) => seen,
        other => panic!("a stall ends in {other:?}"),
    }
}

/// Drives a program on a loop to its end.
fn in_virtual_time(mut program: Program) -> JobOutcome {
    let mut calls: Vec<(f64, u32, f64)> = Vec::new();
    for _ in 0..1_000_000 {
        let turn = program.turn();
        if let Some(outcome) = turn.outcome {
            return outcome;
        }
        let now = VIRTUAL_MS.get();
        for call in turn.calls {
            let (Job::Block { ms } | Job::Busy { ms }) = call.job else {
                panic!("the loop hands over {:?}", call.job)
            };
            calls.push((now + f64::from(ms), call.id, f64::from(ms)));
        }
        let next_call = calls.iter().map(|call| call.0).fold(f64::INFINITY, f64::min);
        let wake = turn.wake_after_ms.map_or(f64::INFINITY, |ms| now + ms);
        let next = wake.min(next_call).max(now);
        assert!(next.is_finite(), "the loop waits for nothing");
        VIRTUAL_MS.set(next);
        for (_, id, ms) in calls.extract_if(.., |call| call.0 <= next) {
            program.answered(id, JobOutcome::Blocked { elapsed_ms: ms });
        }
    }
    panic!("the loop never ends");
}
