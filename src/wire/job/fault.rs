//! Faults that tests put in: into a job, to see a claim turn false, and into the machine, to see it recover.

use crate::wire::shape::shape;

shape! {
    /// A named fault, put in by a test to see a claim turn false. No request from a page can carry one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Sabotage {
        /// Taking a lock does nothing.
        LockThatDoesNotLock,
        /// The atomic addition is a load and a store.
        AtomicThatTears,
        /// The "own" counters are one shared counter.
        SharedOwnCounters,
        /// The queue's consumer drops every hundredth item.
        QueueThatDrops,
        /// The pool runs one task after another.
        PoolThatRunsOneAfterAnother,
        /// One strategy skips a name, so that its totals differ.
        WrongTotals,
        /// The interpreter lock is not taken at all.
        NoInterpreterLock,
        /// The timeout's timer is never set.
        TimeoutThatNeverFires,
        /// The blocking call returns at once.
        CallThatDoesNotBlock,
        /// The call handed to a thread runs on the loop itself.
        ToThreadThatBlocks,
        /// Slices that never yield.
        SlicesThatDoNotYield,
        /// Plain additions are made atomic, so that no update is lost.
        PlainThatIsAtomic,
        /// Giving the lock up between read and write is left out.
        WideThatKeepsTheLock,
        /// Asked whether it works, the page says yes whatever it found.
        CapabilityThatLies,
        /// Every run does the full work, whatever size it was asked for.
        TimeThatIgnoresSize,
        /// Awaiting blocks the loop instead of giving it up.
        AwaitThatBlocks,
        /// The call between read and write has no check point.
        CallWithoutCheckPoint,
    }
}

shape! {
    /// A fault of the machine itself, for the tests of crashes. No request from a page can carry one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Fault {
        /// A pool thread panics.
        Panic,
        /// A pool thread allocates until memory is exhausted.
        ExhaustMemory,
        /// A pool thread loops for ever.
        EndlessLoop,
        /// A pool thread overflows its stack.
        StackOverflow,
    }
}
