//! The script: its top-level statements, run by the first process and again by whoever imports it.
//!
//! ```python
//! import concurrent.futures as futures
//! import multiprocessing
//!
//! print("top-level", __name__)
//!
//! def square(n):
//!     return n * n
//!
//! if __name__ == "__main__":     # the guard; without it: if True
//!     context = multiprocessing.get_context(method)
//!     with futures.ProcessPoolExecutor(2, mp_context=context) as pool:
//!         print(list(pool.map(square, range(4))))
//! ```
//!
//! Not here: what it prints in CPython (`recorded`).

use std::cell::RefCell;
use std::rc::Rc;

use super::pool::Server;
use crate::machine::front::{Here, MapOptions, program};
use crate::machine::threads::{Module, ProcessId, StartMethod};
use crate::machine::{Exception, Kind, Nanoseconds, Outcome, Program, Value};
use crate::wire::Sabotage;

/// Workers of the script's pool, and its numbers.
const WORKERS: u32 = 2;
const NUMBERS: i64 = 4;

/// What the top level prints, before the name that the module goes by.
pub const TOP_LEVEL: &str = "top-level";

/// Where Python reads the script from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// `python script.py`
    File,
    /// `python < script.py`, or typed in.
    StandardInput,
}

/// One of the twelve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Script {
    /// How the pool starts its processes.
    pub method: StartMethod,
    /// Whether the start stands under `if __name__ == "__main__":`.
    pub guard: bool,
    /// Where Python reads it from.
    pub source: Source,
    /// Whether the fork server imports it, as it does in any Python of today.
    pub server_imports: bool,
}

/// What the processes said, and the fork server, if there is one.
#[derive(Debug, Default)]
pub struct Seen {
    /// Everything in order.
    pub said: RefCell<Vec<Said>>,
    server: Server,
}

/// One line of a process.
#[derive(Clone, Debug)]
pub struct Said {
    /// When.
    pub at: Nanoseconds,
    /// Whose.
    pub process: ProcessId,
    /// The line.
    pub text: String,
    /// Whether it is the end of a traceback: nobody caught it.
    pub is_error: bool,
}

impl Seen {
    async fn say(&self, here: &Here, text: String, is_error: bool) -> Result<(), Exception> {
        let (at, process) = (here.now().await, here.current_process().await?);
        self.said.borrow_mut().push(Said {
            at,
            process,
            text,
            is_error,
        });
        Ok(())
    }
}

/// What Python calls it.
pub fn class(exception: &Exception) -> &str {
    match exception.kind() {
        Kind::RuntimeError => "RuntimeError",
        Kind::BrokenProcessPool => "BrokenProcessPool",
        Kind::Connection => "ConnectionResetError",
        Kind::Own => exception.message(),
        _ => "Exception",
    }
}

/// The main module.
pub fn module(here: &Here, script: Script, sabotage: Option<Sabotage>, seen: &Rc<Seen>) -> Module {
    let (here, seen) = (here.clone(), Rc::clone(seen));
    let method = if sabotage == Some(Sabotage::ForkThatImports) && script.method == StartMethod::Fork {
        StartMethod::Spawn
    } else {
        script.method
    };
    let script = Script { method, ..script };
    Rc::new(move || {
        let seen = Rc::clone(&seen);
        program(&here, move |here| async move {
            let outcome = top_level(&here, script, &seen).await;
            let is_main = here.is_main_module().await;
            if let Err(exception) = &outcome {
                seen.say(&here, class(exception).to_owned(), true).await?;
                if !is_main {
                    seen.server.gives_up(&here).await?;
                }
            }
            if is_main {
                seen.server.ends(&here).await?;
            }
            outcome
        })
    })
}

/// The statements.
async fn top_level(here: &Here, script: Script, seen: &Seen) -> Outcome {
    let is_main = here.is_main_module().await;
    if !is_main && script.source == Source::StandardInput {
        // Who imports the main module opens its file; standard input has none, and "<stdin>" is no file.
        return Err(Exception::own("FileNotFoundError", Value::None));
    }
    let name = if is_main { "__main__" } else { "__mp_main__" };
    seen.say(here, format!("{TOP_LEVEL} {name}"), false).await?;
    if script.guard && !is_main {
        return Ok(Value::None);
    }
    let pool = seen
        .server
        .new_pool(here, script.method, WORKERS, script.server_imports)
        .await?;
    let results = here.map(pool, squares(here), MapOptions::default()).await;
    here.shut_pool_down(pool, true, false).await?;
    let results: Vec<String> = results?
        .iter()
        .filter_map(Value::int)
        .map(|square| square.to_string())
        .collect();
    seen.say(here, format!("[{}]", results.join(", ")), false).await?;
    Ok(Value::None)
}

fn squares(here: &Here) -> Vec<Box<dyn Program>> {
    let square = |n: i64| program(here, move |_| async move { Ok(Value::Int(n * n)) });
    (0..NUMBERS).map(square).collect()
}
