//! What can be said of a schedule. Not here: following it.

use concurrency_playground::explore::small::{Amount, ConditionId, LockId, SmallProgram, Step};
use concurrency_playground::explore::system::Thread;
use concurrency_playground::labs::puzzles::on_machine::Plan;
use concurrency_playground::switch_points::Grain;

pub fn letters(schedule: &[Thread]) -> String {
    schedule.iter().map(|thread| thread.name()).collect()
}

/// Whether the event loop's own order allows a schedule: from the moment at which a task is notified until it has the lock
/// again, no other task does anything with that lock but release it. The loop lets a notified task go on at once, and
/// nobody can be called before it. Threads can follow every schedule.
pub fn is_fair(program: &SmallProgram, schedule: &[Thread]) -> bool {
    if program.grain != Grain::Await {
        return true;
    }
    let plan = Plan::new(program, schedule).expect("the schedule can be");
    let step_of = |thread: Thread, line: u8| {
        program.threads[thread.index()]
            .get(usize::from(line))
            .map(|line| line.step)
    };
    let lock_of = |condition: ConditionId| program.conditions[usize::from(condition.0)].lock;
    // Who waits inside which condition, and who was notified and wants which lock; each the longest first.
    let mut waiting: Vec<(Thread, ConditionId)> = Vec::new();
    let mut notified: Vec<(Thread, LockId)> = Vec::new();
    for turn in &plan.turns {
        let thread = turn.thread;
        if let Some(place) = notified.iter().position(|(other, _)| *other == thread) {
            let (_, lock) = notified[place];
            if notified[..place].iter().any(|(_, other)| *other == lock) {
                return false;
            }
            if turn.ends_wait {
                notified.remove(place);
            }
        }
        let after = turn.lines.iter().copied().chain([turn.stands]);
        for (number, line) in after.enumerate() {
            let is_run = number < turn.lines.len();
            match step_of(thread, line) {
                Some(Step::Acquire(lock) | Step::TryAcquire { lock, .. } | Step::AcquireWithin { lock, .. })
                    if notified
                        .iter()
                        .any(|(other, wanted)| *other != thread && *wanted == lock) =>
                {
                    return false;
                }
                Some(Step::Wait(condition)) if is_run => waiting.push((thread, condition)),
                Some(Step::Notify(condition, amount)) if is_run => {
                    let mut n_left = if amount == Amount::One { 1 } else { usize::MAX };
                    waiting.retain(|(waiter, of)| {
                        let goes = *of == condition && n_left > 0;
                        if goes {
                            n_left -= 1;
                            notified.push((*waiter, lock_of(condition)));
                        }
                        !goes
                    });
                }
                _ => {}
            }
        }
    }
    true
}
