//! The fixed words of the playground: the same in Rust, TypeScript, page and docs.

use super::shape::shape;

shape! {
    /// Which Python the switch points and the interpreter lock follow.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Runtime {
        /// Python 3.9 and before: the lock may change hands between almost any two bytecodes.
        GilLegacy,
        /// Python 3.10 and later with the interpreter lock: it changes hands at check points only.
        Gil,
        /// The free-threaded build: no interpreter lock.
        FreeThreaded,
    }
}

shape! {
    /// A way to run several jobs. There are no others.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Strategy {
        /// One after another on one worker.
        Serial,
        /// A pool of workers over one shared memory.
        Threads,
        /// Isolates that each load the module themselves.
        Processes,
        /// Isolates made from the module already compiled.
        Interpreters,
        /// The cooperative scheduler: one thread, one ready queue, one timer heap.
        EventLoop,
        /// The scheduler hands a blocking call to a bounded pool of workers.
        ToThread,
    }
}

shape! {
    /// How a run is asked for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Mode {
        /// Real work, here and now.
        Measured,
        /// The deterministic machine in virtual time.
        Model,
    }
}

shape! {
    /// Where one number comes from.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Provenance {
        /// Taken by this browser in this run.
        Measured,
        /// Computed by the machine.
        Modelled,
        /// Printed in a lesson.
        Published,
        /// Follows from a lesson's words, not printed as a number.
        Derived,
        /// Pasted by the learner from a Python of their own.
        Reported,
    }
}

shape! {
    /// The state of a run: element, page for machines and frame alike.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum RunState {
        /// Nothing was asked yet, or the last run was reset. Next: `warming`.
        Idle,
        /// Workers start and code warms up; nothing counts yet. Next: any but `idle`.
        Warming,
        /// Samples are taken. Next: `done`, `stopped` or `failed`.
        Running,
        /// A result is there.
        Done,
        /// The learner or the host stopped it; there is no result.
        Stopped,
        /// It crashed or took too long; the page lives and the next run works.
        Failed,
        /// It cannot run here, or was refused; nothing ran.
        Unavailable,
    }
}
