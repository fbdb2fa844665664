//! What a strategy makes of a job: the client's program, in every way there is to run it.
//!
//! A job waits for a network, or computes. Jobs that share state add one to it; without a lock they read it before their
//! work and write it after. One of them may hang, where there is a deadline, and one may crash, where crashes must stay
//! outside. Pools are made before the clock starts, as a program's are.
//!
//! Not here: how many workers there are (`advice`).

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::super::advice::{Needs, Shared, Time};
use crate::machine::event_loop::Until;
use crate::machine::front::{Here, MapOptions, program};
use crate::machine::program::CellId;
use crate::machine::threads::{
    ConcurrentFutureId, EndpointId, ExecutorId, Failures, Latency, NewEndpoint, NewPool, StartMethod, ThreadLockId,
    Workers,
};
use crate::machine::{Computing, Exception, Kind, Nanoseconds, Outcome, Value};
use crate::wire::{Runtime, Sabotage, Strategy};

/// How long one job waits, and what one that computes takes on the reference core.
pub const WAIT: Nanoseconds = Nanoseconds::millis(100);
pub const WORK: Nanoseconds = Nanoseconds::millis(100);

/// A deadline that leaves time for all that do not hang: a second, and a millisecond for each.
const PATIENCE: Nanoseconds = Nanoseconds::seconds(1);
const PATIENCE_EACH: Nanoseconds = Nanoseconds::millis(1);

/// How much longer than the deadline the one that hangs would take.
const HANGS: Nanoseconds = Nanoseconds::seconds(5);

/// Longer than all workers of a pool take to start: a call of this length each, and nobody takes two.
pub const STARTING: Nanoseconds = Nanoseconds::seconds(20);

/// How often whoever is advised does every job under the fault of that name.
const TEN: u32 = 10;

/// What they share.
const TOTAL: CellId = CellId(0);

type Tried<T = ()> = Result<T, Exception>;

/// A job and who does it.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// What it is like.
    pub needs: Needs,
    /// Who does it.
    pub strategy: Strategy,
    /// What computing takes on this machine.
    pub cost: Nanoseconds,
    /// How often every job is done: once, without a fault.
    pub times: u32,
    /// Whether a crash of a worker ends the program too.
    pub crash_spreads: bool,
}

impl Work {
    /// A job on a machine.
    pub fn new(needs: Needs, strategy: Strategy, cost: Nanoseconds) -> Self {
        Self {
            needs,
            strategy,
            cost,
            times: 1,
            crash_spreads: false,
        }
    }

    /// With the faults that are the lab's own.
    pub fn spoiled(self, sabotage: Option<Sabotage>, is_advised: bool) -> Self {
        let dawdles = is_advised && sabotage == Some(Sabotage::AdvisedThatDawdles);
        Self {
            times: if dawdles { TEN } else { 1 },
            crash_spreads: sabotage == Some(Sabotage::CrashThatSpreads),
            ..self
        }
    }

    /// When all is given up, if ever.
    pub fn deadline(&self) -> Option<Nanoseconds> {
        let has_one = self.needs.deadline && self.needs.time == Time::Waits;
        has_one.then(|| PATIENCE + Nanoseconds(PATIENCE_EACH.0 * u64::from(self.needs.at_once)))
    }

    /// How many jobs are to be done well: one hangs, one crashes.
    pub fn expected(&self) -> u32 {
        let bad = u32::from(self.deadline().is_some()) + u32::from(self.needs.crash_safe);
        self.needs.at_once.saturating_sub(bad)
    }

    /// Whether it needs an event loop on its thread.
    pub fn is_on_loop(&self) -> bool {
        matches!(self.strategy, Strategy::EventLoop | Strategy::ToThread)
    }

    fn shares_memory(&self) -> bool {
        !matches!(self.strategy, Strategy::Processes | Strategy::Interpreters)
    }
}

/// What the client wrote down.
#[derive(Debug, Default)]
pub struct Seen {
    /// When its clock was started.
    pub start: Cell<Nanoseconds>,
    /// Jobs done well, in the end; none if it never got there.
    pub right: Cell<Option<u32>>,
}

/// Does a job, on a main program of the right kind. What came of it is in `seen`.
pub async fn run(here: Here, work: Work, seen: Rc<Seen>) -> Outcome {
    let client = Client::new(here, work).await?;
    client.make_pool().await?;
    seen.start.set(client.here.now().await);
    client.go().await?;
    seen.right.set(Some(client.right().await));
    Ok(Value::None)
}

/// One who does a job.
#[derive(Clone)]
pub struct Client(Rc<Own>);

/// What a client has.
pub struct Own {
    here: Here,
    work: Work,
    network: EndpointId,
    stuck: EndpointId,
    lock: ThreadLockId,
    pool: Cell<Option<ExecutorId>>,
    /// The next job, for tasks that take one after the other.
    next: Cell<u32>,
    done: RefCell<Vec<bool>>,
}

impl std::ops::Deref for Client {
    type Target = Own;

    fn deref(&self) -> &Own {
        &self.0
    }
}

impl Client {
    /// One that has not begun.
    pub async fn new(here: Here, work: Work) -> Tried<Self> {
        let deadline = work.deadline().unwrap_or(Nanoseconds::ZERO);
        let answers_after = |delay| NewEndpoint {
            latency: Latency::Fixed(delay),
            capacity: None,
            backlog: 0,
            failures: Failures::None,
        };
        let network = here.new_endpoint(answers_after(WAIT)).await?;
        let stuck = here.new_endpoint(answers_after(deadline + HANGS)).await?;
        let lock = here.new_thread_lock().await?;
        here.write(TOTAL, 0).await;
        Ok(Self(Rc::new(Own {
            here,
            work,
            network,
            stuck,
            lock,
            pool: Cell::new(None),
            next: Cell::new(0),
            done: RefCell::new(vec![false; work.needs.at_once as usize]),
        })))
    }

    /// Makes the pool that is needed, and starts its processes or interpreters: a call each, all at once.
    pub async fn make_pool(&self) -> Tried {
        let workers = match self.work.strategy {
            Strategy::Threads => Workers::Threads,
            Strategy::Processes => Workers::Processes(start_method(self.work.needs.runtime)),
            Strategy::Interpreters => Workers::Interpreters,
            Strategy::Serial | Strategy::EventLoop | Strategy::ToThread => return Ok(()),
        };
        let n_workers = self.work.needs.workers(self.work.strategy);
        let new = NewPool {
            workers,
            max_workers: Some(n_workers),
            ..NewPool::default()
        };
        let pool = self.here.new_pool(new).await?;
        self.pool.set(Some(pool));
        if workers != Workers::Threads {
            let wait = |here: Here| async move {
                here.block(STARTING).await;
                Ok(Value::None)
            };
            let calls = (0..n_workers).map(|_| program(&self.here, wait)).collect();
            self.here.map(pool, calls, MapOptions::default()).await?;
        }
        Ok(())
    }

    /// Does all jobs.
    pub async fn go(&self) -> Tried {
        match self.work.strategy {
            Strategy::Serial => {
                for number in 0..self.work.needs.at_once {
                    self.job(number, false).await?;
                    self.tick_off(number);
                }
                Ok(())
            }
            Strategy::Threads | Strategy::Processes | Strategy::Interpreters => self.pooled().await,
            Strategy::EventLoop | Strategy::ToThread => self.grouped().await,
        }
    }

    /// Jobs done well: as the shared state says, where there is one.
    pub async fn right(&self) -> u32 {
        if self.work.needs.shared != Shared::Nothing && self.work.shares_memory() {
            let total = self.here.read(TOTAL).await.int().unwrap_or_default();
            return u32::try_from(total).unwrap_or_default();
        }
        let n_done = self.done.borrow().iter().filter(|done| **done).count();
        u32::try_from(n_done).unwrap_or(u32::MAX)
    }

    fn tick_off(&self, number: u32) {
        if let Some(done) = self.done.borrow_mut().get_mut(number as usize) {
            *done = true;
        }
    }

    async fn pooled(&self) -> Tried {
        let all: Vec<u32> = (0..self.work.needs.at_once).collect();
        let lost = self.in_pool(all).await?;
        if lost.is_empty() {
            return Ok(());
        }
        if self.work.crash_spreads {
            self.here.exit(1).await;
        }
        // A broken pool is replaced, and whatever it had not done is done again: all but the job that crashed.
        self.make_pool().await?;
        self.in_pool(lost.into_iter().filter(|number| *number > 0).collect())
            .await?;
        Ok(())
    }

    /// Hands jobs to the pool, and ends it. Gives those that it has lost.
    async fn in_pool(&self, numbers: Vec<u32>) -> Tried<Vec<u32>> {
        let (here, start) = (&self.here, self.here.now().await);
        let Some(pool) = self.pool.take() else {
            return Ok(Vec::new());
        };
        let mut futures: Vec<(u32, ConcurrentFutureId)> = Vec::new();
        let mut lost = Vec::new();
        for number in numbers {
            let client = self.clone();
            let submitted = here.submit(pool, |_| async move { client.job(number, false).await });
            match submitted.await {
                Ok(future) => futures.push((number, future)),
                Err(exception) if exception.kind() == Kind::BrokenProcessPool => lost.push(number),
                Err(exception) => return Err(exception),
            }
        }
        let left = match self.work.deadline() {
            Some(deadline) => Some(deadline.since(here.now().await.since(start))),
            None => None,
        };
        let ids = futures.iter().map(|(_, future)| *future).collect();
        let (_, open) = here.wait_futures(ids, Until::AllCompleted, left).await?;
        for (number, future) in futures {
            // Few are open where there are many: those are the ones that hang.
            if !open.is_empty() && !here.is_future_done(future).await? {
                continue;
            }
            match here.future_result(future, None).await {
                Ok(_) => self.tick_off(number),
                Err(_) => lost.push(number),
            }
        }
        // What has begun cannot be cancelled, and is waited for.
        here.shut_pool_down(pool, true, !open.is_empty()).await?;
        Ok(lost)
    }

    /// Tasks that take one job after the other, all within the deadline.
    async fn grouped(&self) -> Tried {
        let here = &self.here;
        let n_tasks = self.work.needs.workers(Strategy::EventLoop);
        let timeout = here.new_timeout(self.work.deadline()).await?;
        let group = here.group(async |group| {
            for _ in 0..n_tasks {
                let client = self.clone();
                here.spawn_in(group, |_| async move { client.task().await }).await?;
            }
            Ok(())
        });
        match here.in_timeout(timeout, group).await {
            Err(exception) if exception.kind() == Kind::Timeout => Ok(()),
            ended => ended,
        }
    }

    async fn task(self) -> Outcome {
        while self.next.get() < self.work.needs.at_once {
            let number = self.next.get();
            self.next.set(number + 1);
            if self.work.strategy == Strategy::ToThread {
                let client = self.clone();
                self.here
                    .to_thread(|_| async move { client.job(number, false).await })
                    .await?;
            } else {
                self.job(number, true).await?;
            }
            self.tick_off(number);
        }
        Ok(Value::None)
    }

    /// One job, and its part of what they share.
    async fn job(&self, number: u32, is_task: bool) -> Outcome {
        let (here, needs) = (&self.here, &self.work.needs);
        let shared = if self.work.shares_memory() {
            needs.shared
        } else {
            Shared::Nothing
        };
        let before = if shared == Shared::LockFree {
            self.total().await
        } else {
            0
        };
        for _ in 0..self.work.times {
            self.spend(number, is_task).await?;
        }
        if needs.crash_safe && number == 0 {
            here.exit(1).await;
        }
        match shared {
            Shared::Nothing => {}
            Shared::LockFree => here.write(TOTAL, before + 1).await,
            // Between two awaits no other task runs.
            Shared::Locked if is_task => here.write(TOTAL, self.total().await + 1).await,
            Shared::Locked => {
                let adding = async {
                    here.write(TOTAL, self.total().await + 1).await;
                    Ok(())
                };
                here.with_thread_lock(self.lock, adding).await?;
            }
        }
        Ok(Value::None)
    }

    async fn total(&self) -> i64 {
        self.here.read(TOTAL).await.int().unwrap_or_default()
    }

    /// What a job spends its time on.
    async fn spend(&self, number: u32, is_task: bool) -> Tried {
        let (here, needs) = (&self.here, &self.work.needs);
        let hangs = self.work.deadline().is_some() && number + 1 == needs.at_once;
        let network = if hangs { self.stuck } else { self.network };
        match needs.time {
            Time::Computes => here.compute(self.work.cost).await,
            Time::Releases => here.compute_as(self.work.cost, Computing::ReleasesLock).await,
            Time::Waits if is_task && needs.has_async => {
                here.request_async(network, None).await?;
            }
            Time::Waits => {
                here.request(network, None).await?;
            }
        }
        Ok(())
    }
}

/// The default on Linux.
fn start_method(runtime: Runtime) -> StartMethod {
    if runtime == Runtime::GilLegacy {
        StartMethod::Fork
    } else {
        StartMethod::ForkServer
    }
}
