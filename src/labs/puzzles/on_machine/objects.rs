//! The program's locks, conditions, semaphores and queues as the machine's own: of threads, or of tasks.
//!
//! Not here: what a line does with its answer.

use crate::explore::small::{Amount, ConditionId, LockId, QueueId, SemaphoreId, SmallProgram};
use crate::machine::event_loop;
use crate::machine::event_loop::QueueOrder;
use crate::machine::front::Here;
use crate::machine::threads::{
    ConditionLock, Patience, ThreadConditionId, ThreadLockId, ThreadQueueId, ThreadSemaphoreId,
};
use crate::machine::{Exception, Kind, Nanoseconds};

type Gives<T> = Result<T, Exception>;

/// The objects of one kind of worker, each in the program's order.
#[derive(Debug)]
pub(super) struct Row<Lock, Condition, Semaphore, Queue> {
    locks: Vec<Lock>,
    conditions: Vec<Condition>,
    semaphores: Vec<Semaphore>,
    queues: Vec<Queue>,
}

/// What the workers of one machine share beside cells.
#[derive(Debug)]
pub(super) enum Objects {
    /// Of `threading` and `queue`.
    OfThreads(Row<ThreadLockId, ThreadConditionId, ThreadSemaphoreId, ThreadQueueId>),
    /// Of `asyncio`.
    OfTasks(Row<event_loop::LockId, event_loop::ConditionId, event_loop::SemaphoreId, event_loop::QueueId>),
}

/// The object of a number. A checked program names no other.
fn of<T: Copy>(all: &[T], number: u8) -> Gives<T> {
    let found = all.get(usize::from(number)).copied();
    found.ok_or_else(|| Exception::own("IndexError", number_of(number).into()))
}

fn number_of(number: u8) -> i64 {
    number.into()
}

impl Objects {
    pub async fn of_threads(here: &Here, program: &SmallProgram) -> Gives<Self> {
        let mut locks = Vec::new();
        for _ in &program.locks {
            locks.push(here.new_thread_lock().await?);
        }
        let mut conditions = Vec::new();
        for condition in &program.conditions {
            let lock = ConditionLock::Plain(of(&locks, condition.lock.0)?);
            conditions.push(here.new_thread_condition(Some(lock)).await?);
        }
        let mut semaphores = Vec::new();
        for semaphore in &program.semaphores {
            semaphores.push(here.new_thread_semaphore(semaphore.first.into(), false).await?);
        }
        let mut queues = Vec::new();
        for queue in &program.queues {
            queues.push(here.new_thread_queue(QueueOrder::First, queue.capacity.into()).await?);
        }
        Ok(Self::OfThreads(Row {
            locks,
            conditions,
            semaphores,
            queues,
        }))
    }

    pub async fn of_tasks(here: &Here, program: &SmallProgram) -> Gives<Self> {
        let mut locks = Vec::new();
        for _ in &program.locks {
            locks.push(here.new_lock().await?);
        }
        let mut conditions = Vec::new();
        for condition in &program.conditions {
            let lock = of(&locks, condition.lock.0)?;
            conditions.push(here.new_condition(Some(lock)).await?);
        }
        let mut semaphores = Vec::new();
        for semaphore in &program.semaphores {
            semaphores.push(here.new_semaphore(semaphore.first.into()).await?);
        }
        let mut queues = Vec::new();
        for queue in &program.queues {
            queues.push(here.new_queue(queue.capacity.into()).await?);
        }
        Ok(Self::OfTasks(Row {
            locks,
            conditions,
            semaphores,
            queues,
        }))
    }

    pub async fn acquire(&self, here: &Here, lock: LockId) -> Gives<()> {
        match self {
            Self::OfThreads(row) => {
                let lock = of(&row.locks, lock.0)?;
                here.acquire_thread_lock(lock, Patience::Forever).await.map(|_| ())
            }
            Self::OfTasks(row) => here.acquire(of(&row.locks, lock.0)?).await.map(|_| ()),
        }
    }

    /// A task looks whether it is locked first, for an `asyncio.Lock` has no other way.
    pub async fn try_acquire(&self, here: &Here, lock: LockId) -> Gives<bool> {
        match self {
            Self::OfThreads(row) => here.acquire_thread_lock(of(&row.locks, lock.0)?, Patience::No).await,
            Self::OfTasks(row) => {
                let lock = of(&row.locks, lock.0)?;
                let is_free = !here.locked(lock).await?;
                if is_free {
                    here.acquire(lock).await?;
                }
                Ok(is_free)
            }
        }
    }

    pub async fn acquire_within(&self, here: &Here, lock: LockId, limit: Nanoseconds) -> Gives<bool> {
        match self {
            Self::OfThreads(row) => {
                let lock = of(&row.locks, lock.0)?;
                here.acquire_thread_lock(lock, Patience::For(limit)).await
            }
            Self::OfTasks(row) => {
                let lock = of(&row.locks, lock.0)?;
                match here.timeout(limit, here.acquire(lock)).await {
                    Ok(_) => Ok(true),
                    Err(exception) if exception.kind() == Kind::Timeout => Ok(false),
                    Err(exception) => Err(exception),
                }
            }
        }
    }

    pub async fn release(&self, here: &Here, lock: LockId) -> Gives<()> {
        match self {
            Self::OfThreads(row) => here.release_thread_lock(of(&row.locks, lock.0)?).await,
            Self::OfTasks(row) => here.release(of(&row.locks, lock.0)?).await,
        }
    }

    pub async fn wait(&self, here: &Here, condition: ConditionId) -> Gives<()> {
        match self {
            Self::OfThreads(row) => {
                let condition = of(&row.conditions, condition.0)?;
                here.wait_thread_condition(condition, None).await.map(|_| ())
            }
            Self::OfTasks(row) => {
                let condition = of(&row.conditions, condition.0)?;
                here.wait_condition(condition).await.map(|_| ())
            }
        }
    }

    pub async fn notify(&self, here: &Here, condition: ConditionId, amount: Amount) -> Gives<()> {
        match (self, amount) {
            (Self::OfThreads(row), Amount::One) => {
                here.notify_thread_condition(of(&row.conditions, condition.0)?, 1).await
            }
            (Self::OfThreads(row), Amount::All) => {
                here.notify_all_thread_condition(of(&row.conditions, condition.0)?)
                    .await
            }
            (Self::OfTasks(row), Amount::One) => here.notify(of(&row.conditions, condition.0)?, 1).await,
            (Self::OfTasks(row), Amount::All) => here.notify_all(of(&row.conditions, condition.0)?).await,
        }
    }

    pub async fn down(&self, here: &Here, semaphore: SemaphoreId) -> Gives<()> {
        match self {
            Self::OfThreads(row) => {
                let semaphore = of(&row.semaphores, semaphore.0)?;
                here.acquire_thread_semaphore(semaphore, Patience::Forever)
                    .await
                    .map(|_| ())
            }
            Self::OfTasks(row) => {
                let semaphore = of(&row.semaphores, semaphore.0)?;
                here.acquire_semaphore(semaphore).await.map(|_| ())
            }
        }
    }

    pub async fn up(&self, here: &Here, semaphore: SemaphoreId) -> Gives<()> {
        match self {
            Self::OfThreads(row) => {
                here.release_thread_semaphore(of(&row.semaphores, semaphore.0)?, 1)
                    .await
            }
            Self::OfTasks(row) => here.release_semaphore(of(&row.semaphores, semaphore.0)?).await,
        }
    }

    pub async fn put(&self, here: &Here, queue: QueueId, number: i64) -> Gives<()> {
        match self {
            Self::OfThreads(row) => {
                let queue = of(&row.queues, queue.0)?;
                here.put_thread_queue(queue, number, Patience::Forever).await
            }
            Self::OfTasks(row) => here.put(of(&row.queues, queue.0)?, number).await,
        }
    }

    pub async fn get(&self, here: &Here, queue: QueueId) -> Gives<i64> {
        let got = match self {
            Self::OfThreads(row) => {
                let queue = of(&row.queues, queue.0)?;
                here.get_thread_queue(queue, Patience::Forever).await?
            }
            Self::OfTasks(row) => here.get(of(&row.queues, queue.0)?).await?,
        };
        Ok(got.int().unwrap_or_default())
    }
}
