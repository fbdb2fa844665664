//! How it goes for one thread, apart from its line. Not here: how it gets from one to another.

/// Why a thread failed. It stops at the line that failed it and keeps the locks that it holds; the others go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Failure {
    /// An assertion did not hold.
    Assertion,
    /// It released a lock that nobody held, as Python's `RuntimeError`.
    ReleasedFreeLock,
    /// It waited for a condition without holding its lock, as Python's `RuntimeError`.
    WaitedWithoutLock,
    /// It notified without holding the condition's lock, as Python's `RuntimeError`.
    NotifiedWithoutLock,
    /// A number would have left the range that the program states for it: a mistake of the program's author.
    OutOfRange,
    /// It ran [`MOST_LINES`] lines without a place where another could come in: a loop that never lets go.
    NeverLetsGo,
}

/// So many lines in one step are taken for a loop without an end.
pub const MOST_LINES: u32 = 10_000;

/// How it goes for a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// It stands before its line, or has ended behind the last.
    Ready,
    /// It is inside its line, which waits for a notification. Its ticket says when it came. Then: notified.
    Waiting,
    /// It is inside its line and was notified; it goes on once it gets the lock. Then: ready, one line on. A task may have
    /// to queue for the lock first.
    Notified,
    /// Tasks alone. It is inside its line, in the row of those who wait for a lock or a semaphore. Its ticket says how many
    /// come before it. Then: ready, one line on.
    Queued,
    /// It failed at its line. For good.
    Failed(Failure),
}

impl Phase {
    pub(super) const ALL: [Self; 10] = [
        Self::Ready,
        Self::Waiting,
        Self::Notified,
        Self::Queued,
        Self::Failed(Failure::Assertion),
        Self::Failed(Failure::ReleasedFreeLock),
        Self::Failed(Failure::WaitedWithoutLock),
        Self::Failed(Failure::NotifiedWithoutLock),
        Self::Failed(Failure::OutOfRange),
        Self::Failed(Failure::NeverLetsGo),
    ];
}
