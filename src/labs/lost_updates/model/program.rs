//! The Python that counts, as what the machine does: reads, writes, and the places between where others may come in.
//!
//! `x += 1` in a loop is one round of: compute the head of the loop, read the cell, compute the sum, write the cell, jump
//! back. Nothing here knows who may switch where: the table of switch points does. What lies between two such places
//! is one computing that keeps the lock.
//!
//! Not here: how many additions, and what gets lost.

use std::cell::RefCell;
use std::rc::Rc;

use super::RACES;
use super::cases::{Case, Variant};
use crate::labs::presets::Preset;
use crate::machine::event_loop::QueueOrder;
use crate::machine::front::{Here, program};
use crate::machine::program::CellId;
use crate::machine::threads::primitives::NewBarrier;
use crate::machine::threads::{Patience, ThreadLockId, ThreadQueueId};
use crate::machine::{Access, Computing, Exception, Nanoseconds, Outcome, Program, Value};
use crate::switch_points::Operation;
use crate::wire::Sabotage;

/// The one counter; the others are threads' own.
const COUNTER: CellId = CellId(0);

/// Of the queue's items the saboteur drops each of this number.
const DROPPED: i64 = 100;

/// What was seen of each race.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub races: Rc<RefCell<Vec<Race>>>,
}

/// One race.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    /// The counter in the end.
    pub value: i64,
    /// From the start of the threads to the end of the last.
    pub took: Nanoseconds,
}

/// What the parts of an addition take.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    /// From the read to the write.
    window: Nanoseconds,
    /// A call in between, in addition.
    call: Nanoseconds,
    /// The rest of the loop.
    rest: Nanoseconds,
}

impl Costs {
    /// On this machine, so many times as dear.
    pub fn of(preset: &Preset, slower: u64) -> Self {
        let dear = |reference: u64| preset.on_core(Nanoseconds(reference.saturating_mul(slower)));
        Self {
            window: dear(preset.python.addition_window),
            call: dear(preset.python.addition_call),
            rest: dear(preset.python.addition_rest),
        }
    }
}

/// One thread's or task's counting.
#[derive(Clone, Copy, Debug)]
struct Counting {
    variant: Variant,
    additions: u32,
    costs: Costs,
    /// Which of the counting threads it is.
    number: u32,
    sabotage: Option<Sabotage>,
    lock: Option<ThreadLockId>,
    queue: Option<ThreadQueueId>,
}

/// Races of threads, one after the other.
pub fn of_threads(here: &Here, case: &Case, costs: Costs, seen: &Seen, sabotage: Option<Sabotage>) -> Box<dyn Program> {
    let (case, seen) = (case.clone(), seen.clone());
    program(here, move |here| async move {
        for _ in 0..RACES {
            let race = race(&here, &case, costs, sabotage).await?;
            seen.races.borrow_mut().push(race);
        }
        Ok(Value::None)
    })
}

async fn race(here: &Here, case: &Case, costs: Costs, sabotage: Option<Sabotage>) -> Result<Race, Exception> {
    for cell in 0..=case.workers {
        here.write(CellId(cell), 0).await;
    }
    let barrier = here
        .new_thread_barrier(NewBarrier {
            parties: i64::from(case.workers),
            action: None,
            timeout: None,
        })
        .await?;
    let mut counting = Counting {
        variant: case.variant,
        additions: case.additions,
        costs,
        number: 0,
        sabotage,
        lock: None,
        queue: None,
    };
    if case.variant == Variant::Lock {
        counting.lock = Some(here.new_thread_lock().await?);
    }
    let start = here.now().await;
    let mut threads = Vec::new();
    if case.variant == Variant::Queue {
        let queue = here.new_thread_queue(QueueOrder::First, 0).await?;
        counting.queue = Some(queue);
        let items = case.expected();
        threads.push(
            here.start_thread(move |here| async move { consume(&here, queue, items, counting).await })
                .await?,
        );
    }
    for number in 1..=case.workers {
        let counting = Counting { number, ..counting };
        let body = move |here: Here| async move {
            here.wait_thread_barrier(barrier, None).await?;
            count(&here, counting).await
        };
        threads.push(here.start_thread(body).await?);
    }
    for thread in threads {
        here.join_thread(thread, None).await?;
    }
    if case.variant == Variant::OwnThenMerge && sabotage != Some(Sabotage::SharedOwnCounters) {
        for number in 1..=case.workers {
            let own = here.read(CellId(number)).await.int().unwrap_or_default();
            here.access(Access::Add(COUNTER, own)).await;
        }
    }
    let value = here.read(COUNTER).await.int().unwrap_or_default();
    Ok(Race {
        value,
        took: here.now().await.since(start),
    })
}

async fn count(here: &Here, counting: Counting) -> Outcome {
    let keeps = |cost| here.compute_as(cost, Computing::KeepsLock);
    for _ in 0..counting.additions {
        keeps(counting.costs.rest).await;
        add(here, counting).await?;
        here.check_point(Operation::LoopBackEdge).await;
    }
    Ok(Value::None)
}

/// One addition, as its variant makes it.
async fn add(here: &Here, counting: Counting) -> Result<(), Exception> {
    let Counting { costs, sabotage, .. } = counting;
    let keeps = |cost| here.compute_as(cost, Computing::KeepsLock);
    match counting.variant {
        Variant::Plain | Variant::PlainOften if sabotage == Some(Sabotage::PlainThatIsAtomic) => {
            add_at_once(here, costs).await;
        }
        Variant::Plain | Variant::PlainOften => add_to(here, COUNTER, costs).await,
        Variant::Call => {
            let read = number(here.read(COUNTER).await);
            // The call's frame is made before the check point at its entry; the rest of the call follows.
            keeps(half(costs.call)).await;
            here.check_point(Operation::FunctionEntry).await;
            keeps(half(costs.call) + costs.window).await;
            here.write(COUNTER, read + 1).await;
        }
        Variant::Wide => {
            let read = number(here.read(COUNTER).await);
            if sabotage != Some(Sabotage::WideThatKeepsTheLock) {
                here.check_point(Operation::VoluntaryRelease).await;
            }
            keeps(costs.window).await;
            here.write(COUNTER, read + 1).await;
        }
        Variant::AwaitBetween => {
            let read = number(here.read(COUNTER).await);
            if sabotage != Some(Sabotage::AwaitThatBlocks) {
                here.sleep(Nanoseconds::ZERO).await?;
            }
            keeps(costs.window).await;
            here.write(COUNTER, read + 1).await;
        }
        Variant::Lock => {
            if let Some(lock) = counting.lock {
                here.acquire_thread_lock(lock, Patience::Forever).await?;
                add_to(here, COUNTER, costs).await;
                // Sabotaged, the lock is held by whoever took it last, and may be free already.
                let _ = here.release_thread_lock(lock).await;
            }
        }
        Variant::Atomic if sabotage == Some(Sabotage::AtomicThatTears) => add_to(here, COUNTER, costs).await,
        Variant::Atomic => add_at_once(here, costs).await,
        Variant::OwnThenMerge => {
            let is_shared = sabotage == Some(Sabotage::SharedOwnCounters);
            let cell = if is_shared { COUNTER } else { CellId(counting.number) };
            add_to(here, cell, costs).await;
        }
        Variant::Queue => {
            if let Some(queue) = counting.queue {
                here.put_thread_queue(queue, 1, Patience::Forever).await?;
            }
        }
    }
    Ok(())
}

/// `x += 1`
async fn add_to(here: &Here, cell: CellId, costs: Costs) {
    let read = number(here.read(cell).await);
    here.compute_as(costs.window, Computing::KeepsLock).await;
    here.write(cell, read + 1).await;
}

async fn add_at_once(here: &Here, costs: Costs) {
    here.access(Access::Add(COUNTER, 1)).await;
    here.compute_as(costs.window, Computing::KeepsLock).await;
}

/// The one that owns the counter takes every item.
async fn consume(here: &Here, queue: ThreadQueueId, items: i64, counting: Counting) -> Outcome {
    for item in 0..items {
        let got = number(here.get_thread_queue(queue, Patience::Forever).await?);
        if counting.sabotage == Some(Sabotage::QueueThatDrops) && item % DROPPED == 0 {
            continue;
        }
        let read = number(here.read(COUNTER).await);
        here.compute_as(counting.costs.window, Computing::KeepsLock).await;
        here.write(COUNTER, read + got).await;
    }
    Ok(Value::None)
}

/// Races of tasks on one event loop.
pub fn of_tasks(here: &Here, case: &Case, costs: Costs, seen: &Seen, sabotage: Option<Sabotage>) -> Box<dyn Program> {
    let (case, seen) = (case.clone(), seen.clone());
    program(here, move |here| async move {
        for _ in 0..RACES {
            here.write(COUNTER, 0).await;
            let start = here.now().await;
            let mut tasks = Vec::new();
            for number in 1..=case.workers {
                let counting = Counting {
                    variant: case.variant,
                    additions: case.additions,
                    costs,
                    number,
                    sabotage,
                    lock: None,
                    queue: None,
                };
                tasks.push(
                    here.spawn(move |here| async move { count(&here, counting).await })
                        .await?,
                );
            }
            for task in tasks {
                here.join(task).await?;
            }
            let value = number(here.read(COUNTER).await);
            let took = here.now().await.since(start);
            seen.races.borrow_mut().push(Race { value, took });
        }
        Ok(Value::None)
    })
}

const fn half(cost: Nanoseconds) -> Nanoseconds {
    Nanoseconds(cost.0 / 2)
}

fn number(value: Value) -> i64 {
    value.int().unwrap_or_default()
}
