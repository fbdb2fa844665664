//! The machine's threads: every T row by its number, and what CPython's own tests check of threads, their locks, queues,
//! futures and pools, as behaviour on machines with one core and many, with and without costs, under every runtime.
//!
//! How many of CPython 3.13's tests are behaviour that the machine has and that is checked here, of how many:
//!
//! | file, class | here | of | left out |
//! |---|---|---|---|
//! | `lock_tests.py` `BaseLockTests` | 7 | 13 | repr, weak references, garbage |
//! | `lock_tests.py` `LockTests` | 3 | 4 | reinit after fork |
//! | `lock_tests.py` `RLockTests` | 5 | 6 | a private method |
//! | `lock_tests.py` `EventTests` | 4 | 6 | repr, reinit after fork |
//! | `lock_tests.py` `ConditionTests` | 7 | 7 | |
//! | `lock_tests.py` `BaseSemaphoreTests` | 7 | 10 | garbage, a default value, `with` |
//! | `lock_tests.py` `SemaphoreTests`, `BoundedSemaphoreTests` | 2 | 4 | repr |
//! | `lock_tests.py` `BarrierTests` | 11 | 12 | repr |
//! | `test_queue.py` `BaseQueueTestMixin`, in three orders | 22 | 24 | a negative time-out cannot be said, a changed size |
//! | `test_queue.py` others | 0 | 10 | `SimpleQueue` and a queue of the test's own |
//! | `test_future.py` | 19 | 20 | repr |
//! | `test_wait.py` | 8 | 9 | a stress test of a C implementation detail |
//! | `test_as_completed.py` | 4 | 5 | garbage |
//! | `executor.py` | 6 | 9 | keywords, garbage |
//! | `test_thread_pool.py` | 4 | 6 | a map that nobody reads, a lock of the implementation |
//! | `test_process_pool.py` | 6 | 12 | Windows, tracebacks, garbage, defaults, a failing C call |
//! | `test_init.py` | 2 | 4 | resource trackers |
//! | `test_shutdown.py` | 13 | 18 | garbage, `with` |
//! | `test_deadlock.py` | 4 | 16 | pickling that fails or crashes |
//! | `test_threading.py` `ThreadTests` | 7 | 43 | identifiers, tracing, repr, stacks, fork from C, old names |
//! | `test_threading.py` `ThreadJoinOnShutdown` | 3 | 7 | `os.fork` called by hand |
//! | `test_threading.py` others | 3 | 37 | exceptions' printing, signals, subclassing |
//!
//! Not here: the event loop by itself, and any lab.

#![allow(clippy::indexing_slicing, reason = "a wrong index ends the test, as it should")]

mod barriers;
mod conditions;
mod executors;
mod futures;
mod interpreter_lock;
mod limits;
mod locks;
mod loops;
mod network;
mod pools;
mod properties;
mod queues;
mod rows;
mod shutdown;
mod steering;
mod support;
mod threading;
mod trouble;
