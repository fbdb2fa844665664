//! The Python that runs on the machine: small scripts, one a row.
//!
//! Not here: any cost; what crossing and starting take are the machine's.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::cases::{Case, What};
use crate::machine::front::{Here, MapOptions, program};
use crate::machine::program::CellId;
use crate::machine::threads::{ExecutorId, NewPool, Patience, Payload, ThreadId, Workers};
use crate::machine::{Access, Exception, Nanoseconds, Note, Outcome, Program, Value};

/// `items = []`, at the top of the module: one in each interpreter. Kept as its length.
const LIST: CellId = CellId(0);

/// `sys.modules["fast"]`: one in each interpreter.
const MODULE: CellId = CellId(1);

/// Lists that a fault makes each thread its own.
const OWN_LISTS: u32 = 16;

/// What running a module's code takes; the model's only work here that is not the machine's.
const IMPORT: Nanoseconds = Nanoseconds::millis(1);

/// How long each worker works, and after how much of it one of them crashes.
const WORK: Nanoseconds = Nanoseconds::millis(30);
const CRASHES_AFTER: Nanoseconds = Nanoseconds::millis(10);

/// Long enough that no worker is free again before the last has been started.
const START_UP: Nanoseconds = Nanoseconds::seconds(5);

/// A trivial call: what an item of the chunks takes.
const ITEM: Nanoseconds = Nanoseconds::micros(1);

/// A number and what goes with it, packed.
const ITEM_BYTES: u64 = 8;

/// The exit code of a process that a signal has ended: SIGSEGV.
const SEGMENTATION_FAULT: i64 = -11;

/// What the script saw.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// When its clock was started and stopped; none where it never came to its end.
    pub window: Rc<Cell<Option<(Nanoseconds, Nanoseconds)>>>,
    /// Each call that appended: on which thread, and the list's length before and after.
    pub appended: Rc<RefCell<Vec<(ThreadId, i64, i64)>>>,
    /// The length of the parent's list in the end.
    pub parent: Rc<Cell<Option<i64>>>,
    /// How often the module's code ran, and how many imports were refused.
    pub loaded: Rc<Cell<u32>>,
    pub refused: Rc<Cell<u32>>,
    /// The workers that came to their end.
    pub finished: Rc<RefCell<Vec<u32>>>,
}

impl Seen {
    /// The length of each worker's list after its last call, in the order of the workers' first calls.
    pub fn lengths(&self) -> Vec<i64> {
        let mut lists: Vec<(ThreadId, i64)> = Vec::new();
        for (thread, _, after) in self.appended.borrow().iter() {
            match lists.iter_mut().find(|(known, _)| known == thread) {
                Some((_, length)) => *length = *after,
                None => lists.push((*thread, *after)),
            }
        }
        lists.into_iter().map(|(_, length)| length).collect()
    }
}

/// The script.
pub fn main(here: &Here, case: Case, seen: &Seen) -> Box<dyn Program> {
    let script = Script {
        here: here.clone(),
        case,
        seen: seen.clone(),
    };
    program(here, move |_| async move { script.run().await })
}

#[derive(Clone)]
struct Script {
    here: Here,
    case: Case,
    seen: Seen,
}

type Tried<T> = Result<T, Exception>;

impl Script {
    async fn run(&self) -> Outcome {
        match self.case.what {
            What::List { chunk } => self.append(chunk).await,
            What::Chunks { chunk } => self.map(chunk).await,
            What::Crossing { bytes } => self.cross(bytes).await,
            What::Import { is_made_for_many } => self.import(is_made_for_many).await,
            What::Crash => self.crash().await,
        }
    }

    /// A pool whose workers have all been started.
    async fn started(&self, workers: u32) -> Tried<ExecutorId> {
        let new = NewPool {
            workers: self.case.workers_are,
            max_workers: Some(workers),
            ..NewPool::default()
        };
        let pool = self.here.new_pool(new).await?;
        let idle = (0..workers).map(|_| {
            program(&self.here, |here| async move {
                here.block(START_UP).await;
                Ok(Value::None)
            })
        });
        self.here.map(pool, idle.collect(), MapOptions::default()).await?;
        Ok(pool)
    }

    async fn ended(&self, start: Nanoseconds) {
        self.seen.window.set(Some((start, self.here.now().await)));
    }

    /// `items.append(…)` in calls of so many.
    async fn append(&self, chunk: u32) -> Outcome {
        let here = &self.here;
        here.write(LIST, 0).await;
        let pool = self.started(self.case.workers).await?;
        let start = here.now().await;
        let n_calls = self.case.items.div_ceil(chunk.max(1));
        let call = |number: u32| {
            let script = self.clone();
            let n_items = chunk.min(self.case.items - number * chunk);
            program(here, move |_| async move { script.append_some(n_items).await })
        };
        let payload = Payload {
            sent: u64::from(chunk) * ITEM_BYTES,
            returned: ITEM_BYTES,
        };
        let options = MapOptions {
            payload,
            ..MapOptions::default()
        };
        here.map(pool, (0..n_calls).map(call).collect(), options).await?;
        self.ended(start).await;
        let parent = here.read(LIST).await;
        self.seen.parent.set(parent.int());
        Ok(parent)
    }

    async fn append_some(&self, n_items: u32) -> Outcome {
        let here = &self.here;
        let thread = here.current_thread().await?;
        let list = if self.case.has_own_lists {
            CellId(OWN_LISTS + self.place_of(thread))
        } else {
            LIST
        };
        here.note(Note::Doing("items.append")).await;
        here.compute(Nanoseconds(ITEM.0 * u64::from(n_items))).await;
        let before = here.access(Access::Add(list, n_items.into())).await;
        let before = before.int().unwrap_or_default();
        let after = before + i64::from(n_items);
        self.seen.appended.borrow_mut().push((thread, before, after));
        Ok(Value::Int(after))
    }

    /// The number of a worker, in the order of first calls.
    fn place_of(&self, thread: ThreadId) -> u32 {
        let mut known: Vec<ThreadId> = Vec::new();
        for (of, ..) in self.seen.appended.borrow().iter() {
            if !known.contains(of) {
                known.push(*of);
            }
        }
        let place = known.iter().position(|of| *of == thread).unwrap_or(known.len());
        u32::try_from(place).unwrap_or(u32::MAX)
    }

    /// `list(pool.map(double, items, chunksize=chunk))`
    async fn map(&self, chunk: u32) -> Outcome {
        let here = &self.here;
        let pool = self.started(self.case.workers).await?;
        let start = here.now().await;
        let item = |_| {
            program(here, |here| async move {
                here.compute(ITEM).await;
                Ok(Value::Int(1))
            })
        };
        let options = MapOptions {
            chunk: chunk.max(1) as usize,
            payload: Payload {
                sent: ITEM_BYTES,
                returned: ITEM_BYTES,
            },
            ..MapOptions::default()
        };
        let results = here
            .map(pool, (0..self.case.items).map(item).collect(), options)
            .await?;
        self.ended(start).await;
        Ok(Value::Int(results.iter().filter_map(Value::int).sum()))
    }

    /// One payload to a worker that is there, and its short answer.
    async fn cross(&self, bytes: u32) -> Outcome {
        let here = &self.here;
        let pool = self.started(1).await?;
        let start = here.now().await;
        let payload = Payload {
            sent: bytes.into(),
            returned: ITEM_BYTES,
        };
        let options = MapOptions {
            payload,
            ..MapOptions::default()
        };
        let look = program(here, |_| async { Ok(Value::Int(1)) });
        let results = here.map(pool, vec![look], options).await?;
        self.ended(start).await;
        Ok(Value::Int(results.iter().filter_map(Value::int).sum()))
    }

    /// `import fast` in every worker. Threads have one registry of modules; each interpreter has its own, so that the
    /// module's code runs once in each. Under a lock of one's own nobody else's import is in the way.
    async fn import(&self, is_made_for_many: bool) -> Outcome {
        let here = &self.here;
        let start = here.now().await;
        let import_lock = here.new_thread_lock().await?;
        let mut threads = Vec::new();
        for _ in 0..self.case.workers {
            let script = self.clone();
            let is_shared = self.case.workers_are == Workers::Threads;
            let body = move |here: Here| async move {
                if is_shared {
                    here.acquire_thread_lock(import_lock, Patience::Forever).await?;
                }
                script.import_here(is_shared || is_made_for_many).await;
                if is_shared {
                    here.release_thread_lock(import_lock).await?;
                }
                Ok(Value::None)
            };
            threads.push(match self.case.workers_are {
                Workers::Threads => here.start_thread(body).await?,
                Workers::Interpreters | Workers::Processes(_) => {
                    let interpreter = here.new_interpreter().await?;
                    here.start_thread_in(interpreter, body).await?
                }
            });
        }
        for thread in threads {
            here.join_thread(thread, None).await?;
        }
        self.ended(start).await;
        Ok(Value::Int(self.seen.loaded.get().into()))
    }

    async fn import_here(&self, may_load: bool) {
        let here = &self.here;
        here.note(Note::Doing("import fast")).await;
        if here.read(MODULE).await != Value::None {
            return;
        }
        if !may_load {
            // ImportError: module fast does not support loading in subinterpreters
            self.seen.refused.set(self.seen.refused.get() + 1);
            return;
        }
        here.compute(IMPORT).await;
        here.write(MODULE, 1).await;
        self.seen.loaded.set(self.seen.loaded.get() + 1);
    }

    /// All work; the first crashes on the way, and takes its process with it.
    async fn crash(&self) -> Outcome {
        let here = &self.here;
        let start = here.now().await;
        let (mut threads, mut processes) = (Vec::new(), Vec::new());
        for worker in 0..self.case.workers {
            let script = self.clone();
            let body = move |_| async move { script.work_or_crash(worker).await };
            match self.case.workers_are {
                Workers::Threads => threads.push(here.start_thread(body).await?),
                Workers::Interpreters => {
                    let interpreter = here.new_interpreter().await?;
                    threads.push(here.start_thread_in(interpreter, body).await?);
                }
                Workers::Processes(method) => processes.push(here.start_process(method, body).await?),
            }
        }
        for thread in threads {
            here.join_thread(thread, None).await?;
        }
        for process in processes {
            here.join_process(process, None).await?;
        }
        self.ended(start).await;
        Ok(Value::None)
    }

    async fn work_or_crash(&self, worker: u32) -> Outcome {
        let here = &self.here;
        here.block(CRASHES_AFTER).await;
        if worker == 0 {
            here.note(Note::Mark("segmentation fault".to_owned())).await;
            here.exit(SEGMENTATION_FAULT).await;
        }
        here.compute(WORK).await;
        self.seen.finished.borrow_mut().push(worker);
        Ok(Value::None)
    }
}
