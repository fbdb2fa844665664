//! Interpreters: each has cells of its own and, where the runtime has one, a lock of its own.
//!
//! Not here: how the lock goes from thread to thread.

use std::collections::BTreeMap;

use super::interpreter_lock::InterpreterLock;
use super::{InterpreterId, Machine, MachineFault, ProcessId, ThreadId};
use crate::machine::program::{Access, CellId};
use crate::machine::trace::{LaneId, LaneKind, State};
use crate::machine::{Nanoseconds, Value};

#[derive(Debug)]
pub(super) struct Interpreter {
    pub lane: LaneId,
    pub process: ProcessId,
    pub has_ended: bool,
    /// Unused where the runtime has none.
    pub lock: InterpreterLock,
    pub cells: Cells,
}

/// The cells of an interpreter. Low numbers lie in a row, for speed.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    low: Vec<Value>,
    high: BTreeMap<u32, Value>,
    /// Which core touched a cell last; kept only where fetching it from there takes time.
    touched: BTreeMap<CellId, u32>,
}

/// Cells below this number lie in a row.
const LOW: u32 = 4096;

impl Cells {
    #[inline]
    fn cell(&mut self, CellId(number): CellId) -> &mut Value {
        let index = number as usize;
        if number >= LOW {
            return self.high.entry(number).or_default();
        }
        if index >= self.low.len() {
            self.low.resize(index + 1, Value::None);
        }
        self.low.get_mut(index).expect("the row was made long enough")
    }

    /// What a cell holds.
    pub fn value(&self, CellId(number): CellId) -> Value {
        let low = self.low.get(number as usize);
        low.or_else(|| self.high.get(&number)).cloned().unwrap_or_default()
    }
}

impl Machine {
    #[inline(always)]
    pub(super) fn interpreter(&self, id: InterpreterId) -> &Interpreter {
        self.interpreters
            .get(id.index())
            .expect("ids of interpreters are checked where programs hand them in")
    }

    #[inline(always)]
    pub(super) fn interpreter_mut(&mut self, id: InterpreterId) -> &mut Interpreter {
        self.interpreters
            .get_mut(id.index())
            .expect("ids of interpreters are checked where programs hand them in")
    }

    /// One more interpreter in a process.
    pub(super) fn add_interpreter(&mut self, process: ProcessId, cells: Cells) -> InterpreterId {
        let id = InterpreterId(self.interpreters.len() as u32);
        let parent = self.process(process).lane;
        let now = self.now;
        let lane = self.recorder.lane(now, LaneKind::Interpreter, Some(parent), || {
            format!("interpreter {}", id.0)
        });
        let state = if self.has_interpreter_lock() {
            State::Idle
        } else {
            State::Running
        };
        self.recorder.enter(now, lane, state);
        self.memory.interpreter_started(&self.settings.costs.memory);
        self.interpreters.push(Interpreter {
            lane,
            process,
            has_ended: false,
            lock: InterpreterLock::default(),
            cells,
        });
        id
    }

    /// An interpreter is no more.
    pub(super) fn end_interpreter(&mut self, id: InterpreterId) {
        let of = self.interpreter_mut(id);
        if !std::mem::replace(&mut of.has_ended, true) {
            let lane = of.lane;
            self.recorder.enter(self.now, lane, State::Done);
            self.memory.interpreter_ended(&self.settings.costs.memory);
        }
    }

    /// Which interpreter's cells a thread sees.
    fn memory_of(&self, thread: ThreadId) -> InterpreterId {
        if self.has_fault(MachineFault::CellsAreShared) {
            InterpreterId(0)
        } else {
            self.thread(thread).interpreter
        }
    }

    /// What it takes to fetch a cell to this thread's core.
    pub(super) fn transfer_cost(&mut self, thread: ThreadId, access: &Access) -> Nanoseconds {
        let cost = self.settings.costs.cell_transfer;
        if cost == Nanoseconds::ZERO || self.has_interpreter_lock() {
            return Nanoseconds::ZERO;
        }
        let Some(core) = self.thread(thread).last_core else {
            return Nanoseconds::ZERO;
        };
        let memory = self.memory_of(thread);
        let before = self.interpreter_mut(memory).cells.touched.insert(access.cell(), core);
        if before.is_none_or(|before| before == core) {
            Nanoseconds::ZERO
        } else {
            cost
        }
    }

    /// Touches a cell.
    #[inline]
    pub(super) fn touch(&mut self, thread: ThreadId, access: &Access) -> Value {
        let memory = self.memory_of(thread);
        let cell = self.interpreter_mut(memory).cells.cell(access.cell());
        let (gives, is_changed) = match access {
            Access::Read(_) => (cell.clone(), false),
            Access::Write(_, value) => {
                let is_changed = cell != value;
                cell.clone_from(value);
                (Value::None, is_changed)
            }
            Access::Add(_, n) => {
                let before = cell.int().unwrap_or(0);
                *cell = Value::Int(before.wrapping_add(*n));
                (Value::Int(before), *n != 0)
            }
            Access::CompareAndSwap(_, values) => {
                let (expected, new) = &**values;
                let is_equal = cell == expected;
                if is_equal {
                    cell.clone_from(new);
                }
                (Value::Bool(is_equal), is_equal && expected != new)
            }
        };
        if is_changed {
            self.saw_change(thread, access);
        }
        if self.recorder.is_on() {
            let value = self.interpreter(memory).cells.value(access.cell());
            let (now, lane) = (self.now, self.thread(thread).lane);
            self.recorder.access(now, lane, access.cell(), access, &value);
        }
        gives
    }

    /// What a cell of an interpreter holds now.
    #[must_use]
    pub fn cell_of(&self, interpreter: InterpreterId, cell: CellId) -> Value {
        self.interpreters
            .get(interpreter.index())
            .map(|interpreter| interpreter.cells.value(cell))
            .unwrap_or_default()
    }

    /// What a cell of the first process's main interpreter holds now.
    #[must_use]
    pub fn cell(&self, cell: CellId) -> Value {
        self.cell_of(InterpreterId(0), cell)
    }
}
