//! Why a task does not go on, who waits for whom, and whether anybody ever will: at any time, traced or not.
//!
//! Worked example: task A holds lock 0 and waits for lock 1, task B holds lock 1 and waits for lock 0. `held_up_by(A)` is
//! B and the other way round, so `cycle` is A, B.
//!
//! Not here: words. Data come out, sentences are made of them by the text tables.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::EventLoop;
use super::effects::WaitsFor;
use super::futures::Of;
use super::ids::{BarrierId, ConditionId, EventId, FutureId, GroupId, LockId, QueueId, SemaphoreId};
use super::state::State;
use super::waits::{Waiter, Waiting};
use crate::machine::Nanoseconds;

/// What a task is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Situation {
    /// It has ended.
    Done,
    /// Its code runs now, or would if the machine gave its thread a core.
    Running,
    /// It waits for its turn in the ready queue.
    Ready,
    /// It waits for something.
    Waiting(Why),
}

/// Why a task waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// What for.
    pub on: WaitsOn,
    /// Tasks that have it, or must do it, as far as one can tell; empty where anybody might.
    pub held_up_by: Vec<FutureId>,
}

/// What a task waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitsOn {
    /// A time.
    Time(Option<Nanoseconds>),
    /// A task.
    Task(FutureId),
    /// A future that somebody must set, a gather, or a shield.
    Future(FutureId),
    /// An answer from a network or a disk, to this future.
    Io(FutureId),
    /// An answer from another thread, to this future.
    Thread(FutureId),
    /// Some or all of several futures: `wait`, or the next of an as-completed.
    Several,
    /// The tasks of a group, at the end of its block.
    Group(GroupId),
    /// A lock.
    Lock(LockId),
    /// An event to be set.
    Event(EventId),
    /// A condition to be notified.
    Condition(ConditionId),
    /// A semaphore.
    Semaphore(SemaphoreId),
    /// Others to arrive at a barrier, or to leave it.
    Barrier(BarrierId),
    /// Room in a queue.
    Room(QueueId),
    /// An item of a queue.
    Item(QueueId),
    /// The work of a queue to be done.
    Finished(QueueId),
}

/// One line of the tree of awaits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwaitRow {
    /// How deep it is: 0 for a task that nobody awaits.
    pub depth: u32,
    /// The task.
    pub task: FutureId,
    /// Its name.
    pub name: Rc<str>,
    /// What it is doing.
    pub situation: Situation,
    /// It is above itself in the tree: the tasks between wait for each other in a circle.
    pub is_cycle: bool,
}

/// What runs on a loop just now, as a watcher outside of it can tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The task, or none: a callback.
    pub task: Option<FutureId>,
    /// Its name.
    pub name: Rc<str>,
    /// When this step began.
    pub since: Nanoseconds,
    /// What it does, as it said itself.
    pub doing: &'static str,
    /// Where it is, as it said itself; 0 if it did not.
    pub line: u32,
}

impl EventLoop {
    /// What a task is doing and why; none where it is no task of this loop.
    #[must_use]
    pub fn situation(&self, task: FutureId) -> Option<Situation> {
        self.state.situation(task)
    }

    /// Whoever waits, for what, held up by whom: the tree that `asyncio ps` shows. A task that several await is there
    /// several times. At most so many rows.
    #[must_use]
    pub fn await_tree(&self, max_rows: usize) -> Vec<AwaitRow> {
        let tasks = self.state.futures.live_tasks();
        let awaited: BTreeSet<FutureId> = tasks.iter().flat_map(|task| self.state.held_up_by(*task)).collect();
        let roots = tasks.iter().copied().filter(|task| !awaited.contains(task));
        let mut rows = Vec::new();
        let mut shown = BTreeSet::new();
        // Whoever is in a circle has no root above: the first of each is one.
        for root in roots.chain(tasks.iter().copied()) {
            if !shown.contains(&root) {
                self.add_rows(root, &mut rows, &mut shown, max_rows);
            }
        }
        rows
    }

    fn add_rows(&self, root: FutureId, rows: &mut Vec<AwaitRow>, shown: &mut BTreeSet<FutureId>, max_rows: usize) {
        let mut path: Vec<FutureId> = Vec::new();
        let mut left = vec![(0_u32, root)];
        while let Some((depth, task)) = left.pop() {
            if rows.len() >= max_rows {
                return;
            }
            path.truncate(depth as usize);
            let is_cycle = path.contains(&task);
            let Some(situation) = self.state.situation(task) else {
                continue;
            };
            shown.insert(task);
            rows.push(AwaitRow {
                depth,
                task,
                name: self.state.name_of(task),
                situation,
                is_cycle,
            });
            if !is_cycle {
                path.push(task);
                let children = self.state.held_up_by(task).into_iter().rev();
                left.extend(children.map(|child| (depth + 1, child)));
            }
        }
    }

    /// Tasks that wait for each other in a circle, each for the next, with what it waits for; the one made first comes
    /// first. Empty where there is no circle.
    #[must_use]
    pub fn cycle(&self) -> Vec<(FutureId, WaitsOn)> {
        let mut finished: BTreeSet<FutureId> = BTreeSet::new();
        for start in self.state.futures.live_tasks() {
            let mut path: Vec<(FutureId, Vec<FutureId>)> = vec![(start, self.state.held_up_by(start))];
            while let Some((task, next)) = path.last_mut() {
                let Some(next) = next.pop() else {
                    finished.insert(*task);
                    path.pop();
                    continue;
                };
                if let Some(place) = path.iter().position(|(task, _)| *task == next) {
                    let mut circle: Vec<FutureId> = path.iter().skip(place).map(|(task, _)| *task).collect();
                    let made = |task: &FutureId| self.state.futures.task(*task).map_or(0, |task| task.sequence);
                    let first = (0..circle.len()).min_by_key(|place| circle.get(*place).map_or(0, made));
                    circle.rotate_left(first.unwrap_or(0));
                    return circle
                        .into_iter()
                        .filter_map(|task| Some((task, self.state.waits_on(task)?)))
                        .collect();
                }
                if !finished.contains(&next) {
                    path.push((next, self.state.held_up_by(next)));
                }
            }
        }
        Vec::new()
    }

    /// What runs now; none between callbacks.
    #[must_use]
    pub fn current_step(&self) -> Option<Step> {
        let state = &self.state;
        state.running.first()?;
        let task = state.current_task().or(state.step_of);
        Some(Step {
            task,
            name: task.map_or_else(|| "".into(), |task| state.name_of(task)),
            since: state.began,
            doing: state.doing,
            line: state.line,
        })
    }

    /// The task that runs now; none in a callback, or between callbacks.
    #[must_use]
    pub fn running_task(&self) -> Option<FutureId> {
        self.state.current_task()
    }
}

impl State {
    pub(super) fn name_of(&self, task: FutureId) -> Rc<str> {
        self.futures.task(task).map_or_else(|_| "".into(), |task| task.name())
    }

    fn situation(&self, id: FutureId) -> Option<Situation> {
        let future = self.futures.get(id).ok()?;
        let task = future.task()?;
        if future.is_done() {
            return Some(Situation::Done);
        }
        if task.program.is_none() {
            return Some(Situation::Running);
        }
        Some(match self.waits_on(id) {
            Some(on) => Situation::Waiting(Why {
                on,
                held_up_by: self.held_up_by(id),
            }),
            None => Situation::Ready,
        })
    }

    /// What a task waits for; none where its wait is over or there is none.
    fn waits_on(&self, id: FutureId) -> Option<WaitsOn> {
        let task = self.futures.task(id).ok()?;
        let of_future = |future: FutureId| {
            let row = self.futures.get(future).ok().filter(|row| !row.is_done())?;
            Some(match &row.of {
                Of::Task(_) => WaitsOn::Task(future),
                Of::Plain(WaitsFor::Io) => WaitsOn::Io(future),
                Of::Plain(WaitsFor::Thread) => WaitsOn::Thread(future),
                Of::Plain(WaitsFor::Task) | Of::Gather(_) | Of::Shield(_) => WaitsOn::Future(future),
            })
        };
        match &task.waiting {
            Waiting::Future(future) | Waiting::WaitFor(_, future) => return of_future(*future),
            _ if task.waiter != Waiter::Pending => return None,
            _ => {}
        }
        Some(match &task.waiting {
            Waiting::Nothing | Waiting::Raise(_) | Waiting::Future(_) | Waiting::WaitFor(..) => return None,
            Waiting::CancelAndWait(future) => return of_future(*future),
            Waiting::Sleep(timer) => WaitsOn::Time(timer.and_then(|timer| self.timers.when(timer))),
            Waiting::Several(_) | Waiting::Completed(..) => WaitsOn::Several,
            Waiting::Group(exit) => WaitsOn::Group(exit.group),
            Waiting::Lock(lock) => WaitsOn::Lock(*lock),
            Waiting::Event(event) => WaitsOn::Event(*event),
            Waiting::Semaphore(semaphore) => WaitsOn::Semaphore(*semaphore),
            Waiting::Notified(wait) => match wait.barrier {
                Some((barrier, _)) => WaitsOn::Barrier(barrier),
                None => WaitsOn::Condition(wait.condition),
            },
            Waiting::Reacquire(wait) => WaitsOn::Lock(self.conditions.get(wait.condition).ok()?.lock),
            Waiting::BarrierLock(barrier, _) => WaitsOn::Barrier(*barrier),
            Waiting::Put(put) => WaitsOn::Room(put.0),
            Waiting::Get(queue) => WaitsOn::Item(*queue),
            Waiting::Join(queue) => WaitsOn::Finished(*queue),
        })
    }

    /// Tasks, not done, that have what this one waits for, or must do it.
    pub(super) fn held_up_by(&self, id: FutureId) -> Vec<FutureId> {
        let Ok(task) = self.futures.task(id) else {
            return Vec::new();
        };
        let holder = |lock: LockId| {
            self.locks
                .get(lock)
                .ok()
                .and_then(|lock| lock.holder)
                .into_iter()
                .collect()
        };
        let candidates: Vec<FutureId> = match &task.waiting {
            Waiting::Future(future) | Waiting::WaitFor(_, future) | Waiting::CancelAndWait(future) => vec![*future],
            Waiting::Several(several) => several.of.clone(),
            Waiting::Completed(id, ..) => self
                .completions
                .get(*id)
                .map_or_else(|_| Vec::new(), |completion| completion.todo.iter().copied().collect()),
            Waiting::Group(exit) => self.groups.get(exit.group).map_or_else(
                |_| Vec::new(),
                |group| group.tasks.iter().map(|(_, task)| *task).collect(),
            ),
            Waiting::Lock(lock) => holder(*lock),
            Waiting::Reacquire(wait) => {
                let condition = self.conditions.get(wait.condition);
                condition.map_or_else(|_| Vec::new(), |condition| holder(condition.lock))
            }
            Waiting::BarrierLock(barrier, _) => self.barrier_lock(*barrier).map_or_else(|_| Vec::new(), holder),
            Waiting::Semaphore(semaphore) => self
                .semaphores
                .get(*semaphore)
                .map_or_else(|_| Vec::new(), |semaphore| semaphore.holders.clone()),
            _ => Vec::new(),
        };
        let mut tasks = Vec::new();
        let mut seen = BTreeSet::new();
        let mut left: Vec<FutureId> = candidates.into_iter().rev().collect();
        // Gathers and shields stand before tasks.
        while let Some(next) = left.pop() {
            let Ok(future) = self.futures.get(next) else { continue };
            if future.is_done() || !seen.insert(next) {
                continue;
            }
            match &future.of {
                Of::Task(_) => tasks.push(next),
                Of::Gather(gather) => left.extend(gather.children.iter().rev()),
                Of::Shield(inner) => left.push(*inner),
                Of::Plain(_) => {}
            }
        }
        tasks
    }
}
