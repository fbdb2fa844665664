//! `ProcessPoolExecutor(…, mp_context=get_context(method))`, with the fork server as a process of its own.
//!
//! Up to 3.13.1 the fork server imported nothing, and each of its copies imported the main module; that is how the
//! machine's own pools start copies. Since then the server imports the main module itself, once, and listens only when it
//! has; its copies find the module there. A server that fails to import it is gone before anybody is let in, and whoever
//! knocks is told that the connection was reset.
//!
//! Not here: what the pool is used for.

use std::cell::Cell;

use crate::machine::front::{Here, program};
use crate::machine::threads::{ConcurrentFutureId, ExecutorId, NewPool, ProcessId, StartMethod, StartProcess, Workers};
use crate::machine::{Exception, Kind, Nanoseconds, Value};

/// Longer than any run: a server waits until its program ends.
const FOR_EVER: Nanoseconds = Nanoseconds::seconds(80_000);

/// The one fork server of a program, and how it says whether it listens.
#[derive(Debug, Default)]
pub struct Server {
    process: Cell<Option<ProcessId>>,
    listens: Cell<Option<ConcurrentFutureId>>,
}

impl Server {
    /// It will never listen: it could not import the main module.
    pub async fn gives_up(&self, here: &Here) -> Result<(), Exception> {
        match self.listens.take() {
            Some(listens) => here.set_future_result(listens, false).await,
            None => Ok(()),
        }
    }

    /// The program is about to end, and whoever waits for its requests with it.
    pub async fn ends(&self, here: &Here) -> Result<(), Exception> {
        match self.process.take() {
            Some(process) => here.terminate(process).await,
            None => Ok(()),
        }
    }

    /// `forkserver.ensure_running()`, and a connection to it.
    async fn running(&self, here: &Here) -> Result<ProcessId, Exception> {
        if let Some(process) = self.process.get() {
            return Ok(process);
        }
        let listens = here.new_concurrent_future().await?;
        let server = program(here, move |here| async move {
            here.set_future_result(listens, true).await?;
            here.block(FOR_EVER).await;
            Ok(Value::None)
        });
        let process = here
            .start_process_with(StartProcess {
                name: Some("forkserver".to_owned()),
                ..StartProcess::new(StartMethod::Spawn, server)
            })
            .await?;
        self.listens.set(Some(listens));
        if here.future_result(listens, None).await?.is_true() {
            self.process.set(Some(process));
            Ok(process)
        } else {
            Err(Exception::new(Kind::Connection, "Connection reset by peer"))
        }
    }

    /// A pool whose workers are started by this method.
    ///
    /// # Errors
    /// This process still imports its main module, or the server is gone.
    pub async fn new_pool(
        &self,
        here: &Here,
        method: StartMethod,
        max_workers: u32,
        server_imports: bool,
    ) -> Result<ExecutorId, Exception> {
        let copies_of = if method == StartMethod::ForkServer && server_imports {
            Some(self.running(here).await?)
        } else {
            None
        };
        let new = NewPool {
            workers: Workers::Processes(method),
            max_workers: Some(max_workers),
            copies_of,
            ..NewPool::default()
        };
        here.new_pool(new).await
    }
}
