//! The rounds of a process pool's manager: results first, then calls, then the end.
//!
//! Not here: the workers.

use super::Workers;
use super::executor::{Call, Done, crossing};
use crate::machine::threads::advance::Flow;
use crate::machine::threads::thread::{FrameBody, Wait};
use crate::machine::threads::{ExecutorId, Machine, ProcessId, ThreadId};
use crate::machine::{Exception, Kind, Value};

/// The thread that runs a pool of processes.
#[derive(Debug)]
pub(in crate::machine::threads) struct Manager {
    pool: ExecutorId,
    stage: Stage,
}

/// Where a manager is in its rounds.
#[derive(Debug)]
enum Stage {
    /// It looks for something to do. Next: any, or the end.
    Free,
    /// It has unpacked a result. Next: `Free`.
    Collecting(Done),
    /// It has packed a call. Next: `Free`.
    Sending(Call),
}

impl Manager {
    pub fn new(pool: ExecutorId) -> Self {
        Self {
            pool,
            stage: Stage::Free,
        }
    }
}

impl Machine {
    /// One round of the manager on a thread.
    pub(in crate::machine::threads) fn manager_round(&mut self, thread: ThreadId) -> Flow {
        let manager = self.manager(thread);
        let id = manager.pool;
        match std::mem::replace(&mut manager.stage, Stage::Free) {
            Stage::Free => self.look_for_traffic(thread, id),
            Stage::Collecting(done) => {
                let pool = self.pool(id);
                pool.sent.retain(|future| *future != done.future);
                if done.was_last {
                    self.replace_worker(thread, id);
                } else {
                    pool.n_idle += 1;
                }
                self.settle(done.future, done.outcome);
                let answer = self.run_callbacks(thread, done.future, Ok(Value::None));
                self.settle_woken();
                self.goes_on(thread, answer)
            }
            Stage::Sending(call) => {
                let pool = self.pool(id);
                pool.sent.push(call.future);
                pool.pipe.push_back(call);
                let waiting = pool.waiting.clone();
                self.wake_first(&waiting, 1);
                self.settle_woken();
                Flow::On
            }
        }
    }

    fn manager(&mut self, thread: ThreadId) -> &mut Manager {
        let frame = self.thread_mut(thread).frames.last_mut();
        match frame.map(|frame| &mut frame.body) {
            Some(FrameBody::Manager(manager)) => manager,
            _ => unreachable!("a round is asked of the manager on top of its thread"),
        }
    }

    /// Whether there is anything for the manager to do.
    pub(super) fn has_traffic(&mut self, id: ExecutorId) -> bool {
        let pool = self.pool(id);
        !pool.results.is_empty()
            || pool.has_lost_worker
            || (!pool.calls.is_empty() && pool.has_room_in_pipe())
            || (pool.calls.is_empty() && pool.sent.is_empty() && (pool.is_shut || pool.is_exiting))
    }

    fn look_for_traffic(&mut self, thread: ThreadId, id: ExecutorId) -> Flow {
        if self.pool(id).has_lost_worker {
            return self.break_pool(thread, id);
        }
        let workers = self.pool(id).workers;
        if let Some(done) = self.pool(id).results.pop_front() {
            let owed = crossing(&self.settings.costs, workers, done.returned);
            self.thread_mut(thread).owed += owed;
            self.manager(thread).stage = Stage::Collecting(done);
            return Flow::On;
        }
        if self.pool(id).has_room_in_pipe()
            && let Some(call) = self.pool(id).calls.pop_front()
        {
            self.record_pool(id);
            if self.set_running(call.future, None) {
                let owed = crossing(&self.settings.costs, workers, call.payload.sent);
                self.thread_mut(thread).owed += owed;
                self.manager(thread).stage = Stage::Sending(call);
            }
            self.settle_woken();
            return Flow::On;
        }
        let pool = self.pool(id);
        let is_over = (pool.is_shut || pool.is_exiting) && pool.calls.is_empty() && pool.sent.is_empty();
        if is_over && pool.n_workers == 0 {
            return self.frame_ended(thread, Ok(Value::None));
        }
        if is_over && !std::mem::replace(&mut pool.is_closing, true) {
            let waiting = pool.waiting.clone();
            self.wake_first(&waiting, usize::MAX);
            self.settle_woken();
        }
        self.block(thread, Wait::Traffic(id), None);
        Flow::Off
    }

    /// A worker was lost: every call that is not done fails, the other workers are terminated, and the manager ends.
    fn break_pool(&mut self, thread: ThreadId, id: ExecutorId) -> Flow {
        let pool = self.pool(id);
        let message = "A child process terminated abruptly, the process pool is not usable anymore";
        pool.broken = Some(Exception::new(Kind::BrokenProcessPool, message));
        let next = pool
            .sent
            .pop()
            .or_else(|| pool.calls.pop_front().map(|call| call.future));
        if let Some(future) = next {
            let message =
                "A process in the process pool was terminated abruptly while the future was running or pending.";
            if self.future_mut(future).outcome().is_some() {
                return Flow::On;
            }
            self.settle(future, Err(Exception::new(Kind::BrokenProcessPool, message)));
            let answer = self.run_callbacks(thread, future, Ok(Value::None));
            self.settle_woken();
            return self.goes_on(thread, answer);
        }
        pool.pipe.clear();
        pool.results.clear();
        for number in 0..self.processes.len() as u32 {
            let process = ProcessId(number);
            if self.process(process).worker_of == Some(id) {
                self.end_process(process, Some(-15));
            }
        }
        self.settle_woken();
        self.frame_ended(thread, Ok(Value::None))
    }

    /// A process that may have been a worker has ended.
    pub(in crate::machine::threads) fn worker_process_ended(&mut self, process: ProcessId) {
        let Some(id) = self.process(process).worker_of else {
            return;
        };
        self.one_worker_less(id);
        let main = self.process(process).main;
        let pool = self.pool(id);
        pool.waiting.retain(|waiter| *waiter != main);
        let is_replaced = pool.max_calls.is_some() && self.process(process).exit_code == Some(0);
        let pool = self.pool(id);
        let is_lost = !pool.is_closing && !is_replaced && pool.broken.is_none();
        pool.has_lost_worker |= is_lost;
        if let Some(manager) = pool.manager {
            self.wake(manager);
        }
    }

    /// A worker that has done all the calls it may is replaced, unless there will be no work for another.
    fn replace_worker(&mut self, manager: ThreadId, id: ExecutorId) {
        let pool = self.pool(id);
        let is_shut = pool.is_shut || pool.is_exiting;
        let is_needed = !is_shut || !pool.calls.is_empty() || !pool.pipe.is_empty();
        if let Workers::Processes(method) = pool.workers
            && is_needed
        {
            // It runs in a process that has started this very pool before: it is free to start one more.
            let _ = self.start_worker_process(manager, id, method);
        }
    }
}
