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
        /// Processes start in no time.
        StartsThatTakeNothing,
        /// Every worker finds a core of its own.
        CoresForEveryWorker,
        /// A coroutine begins as soon as it is made.
        CoroutineThatBeginsAtOnce,
        /// Every await gives the loop a turn, whether it has to wait or not.
        AwaitThatGivesWay,
        /// A group waits for each of its tasks before it starts the next.
        GroupThatRunsOneAfterAnother,
        /// A semaphore lets everybody in.
        SemaphoreThatLetsAllIn,
        /// A group lets the others go on when one of its tasks has failed.
        GroupThatLetsTheOthersGoOn,
        /// A group raises its first error alone.
        GroupThatKeepsOneError,
        /// Nobody is told of a coroutine that was never awaited.
        WarningThatIsLost,
        /// A shield lets the cancellation through.
        ShieldThatLetsThrough,
        /// Due timers run before what is ready.
        TimersThatJumpTheQueue,
        /// A cancellation does not end what is awaited.
        CancellationThatIsNotPassedOn,
        /// At the coarsest grain, what small programs write is not kept.
        WriteThatIsLost,
        /// The machine goes its own way instead of following a schedule.
        ScheduleThatIsNotFollowed,
        /// Every other thread of a small program takes its two locks the other way round.
        OrderThatIsNotKept,
        /// No thread of a small program goes back to an earlier line.
        LoopThatIsLeft,
        /// Hashing keeps the interpreter lock, however long the input is.
        HashThatKeepsTheLock,
        /// What is sent to another process is packed and unpacked in no time.
        SendingThatTakesNothing,
        /// A request fails that nobody asked to fail.
        RequestThatFailsUnasked,
        /// All workers append to one list, whatever they are.
        ListThatIsShared,
        /// Each thread appends to a list of its own.
        ListsOfTheirOwn,
        /// What is to be shared is packed and sent.
        SharingThatCopies,
        /// Items cross one by one, whatever the chunk.
        ChunksThatAreIgnored,
        /// An extension made for one interpreter loads in any.
        ExtensionThatLoadsAnywhere,
        /// A crash takes down all workers, whatever they are.
        TrapThatSpreads,
        /// A crash takes down one worker, whatever it is.
        TrapThatStaysInside,
        /// A copied process imports the main module as a new one does.
        ForkThatImports,
        /// A new process does not import the main module.
        ImportThatIsLeftOut,
        /// A pool for each task is one pool for all of them.
        PoolThatIsNeverNew,
        /// Whoever is advised does every job ten times.
        AdvisedThatDawdles,
        /// A worker that crashes takes its whole program with it.
        CrashThatSpreads,
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
        /// It traps, without a word.
        Trap,
    }
}
