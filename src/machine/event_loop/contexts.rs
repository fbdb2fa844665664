//! Context variables: each task runs in a copy of the context it was made in, each callback in one of its own.
//!
//! A context is a map that is shared until it is written, so a copy costs nothing. Source: PEP 567.
//!
//! Not here: contexts of other threads.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::ids::{ContextId, ContextVarId, FutureId, TokenId};
use super::state::{Turn, Who};
use super::tasks::runtime_error;
use crate::machine::{Exception, Kind, Outcome, Value};

/// What the variables are; nothing where none was set.
type Values = Option<Rc<BTreeMap<ContextVarId, Value>>>;

/// The context that something runs in.
pub(super) enum Context {
    /// Its own, which nobody else can name.
    Own(Values),
    /// One that a program has a name for.
    Named(ContextId),
}

impl Default for Context {
    fn default() -> Self {
        Self::Own(None)
    }
}

/// A context that a program has a name for.
pub(super) struct ContextRow {
    values: Values,
    is_entered: bool,
}

/// One variable.
pub(super) struct Variable {
    default: Option<Value>,
}

/// What a variable was before it was set.
pub(super) struct Token {
    variable: ContextVarId,
    before: Option<Value>,
    is_used: bool,
}

impl Turn<'_> {
    /// The context for something that is made now: the one that is asked for, or a copy of the current one.
    ///
    /// # Errors
    /// There is no such context.
    pub(super) fn context_for(&self, asked: Option<ContextId>) -> Result<Context, Exception> {
        match asked {
            Some(id) => self.state.contexts.get(id).map(|_| Context::Named(id)),
            None => Ok(Context::Own(self.values().cloned())),
        }
    }

    fn values(&self) -> Option<&Rc<BTreeMap<ContextVarId, Value>>> {
        let activity = self.state.running.last()?;
        if let Some(id) = activity.entered.last() {
            return self.state.contexts.get(*id).ok()?.values.as_ref();
        }
        let context = match &activity.who {
            Who::Task(task) => &self.state.futures.task(*task).ok()?.context,
            Who::Callback(context) => context,
        };
        match context {
            Context::Own(values) => values.as_ref(),
            Context::Named(id) => self.state.contexts.get(*id).ok()?.values.as_ref(),
        }
    }

    fn values_mut(&mut self) -> Option<&mut Values> {
        let activity = self.state.running.last_mut()?;
        let context = match (activity.entered.last(), &mut activity.who) {
            (Some(id), _) => return self.state.contexts.get_mut(*id).ok().map(|row| &mut row.values),
            (None, Who::Task(task)) => &mut self.state.futures.task_mut(*task).ok()?.context,
            (None, Who::Callback(context)) => context,
        };
        match context {
            Context::Own(values) => Some(values),
            Context::Named(id) => self.state.contexts.get_mut(*id).ok().map(|row| &mut row.values),
        }
    }

    pub(super) fn new_variable(&mut self, default: Option<Value>) -> Outcome {
        self.state.count_object();
        Ok(self.state.variables.push(Variable { default }).into())
    }

    /// `variable.get()`
    ///
    /// # Errors
    /// It has no value and no default.
    pub(super) fn get_variable(&self, id: ContextVarId) -> Outcome {
        let default = &self.state.variables.get(id)?.default;
        let value = self.values().and_then(|values| values.get(&id));
        let found = value.or(default.as_ref());
        found.cloned().ok_or_else(|| Exception::own("LookupError", id.into()))
    }

    /// `variable.set(value)`
    ///
    /// # Errors
    /// There is no such variable.
    pub(super) fn set_variable(&mut self, id: ContextVarId, value: Value) -> Outcome {
        self.state.variables.get(id)?;
        let before = self.values_mut().and_then(|values| {
            let values = values.get_or_insert_default();
            Rc::make_mut(values).insert(id, value)
        });
        self.state.count_object();
        let token = Token {
            variable: id,
            before,
            is_used: false,
        };
        Ok(self.state.tokens.push(token).into())
    }

    /// `variable.reset(token)`
    ///
    /// # Errors
    /// The token was used, or is another variable's.
    pub(super) fn reset_variable(&mut self, id: ContextVarId, token: TokenId) -> Outcome {
        let token = self.state.tokens.get_mut(token)?;
        if token.variable != id {
            let message = "the token was created by a different ContextVar";
            return Err(Exception::new(Kind::ValueError, message));
        }
        if std::mem::replace(&mut token.is_used, true) {
            return Err(runtime_error("the token has already been used once"));
        }
        let before = token.before.take();
        if let Some(values) = self.values_mut() {
            let values = Rc::make_mut(values.get_or_insert_default());
            match before {
                Some(value) => values.insert(id, value),
                None => values.remove(&id),
            };
        }
        Ok(Value::None)
    }

    /// `contextvars.copy_context()`
    pub(super) fn copy_context(&mut self) -> Outcome {
        let values = self.values().cloned();
        Ok(self.name_context(values).into())
    }

    fn name_context(&mut self, values: Values) -> ContextId {
        self.state.count_object();
        self.state.contexts.push(ContextRow {
            values,
            is_entered: false,
        })
    }

    /// `task.get_context()`
    ///
    /// # Errors
    /// It is no task.
    pub(super) fn context_of(&mut self, id: FutureId) -> Outcome {
        let task = self.state.futures.task_mut(id)?;
        let values = match &mut task.context {
            Context::Named(id) => return Ok((*id).into()),
            Context::Own(values) => values.take(),
        };
        let name = self.name_context(values);
        self.state.futures.task_mut(id)?.context = Context::Named(name);
        Ok(name.into())
    }

    /// The beginning of `context.run(…)`.
    ///
    /// # Errors
    /// It is entered already.
    pub(super) fn enter_context(&mut self, id: ContextId) -> Outcome {
        let row = self.state.contexts.get_mut(id)?;
        if std::mem::replace(&mut row.is_entered, true) {
            return Err(runtime_error("cannot enter context: it is already entered"));
        }
        if let Some(activity) = self.state.running.last_mut() {
            activity.entered.push(id);
        }
        Ok(Value::None)
    }

    /// The end of `context.run(…)`.
    ///
    /// # Errors
    /// It is not the one that was entered last.
    pub(super) fn leave_context(&mut self, id: ContextId) -> Outcome {
        let activity = self.state.running.last_mut();
        match activity.map(|activity| &mut activity.entered) {
            Some(entered) if entered.last() == Some(&id) => entered.pop(),
            _ => return Err(runtime_error("cannot exit context: it is not the current context")),
        };
        self.state.contexts.get_mut(id)?.is_entered = false;
        Ok(Value::None)
    }

    /// A step is over: contexts that it forgot to leave are left.
    pub(super) fn leave_contexts(&mut self, entered: &[ContextId]) {
        for id in entered {
            if let Ok(row) = self.state.contexts.get_mut(*id) {
                row.is_entered = false;
            }
        }
    }
}
