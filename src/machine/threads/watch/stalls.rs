//! The stall detector: steps of event loops that take too long, seen from outside the loop.
//!
//! It looks at a loop each time its thread comes back from computing or waiting inside a step. Many short steps in a row
//! are no stall, however long they take together. Worked example, from 100 ms on: a step that computes 60 ms twice is
//! one of 120 ms; two steps of 60 ms are none.
//!
//! Not here: asyncio's own debug mode, which reports a step after its end.

use std::rc::Rc;

use crate::machine::Nanoseconds;
use crate::machine::event_loop::{EventLoop, FutureId};
use crate::machine::threads::{Machine, ThreadId};

/// A step of an event loop that held it for too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stalled {
    /// The loop's thread.
    pub thread: ThreadId,
    /// The task, or none: a callback.
    pub task: Option<FutureId>,
    /// The task's name.
    pub name: Rc<str>,
    /// The call that took longest, as the program said itself ([`Note::Doing`](crate::machine::Note)).
    pub call: &'static str,
    /// Its line, as the program said itself; 0 if it did not.
    pub line: u32,
    /// When the step began.
    pub start: Nanoseconds,
    /// How long it has been so far.
    pub length: Nanoseconds,
    /// How long its longest call was.
    longest: Nanoseconds,
}

/// What the detector remembers of a loop's thread.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::machine::threads) struct LoopWatch {
    /// No step is a stall before this time.
    check_at: Nanoseconds,
    /// When the thread last went to compute or wait.
    left: Nanoseconds,
    /// Effects counted so far.
    pub n_effects: u64,
    /// Tasks counted so far.
    pub n_tasks: u32,
}

impl LoopWatch {
    /// The loop's thread goes to compute or wait inside a step.
    pub fn leaves(&mut self, now: Nanoseconds) {
        self.left = now;
    }

    /// The loop's thread is back, or still away: the step, if it is a stall by now.
    pub fn look(
        &mut self,
        thread: ThreadId,
        event_loop: &EventLoop,
        now: Nanoseconds,
        from: Nanoseconds,
    ) -> Option<Stalled> {
        if now < self.check_at {
            return None;
        }
        let step = event_loop.current_step()?;
        let length = now.since(step.since);
        if length < from || length == Nanoseconds::ZERO {
            self.check_at = step.since + from;
            return None;
        }
        Some(Stalled {
            thread,
            task: step.task,
            name: step.name,
            call: step.doing,
            line: step.line,
            start: step.since,
            length,
            longest: now.since(self.left),
        })
    }
}

impl Machine {
    /// Steps of loops that were, or already are, at least as long as
    /// [`MachineSettings::stall`](crate::machine::threads::MachineSettings::stall), in the order of their beginning to be.
    #[must_use]
    pub fn stalls(&self) -> Vec<Stalled> {
        let mut stalls = self.watch.stalls.clone();
        for (thread, number) in self.threads.iter().zip(0..) {
            let mut watch = thread.loop_watch;
            let found = thread
                .event_loop()
                .and_then(|event_loop| watch.look(ThreadId(number), event_loop, self.now, self.settings.stall));
            if let Some(found) = found {
                add_stall(&mut stalls, found);
            }
        }
        stalls
    }
}

/// Adds a stall, or makes one that is known longer.
pub(in crate::machine::threads) fn add_stall(stalls: &mut Vec<Stalled>, found: Stalled) {
    let known = stalls.iter_mut().rev().find(|known| known.thread == found.thread);
    match known.filter(|known| known.start == found.start && known.task == found.task) {
        Some(known) => {
            known.length = found.length;
            if found.longest > known.longest {
                (known.call, known.line, known.longest) = (found.call, found.line, found.longest);
            }
        }
        None => stalls.push(found),
    }
}
