//! Scenes of the lab `event-loop`, and what they print.

use crate::wire::shape::shape;

shape! {
    /// A scene of the lab `event-loop`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Scene {
        /// A coroutine object is made; it runs when it is awaited, once.
        CoroutineObject,
        /// A task awaits a sleep; others run meanwhile.
        Await,
        /// An async function that never suspends: awaiting it switches to nobody.
        NeverSuspends,
        /// Three tasks in a group.
        Group,
        /// A time limit around a long sleep.
        Timeout,
        /// Six workers and a semaphore of two.
        Semaphore,
        /// One of two fails: in a gather, then in a group.
        GatherOrGroup,
        /// Two tasks of a group fail.
        ExceptionGroup,
        /// A coroutine that nobody awaits.
        NeverAwaited,
        /// A time limit around a shielded task.
        Shield,
        /// Two time limits inside each other, either way round.
        NestedTimeouts,
        /// A due timer and what is ready.
        TimersAndReadyQueue,
        /// A cancelled task cleans up.
        CancelAndCleanUp,
    }
}

shape! {
    /// One line that a program printed.
    #[derive(Clone, Debug, PartialEq)]
    pub struct LogLine {
        /// When, in milliseconds after the start.
        pub at_ms: f64,
        /// The line.
        pub text: String,
    }
}
