//! Why a thread or task does not go on, who waits for whom, and whether anybody ever will: at any time, traced or not.
//!
//! Worked example: thread 1 holds lock A and waits for B, thread 2 holds B and waits for A. Each is held up by the other;
//! nothing can happen any more, and the circle is 1, 2. A task that waits for a call of its own loop's pool, whose one
//! worker waits for a future of that loop, makes such a circle too.
//!
//! Not here: words. Not here either: what a trace tells ([`trace::diagnose`](crate::machine::trace::diagnose)).

use super::thread::{Phase, Wait};
use super::watch::{Overtaken, Repetition};
use super::{
    CompletionsId, ConcurrentFutureId, ExecutorId, InterpreterId, Machine, ProcessId, ReentrantLockId, ThreadBarrierId,
    ThreadConditionId, ThreadEventId, ThreadId, ThreadLockId, ThreadQueueId, ThreadSemaphoreId,
};
use crate::machine::Nanoseconds;
use crate::machine::event_loop::{self, FutureId, Situation};
use crate::machine::trace::LaneId;

/// Who acts: a thread, or a task on a thread's loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Actor {
    /// A thread.
    Thread(ThreadId),
    /// A task on the loop of this thread.
    Task(ThreadId, FutureId),
}

/// Why one does not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhyWaiting {
    /// Who.
    pub actor: Actor,
    /// Its lane.
    pub lane: LaneId,
    /// Its name.
    pub name: String,
    /// What it needs.
    pub needs: Needs,
    /// Since when; of a task unknown.
    pub since: Option<Nanoseconds>,
    /// When it goes on in any case.
    pub until: Option<Nanoseconds>,
    /// Who has it, or must do it; empty where anybody might.
    pub held_up_by: Vec<Actor>,
}

/// What a thread or task needs to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// A core.
    Core,
    /// The lock of its interpreter.
    InterpreterLock(InterpreterId),
    /// A time.
    Time,
    /// A thread to begin.
    Start(ThreadId),
    /// A thread to end.
    End(ThreadId),
    /// A lock.
    Lock(ThreadLockId),
    /// A reentrant lock.
    ReentrantLock(ReentrantLockId),
    /// A condition to be notified.
    Condition(ThreadConditionId),
    /// A semaphore.
    Semaphore(ThreadSemaphoreId),
    /// An event to be set.
    Event(ThreadEventId),
    /// Others to come to a barrier.
    Barrier(ThreadBarrierId),
    /// Room in a queue.
    Room(ThreadQueueId),
    /// An item of a queue.
    Item(ThreadQueueId),
    /// The work of a queue to be done.
    AllDone(ThreadQueueId),
    /// A future to be done.
    Future(ConcurrentFutureId),
    /// Several futures.
    Futures,
    /// The next future of an iteration.
    Next(CompletionsId),
    /// A process to end.
    Process(ProcessId),
    /// The threads and children that keep its process alive.
    Keeping,
    /// A call for a pool's worker.
    Call(ExecutorId),
    /// The workers of a pool to end.
    Workers(ExecutorId),
    /// An answer from the network.
    Answer,
    /// Its loop's next timer or post.
    Loop,
    /// Its turn on its event loop.
    Turn,
    /// Something of its event loop's.
    Task(event_loop::WaitsOn),
}

/// Nothing can ever happen again, or not to these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deadlock {
    /// Who waits for each other in a circle; empty if nobody does, and they only wait for what nobody will do.
    pub cycle: Vec<WhyWaiting>,
    /// All who wait.
    pub waiting: Vec<WhyWaiting>,
}

/// How a run is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It has ended.
    Ended,
    /// Some wait for each other in a circle that no time-out breaks, or nothing can ever happen again.
    Deadlock(Box<Deadlock>),
    /// Threads go round and none gets on.
    Livelock(Repetition),
    /// Some are passed over.
    Starvation(Vec<Overtaken>),
    /// All wait, for a time or an answer that comes then at the earliest.
    Waiting {
        /// When.
        until: Nanoseconds,
    },
    /// Somebody computes, or could.
    Running,
}

impl Machine {
    /// How the run is doing, between two slices of it.
    #[must_use]
    pub fn diagnose(&self) -> Condition {
        if self.ended.is_some() {
            return Condition::Ended;
        }
        let next = self.next_event_at();
        let is_idle = self.agenda.is_empty() && self.paused.is_none();
        let cycle = self.cycle(next.is_none() && is_idle);
        if !cycle.is_empty() || (next.is_none() && is_idle) {
            return Condition::Deadlock(Box::new(self.deadlock_of(cycle)));
        }
        if let Some(repetition) = self.watch.repetition.repetition() {
            return Condition::Livelock(repetition);
        }
        let starving = self.starving();
        if !starving.is_empty() {
            return Condition::Starvation(starving);
        }
        let all_wait = self
            .threads
            .iter()
            .all(|thread| matches!(thread.phase, Phase::Blocked(_) | Phase::Ended));
        match next {
            Some(until) if all_wait && is_idle => Condition::Waiting { until },
            _ => Condition::Running,
        }
    }

    /// Nothing can happen any more: why.
    pub(super) fn deadlock(&self) -> Deadlock {
        self.deadlock_of(self.cycle(true))
    }

    fn deadlock_of(&self, cycle: Vec<Actor>) -> Deadlock {
        let cycle = cycle.into_iter().filter_map(|actor| self.why(actor));
        Deadlock {
            cycle: cycle.collect(),
            waiting: self.actors().into_iter().filter_map(|actor| self.why(actor)).collect(),
        }
    }

    /// Why a lane's thread or task does not go on; none if it does, has ended, or is none of these.
    #[must_use]
    pub fn why_waiting(&self, lane: LaneId) -> Option<WhyWaiting> {
        let actors = self.actors();
        let actor = actors.into_iter().find(|actor| self.lane_of(*actor) == Some(lane))?;
        self.why(actor)
    }

    /// All threads and tasks that have not ended.
    #[must_use]
    pub fn actors(&self) -> Vec<Actor> {
        let mut actors = Vec::new();
        for (thread, number) in self.threads.iter().zip(0..).filter(|(thread, _)| thread.is_alive()) {
            actors.push(Actor::Thread(ThreadId(number)));
            if let Some(event_loop) = thread.event_loop() {
                let tasks = event_loop.tasks().into_iter();
                actors.extend(tasks.map(|task| Actor::Task(ThreadId(number), task)));
            }
        }
        actors
    }

    fn lane_of(&self, actor: Actor) -> Option<LaneId> {
        match actor {
            Actor::Thread(thread) => Some(self.thread(thread).lane),
            Actor::Task(thread, task) => self.thread(thread).event_loop()?.lane_of(task),
        }
    }

    fn why(&self, actor: Actor) -> Option<WhyWaiting> {
        let needs = self.needs(actor)?;
        let (name, since, until) = match actor {
            Actor::Thread(thread) => {
                let of = self.thread(thread);
                (of.name.clone(), Some(of.since), of.deadline)
            }
            Actor::Task(thread, task) => {
                let name = self.thread(thread).event_loop()?.task_name(task).to_string();
                let until = match needs {
                    Needs::Task(event_loop::WaitsOn::Time(time)) => time,
                    _ => None,
                };
                (name, None, until)
            }
        };
        Some(WhyWaiting {
            actor,
            lane: self.lane_of(actor)?,
            name,
            needs,
            since,
            until,
            held_up_by: self.held_up_by(actor),
        })
    }

    /// What one needs to go on; nothing if it goes on.
    fn needs(&self, actor: Actor) -> Option<Needs> {
        let thread = match actor {
            Actor::Thread(thread) => thread,
            Actor::Task(thread, task) => {
                return match self.thread(thread).event_loop()?.situation(task)? {
                    Situation::Done | Situation::Running => None,
                    Situation::Ready => Some(Needs::Turn),
                    Situation::Waiting(why) => Some(Needs::Task(why.on)),
                };
            }
        };
        let of = self.thread(thread);
        let wait = match &of.phase {
            Phase::New | Phase::Running(_) | Phase::Ended => return None,
            Phase::NeedsCore => return Some(Needs::Core),
            Phase::NeedsLock => return Some(Needs::InterpreterLock(of.interpreter)),
            Phase::Blocked(wait) => wait,
        };
        Some(match wait {
            Wait::Sleep => Needs::Time,
            Wait::Poll => Needs::Loop,
            Wait::Started(other, _) => Needs::Start(*other),
            Wait::Join(other) => Needs::End(*other),
            Wait::Mutex(number) | Wait::Reacquire { mutex: number, .. } => {
                match self.primitives.mutexes.get(*number as usize) {
                    Some(mutex) if mutex.is_reentrant => Needs::ReentrantLock(ReentrantLockId(*number)),
                    _ => Needs::Lock(ThreadLockId(*number)),
                }
            }
            Wait::Condition(condition, _) => Needs::Condition(*condition),
            Wait::Semaphore(semaphore) => Needs::Semaphore(*semaphore),
            Wait::Event(event) => Needs::Event(*event),
            Wait::Barrier(barrier) => Needs::Barrier(*barrier),
            Wait::Put(queue, _) => Needs::Room(*queue),
            Wait::Get(queue) => Needs::Item(*queue),
            Wait::AllDone(queue) => Needs::AllDone(*queue),
            Wait::Result(future) | Wait::Exception(future) => Needs::Future(*future),
            Wait::Several(_) => Needs::Futures,
            Wait::Next(completions) => Needs::Next(*completions),
            Wait::Process(process) => Needs::Process(*process),
            Wait::Exit => Needs::Keeping,
            Wait::Work(pool) | Wait::Traffic(pool) => Needs::Call(*pool),
            Wait::Workers(pool) => Needs::Workers(*pool),
            Wait::Request(_) => Needs::Answer,
            Wait::Given(_) => Needs::Core,
        })
    }
}
