//! What an `async fn` asks of its thread: threads, processes, the network; Python's names with what they are of.
//!
//! Worked example: `let other = here.start_thread(|here| async move { … }).await?; here.join_thread(other, None).await?`.
//!
//! Every call raises what Python raises. An id that names nothing raises `ValueError`.

mod pools;
mod primitives;

pub use pools::{DoneAndNotDone, MapOptions};

use super::{Here, program};
use crate::machine::threads::{
    Body, ConcurrentFutureId, EndpointId, InterpreterId, NetworkCall, NewEndpoint, ProcessCall, ProcessId, Spawn,
    StartMethod, StartProcess, ThreadCall, ThreadId,
};
use crate::machine::{Effect, Exception, Nanoseconds, Outcome, Program, Value};

/// What a call gives that cannot give anything else.
type Gives<T> = Result<T, Exception>;

impl Here {
    /// One call of the thread's.
    ///
    /// # Errors
    /// What the call raises.
    pub async fn call(&self, call: ThreadCall) -> Outcome {
        self.perform(Effect::Thread(call)).await
    }

    async fn call_for<T: TryFrom<Value, Error = Exception>>(&self, call: ThreadCall) -> Gives<T> {
        T::try_from(self.call(call).await?)
    }

    async fn call_for_truth(&self, call: ThreadCall) -> Gives<bool> {
        self.call(call).await.map(|value| value.is_true())
    }

    async fn call_for_number(&self, call: ThreadCall) -> Gives<i64> {
        Ok(self.call(call).await?.int().unwrap_or_default())
    }

    async fn call_only(&self, call: ThreadCall) -> Gives<()> {
        self.call(call).await.map(|_| ())
    }

    /// `time.sleep`: the whole thread waits, without the interpreter lock; its event loop stands still.
    pub async fn block(&self, delay: Nanoseconds) {
        // Nothing is thrown into a thread that sleeps.
        let _ = self.call(ThreadCall::Sleep(delay)).await;
    }

    /// `time.monotonic_ns()`
    pub async fn now(&self) -> Nanoseconds {
        let now = self.call_for_number(ThreadCall::Now).await;
        // A clock raises nothing.
        Nanoseconds(now.unwrap_or_default().unsigned_abs())
    }

    /// `threading.Thread(target=body).start()`
    ///
    /// # Errors
    /// The process is ending.
    pub async fn start_thread<Running>(&self, body: impl FnOnce(Self) -> Running) -> Gives<ThreadId>
    where
        Running: Future<Output = Outcome> + 'static,
    {
        self.start_thread_with(Spawn::new(program(self, body))).await
    }

    /// `threading.Thread(…).start()`
    ///
    /// # Errors
    /// The process is ending, or the interpreter is not one of it.
    pub async fn start_thread_with(&self, spawn: Spawn) -> Gives<ThreadId> {
        self.call_for(ThreadCall::Spawn(Box::new(spawn))).await
    }

    /// `threading.Thread(target=asyncio.run, args=(body(),)).start()`
    ///
    /// # Errors
    /// The process is ending.
    pub async fn start_loop_thread<Running>(&self, body: impl FnOnce(Self) -> Running) -> Gives<ThreadId>
    where
        Running: Future<Output = Outcome> + 'static,
    {
        self.start_thread_with(Spawn::event_loop(program(self, body))).await
    }

    /// `thread.join(timeout)`
    ///
    /// # Errors
    /// It is this very thread.
    pub async fn join_thread(&self, thread: ThreadId, timeout: Option<Nanoseconds>) -> Gives<()> {
        self.call_only(ThreadCall::Join(thread, timeout)).await
    }

    /// `thread.is_alive()`
    ///
    /// # Errors
    /// There is no such thread.
    pub async fn is_thread_alive(&self, thread: ThreadId) -> Gives<bool> {
        self.call_for_truth(ThreadCall::IsAlive(thread)).await
    }

    /// `threading.current_thread()`
    ///
    /// # Errors
    /// Never.
    pub async fn current_thread(&self) -> Gives<ThreadId> {
        self.call_for(ThreadCall::CurrentThread).await
    }

    /// `loop.call_soon_threadsafe(callback)` of the loop on another thread.
    ///
    /// # Errors
    /// There is no loop any more.
    pub async fn call_soon_threadsafe(&self, thread: ThreadId, callback: Box<dyn Program>) -> Gives<()> {
        self.call_only(ThreadCall::CallSoonThreadsafe(thread, callback)).await
    }

    /// `asyncio.run_coroutine_threadsafe(body(), loop)` of the loop on another thread.
    ///
    /// # Errors
    /// There is no loop any more.
    pub async fn run_threadsafe<Running>(
        &self,
        thread: ThreadId,
        body: impl FnOnce(Self) -> Running,
    ) -> Gives<ConcurrentFutureId>
    where
        Running: Future<Output = Outcome> + 'static,
    {
        self.call_for(ThreadCall::RunThreadsafe(thread, program(self, body)))
            .await
    }

    /// `concurrent.interpreters.create()`
    ///
    /// # Errors
    /// Never; with too many the run ends.
    pub async fn new_interpreter(&self) -> Gives<InterpreterId> {
        self.call_for(ThreadCall::NewInterpreter).await
    }

    /// A thread that runs in another interpreter of this process.
    ///
    /// # Errors
    /// The process is ending, or the interpreter is not one of it.
    pub async fn start_thread_in<Running>(
        &self,
        interpreter: InterpreterId,
        body: impl FnOnce(Self) -> Running,
    ) -> Gives<ThreadId>
    where
        Running: Future<Output = Outcome> + 'static,
    {
        let spawn = Spawn {
            body: Body::Program(program(self, body)),
            name: None,
            daemon: false,
            interpreter: Some(interpreter),
        };
        self.start_thread_with(spawn).await
    }

    /// `multiprocessing.get_context(method).Process(target=body).start()`
    ///
    /// # Errors
    /// This process still imports its main module, or is a daemon.
    pub async fn start_process<Running>(
        &self,
        method: StartMethod,
        body: impl FnOnce(Self) -> Running,
    ) -> Gives<ProcessId>
    where
        Running: Future<Output = Outcome> + 'static,
    {
        self.start_process_with(StartProcess::new(method, program(self, body)))
            .await
    }

    /// `multiprocessing.Process(…).start()`
    ///
    /// # Errors
    /// This process still imports its main module, or is a daemon.
    pub async fn start_process_with(&self, start: StartProcess) -> Gives<ProcessId> {
        self.call_for(ThreadCall::Process(ProcessCall::Start(Box::new(start))))
            .await
    }

    /// `process.join(timeout)`
    ///
    /// # Errors
    /// There is no such process.
    pub async fn join_process(&self, process: ProcessId, timeout: Option<Nanoseconds>) -> Gives<()> {
        self.call_only(ThreadCall::Process(ProcessCall::Join(process, timeout)))
            .await
    }

    /// `process.exitcode`
    ///
    /// # Errors
    /// There is no such process.
    pub async fn exit_code(&self, process: ProcessId) -> Gives<Option<i64>> {
        let code = self.call(ThreadCall::Process(ProcessCall::ExitCode(process))).await?;
        Ok(code.int())
    }

    /// `process.is_alive()`
    ///
    /// # Errors
    /// There is no such process.
    pub async fn is_process_alive(&self, process: ProcessId) -> Gives<bool> {
        self.call_for_truth(ThreadCall::Process(ProcessCall::IsAlive(process)))
            .await
    }

    /// `process.terminate()`
    ///
    /// # Errors
    /// There is no such process.
    pub async fn terminate(&self, process: ProcessId) -> Gives<()> {
        self.call_only(ThreadCall::Process(ProcessCall::Terminate(process)))
            .await
    }

    /// `os._exit(code)`: nothing after it runs.
    pub async fn exit(&self, code: i64) {
        let _ = self.call(ThreadCall::Process(ProcessCall::Exit(code))).await;
    }

    /// `multiprocessing.current_process()`
    ///
    /// # Errors
    /// Never.
    pub async fn current_process(&self) -> Gives<ProcessId> {
        self.call_for(ThreadCall::Process(ProcessCall::Current)).await
    }

    /// `__name__ == "__main__"`
    pub async fn is_main_module(&self) -> bool {
        let is_main = self.call_for_truth(ThreadCall::Process(ProcessCall::IsMain)).await;
        // A name raises nothing.
        is_main.unwrap_or_default()
    }

    /// Something on the other side of a network.
    ///
    /// # Errors
    /// Never; with too many the run ends.
    pub async fn new_endpoint(&self, new: NewEndpoint) -> Gives<EndpointId> {
        self.call_for(ThreadCall::Network(NetworkCall::New(Box::new(new))))
            .await
    }

    /// One request, for which the whole thread waits; a task's is [`request_async`](Self::request_async).
    ///
    /// # Errors
    /// It fails, is refused, or takes too long.
    pub async fn request(&self, endpoint: EndpointId, timeout: Option<Nanoseconds>) -> Outcome {
        let request = NetworkCall::Request {
            endpoint,
            timeout,
            answer_to: None,
        };
        self.call(ThreadCall::Network(request)).await
    }
}
