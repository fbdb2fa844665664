//! The scenes: small programs that each show one thing about tasks, on the real clock and on the machine alike.
//!
//! Each file opens with the same program in Python, which prints the same lines in the same order at the same times.
//!
//! Not here: what they should print; the lab knows, from CPython itself.

mod r#await;
mod cancel_and_clean_up;
mod coroutine_object;
mod exception_group;
mod gather_or_group;
mod group;
mod nested_timeouts;
mod never_awaited;
mod never_suspends;
mod semaphore;
mod shield;
mod timeout;
mod timers_and_ready_queue;

use std::cell::RefCell;
use std::rc::Rc;

use crate::machine::event_loop::{Complaint, Fault, FutureId, GroupId};
use crate::machine::front::{self, Here};
use crate::machine::{Exception, Nanoseconds, Outcome, Program, Value};
use crate::wire::{LogLine, Sabotage, Scene};

/// A program that prints into this log. It ends as its scene does; what it raises tells of a fault.
pub fn program(
    here: &Here,
    scene: Scene,
    sabotage: Option<Sabotage>,
    log: &Rc<RefCell<Vec<LogLine>>>,
) -> Box<dyn Program> {
    let log = Rc::clone(log);
    front::program(here, move |here| async move {
        let stage = Stage { here, log, sabotage };
        match scene {
            Scene::CoroutineObject => coroutine_object::main(stage).await,
            Scene::Await => r#await::main(stage).await,
            Scene::NeverSuspends => never_suspends::main(stage).await,
            Scene::Group => group::main(stage).await,
            Scene::Timeout => timeout::main(stage).await,
            Scene::Semaphore => semaphore::main(stage).await,
            Scene::GatherOrGroup => gather_or_group::main(stage).await,
            Scene::ExceptionGroup => exception_group::main(stage).await,
            Scene::NeverAwaited => never_awaited::main(stage).await,
            Scene::Shield => shield::main(stage).await,
            Scene::NestedTimeouts => nested_timeouts::main(stage).await,
            Scene::TimersAndReadyQueue => timers_and_ready_queue::main(stage).await,
            Scene::CancelAndCleanUp => cancel_and_clean_up::main(stage).await,
        }?;
        Ok(Value::None)
    })
}

/// The faults that are the loop's, not the scene's own.
#[must_use]
pub fn loop_fault(sabotage: Option<Sabotage>) -> Option<Fault> {
    match sabotage? {
        Sabotage::TimeoutThatNeverFires => Some(Fault::TimeoutNeverFires),
        Sabotage::SemaphoreThatLetsAllIn => Some(Fault::LockDoesNotLock),
        Sabotage::GroupThatLetsTheOthersGoOn => Some(Fault::SiblingsGoOn),
        Sabotage::ShieldThatLetsThrough => Some(Fault::ShieldLetsThrough),
        Sabotage::TimersThatJumpTheQueue => Some(Fault::TimersBeforeReady),
        Sabotage::CancellationThatIsNotPassedOn => Some(Fault::CancelNotPassedOn),
        _ => None,
    }
}

/// What a scene printed, and after it what the loop warned of at the end.
#[must_use]
pub fn whole_log(
    printed: &[LogLine],
    complaints: &[Complaint],
    at_ms: f64,
    sabotage: Option<Sabotage>,
) -> Vec<LogLine> {
    let is_lost = sabotage == Some(Sabotage::WarningThatIsLost);
    let warnings = complaints.iter().filter_map(|complaint| match complaint {
        Complaint::NeverAwaited(name) if !is_lost => Some(LogLine {
            at_ms,
            text: format!("RuntimeWarning: coroutine '{name}' was never awaited"),
        }),
        _ => None,
    });
    printed.iter().cloned().chain(warnings).collect()
}

type Tried<T = ()> = Result<T, Exception>;

/// What a scene is played on.
#[derive(Clone)]
struct Stage {
    here: Here,
    log: Rc<RefCell<Vec<LogLine>>>,
    sabotage: Option<Sabotage>,
}

impl Stage {
    /// `print`, with the loop's time.
    async fn print(&self, text: &str) -> Tried {
        let at_ms = self.here.time().await?.as_millis();
        let text = text.to_owned();
        self.log.borrow_mut().push(LogLine { at_ms, text });
        Ok(())
    }

    /// A task of a part of the scene.
    async fn task<Part>(&self, part: impl FnOnce(Self) -> Part) -> Tried<FutureId>
    where
        Part: Future<Output = Outcome> + 'static,
    {
        let part = part(self.clone());
        self.here.spawn(|_| part).await
    }

    /// A task of a part of the scene, in a group.
    async fn task_in<Part>(&self, group: GroupId, part: impl FnOnce(Self) -> Part) -> Tried<FutureId>
    where
        Part: Future<Output = Outcome> + 'static,
    {
        let part = part(self.clone());
        self.here.spawn_in(group, |_| part).await
    }

    fn has(&self, fault: Sabotage) -> bool {
        self.sabotage == Some(fault)
    }
}

/// Tenths of a second: what all scenes count in.
const fn tenths(n: u64) -> Nanoseconds {
    Nanoseconds::millis(100 * n)
}
