//! What is chosen at every turn: numbers, times, and objects that may be named at a place.
//!
//! Not here: steps.

use rand::RngExt;

use super::super::syntax::{Block, Lockable, Ref, What, When};
use super::families::Family;
use super::{Draw, Place};

/// In microseconds.
const DELAYS: [i64; 10] = [0, 500, 1_000, 1_000, 1_000, 2_000, 2_000, 3_000, 5_000, 10_000];

impl Draw {
    /// Below a number.
    pub fn below(&mut self, end: usize) -> usize {
        self.random.random_range(0..end.max(1))
    }

    pub fn between(&mut self, from: i64, to: i64) -> i64 {
        self.random.random_range(from..=to)
    }

    /// Whether something of so many in a hundred comes up.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.random.random_range(0..100) < percent
    }

    pub fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    pub fn delay(&mut self) -> i64 {
        self.one_of(&DELAYS)
    }

    pub fn limit(&mut self) -> Option<i64> {
        if self.chance(15) { None } else { Some(self.delay()) }
    }

    pub fn when(&mut self) -> When {
        match self.below(6) {
            0 => When::At(self.one_of(&[0, 1_000, 2_000, 4_000, 6_000, 12_000])),
            1 => When::Never,
            _ => When::In(self.delay()),
        }
    }

    pub fn when_rescheduled(&mut self) -> When {
        if self.chance(25) { When::Never } else { self.when() }
    }

    /// Pays for so many runs of a function, if there is enough left.
    pub fn pay(&mut self, function: usize, times: u32) -> bool {
        let cost = (self.costs[function] + 1) * times;
        let is_enough = cost <= self.left;
        if is_enough {
            self.left -= cost;
        }
        is_enough
    }

    /// A block that will be run so many times, and is paid for as often.
    pub fn repeated(&mut self, times: u32, body: impl FnOnce(&mut Self) -> Block) -> Block {
        let before = self.left;
        self.left /= times;
        let most = self.left;
        let block = body(self);
        let cost = (most - self.left) * times;
        self.left = before - cost.min(before);
        block
    }

    /// A function that may be called here, and is paid for.
    pub fn callee(&mut self, place: Place) -> Option<usize> {
        let first = if place.callback.is_some() {
            self.n_functions - 1
        } else {
            place.function + 1
        };
        if first >= self.n_functions {
            return None;
        }
        let function = first + self.below(self.n_functions - first);
        self.pay(function, 1).then_some(function)
    }

    /// Tasks are of one function each, in turn.
    pub fn task_of(&mut self, function: usize) -> usize {
        let turns = (self.objects.tasks - 1 - function) / (self.n_functions - 1);
        function + self.below(turns + 1) * (self.n_functions - 1)
    }

    fn function_of(&self, task: usize) -> usize {
        1 + (task - 1) % (self.n_functions - 1)
    }

    /// Something that may be awaited here without a circle.
    pub fn awaited(&mut self, place: Place) -> Ref {
        let tasks: Vec<usize> = (1..self.objects.tasks)
            .filter(|task| self.function_of(*task) > place.function)
            .collect();
        if tasks.is_empty() || self.chance(15) {
            self.future()
        } else {
            Ref::Task(self.one_of(&tasks))
        }
    }

    pub fn several_awaited(&mut self, place: Place) -> Vec<Ref> {
        let count = if self.chance(5) { 0 } else { 1 + self.below(3) };
        (0..count).map(|_| self.awaited(place)).collect()
    }

    pub fn future(&mut self) -> Ref {
        Ref::Future(self.below(self.objects.futures))
    }

    /// Something that may be asked and cancelled; now and then the main task.
    pub fn any(&mut self) -> Ref {
        match self.below(8) {
            0 => self.future(),
            1 if self.chance(60) => Ref::Task(0),
            _ => Ref::Task(1 + self.below(self.objects.tasks - 1)),
        }
    }

    pub fn awaited_or_function(&mut self, place: Place) -> What {
        match self.callee(place) {
            Some(function) if self.chance(60) => What::Function(function),
            _ => What::Ref(self.awaited(place)),
        }
    }

    /// A callback that may be scheduled here: none from the last function, which callbacks spawn.
    pub fn scheduled(&mut self, place: Place) -> Option<usize> {
        let first = match place.callback {
            Some(callback) => callback + 1,
            None if place.function + 1 == self.n_functions => return None,
            None => 0,
        };
        (first < self.n_callbacks).then(|| first + self.below(self.n_callbacks - first))
    }

    pub fn lockable(&mut self, kind: Family) -> Lockable {
        match kind {
            Family::Semaphores => Lockable::Semaphore(self.below(self.objects.semaphores.len())),
            Family::Conditions => Lockable::Condition(0),
            _ => Lockable::Lock(self.below(self.objects.locks)),
        }
    }
}
