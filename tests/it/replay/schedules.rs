//! What can be said of a schedule. Not here: following it.

use concurrency_playground::explore::small::{LockId, SmallProgram, Step};
use concurrency_playground::explore::system::Thread;
use concurrency_playground::labs::puzzles::on_machine::Plan;
use concurrency_playground::switch_points::Grain;

pub fn letters(schedule: &[Thread]) -> String {
    schedule.iter().map(|thread| thread.name()).collect()
}

/// Whether no task touches a lock while others that were notified earlier wait for it: `asyncio` lets nobody pass by, so
/// its tasks can follow no other schedule. Threads can follow all.
pub fn is_fair(program: &SmallProgram, schedule: &[Thread]) -> bool {
    if program.grain != Grain::Await {
        return true;
    }
    let plan = Plan::new(program, schedule).expect("the schedule can be");
    let lock_of = |condition: usize| program.conditions[condition].lock;
    // Who waits inside which condition, and who was notified and waits for which lock; each the longest first.
    let (mut waiting, mut notified): (Vec<(Thread, usize)>, Vec<(Thread, LockId)>) = (Vec::new(), Vec::new());
    for turn in &plan.turns {
        let thread = turn.thread;
        if turn.from_wait {
            let place = notified.iter().position(|(other, _)| *other == thread);
            let (_, lock) = notified.remove(place.expect("it was notified"));
            let passes = notified.iter().take(place.expect("it was notified"));
            if passes.clone().any(|(_, other)| *other == lock) {
                return false;
            }
        }
        for line in &turn.lines {
            match program.threads[thread.index()][usize::from(*line)].step {
                Step::Acquire(lock) | Step::TryAcquire { lock, .. } | Step::AcquireWithin { lock, .. }
                    if notified.iter().any(|(_, other)| *other == lock) =>
                {
                    return false;
                }
                Step::Wait(condition) => waiting.push((thread, usize::from(condition.0))),
                Step::Notify(condition, amount) => {
                    let condition = usize::from(condition.0);
                    let mut n_left = match amount {
                        concurrency_playground::explore::small::Amount::One => 1,
                        concurrency_playground::explore::small::Amount::All => usize::MAX,
                    };
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
