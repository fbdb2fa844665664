//! New pools and new calls.
//!
//! Not here: who does the calls.

use std::collections::VecDeque;

use super::executor::{Call, Executor};
use super::{NewPool, Pool, PoolCall, Submit, Workers};
use crate::machine::Kind;
use crate::machine::threads::blocking::Answer;
use crate::machine::threads::interpreters::Cells;
use crate::machine::threads::thread::Wait;
use crate::machine::threads::thread_life::Runs;
use crate::machine::threads::{ConcurrentFutureId, ExecutorId, Machine, MachineFault, StartMethod, ThreadId};

impl Machine {
    pub(in crate::machine::threads) fn pool_call(&mut self, thread: ThreadId, call: PoolCall) -> Answer {
        match call {
            PoolCall::New(new) => self.new_pool(thread, *new),
            PoolCall::Submit(submit) => self.submit(thread, *submit),
            PoolCall::Shutdown(shutdown) => self.shutdown_call(thread, shutdown),
        }
    }

    fn new_pool(&mut self, thread: ThreadId, new: NewPool) -> Answer {
        if new.max_workers == Some(0) {
            return Answer::raises(Kind::ValueError, "max_workers must be greater than 0");
        }
        if new.max_calls_per_process.is_some() && new.workers == Workers::Processes(StartMethod::Fork) {
            let message = "max_tasks_per_child is incompatible with the \"fork\" multiprocessing start method";
            return Answer::raises(Kind::ValueError, message);
        }
        self.add_pool(thread, new).map_or(Answer::Stops, Answer::from)
    }

    fn add_pool(&mut self, thread: ThreadId, new: NewPool) -> Option<ExecutorId> {
        if self.is_too_many(self.pools.len()) {
            return None;
        }
        let id = ExecutorId(self.pools.len() as u32);
        let process = self.thread(thread).process;
        let cpus = self.settings.logical_cores.max(self.settings.cores).max(1);
        let usual = match new.workers {
            Workers::Threads | Workers::Interpreters => cpus.saturating_add(4).min(32),
            Workers::Processes(_) => cpus,
        };
        let max_workers = if self.has_fault(MachineFault::PoolOneAfterAnother) {
            1
        } else {
            new.max_workers.unwrap_or(usual)
        };
        let number = self.process(process).pools.len();
        let kind = match new.workers {
            Workers::Threads => "ThreadPoolExecutor",
            Workers::Processes(_) => "ProcessPoolExecutor",
            Workers::Interpreters => "InterpreterPoolExecutor",
        };
        self.pools.push(Executor {
            process,
            workers: new.workers,
            max_workers,
            name: new.name.unwrap_or_else(|| format!("{kind}-{number}")),
            initializer: new.initializer,
            max_calls: new.max_calls_per_process.filter(|calls| *calls > 0),
            // A process that there is not, or no longer, has no copies.
            copies_of: new.copies_of.filter(|of| self.is_alive(*of)),
            calls: VecDeque::new(),
            n_workers: 0,
            n_started: 0,
            n_idle: 0,
            n_busy: 0,
            is_shut: false,
            is_exiting: false,
            broken: None,
            waiting: VecDeque::new(),
            enders: VecDeque::new(),
            end_answers: Vec::new(),
            callbacks: VecDeque::new(),
            manager: None,
            pipe: VecDeque::new(),
            results: VecDeque::new(),
            sent: Vec::new(),
            is_closing: false,
            has_lost_worker: false,
        });
        self.process_mut(process).pools.push(id);
        Some(id)
    }

    /// The pool that is meant, if there is one.
    pub(super) fn pool_meant(&self, thread: ThreadId, pool: Pool) -> Option<ExecutorId> {
        match pool {
            Pool::Of(id) => Some(id).filter(|id| id.index() < self.pools.len()),
            Pool::Default => self.thread(thread).default_pool,
        }
    }

    fn submit(&mut self, thread: ThreadId, submit: Submit) -> Answer {
        let meant = self.pool_meant(thread, submit.pool);
        let id = match (meant, submit.pool) {
            (Some(id), _) => id,
            (None, Pool::Of(_)) => return Answer::unknown(),
            (None, Pool::Default) => {
                let new = NewPool {
                    name: Some("asyncio".to_owned()),
                    ..NewPool::default()
                };
                let Some(id) = self.add_pool(thread, new) else {
                    return Answer::Stops;
                };
                self.thread_mut(thread).default_pool = Some(id);
                id
            }
        };
        if let Some(refusal) = self.pool(id).refusal() {
            return Answer::Raises(refusal);
        }
        let Some(future) = self.new_future(Some(id)) else {
            return Answer::Stops;
        };
        if let Some(answer_to) = submit.answer_to {
            self.answer_later(thread, future, answer_to);
        }
        let call = Call {
            future,
            work: submit.work,
            payload: submit.payload,
        };
        self.pool(id).calls.push_back(call);
        self.record_pool(id);
        let answer = match self.pool(id).workers {
            Workers::Processes(method) => self.staff_processes(thread, id, method, future),
            Workers::Threads | Workers::Interpreters => self.staff_threads(thread, id, future),
        };
        if !matches!(answer, Answer::Blocks(..)) {
            self.offer(id);
        }
        answer
    }

    /// Wakes whoever takes calls out of a pool's row.
    pub(super) fn offer(&mut self, id: ExecutorId) {
        let pool = self.pool(id);
        if let Some(manager) = pool.manager {
            self.wake(manager);
            return;
        }
        if !pool.is_of_processes() {
            let waiting = pool.waiting.clone();
            self.wake_first(&waiting, 1);
        }
    }

    /// Starts a worker of threads unless one is idle.
    fn staff_threads(&mut self, thread: ThreadId, id: ExecutorId, future: ConcurrentFutureId) -> Answer {
        let pool = self.pool(id);
        if pool.n_idle > 0 {
            pool.n_idle -= 1;
            return future.into();
        }
        if pool.n_workers >= pool.max_workers {
            return future.into();
        }
        let (number, name) = (pool.n_started, pool.name.clone());
        let owns_interpreter = pool.workers == Workers::Interpreters;
        let interpreter = if owns_interpreter {
            let process = self.thread(thread).process;
            self.add_interpreter(process, Cells::default())
        } else {
            self.thread(thread).interpreter
        };
        let name = format!("{name}_{number}");
        let Some(worker) = self.start_thread(thread, interpreter, Some(name), false, Runs::Worker(id)) else {
            return Answer::Stops;
        };
        if owns_interpreter {
            let cost = self.settings.costs.interpreter_start;
            self.thread_mut(worker).owed += cost;
        }
        self.thread_mut(worker).works_for = Some(id);
        let pool = self.pool(id);
        pool.n_workers += 1;
        pool.n_started += 1;
        Answer::Blocks(Wait::Started(worker, future.into()), None)
    }

    /// Starts the manager of a pool of processes, and a worker unless one is idle; a fork starts them all at once.
    fn staff_processes(
        &mut self,
        thread: ThreadId,
        id: ExecutorId,
        method: StartMethod,
        future: ConcurrentFutureId,
    ) -> Answer {
        let is_first = self.pool(id).manager.is_none();
        let pool = self.pool(id);
        let missing = pool.max_workers - pool.n_workers.min(pool.max_workers);
        let n = match method {
            StartMethod::Fork if is_first => missing,
            StartMethod::Fork => 0,
            StartMethod::ForkServer | StartMethod::Spawn if pool.n_idle > 0 => {
                pool.n_idle -= 1;
                0
            }
            StartMethod::ForkServer | StartMethod::Spawn => missing.min(1),
        };
        for _ in 0..n {
            if let Err(answer) = self.start_worker_process(thread, id, method) {
                return answer;
            }
        }
        if !is_first {
            return future.into();
        }
        let interpreter = self.thread(thread).interpreter;
        let name = Some(format!("{}_manager", self.pool(id).name));
        let Some(manager) = self.start_thread(thread, interpreter, name, false, Runs::Manager(id)) else {
            return Answer::Stops;
        };
        self.thread_mut(manager).works_for = Some(id);
        self.pool(id).manager = Some(manager);
        Answer::Blocks(Wait::Started(manager, future.into()), None)
    }

    /// One more process for a pool, started by this thread.
    pub(super) fn start_worker_process(
        &mut self,
        thread: ThreadId,
        id: ExecutorId,
        method: StartMethod,
    ) -> Result<(), Answer> {
        let (by, method) = match self.pool(id).copies_of {
            Some(original) => (self.process(original).main, StartMethod::Fork),
            None => (thread, method),
        };
        let process = self.start_process(by, method, None, false, Runs::Worker(id))?;
        let costs = &self.settings.costs;
        let price = match method {
            StartMethod::Fork => costs.fork.parent,
            StartMethod::ForkServer => costs.fork_server.parent,
            StartMethod::Spawn => costs.spawn.parent,
        };
        self.thread_mut(thread).owed += price;
        self.process_mut(process).worker_of = Some(id);
        let pool = self.pool(id);
        pool.n_workers += 1;
        pool.n_started += 1;
        Ok(())
    }
}
