//! What one worker is asked to do, and what it answers.

use super::shape::shape;
use super::vocabulary::Runtime;

shape! {
    /// The three ways to compute of the lab `cpu-bound`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Workload {
        /// Random 16-character names over 36 characters; counts those of more than 3.6 bits of entropy.
        Names,
        /// `total += i * i` for i below the size.
        Squares,
        /// `total += i * i % 7` for i below the size.
        Modulo,
    }
}

shape! {
    /// Who computes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Hands {
        /// The worker that got the job, one task after another.
        Alone,
        /// Threads of the pool that take the next task as they get free.
        Threads {
            /// How many threads of the pool take part: 1 to the pool's size.
            workers: u32,
            /// Under which runtime's lock and check points.
            runtime: Runtime,
            /// The interpreter lock's switch interval in microseconds, from 1.
            switch_interval_us: u32,
        },
    }
}

shape! {
    /// How a counter is incremented in the lab `lost-updates`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CountVariant {
        /// `x += 1`: read, add, write.
        Plain,
        /// A function call, and with it a check point, between the read and the write.
        Call,
        /// The lock is given up between the read and the write.
        Wide,
        /// Each addition under one mutex.
        Lock,
        /// One atomic addition.
        Atomic,
        /// Each thread counts for itself; the sums are added at the end.
        OwnThenMerge,
        /// Threads put additions into a queue; one consumer owns the counter.
        Queue,
    }
}

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
    }
}

shape! {
    /// How the heartbeat lab makes its call.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum StallVariant {
        /// The call blocks the loop.
        Blocking,
        /// The call runs on another worker; the timeout cancels only the waiting for it.
        ToThread,
        /// As `to-thread`, and the call has a time limit of its own.
        OwnTimeout,
        /// The call is cut into slices; the loop gets a turn after each.
        Slices,
        /// The call computes, on the loop.
        ComputeInline,
        /// The call computes, on another thread.
        ComputeToThread,
        /// The call computes, in another process.
        ComputeProcesses,
        /// Ten handlers of 0.1 s each that block.
        HandlersBlocking,
        /// Ten handlers of 0.1 s each that await.
        HandlersAwaiting,
    }
}

shape! {
    /// Times of the heartbeat lab, in milliseconds.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct StallJob {
        /// How the call is made.
        pub variant: StallVariant,
        /// How long the call takes.
        pub call_ms: u32,
        /// The heartbeat's interval.
        pub heartbeat_ms: u32,
        /// The timeout around the call.
        pub timeout_ms: u32,
        /// The length of a slice.
        pub slice_ms: u32,
        /// Quiet before and after the call.
        pub quiet_ms: u32,
        /// A fault, in tests only.
        pub sabotage: Option<Sabotage>,
    }
}

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

shape! {
    /// One piece of work for one worker.
    #[derive(Clone, Debug, PartialEq)]
    pub enum Job {
        /// Does nothing; every thread of the pool answers once.
        Ping,
        /// Computes tasks of a workload. In an isolate `hands` is always `alone`.
        Compute {
            /// What to compute.
            workload: Workload,
            /// The tasks' numbers; for `names` also their seeds.
            tasks: Vec<u32>,
            /// Names or loop steps a task.
            size: u32,
            /// Who computes.
            hands: Hands,
            /// A fault, in tests only.
            sabotage: Option<Sabotage>,
        },
        /// Counts with several threads of the pool, started behind a barrier.
        Count {
            /// How a counter is incremented.
            variant: CountVariant,
            /// Under which runtime's lock and check points.
            runtime: Runtime,
            /// Racing threads, 2 to 16; the pool has at least as many.
            threads: u32,
            /// Additions a thread.
            additions: u32,
            /// The interpreter lock's switch interval in microseconds, from 1.
            switch_interval_us: u32,
            /// What one addition costs: multiply-adds in each of its seven bytecodes.
            work_per_bytecode: u32,
            /// A fault, in tests only.
            sabotage: Option<Sabotage>,
        },
        /// How long one addition of a single thread takes at this cost: sizes a counting run.
        CalibrateCount {
            /// Additions to time.
            additions: u32,
            /// Multiply-adds in each of its seven bytecodes.
            work_per_bytecode: u32,
        },
        /// The heartbeat on a real-time event loop in this worker.
        Stall(StallJob),
        /// A scene on a real-time event loop in this worker.
        Scene {
            /// Which.
            scene: Scene,
            /// A fault, in tests only.
            sabotage: Option<Sabotage>,
        },
        /// The blocking call itself, as handed to another worker: blocks for this long.
        Block {
            /// Milliseconds.
            ms: u32,
        },
        /// A call that computes, as handed to another worker: keeps it busy for this long.
        Busy {
            /// Milliseconds.
            ms: u32,
        },
        /// Hashes one buffer on this worker, SHA-256; the benchmarks compare it with the native one.
        Digest {
            /// The buffer's length in KiB, 1 to 262144.
            kibibytes: u32,
            /// How often, from 1. Hash a small buffer some 16 times first: one long first call stays unoptimised.
            repeats: u32,
        },
        /// Breaks a pool thread, or this worker where it has no pool; tests of crashes only.
        Fault {
            /// What breaks.
            fault: Fault,
        },
    }
}

shape! {
    /// When one worker worked on one task, on the clock `timeOrigin + now()` that all workers share.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct WorkSpan {
        /// The worker's number within its pool, from 0.
        pub worker: u32,
        /// The task's number.
        pub task: u32,
        /// Milliseconds since the epoch.
        pub start_ms: f64,
        /// Milliseconds since the epoch.
        pub end_ms: f64,
    }
}

shape! {
    /// One step of the event loop that took long, as the loop itself saw it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct SlowStep {
        /// The task whose step it was.
        pub task: String,
        /// The call within the step.
        pub call: String,
        /// When it began, in milliseconds after the run's start.
        pub at_ms: f64,
        /// How long it took, in milliseconds.
        pub length_ms: f64,
    }
}

shape! {
    /// What the heartbeat lab saw, in milliseconds after the run's start.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct StallSeen {
        /// When each heartbeat came.
        pub beats_ms: Vec<f64>,
        /// When the call (or the first handler) began.
        pub call_started_ms: f64,
        /// When the call (or the last handler) ended; none while nobody waited for it.
        pub call_ended_ms: Option<f64>,
        /// When the timeout fired, if it did.
        pub timeout_at_ms: Option<f64>,
        /// When the main task ended.
        pub main_ended_ms: f64,
        /// When the program could end: main task and handed-over calls all done.
        pub program_ended_ms: f64,
        /// Steps of 50 ms or more.
        pub slow_steps: Vec<SlowStep>,
        /// On the page's own loop: the longest time between two animation frames.
        pub longest_frame_gap_ms: Option<f64>,
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

shape! {
    /// What a job answers.
    #[derive(Clone, Debug, PartialEq)]
    pub enum JobOutcome {
        /// The worker is there.
        Pinged {
            /// Threads of the pool that answered; 0 without a pool.
            threads: u32,
        },
        /// Tasks were computed.
        Computed {
            /// From handing out the first task to the last result, seen by the worker that got the job.
            elapsed_ms: f64,
            /// Each task's result as a decimal number, in the order asked.
            totals: Vec<String>,
            /// When each task ran, and where.
            spans: Vec<WorkSpan>,
            /// How often the interpreter lock went from one thread to another.
            hand_overs: u32,
        },
        /// Threads counted.
        Counted {
            /// From the barrier to the last thread's end.
            elapsed_ms: f64,
            /// The counter's final value.
            value: u32,
            /// Threads × additions.
            expected: u32,
            /// Share of the elapsed time, 0 to 1, in which at least two threads were counting.
            overlap: f64,
            /// Threads that were counting at the same time, at most.
            at_once: u32,
            /// How often the interpreter lock went from one thread to another.
            hand_overs: u32,
        },
        /// One thread's additions were timed.
        Calibrated {
            /// Nanoseconds an addition.
            nanoseconds: f64,
        },
        /// The heartbeat program ended.
        Stalled(StallSeen),
        /// The scene ended.
        Played {
            /// When, in milliseconds after its start.
            elapsed_ms: f64,
            /// What it printed, and what the loop complained of.
            log: Vec<LogLine>,
        },
        /// The blocking or computing call returned.
        Blocked {
            /// Milliseconds it really took.
            elapsed_ms: f64,
        },
        /// The buffer was hashed.
        Digested {
            /// Milliseconds each time.
            elapsed_ms: Vec<f64>,
            /// The digest as 64 hexadecimal digits.
            digest: String,
        },
    }
}

shape! {
    /// A call that the loop hands to another worker.
    #[derive(Clone, Debug, PartialEq)]
    pub struct HandedCall {
        /// Names the call when it is answered.
        pub id: u32,
        /// What the other worker does.
        pub job: Job,
    }
}

shape! {
    /// What the event loop wants after a turn: the worker that drives it waits, hands calls over, or ends.
    #[derive(Clone, Debug, PartialEq)]
    pub struct LoopTurn {
        /// Calls to hand to other workers now.
        pub calls: Vec<HandedCall>,
        /// The next turn is due after this many milliseconds; none: only when a call is answered.
        pub wake_after_ms: Option<f64>,
        /// The program has ended; nothing else is wanted.
        pub outcome: Option<JobOutcome>,
    }
}
