//! What each scene prints and when: recorded from CPython 3.14.2, which ran the program at the top of the scene's file.
//!
//! Not here: the scenes themselves (`live::event_loop::scenes`).

use crate::measure::Subject;
use crate::wire::{Scene, Strategy};

/// A scene and what it prints.
#[derive(Debug)]
pub struct Played {
    /// Its public id.
    pub id: &'static str,
    /// Which it is.
    pub scene: Scene,
    /// How long it takes where nothing takes time but waiting, in milliseconds.
    pub ms: u32,
    /// What it prints, each with its time in milliseconds.
    pub lines: &'static [(u32, &'static str)],
}

const fn played(id: &'static str, scene: Scene, ms: u32, lines: &'static [(u32, &'static str)]) -> Played {
    Played { id, scene, ms, lines }
}

/// All of them, in teaching order.
pub const SCENES: [Played; 13] = [
    played(
        "coroutine-object",
        Scene::CoroutineObject,
        100,
        &[
            (0, "made, nothing has run"),
            (100, "report runs"),
            (100, "awaited: done"),
            (100, "RuntimeError: awaited twice"),
        ],
    ),
    played(
        "await",
        Scene::Await,
        300,
        &[(0, "before"), (100, "tick 1"), (200, "tick 2"), (300, "after")],
    ),
    played(
        "never-suspends",
        Scene::NeverSuspends,
        0,
        &[
            (0, "task made"),
            (0, "compute"),
            (0, "after await"),
            (0, "other"),
            (0, "after task"),
        ],
    ),
    played(
        "group",
        Scene::Group,
        300,
        &[
            (0, "a starts"),
            (0, "b starts"),
            (0, "c starts"),
            (100, "b ends"),
            (200, "c ends"),
            (300, "a ends"),
            (300, "results a b c"),
        ],
    ),
    played("timeout", Scene::Timeout, 100, &[(0, "waiting"), (100, "TimeoutError")]),
    played(
        "semaphore",
        Scene::Semaphore,
        600,
        &[
            (0, "worker 1 in"),
            (0, "worker 2 in"),
            (200, "worker 3 in"),
            (200, "worker 4 in"),
            (400, "worker 5 in"),
            (400, "worker 6 in"),
            (600, "all done, at most 2 inside"),
        ],
    ),
    played(
        "gather-or-group",
        Scene::GatherOrGroup,
        300,
        &[
            (100, "gather: ValueError"),
            (200, "good ends"),
            (300, "good is cancelled"),
            (300, "group: ValueError"),
        ],
    ),
    played(
        "exception-group",
        Scene::ExceptionGroup,
        100,
        &[
            (100, "second cleans up"),
            (100, "caught ValueError"),
            (100, "caught KeyError"),
        ],
    ),
    played(
        "never-awaited",
        Scene::NeverAwaited,
        100,
        &[
            (0, "save() called"),
            (100, "nothing was saved"),
            (100, "RuntimeWarning: coroutine 'save' was never awaited"),
        ],
    ),
    played(
        "shield",
        Scene::Shield,
        300,
        &[(100, "TimeoutError"), (300, "payment done"), (300, "after payment")],
    ),
    played(
        "nested-timeouts",
        Scene::NestedTimeouts,
        200,
        &[(100, "inner TimeoutError"), (200, "outer TimeoutError")],
    ),
    played(
        "timers-and-ready-queue",
        Scene::TimersAndReadyQueue,
        100,
        &[
            (0, "soon"),
            (0, "soon, too"),
            (0, "main"),
            (0, "timer of 0 s"),
            (100, "sleeper 1"),
            (100, "sleeper 2"),
            (100, "sleeper 3"),
        ],
    ),
    played(
        "cancel-and-clean-up",
        Scene::CancelAndCleanUp,
        200,
        &[
            (100, "cancel: True"),
            (100, "cancelled, cleaning up"),
            (200, "clean"),
            (200, "the task is cancelled"),
            (200, "cancel again: False"),
        ],
    ),
];

/// Their ids.
pub const IDS: &[&str] = &[
    "coroutine-object",
    "await",
    "never-suspends",
    "group",
    "timeout",
    "semaphore",
    "gather-or-group",
    "exception-group",
    "never-awaited",
    "shield",
    "nested-timeouts",
    "timers-and-ready-queue",
    "cancel-and-clean-up",
];

/// The scene of this id.
pub fn by_id(id: &str) -> Option<&'static Played> {
    SCENES.iter().find(|scene| scene.id == id)
}

/// The scene's row.
pub fn subject(scene: &Played) -> Subject {
    Subject {
        variant: Some(scene.id.to_owned()),
        once: true,
        ..Subject::new(Strategy::EventLoop)
    }
}

/// Lines as one text.
pub fn in_order<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    lines.into_iter().collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_a_scene() {
        let ids: Vec<&str> = SCENES.iter().map(|scene| scene.id).collect();
        assert_eq!(ids, IDS);
    }
}
