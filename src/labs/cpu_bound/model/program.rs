//! The Python that runs on the machine: a script that times its own work, as the lessons' do.
//!
//! Not here: any number; a piece of work is one computing of so many nanoseconds, which preemption splits exactly.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::cases::{Case, How};
use crate::labs::presets;
use crate::machine::front::{Here, MapOptions, program};
use crate::machine::threads::{ExecutorId, NewPool, ThreadId, Workers};
use crate::machine::{Exception, Nanoseconds, Note, Outcome, Program, Value};
use crate::wire::{Runtime, Workload};

/// What the script saw.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// When its clock was started and stopped.
    pub window: Rc<Cell<Option<(Nanoseconds, Nanoseconds)>>>,
    /// Who worked on what.
    pub spans: Rc<RefCell<Vec<Span>>>,
}

/// One piece of work.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub thread: ThreadId,
    pub task: u32,
    pub start: Nanoseconds,
    pub end: Nanoseconds,
}

/// The script. Gives how many steps were done.
pub fn main(here: &Here, case: Case, seen: &Seen) -> Box<dyn Program> {
    let seen = seen.clone();
    program(here, move |here| async move {
        let window = seen.window.clone();
        let (steps, start) = match case.how {
            How::Alone => alone(&here, &case, &seen).await?,
            How::Pool { workers, warm } => pooled(&here, &case, &seen, workers, warm).await?,
            How::Shares => pooled(&here, &case, &seen, Workers::Threads, false).await?,
        };
        window.set(Some((start, here.now().await)));
        Ok(Value::Int(steps))
    })
}

async fn alone(here: &Here, case: &Case, seen: &Seen) -> Result<(i64, Nanoseconds), Exception> {
    let start = here.now().await;
    let mut steps = 0;
    for (number, piece) in (0..).zip(pieces(case)) {
        steps += work(here, number, piece, seen).await?.int().unwrap_or_default();
    }
    Ok((steps, start))
}

async fn pooled(
    here: &Here,
    case: &Case,
    seen: &Seen,
    workers: Workers,
    warm: bool,
) -> Result<(i64, Nanoseconds), Exception> {
    let new = || NewPool {
        workers,
        max_workers: Some(case.workers),
        ..NewPool::default()
    };
    let pieces = (0..).zip(pieces(case)).map(|(number, piece)| {
        let seen = seen.clone();
        program(here, move |here| async move { work(&here, number, piece, &seen).await })
    });
    let pieces: Vec<Box<dyn Program>> = pieces.collect();
    if warm {
        let pool = here.new_pool(new()).await?;
        let nothing = program(here, |_| async { Ok(Value::None) });
        here.map(pool, vec![nothing], MapOptions::default()).await?;
        let start = here.now().await;
        let steps = mapped(here, pool, pieces).await?;
        return Ok((steps, start));
    }
    let start = here.now().await;
    let pool = here.new_pool(new()).await?;
    let steps = mapped(here, pool, pieces).await?;
    here.shut_pool_down(pool, true, false).await?;
    Ok((steps, start))
}

async fn mapped(here: &Here, pool: ExecutorId, pieces: Vec<Box<dyn Program>>) -> Result<i64, Exception> {
    let results = here.map(pool, pieces, MapOptions::default()).await?;
    Ok(results.iter().filter_map(Value::int).sum())
}

/// One piece: its steps, what they take, and what they are called.
#[derive(Clone, Copy)]
struct Piece {
    steps: u32,
    cost: Nanoseconds,
    call: &'static str,
}

fn pieces(case: &Case) -> Vec<Piece> {
    let preset = presets::of(&case.machine);
    let is_shared = case.workers > 1 && case.runtime == Runtime::FreeThreaded && shares_memory(case.how);
    let call = match case.workload {
        Workload::Names => "count_flagged",
        Workload::Squares => "sum_squares",
        Workload::Modulo => "sum_squares_modulo_7",
    };
    let piece = |steps: u32| Piece {
        steps,
        cost: preset.computing(case.workload, case.runtime, steps, is_shared),
        call,
    };
    case.pieces().into_iter().map(piece).collect()
}

fn shares_memory(how: How) -> bool {
    matches!(
        how,
        How::Shares
            | How::Pool {
                workers: Workers::Threads,
                ..
            }
    )
}

async fn work(here: &Here, task: u32, piece: Piece, seen: &Seen) -> Outcome {
    let (thread, start) = (here.current_thread().await?, here.now().await);
    here.note(Note::Doing(piece.call)).await;
    here.compute(piece.cost).await;
    let end = here.now().await;
    let span = Span {
        thread,
        task,
        start,
        end,
    };
    seen.spans.borrow_mut().push(span);
    Ok(Value::Int(piece.steps.into()))
}
