//! Four ways in which threads share one counter, on a lesson's machine: what an addition costs its thread.
//!
//! An addition is `x += 1` in a loop, as in the lab `lost-updates`, with what its way of sharing adds: a lock's two calls
//! and the waits for it, a line of memory that another core has, or now and then a call of the queue. What is told is a
//! thread's own time from its first addition to its last, waits included: what a queue's owner does meanwhile is another
//! thread's, and what is left to be added up in the end is a handful.
//!
//! On the ideal machine all of that costs nothing, so there the rows are given lesson A's costs.
//!
//! Not here: the same on real threads (`live`).

use std::cell::RefCell;
use std::rc::Rc;

use crate::labs::locks::{self, SHARING};
use crate::labs::presets::{self, Preset};
use crate::labs::{Asked, Scene, Value as Setting};
use crate::machine::event_loop::QueueOrder;
use crate::machine::front::{Here, program};
use crate::machine::program::CellId;
use crate::machine::threads::primitives::NewBarrier;
use crate::machine::threads::{Machine, Patience, ThreadLockId, ThreadQueueId};
use crate::machine::{Computing, Exception, Nanoseconds, Outcome, Program, Value};
use crate::measure::Subject;
use crate::measure::digits::significant;
use crate::switch_points::Operation;
use crate::text::{Words, args};
use crate::wire::{CountVariant, Row, Sabotage, Strategy};
use crate::workloads::counting::BATCH;

/// Additions of all threads together: more cost the same each.
const ADDITIONS: u32 = 16_000;

/// The counter where there is one; the threads' or shards' own come after it.
const COUNTER: CellId = CellId(0);

/// The rows.
pub fn subjects(asked: &Asked) -> impl Iterator<Item = Subject> {
    let (threads, runtime) = (asked.unsigned("threads"), locks::runtime(asked));
    locks::sharing(asked).map(move |(id, variant)| Subject {
        variant: Some(id.to_owned()),
        runtime: Some(runtime),
        workers: Some(threads),
        baseline: variant == CountVariant::Lock,
        ..Subject::new(Strategy::Threads)
    })
}

/// Nanoseconds that an addition costs its thread; none in a row that is not of this kind.
pub fn addition_ns(row: &Row) -> Option<f64> {
    let variant = row.variant.as_deref()?;
    SHARING.iter().find(|(id, _)| *id == variant)?;
    let additions = ADDITIONS / row.workers.filter(|workers| *workers > 0)?;
    Some(row.median_ms? * 1e6 / f64::from(additions))
}

/// Says what an addition costs, and by which constants.
pub fn annotate(asked: &Asked, words: &Words, row: &mut Row) {
    let Some(ns) = addition_ns(row) else {
        return;
    };
    let additions = ADDITIONS / row.workers.unwrap_or(1).max(1);
    let numbers = args([("ns", significant(ns, 3).into()), ("additions", additions.into())]);
    row.notes.push(words.fill("locks.model.note.addition", &numbers));
    if row.variant.as_deref() == Some("queue") {
        let numbers = args([("batch", BATCH.into())]);
        row.notes.push(words.fill("locks.model.note.batch", &numbers));
    }
    if asked.choice("preset") == Some("ideal") {
        row.notes.push(words.say("locks.model.note.costs"));
    }
}

/// The machine of a row.
pub fn scene(asked: &Asked, subject: &Subject, sabotage: Option<Sabotage>) -> Scene {
    let costly = with_costs(asked);
    let variant = SHARING
        .iter()
        .find(|(id, _)| subject.variant.as_deref() == Some(id))
        .map_or(CountVariant::Lock, |(_, variant)| *variant);
    let threads = subject.workers.unwrap_or(1).max(1);
    let counting = Counting {
        variant,
        threads,
        additions: ADDITIONS / threads,
        costs: Costs::of(&presets::of(&costly)),
        sabotage,
    };
    let mut machine = Machine::new(presets::machine_settings(&costly, locks::runtime(asked), sabotage));
    let seen = Seen::default();
    machine.start(whole(&Here::new(), counting, &seen));
    Scene {
        machine,
        read: Box::new(move |_, _, row| {
            let expected = i64::from(counting.threads) * i64::from(counting.additions);
            let lost = expected - *seen.value.borrow();
            row.value = Some(seen.value.borrow().to_string());
            row.expected = Some(expected.to_string());
            row.lost = u32::try_from(lost).ok();
            let times = seen.times.borrow();
            let sum: f64 = times.iter().map(|time| time.as_millis()).sum();
            let mean = sum / f64::from(counting.threads);
            row.samples_ms = vec![mean];
            row.median_ms = Some(mean);
        }),
    }
}

/// The same run, on lesson A's machine where nothing would cost anything.
fn with_costs(asked: &Asked) -> Asked {
    let mut costly = asked.clone();
    if asked.choice("preset") == Some("ideal") {
        costly.set("preset", Setting::Choice("lesson-a"));
    }
    costly
}

/// What was seen.
#[derive(Clone, Debug, Default)]
struct Seen {
    value: Rc<RefCell<i64>>,
    /// Each thread's own time.
    times: Rc<RefCell<Vec<Nanoseconds>>>,
}

/// What the parts of an addition take.
#[derive(Clone, Copy, Debug)]
struct Costs {
    /// From the read to the write.
    window: Nanoseconds,
    /// The rest of the loop.
    rest: Nanoseconds,
}

impl Costs {
    fn of(preset: &Preset) -> Self {
        Self {
            window: preset.on_core(Nanoseconds(preset.python.addition_window)),
            rest: preset.on_core(Nanoseconds(preset.python.addition_rest)),
        }
    }
}

/// What is counted and how.
#[derive(Clone, Copy, Debug)]
struct Counting {
    variant: CountVariant,
    threads: u32,
    /// Of each thread.
    additions: u32,
    costs: Costs,
    sabotage: Option<Sabotage>,
}

/// What the threads share beside cells.
#[derive(Debug)]
struct Shared {
    /// One, or one a shard, or none.
    locks: Vec<ThreadLockId>,
    queue: Option<ThreadQueueId>,
}

fn whole(here: &Here, counting: Counting, seen: &Seen) -> Box<dyn Program> {
    let seen = seen.clone();
    program(here, move |here| async move {
        for cell in 0..=counting.threads {
            here.write(CellId(cell), 0).await;
        }
        let shared = Rc::new(share(&here, counting).await?);
        let barrier = here
            .new_thread_barrier(NewBarrier {
                parties: i64::from(counting.threads),
                action: None,
                timeout: None,
            })
            .await?;
        let mut threads = Vec::new();
        if let Some(queue) = shared.queue {
            threads.push(
                here.start_thread(move |here| async move { own(&here, queue, counting).await })
                    .await?,
            );
        }
        for number in 0..counting.threads {
            let (shared, times) = (Rc::clone(&shared), Rc::clone(&seen.times));
            let body = move |here: Here| async move {
                here.wait_thread_barrier(barrier, None).await?;
                let start = here.now().await;
                count(&here, counting, &shared, number).await?;
                let took = here.now().await.since(start);
                times.borrow_mut().push(took);
                Ok(Value::None)
            };
            threads.push(here.start_thread(body).await?);
        }
        for thread in threads {
            here.join_thread(thread, None).await?;
        }
        // What is left to be added up; nothing where all went into the one counter.
        let mut value = 0;
        for cell in 0..=counting.threads {
            value += number(here.read(CellId(cell)).await);
        }
        *seen.value.borrow_mut() = value;
        Ok(Value::None)
    })
}

async fn share(here: &Here, counting: Counting) -> Result<Shared, Exception> {
    let n_locks = match counting.variant {
        CountVariant::Lock => 1,
        CountVariant::Sharded => counting.threads,
        _ => 0,
    };
    let mut shared = Shared {
        locks: Vec::new(),
        queue: None,
    };
    for _ in 0..n_locks {
        shared.locks.push(here.new_thread_lock().await?);
    }
    if counting.variant == CountVariant::Batches {
        shared.queue = Some(here.new_thread_queue(QueueOrder::First, 0).await?);
    }
    Ok(shared)
}

/// One thread's additions.
async fn count(here: &Here, counting: Counting, shared: &Shared, thread: u32) -> Result<(), Exception> {
    let mut sum = 0;
    for addition in 0..counting.additions {
        here.compute_as(counting.costs.rest, Computing::KeepsLock).await;
        match counting.variant {
            CountVariant::OwnThenMerge => {
                let is_shared = counting.sabotage == Some(Sabotage::SharedOwnCounters);
                let own = if is_shared { COUNTER } else { CellId(thread + 1) };
                add_to(here, own, counting.costs).await;
            }
            CountVariant::Batches => {
                // A variable of the thread's own, which no other core ever touches.
                here.compute_as(counting.costs.window, Computing::KeepsLock).await;
                sum += 1;
                if sum == i64::from(BATCH) || addition + 1 == counting.additions {
                    hand_over(here, shared, sum).await?;
                    sum = 0;
                }
            }
            _ => add_locked(here, counting, shared, thread + addition).await?,
        }
        here.check_point(Operation::LoopBackEdge).await;
    }
    Ok(())
}

/// Under the one lock, or under the next shard's.
async fn add_locked(here: &Here, counting: Counting, shared: &Shared, turn: u32) -> Result<(), Exception> {
    let n_locks = u32::try_from(shared.locks.len()).unwrap_or(1).max(1);
    let shard = turn % n_locks;
    let cell = if n_locks == 1 { COUNTER } else { CellId(shard + 1) };
    if let Some(lock) = shared.locks.get(shard as usize).copied() {
        here.acquire_thread_lock(lock, Patience::Forever).await?;
        add_to(here, cell, counting.costs).await;
        // Sabotaged, the lock is held by whoever took it last, and may be free already.
        let _ = here.release_thread_lock(lock).await;
    }
    Ok(())
}

/// `x += 1`
async fn add_to(here: &Here, cell: CellId, costs: Costs) {
    let read = number(here.read(cell).await);
    here.compute_as(costs.window, Computing::KeepsLock).await;
    here.write(cell, read + 1).await;
}

async fn hand_over(here: &Here, shared: &Shared, sum: i64) -> Result<(), Exception> {
    if let Some(queue) = shared.queue {
        here.put_thread_queue(queue, sum, Patience::Forever).await?;
    }
    Ok(())
}

/// The one that owns the counter takes every sum.
async fn own(here: &Here, queue: ThreadQueueId, counting: Counting) -> Outcome {
    for _ in 0..counting.threads * counting.additions.div_ceil(BATCH) {
        let got = number(here.get_thread_queue(queue, Patience::Forever).await?);
        let read = number(here.read(COUNTER).await);
        here.compute_as(counting.costs.window, Computing::KeepsLock).await;
        here.write(COUNTER, read + got).await;
    }
    Ok(Value::None)
}

fn number(value: Value) -> i64 {
    value.int().unwrap_or_default()
}
