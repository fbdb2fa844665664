//! Making futures of awaitables, one after the other: each may be a task that begins at once and so runs first.
//!
//! Not here: what is then done with them.

use super::effects::{OnException, TaskOptions};
use super::ids::{CoroutineId, FutureId, GroupId, Waitable};
use super::state::{Next, Step, Turn};
use super::tasks::runtime_error;
use crate::machine::{Exception, Input, Nanoseconds, Value};

/// Several awaitables on their way to being futures.
pub(super) struct Making {
    left: std::vec::IntoIter<Waitable>,
    made: Vec<FutureId>,
    /// Those that were made for this alone: no program has a name for them.
    own: Vec<FutureId>,
    /// Which coroutine objects they were made of: one given twice is one task.
    of: Vec<(CoroutineId, FutureId)>,
    then: Then,
}

/// What is done with the futures.
#[derive(Clone, Copy)]
pub(super) enum Then {
    /// The one is given to the program.
    Give,
    /// The one joins a group, and is given.
    Join(GroupId),
    /// They are gathered.
    Gather(OnException),
    /// The one is shielded.
    Shield,
    /// They are given one by one as they complete, within a time.
    AsCompleted(Option<Nanoseconds>),
    /// The one has no time: it is cancelled if it is not done, and its end awaited.
    CancelAndWait,
}

impl Then {
    /// Whether the program gets the futures themselves.
    const fn gives_them(self) -> bool {
        matches!(self, Self::Give | Self::Join(_) | Self::AsCompleted(_))
    }
}

impl Turn<'_> {
    /// `asyncio.create_task` and `group.create_task`
    pub(super) fn make_task(&mut self, of: Waitable, options: Option<Box<TaskOptions>>, then: Then) -> Step {
        match self.create_task(of, options) {
            Ok((id, false)) => self.made(&[id], then),
            Ok((id, true)) => self.make_on_later(Making {
                left: Vec::new().into_iter(),
                made: vec![id],
                own: Vec::new(),
                of: Vec::new(),
                then,
            }),
            Err(exception) => Step::Go(Input::Throw(exception)),
        }
    }

    /// `asyncio.ensure_future` of each.
    pub(super) fn make(&mut self, of: Vec<Waitable>, then: Then) -> Step {
        self.make_on(Making {
            made: Vec::with_capacity(of.len()),
            left: of.into_iter(),
            own: Vec::new(),
            of: Vec::new(),
            then,
        })
    }

    pub(super) fn make_on(&mut self, mut making: Making) -> Step {
        while let Some(next) = making.left.next() {
            let is_own = !matches!(next, Waitable::Future(_)) && !making.then.gives_them();
            let coroutine = match next {
                Waitable::Coroutine(id) => Some(id),
                Waitable::Future(_) | Waitable::Program(_) => None,
            };
            let before = making.of.iter().find(|(before, _)| Some(*before) == coroutine);
            if let Some((_, future)) = before {
                making.made.push(*future);
                continue;
            }
            let ensured = match next {
                Waitable::Future(id) => self.state.futures.get(id).map(|_| (id, false)),
                other => self.create_task(other, None),
            };
            let (id, is_eager) = match ensured {
                Ok(ensured) => ensured,
                Err(exception) => return Step::Go(Input::Throw(exception)),
            };
            making.made.push(id);
            making.of.extend(coroutine.map(|coroutine| (coroutine, id)));
            if is_own {
                making.own.push(id);
            }
            if is_eager {
                return self.make_on_later(making);
            }
        }
        let step = self.made(&making.made, making.then);
        for id in making.own {
            // Whoever looks at them has pinned them by now; the shield of an eager task that is done is that task itself.
            let is_given = matches!(&step, Step::Go(Input::Value(value)) if *value == Value::from(id));
            if !is_given {
                let _ = self.forget(id);
            }
        }
        step
    }

    /// The last one made is an eager task: it runs first, as the innermost activity.
    fn make_on_later(&mut self, making: Making) -> Step {
        let outer = self.state.running.iter_mut().rev().nth(1);
        let outer = outer.expect("whoever made the eager task runs");
        outer.next = Next::Make(Box::new(making));
        Step::Nested
    }

    fn made(&mut self, made: &[FutureId], then: Then) -> Step {
        match (then, made) {
            (Then::Give, [id]) => Step::Go(Input::Value((*id).into())),
            (Then::Join(group), [id]) => self.join_group(group, *id).into(),
            (Then::Gather(on_exception), _) => self.gather(made, on_exception).into(),
            (Then::Shield, [id]) => self.shield(*id).into(),
            (Then::AsCompleted(timeout), _) => self.as_completed(made, timeout).into(),
            (Then::CancelAndWait, [id]) => match self.state.current_task() {
                Some(task) => self.cancel_and_wait(task, *id),
                None => Step::Go(Input::Throw(no_task())),
            },
            _ => Step::Go(Input::Value(Value::None)),
        }
    }
}

/// What is raised where something is awaited that no task can wait for.
pub(super) fn no_task() -> Exception {
    runtime_error("only a task can await; a callback can do everything else")
}
