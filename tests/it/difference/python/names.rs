//! Objects, times and arguments as Python writes them.
//!
//! Not here: whole lines.

use super::super::syntax::{Lockable, Ref, What};

pub(super) fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

pub(super) fn us(time: i64) -> String {
    if time == 0 {
        "0".to_owned()
    } else {
        format!("{time} * US")
    }
}

pub(super) fn some(time: Option<i64>) -> String {
    time.map_or_else(|| "None".to_owned(), us)
}

pub(super) fn eager(is_eager: bool) -> &'static str {
    if is_eager { ", eager_start=True" } else { "" }
}

pub(super) fn message(number: u32, has_message: bool) -> String {
    if has_message {
        format!("\"m{number}\"")
    } else {
        String::new()
    }
}

pub(super) fn reference(what: Ref) -> String {
    match what {
        Ref::Task(task) => format!("t[{task}]"),
        Ref::Future(future) => format!("f[{future}]"),
    }
}

pub(super) fn what(number: u32, place: usize, what: What) -> String {
    match what {
        What::Ref(what) => reference(what),
        What::Function(function) => format!("f{function}(me + \".{number}.{place}\")"),
    }
}

pub(super) fn lock(lockable: Lockable) -> String {
    match lockable {
        Lockable::Lock(lock) => format!("l[{lock}]"),
        Lockable::Semaphore(semaphore) => format!("s[{semaphore}]"),
        Lockable::Condition(condition) => format!("d[{condition}]"),
    }
}
