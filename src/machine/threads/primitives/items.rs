//! The items of a queue in one of three orders.
//!
//! Not here: waiting for them.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use crate::machine::Value;
use crate::machine::event_loop::QueueOrder;

#[derive(Debug)]
pub(super) enum Items {
    First(VecDeque<Value>),
    Last(Vec<Value>),
    Smallest(BinaryHeap<Smallest>),
}

impl Items {
    pub fn new(order: QueueOrder) -> Self {
        match order {
            QueueOrder::First => Self::First(VecDeque::new()),
            QueueOrder::Last => Self::Last(Vec::new()),
            QueueOrder::Smallest => Self::Smallest(BinaryHeap::new()),
        }
    }

    pub fn push(&mut self, item: Value) {
        match self {
            Self::First(items) => items.push_back(item),
            Self::Last(items) => items.push(item),
            Self::Smallest(items) => items.push(Smallest(item)),
        }
    }

    pub fn pop(&mut self) -> Option<Value> {
        match self {
            Self::First(items) => items.pop_front(),
            Self::Last(items) => items.pop(),
            Self::Smallest(items) => items.pop().map(|Smallest(item)| item),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::First(items) => items.len(),
            Self::Last(items) => items.len(),
            Self::Smallest(items) => items.len(),
        }
    }

    pub fn clear(&mut self) {
        match self {
            Self::First(items) => items.clear(),
            Self::Last(items) => items.clear(),
            Self::Smallest(items) => items.clear(),
        }
    }
}

/// The smaller is the greater, for a heap gives its greatest first.
#[derive(Debug)]
pub(super) struct Smallest(Value);

impl Ord for Smallest {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&other.0, &self.0)
    }
}

impl PartialOrd for Smallest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Smallest {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Smallest {}

/// Numbers by size, names by their letters, lists by their first difference; values of different kinds by kind.
fn compare(one: &Value, other: &Value) -> Ordering {
    let kind = |value: &Value| match value {
        Value::None => 0,
        Value::Bool(_) => 1,
        Value::Int(_) => 2,
        Value::Handle(_) => 3,
        Value::Text(_) => 4,
        Value::List(_) => 5,
        Value::Exception(_) => 6,
    };
    match (one, other) {
        (Value::Bool(one), Value::Bool(other)) => one.cmp(other),
        (Value::Int(one), Value::Int(other)) => one.cmp(other),
        (Value::Handle(one), Value::Handle(other)) => one.cmp(other),
        (Value::Text(one), Value::Text(other)) => one.cmp(other),
        (Value::List(one), Value::List(other)) => {
            let first = one.iter().zip(other.iter()).map(|(one, other)| compare(one, other));
            let difference = first.fold(Ordering::Equal, Ordering::then);
            difference.then(one.len().cmp(&other.len()))
        }
        _ => kind(one).cmp(&kind(other)),
    }
}
