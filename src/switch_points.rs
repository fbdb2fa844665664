//! Where one thread may give way to another: one table of runtime × operation, read by everything that schedules.
//!
//! Not here: any scheduling. The live interpreter lock asks this table where its check points are; a model or a search
//! asks the same table, so that all of them agree. Source: CPython's `ceval.c` and `ceval_gil.c` (3.10 moved the check
//! of the eval breaker to function entries and loop back edges; before it came before almost every bytecode), and
//! PEP 703 for the build without the lock.

use crate::wire::Runtime;

/// A place in a running program, as far as switching is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// From one bytecode to the next, where none of the other kinds applies.
    BetweenBytecodes,
    /// A Python function begins.
    FunctionEntry,
    /// A loop jumps back to its head.
    LoopBackEdge,
    /// A call into C has returned.
    AfterCallIntoC,
    /// The thread lets go by itself: input and output, sleep, a big hash, waiting for another lock.
    VoluntaryRelease,
    /// One read or write of memory inside a bytecode.
    MemoryAccess,
    /// A task awaits something that is not there yet.
    Await,
}

/// How finely the programs of one search are cut: where another thread or task may come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grain {
    /// Tasks of one event loop: at an `await`.
    Await,
    /// Threads under the interpreter lock of Python 3.10 and later: at its check points.
    CheckPoint,
    /// Free threads: between any two bytecodes and at every read and write.
    Access,
}

impl Grain {
    /// Whether another thread or task may come in here.
    #[must_use]
    pub const fn may_switch(self, operation: Operation) -> bool {
        match self {
            Self::Await => matches!(operation, Operation::Await),
            Self::CheckPoint => may_switch(Runtime::Gil, operation),
            Self::Access => may_switch(Runtime::FreeThreaded, operation),
        }
    }
}

/// One line of the table: at which operations another thread may run before the program goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchPoints {
    /// The runtime it is about.
    pub runtime: Runtime,
    /// [`Operation::BetweenBytecodes`]
    pub between_bytecodes: bool,
    /// [`Operation::FunctionEntry`]
    pub function_entry: bool,
    /// [`Operation::LoopBackEdge`]
    pub loop_back_edge: bool,
    /// [`Operation::AfterCallIntoC`]
    pub after_call_into_c: bool,
    /// [`Operation::VoluntaryRelease`]
    pub voluntary_release: bool,
    /// [`Operation::MemoryAccess`]
    pub memory_access: bool,
    /// [`Operation::Await`]: the loop between two tasks is a long way of calls.
    pub await_: bool,
}

/// The table.
pub const SWITCH_POINTS: [SwitchPoints; 3] = [
    SwitchPoints {
        runtime: Runtime::GilLegacy,
        between_bytecodes: true,
        function_entry: true,
        loop_back_edge: true,
        after_call_into_c: true,
        voluntary_release: true,
        memory_access: false,
        await_: true,
    },
    SwitchPoints {
        runtime: Runtime::Gil,
        between_bytecodes: false,
        function_entry: true,
        loop_back_edge: true,
        after_call_into_c: true,
        voluntary_release: true,
        memory_access: false,
        await_: true,
    },
    SwitchPoints {
        runtime: Runtime::FreeThreaded,
        between_bytecodes: true,
        function_entry: true,
        loop_back_edge: true,
        after_call_into_c: true,
        voluntary_release: true,
        memory_access: true,
        await_: true,
    },
];

/// The table's line for a runtime.
#[must_use]
pub const fn switch_points(runtime: Runtime) -> SwitchPoints {
    let [legacy, gil, free] = SWITCH_POINTS;
    match runtime {
        Runtime::GilLegacy => legacy,
        Runtime::Gil => gil,
        Runtime::FreeThreaded => free,
    }
}

/// Whether another thread may run at this operation, before the program goes on. Usable in constants, so that code
/// compiled for one runtime holds exactly that runtime's check points.
#[must_use]
pub const fn may_switch(runtime: Runtime, operation: Operation) -> bool {
    let points = switch_points(runtime);
    match operation {
        Operation::BetweenBytecodes => points.between_bytecodes,
        Operation::FunctionEntry => points.function_entry,
        Operation::LoopBackEdge => points.loop_back_edge,
        Operation::AfterCallIntoC => points.after_call_into_c,
        Operation::VoluntaryRelease => points.voluntary_release,
        Operation::MemoryAccess => points.memory_access,
        Operation::Await => points.await_,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_runtime_has_its_own_line() {
        for runtime in [Runtime::GilLegacy, Runtime::Gil, Runtime::FreeThreaded] {
            assert_eq!(switch_points(runtime).runtime, runtime);
        }
    }

    /// `x += 1` is read, add, write: three bytecodes without a call or a jump between them.
    #[test]
    fn only_from_3_10_on_a_plain_addition_is_whole_by_luck() {
        assert!(may_switch(Runtime::GilLegacy, Operation::BetweenBytecodes));
        assert!(!may_switch(Runtime::Gil, Operation::BetweenBytecodes));
        assert!(may_switch(Runtime::Gil, Operation::FunctionEntry));
        assert!(may_switch(Runtime::Gil, Operation::LoopBackEdge));
    }

    #[test]
    fn a_coarser_grain_has_no_place_that_a_finer_one_lacks() {
        let all = [
            Operation::BetweenBytecodes,
            Operation::FunctionEntry,
            Operation::LoopBackEdge,
            Operation::AfterCallIntoC,
            Operation::VoluntaryRelease,
            Operation::MemoryAccess,
            Operation::Await,
        ];
        let places = |grain: Grain| all.into_iter().filter(move |place| grain.may_switch(*place)).count();
        assert_eq!([Grain::Await, Grain::CheckPoint, Grain::Access].map(places), [1, 5, 7]);
    }

    #[test]
    fn only_without_the_lock_memory_is_seen_half_done() {
        assert!(!may_switch(Runtime::GilLegacy, Operation::MemoryAccess));
        assert!(!may_switch(Runtime::Gil, Operation::MemoryAccess));
        assert!(may_switch(Runtime::FreeThreaded, Operation::MemoryAccess));
    }
}
