//! Task groups: children that end before their block does, and one of whose errors ends the others.
//!
//! Source: `Lib/asyncio/taskgroups.py`. Children are cancelled in the order of their making, where CPython walks a set.

use std::collections::BTreeSet;

use super::callbacks::Callback;
use super::effects::TaskOptions;
use super::ids::{FutureId, GroupId, Waitable};
use super::making::Then;
use super::settings::{Complaint, Fault};
use super::state::{Step, Turn};
use super::tasks::runtime_error;
use super::waits::Waiting;
use crate::machine::{Exception, Input, Outcome, Value};

/// One group.
#[derive(Default)]
pub(super) struct Group {
    has_entered: bool,
    is_exiting: bool,
    is_aborting: bool,
    parent: Option<FutureId>,
    /// The group itself has cancelled its parent, and will take that back.
    has_cancelled_parent: bool,
    /// Those not known to be done, by the order of their making.
    pub(super) tasks: BTreeSet<(u32, FutureId)>,
    errors: Vec<Exception>,
    /// Whether the parent waits for the last child.
    is_awaited: bool,
}

/// The end of a group's block, under way.
pub(super) struct GroupExit {
    pub(super) group: GroupId,
    /// What came out of the block.
    body: Option<Exception>,
    /// The cancellation to be raised in the end, if no child has failed.
    cancellation: Option<Exception>,
}

impl Group {
    /// As Python shows it.
    fn shown(&self) -> String {
        let mut shown = String::from("<TaskGroup");
        if !self.tasks.is_empty() {
            shown += &format!(" tasks={}", self.tasks.len());
        }
        if !self.errors.is_empty() {
            shown += &format!(" errors={}", self.errors.len());
        }
        if self.is_aborting {
            shown += " cancelling";
        } else if self.has_entered {
            shown += " entered";
        }
        shown + ">"
    }
}

impl Turn<'_> {
    pub(super) fn new_group(&mut self) -> Outcome {
        self.state.count_object();
        Ok(self.state.groups.push(Group::default()).into())
    }

    /// The beginning of `async with group`.
    ///
    /// # Errors
    /// It was entered before, or this is no task.
    pub(super) fn enter_group(&mut self, id: GroupId) -> Outcome {
        let parent = self.state.current_task();
        let group = self.state.groups.get_mut(id)?;
        if group.has_entered {
            return Err(runtime_error(format!(
                "TaskGroup {} has already been entered",
                group.shown()
            )));
        }
        if parent.is_none() {
            let message = format!("TaskGroup {} cannot determine the parent task", group.shown());
            return Err(runtime_error(message));
        }
        group.parent = parent;
        group.has_entered = true;
        Ok(Value::None)
    }

    /// `group.create_task`
    pub(super) fn create_group_task(&mut self, id: GroupId, of: Waitable, options: Option<Box<TaskOptions>>) -> Step {
        let refusal = match self.state.groups.get(id) {
            Ok(group) => {
                let shown = || group.shown();
                if !group.has_entered {
                    Some(runtime_error(format!("TaskGroup {} has not been entered", shown())))
                } else if group.is_exiting && group.tasks.is_empty() {
                    Some(runtime_error(format!("TaskGroup {} is finished", shown())))
                } else if group.is_aborting {
                    Some(runtime_error(format!("TaskGroup {} is shutting down", shown())))
                } else {
                    None
                }
            }
            Err(exception) => Some(exception),
        };
        if let Some(refusal) = refusal {
            self.close(of);
            return Step::Go(Input::Throw(refusal));
        }
        self.make_task(of, options, Then::Join(id))
    }

    /// A task was made in a group. Even one that is done is waited for by its callback.
    ///
    /// # Errors
    /// There is no such group.
    pub(super) fn join_group(&mut self, id: GroupId, task: FutureId) -> Outcome {
        let sequence = self.state.futures.task(task)?.sequence;
        self.state.groups.get_mut(id)?.tasks.insert((sequence, task));
        self.when_done(task, Callback::GroupTaskDone(id, task));
        Ok(task.into())
    }

    fn abort(&mut self, id: GroupId) {
        let goes_on = self.state.has(Fault::SiblingsGoOn);
        let Ok(group) = self.state.groups.get_mut(id) else {
            return;
        };
        group.is_aborting = true;
        if goes_on {
            return;
        }
        let tasks: Vec<FutureId> = group.tasks.iter().map(|(_, task)| *task).collect();
        for task in tasks {
            if !self.state.futures.is_done(task) {
                self.cancel(task, None);
            }
        }
    }

    /// A task of a group is done.
    pub(super) fn group_task_done(&mut self, id: GroupId, task: FutureId) {
        let Ok(future) = self.state.futures.get_mut(task) else {
            return;
        };
        let failure = if future.is_cancelled() {
            None
        } else {
            future.exception().ok().flatten()
        };
        let sequence = future.task().map_or(0, |task| task.sequence);
        let Ok(group) = self.state.groups.get_mut(id) else {
            return;
        };
        group.tasks.remove(&(sequence, task));
        let parent = group.parent;
        if group.is_awaited
            && group.tasks.is_empty()
            && let Some(parent) = parent
        {
            self.release(parent);
        }
        let (Some(exception), Some(parent), Ok(group)) = (failure, parent, self.state.groups.get_mut(id)) else {
            return;
        };
        group.errors.push(exception.clone());
        let is_first = !group.is_aborting && !group.has_cancelled_parent;
        if self.state.futures.is_done(parent) {
            self.state.complaints.push(Complaint::Orphan(task, exception));
        } else if is_first {
            self.abort(id);
            if let Ok(group) = self.state.groups.get_mut(id) {
                group.has_cancelled_parent = true;
            }
            self.cancel(parent, None);
        }
    }

    /// The end of `async with group`.
    pub(super) fn exit_group(&mut self, task: FutureId, id: GroupId, body: Option<Exception>) -> Step {
        let group = match self.state.groups.get_mut(id) {
            Ok(group) => group,
            Err(exception) => return Step::Go(Input::Throw(exception)),
        };
        group.is_exiting = true;
        let is_aborting = group.is_aborting;
        if body.is_some() && !is_aborting {
            self.abort(id);
        }
        let cancellation = body.clone().filter(Exception::is_cancelled);
        self.wait_for_group(
            task,
            Box::new(GroupExit {
                group: id,
                body,
                cancellation,
            }),
        )
    }

    fn wait_for_group(&mut self, task: FutureId, exit: Box<GroupExit>) -> Step {
        match self.state.groups.get_mut(exit.group) {
            Ok(group) if !group.tasks.is_empty() => {
                group.is_awaited = true;
                self.wait_for_waiter(task, Waiting::Group(exit))
            }
            Ok(_) => self.leave_group(*exit).into(),
            Err(exception) => Step::Go(Input::Throw(exception)),
        }
    }

    /// The parent goes on, because the last child is done or because it was cancelled itself.
    pub(super) fn group_woke(&mut self, task: FutureId, mut exit: Box<GroupExit>, woke: Outcome) -> Step {
        let Ok(group) = self.state.groups.get_mut(exit.group) else {
            return woke.into();
        };
        group.is_awaited = false;
        if let Err(exception) = woke
            && !group.is_aborting
        {
            exit.cancellation = Some(exception);
            self.abort(exit.group);
        }
        self.wait_for_group(task, exit)
    }

    fn leave_group(&mut self, exit: GroupExit) -> Outcome {
        let GroupExit {
            group: id,
            body,
            mut cancellation,
        } = exit;
        let group = self.state.groups.get_mut(id)?;
        let parent = group.parent.take();
        let mut errors = std::mem::take(&mut group.errors);
        let has_cancelled_parent = group.has_cancelled_parent;
        if has_cancelled_parent
            && let Some(parent) = parent
            && self.uncancel(parent)? == 0
        {
            cancellation = None;
        }
        if let Some(cancellation) = cancellation
            && errors.is_empty()
        {
            return Err(cancellation);
        }
        errors.extend(body.clone().filter(|body| !body.is_cancelled()));
        if errors.is_empty() {
            return Ok(Value::None);
        }
        // Whoever cancelled the parent from outside must still be able to take that back: the count stays.
        if let Some(parent) = parent
            && self.state.futures.task(parent)?.n_cancels > 0
        {
            self.uncancel(parent)?;
            self.cancel(parent, None);
        }
        let raised = Exception::group("unhandled errors in a TaskGroup", errors);
        raised.set_context(body);
        Err(raised)
    }
}
