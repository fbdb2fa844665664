//! Who is held up by whom: threads by threads, tasks by tasks, and each by the other; and circles among them.
//!
//! Not here: what is made of it (`diagnosis`).

use std::collections::BTreeSet;

use super::futures::FutureState;
use super::machine::Answers;
use super::thread::{Phase, Thread, Wait};
use super::{Actor, ConcurrentFutureId, ExecutorId, Machine, ThreadId};
use crate::machine::event_loop::{self, FutureId, Situation};

impl Machine {
    /// The one thread that has what another waits for, or must do it, where there is one.
    pub(super) fn holder_of(&self, wait: &Wait) -> Option<ThreadId> {
        match wait {
            Wait::Mutex(number) | Wait::Reacquire { mutex: number, .. } => {
                self.primitives.mutexes.get(*number as usize)?.holder
            }
            Wait::Started(other, _) | Wait::Join(other) => Some(*other),
            Wait::Result(future) | Wait::Exception(future) => self.futures.get(future.index())?.runner,
            Wait::Process(process) => Some(self.process(*process).main),
            _ => None,
        }
    }

    /// Who has what one waits for, or must do it.
    pub(super) fn held_up_by(&self, actor: Actor) -> Vec<Actor> {
        match actor {
            Actor::Thread(thread) => self.thread_held_up_by(thread),
            Actor::Task(thread, task) => self.task_held_up_by(thread, task),
        }
    }

    fn thread_held_up_by(&self, thread: ThreadId) -> Vec<Actor> {
        let of = self.thread(thread);
        let wait = match &of.phase {
            Phase::NeedsLock => {
                let holder = self.interpreter(of.interpreter).lock.holder;
                return holder.map(Actor::Thread).into_iter().collect();
            }
            Phase::Blocked(wait) => wait,
            _ => return Vec::new(),
        };
        match wait {
            Wait::Poll => {
                let tasks = of.event_loop().map(|event_loop| event_loop.tasks()).unwrap_or_default();
                tasks.into_iter().map(|task| Actor::Task(thread, task)).collect()
            }
            Wait::Result(future) | Wait::Exception(future) => self.future_held_up_by(*future),
            Wait::Several(several) => several
                .of
                .iter()
                .flat_map(|future| self.future_held_up_by(*future))
                .collect(),
            Wait::Workers(pool) => self.workers_of(*pool),
            Wait::Exit => {
                let process = of.process;
                let others = self.threads.iter().zip(0..).filter(|(other, number)| {
                    other.process == process && !other.daemon && other.is_alive() && ThreadId(*number) != thread
                });
                others.map(|(_, number)| Actor::Thread(ThreadId(number))).collect()
            }
            wait => self.holder_of(wait).map(Actor::Thread).into_iter().collect(),
        }
    }

    fn task_held_up_by(&self, thread: ThreadId, task: FutureId) -> Vec<Actor> {
        let of = self.thread(thread);
        if !matches!(of.phase, Phase::Blocked(Wait::Poll)) {
            // While its thread does not run its loop, no task goes on.
            return vec![Actor::Thread(thread)];
        }
        let Some(Situation::Waiting(why)) = of.event_loop().and_then(|event_loop| event_loop.situation(task)) else {
            return Vec::new();
        };
        if let event_loop::WaitsOn::Thread(future) = why.on
            && let Some(Answers::Call(call)) = self.open_answers.get(&(thread, future))
        {
            return self.future_held_up_by(*call);
        }
        why.held_up_by
            .into_iter()
            .map(|task| Actor::Task(thread, task))
            .collect()
    }

    fn future_held_up_by(&self, id: ConcurrentFutureId) -> Vec<Actor> {
        let Some(future) = self.futures.get(id.index()) else {
            return Vec::new();
        };
        match (future.runner, future.stands_for, future.pool) {
            _ if matches!(future.state, FutureState::Done(_)) => Vec::new(),
            (Some(runner), ..) => vec![Actor::Thread(runner)],
            (None, Some((thread, task)), _) => vec![Actor::Task(thread, task)],
            (None, None, Some(pool)) => self.workers_of(pool),
            (None, None, None) => Vec::new(),
        }
    }

    fn workers_of(&self, pool: ExecutorId) -> Vec<Actor> {
        let works = |thread: &Thread| {
            let by_process = self.process(thread.process).worker_of == Some(pool);
            thread.is_alive() && (thread.works_for == Some(pool) || by_process)
        };
        let workers = self.threads.iter().zip(0..).filter(|(thread, _)| works(thread));
        workers.map(|(_, number)| Actor::Thread(ThreadId(number))).collect()
    }

    /// A circle of waiting; empty if there is none. While the run goes on, only one that nothing else can break: each in
    /// it waits for exactly one other, and without a time-out.
    pub(super) fn cycle(&self, is_stuck: bool) -> Vec<Actor> {
        let next_of = |actor: Actor| {
            let next = self.held_up_by(actor);
            let has_limit = match actor {
                Actor::Thread(thread) => {
                    let of = self.thread(thread);
                    of.deadline.is_some() || of.waking || !matches!(of.phase, Phase::Blocked(_))
                }
                Actor::Task(..) => false,
            };
            if is_stuck || (next.len() == 1 && !has_limit) {
                next
            } else {
                Vec::new()
            }
        };
        let mut finished: BTreeSet<Actor> = BTreeSet::new();
        for start in self.actors() {
            let mut path: Vec<(Actor, Vec<Actor>)> = vec![(start, next_of(start))];
            while let Some((actor, next)) = path.last_mut() {
                let Some(next) = next.pop() else {
                    finished.insert(*actor);
                    path.pop();
                    continue;
                };
                if let Some(place) = path.iter().position(|(actor, _)| *actor == next) {
                    return path.iter().skip(place).map(|(actor, _)| *actor).collect();
                }
                if !finished.contains(&next) {
                    path.push((next, next_of(next)));
                }
            }
        }
        Vec::new()
    }
}
