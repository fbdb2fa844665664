//! What a program asks of its loop, handed to whoever does it.
//!
//! Not here: how it is done.

use super::effects::LoopCall;
use super::making::Then;
use super::settings::Complaint;
use super::state::{Step, Turn};
use super::tasks::CoroutineState;
use crate::machine::{Outcome, Value};

impl Turn<'_> {
    /// Does a call: some may first have to run an eager task, or ask the machine for something.
    pub(super) fn call(&mut self, call: LoopCall) -> Step {
        match call {
            LoopCall::CreateTask(of, options) => self.make_task(of, options, Then::Give),
            LoopCall::CreateGroupTask(group, of, options) => self.create_group_task(group, of, options),
            LoopCall::EnsureFuture(of) => self.make(vec![of], Then::Give),
            LoopCall::Gather(of, on_exception) => self.make(of, Then::Gather(on_exception)),
            LoopCall::Shield(of) => self.make(vec![of], Then::Shield),
            LoopCall::AsCompleted(of, timeout) => self.make(of, Then::AsCompleted(timeout)),
            LoopCall::RunInExecutor(submit) => self.run_in_executor(*submit, false),
            LoopCall::WrapFuture(future) => self.wrap_future(future),
            other => self.call_of_loop(other).into(),
        }
    }

    #[inline(always)]
    fn call_of_loop(&mut self, call: LoopCall) -> Outcome {
        match call {
            LoopCall::Time => Ok(Value::Int(self.state.now.0 as i64)),
            LoopCall::SetDebug(debug) => {
                self.state.settings.debug = debug;
                Ok(Value::None)
            }
            LoopCall::SetSlowCallbackDuration(duration) => {
                self.state.settings.slow_callback_duration = duration;
                Ok(Value::None)
            }
            LoopCall::SetEagerTasks(eager) => {
                self.state.settings.eager_tasks = eager;
                Ok(Value::None)
            }
            LoopCall::CallSoon(program, context) => self.call_soon(program, context),
            LoopCall::CallLater(delay, program) => self.call_at(self.state.now + delay, program),
            LoopCall::CallAt(when, program) => self.call_at(when, program),
            LoopCall::CancelHandle(handle) => self.cancel_handle(handle),
            LoopCall::HandleCancelled(handle) => Ok(Value::Bool(self.is_handle_cancelled(handle))),
            LoopCall::NewVariable(default) => self.new_variable(default.map(|default| *default)),
            LoopCall::GetVariable(variable) => self.get_variable(variable),
            LoopCall::SetVariable(variable, value) => self.set_variable(variable, value),
            LoopCall::ResetVariable(variable, token) => self.reset_variable(variable, token),
            LoopCall::CopyContext => self.copy_context(),
            LoopCall::EnterContext(context) => self.enter_context(context),
            LoopCall::LeaveContext(context) => self.leave_context(context),
            LoopCall::ContextOf(task) => self.context_of(task),
            LoopCall::CompletedLeft(id) => Ok(Value::Int(self.state.completions.get(id)?.n_left as i64)),
            other => self.call_of_future(other),
        }
    }

    #[inline(always)]
    fn call_of_future(&mut self, call: LoopCall) -> Outcome {
        let futures = &mut self.state.futures;
        match call {
            LoopCall::CreateFuture(waits_for) => Ok(self.create_future(waits_for).into()),
            LoopCall::SetResult(future, value) => self.set(future, Ok(value)),
            LoopCall::SetException(future, exception) => self.set(future, Err(exception)),
            LoopCall::Cancel(future, message) => {
                futures.get(future)?;
                self.try_cancel(future, message).map(Value::Bool)
            }
            LoopCall::Done(future) => Ok(Value::Bool(futures.get(future)?.is_done())),
            LoopCall::Cancelled(future) => Ok(Value::Bool(futures.get(future)?.is_cancelled())),
            LoopCall::Result(future) => futures.get_mut(future)?.result(),
            LoopCall::Exception(future) => {
                let exception = futures.get_mut(future)?.exception()?;
                Ok(exception.map_or(Value::None, Value::Exception))
            }
            LoopCall::AddDoneCallback(future, program, context) => self.add_done_callback(future, program, context),
            LoopCall::RemoveDoneCallback(future, callback) => self.remove_done_callback(future, callback),
            LoopCall::Forget(future) => self.forget(future),
            LoopCall::Coroutine(program, name) => Ok(self.coroutine(program, name).into()),
            LoopCall::DropCoroutine(coroutine) => {
                let row = self.state.coroutines.get_mut(coroutine)?;
                if matches!(row.state, CoroutineState::Fresh(_)) {
                    row.state = CoroutineState::Used;
                    self.state.complaints.push(Complaint::NeverAwaited(row.name.clone()));
                }
                Ok(Value::None)
            }
            LoopCall::Name(task) => Ok(Value::Text(futures.task(task)?.name())),
            LoopCall::SetName(task, name) => {
                futures.task_mut(task)?.set_name(name.clone());
                if let Some(lane) = self.lane_of(task) {
                    self.recorder.rename(self.state.now, lane, || name.to_string());
                }
                Ok(Value::None)
            }
            LoopCall::Cancelling(task) => Ok(Value::Int(futures.task(task)?.n_cancels.into())),
            LoopCall::Uncancel(task) => self.uncancel(task).map(|n| Value::Int(n.into())),
            LoopCall::CurrentTask => Ok(self.state.current_task().map_or(Value::None, Value::from)),
            LoopCall::AllTasks => {
                let tasks: Vec<Value> = futures.live_tasks().into_iter().map(Value::from).collect();
                Ok(tasks.into())
            }
            other => self.call_of_scope(other),
        }
    }

    #[inline(always)]
    fn call_of_scope(&mut self, call: LoopCall) -> Outcome {
        match call {
            LoopCall::NewGroup => self.new_group(),
            LoopCall::EnterGroup(group) => self.enter_group(group),
            LoopCall::NewTimeout(delay) => {
                let when = delay.map(|delay| self.state.now + delay);
                Ok(self.new_timeout(when).into())
            }
            LoopCall::NewTimeoutAt(when) => Ok(self.new_timeout(when).into()),
            LoopCall::EnterTimeout(timeout) => self.enter_timeout(timeout),
            LoopCall::ExitTimeout(timeout, exception) => self.exit_timeout(timeout, exception),
            LoopCall::Reschedule(timeout, when) => self.reschedule(timeout, when),
            LoopCall::When(timeout) => self.timeout_when(timeout),
            LoopCall::Expired(timeout) => self.timeout_expired(timeout),
            other => self.call_of_lock(other),
        }
    }

    #[inline(always)]
    fn call_of_lock(&mut self, call: LoopCall) -> Outcome {
        match call {
            LoopCall::NewLock => Ok(self.new_lock().into()),
            LoopCall::Release(lock) => self.release_lock(lock),
            LoopCall::Locked(lock) => Ok(Value::Bool(self.state.locks.get(lock)?.is_locked)),
            LoopCall::NewEvent => {
                self.state.count_object();
                Ok(self.state.events.push(super::locks::Event::default()).into())
            }
            LoopCall::SetEvent(event) => self.set_event(event),
            LoopCall::ClearEvent(event) => self.clear_event(event),
            LoopCall::IsSet(event) => self.is_set(event),
            LoopCall::NewCondition(lock) => self.new_condition(lock).map(Value::from),
            LoopCall::LockOf(condition) => Ok(self.state.conditions.get(condition)?.lock.into()),
            LoopCall::Notify(condition, n) => self.notify(condition, n as usize),
            LoopCall::NotifyAll(condition) => self.notify(condition, usize::MAX),
            LoopCall::NewSemaphore(value, is_bounded) => self.new_semaphore(value, is_bounded),
            LoopCall::ReleaseSemaphore(semaphore) => self.release_semaphore(semaphore),
            LoopCall::SemaphoreLocked(semaphore) => self.is_semaphore_locked(semaphore).map(Value::Bool),
            LoopCall::NewBarrier(parties) => self.new_barrier(parties),
            LoopCall::BarrierParties(barrier) => self.barrier_parties(barrier),
            LoopCall::BarrierWaiting(barrier) => self.barrier_waiting(barrier),
            LoopCall::BarrierBroken(barrier) => self.barrier_broken(barrier),
            LoopCall::NewQueue(order, max_size) => Ok(self.new_queue(order, max_size).into()),
            LoopCall::PutNowait(queue, item) => self.put_nowait(queue, item),
            LoopCall::GetNowait(queue) => self.get_nowait(queue),
            LoopCall::TaskDone(queue) => self.task_done(queue),
            LoopCall::QueueSize(queue) => Ok(Value::Int(self.queue_size(queue)? as i64)),
            LoopCall::QueueEmpty(queue) => Ok(Value::Bool(self.queue_size(queue)? == 0)),
            LoopCall::QueueFull(queue) => self.is_queue_full(queue),
            LoopCall::ShutdownQueue(queue, is_immediate) => self.shut_down_queue(queue, is_immediate),
            other => unreachable!("{other:?} is done above"),
        }
    }
}
