//! Draws programs: each from a few families of constructs, so that those meet each other often ("swarm testing", Groce et
//! al. 2012), on few objects, so that tasks meet on them.
//!
//! Programs end: a function calls, spawns and awaits only functions behind it, and what one costs is counted. Delays are few
//! and often equal, so that deadlines meet.
//!
//! Not here: what each family draws (`families`).

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

use super::families::{ALL, Family};
use super::syntax::{
    Block, Catch, Caught, Does, Function, Lockable, Objects, Order, Queue, Ref, Script, Semaphore, Settled, Step, What,
    When,
};

/// What one function may cost at most, in steps done by itself and all that it starts.
const MOST_STEPS: u32 = 70;
const MOST_STEPS_OF_MAIN: u32 = 260;

/// In microseconds.
const DELAYS: [i64; 10] = [0, 500, 1_000, 1_000, 1_000, 2_000, 2_000, 3_000, 5_000, 10_000];

/// The program of a seed.
pub fn generate(seed: u32) -> Script {
    Draw::new(seed).script()
}

/// Where a step is drawn for.
#[derive(Clone, Copy)]
pub struct Place {
    /// The function it is in.
    pub function: usize,
    /// The callback it is in instead.
    pub callback: Option<usize>,
    /// How many blocks it is in.
    pub depth: u32,
    pub is_in_catch: bool,
    /// The group and the timeout around it, in this function.
    pub group: Option<usize>,
    pub timeout: Option<usize>,
}

/// A program in the drawing.
pub struct Draw {
    random: Pcg32,
    pub families: Vec<Family>,
    pub objects: Objects,
    pub n_functions: usize,
    pub n_callbacks: usize,
    /// What each function costs, where it has been drawn.
    costs: Vec<u32>,
    /// What the function that is being drawn may still cost.
    left: u32,
}

impl Draw {
    fn new(seed: u32) -> Self {
        Self {
            random: Pcg32::seed_from_u64(u64::from(seed)),
            families: Vec::new(),
            objects: Objects::default(),
            n_functions: 0,
            n_callbacks: 0,
            costs: Vec::new(),
            left: 0,
        }
    }

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

    fn script(mut self) -> Script {
        self.families = self.draw_families();
        self.n_functions = 3 + self.below(4);
        self.n_callbacks = 1 + self.below(3);
        self.objects = self.draw_objects();
        self.costs = vec![0; self.n_functions];
        let mut functions = vec![Function::default(); self.n_functions];
        let mut callbacks = vec![Block::new(); self.n_callbacks];
        for number in (0..self.n_functions).rev() {
            functions[number] = self.function(number);
            if number + 1 == self.n_functions {
                for callback in (0..self.n_callbacks).rev() {
                    callbacks[callback] = self.callback(callback);
                }
            }
        }
        for future in 0..self.objects.futures {
            let with = self.one_of(&[Settled::Value, Settled::Value, Settled::Value, Settled::Exception, Settled::Cancelled]);
            callbacks.push(vec![step(Does::Settle { future, with })]);
        }
        let mut script = Script {
            is_eager: self.families.contains(&Family::Eager) && self.chance(60),
            objects: self.objects,
            functions,
            callbacks,
        };
        script.renumber();
        script
    }

    /// Two to six, so that each comes up often enough to meet itself.
    fn draw_families(&mut self) -> Vec<Family> {
        let all: Vec<Family> = ALL.iter().flat_map(|family| vec![*family; family.weight()]).collect();
        let count = 2 + self.below(5);
        let mut families: Vec<Family> = Vec::new();
        while families.len() < count {
            let family = self.one_of(&all);
            if !families.contains(&family) {
                families.push(family);
            }
        }
        families
    }

    fn draw_objects(&mut self) -> Objects {
        let one_or_two = |draw: &mut Self| 1 + draw.below(2);
        let orders = [Order::FirstIn, Order::FirstIn, Order::LastIn, Order::Priority];
        Objects {
            tasks: self.n_functions + self.below(3),
            futures: one_or_two(self),
            groups: one_or_two(self),
            timeouts: one_or_two(self),
            handles: one_or_two(self),
            locks: 1 + usize::from(self.chance(30)),
            semaphores: (0..one_or_two(self))
                .map(|_| Semaphore { value: self.one_of(&[0, 1, 1, 1, 2]), is_bounded: self.chance(40) })
                .collect(),
            conditions: 1,
            events: one_or_two(self),
            barriers: vec![self.one_of(&[1, 2, 2, 2, 3])],
            queues: (0..1 + usize::from(self.chance(30))).map(|_| Queue { order: self.one_of(&orders), most: self.one_of(&[0, 1, 1, 2]) }).collect(),
            variables: 1,
            cells: one_or_two(self),
        }
    }

    fn function(&mut self, number: usize) -> Function {
        self.left = if number == 0 { MOST_STEPS_OF_MAIN } else { MOST_STEPS };
        let most = self.left;
        let place = Place { function: number, callback: None, depth: 0, is_in_catch: false, group: None, timeout: None };
        let body = if number == 0 { self.main(place) } else { self.block(place, 3, 6) };
        self.costs[number] = most - self.left;
        Function { body, returns: self.between(0, 9) }
    }

    /// Makes three tasks and more, does this and that, and mostly waits for some of them.
    fn main(&mut self, place: Place) -> Block {
        let mut spawned = Block::new();
        // Somebody settles most futures, some time.
        for future in 0..self.objects.futures {
            if self.chance(85) {
                let callback = self.n_callbacks + future;
                let delay = self.delay();
                spawned.push(step(Does::CallLater { callback, handle: 0, delay }));
            }
        }
        let first = self.below(self.n_functions - 1);
        for number in 0..3 + self.below(3) {
            // One of each function in turn, so that most tasks are there when they are awaited.
            let function = 1 + (first + number) % (self.n_functions - 1);
            if self.pay(function, 1) {
                spawned.push(self.spawn(function));
            } else if number < 3 {
                spawned.push(self.spawn(self.n_functions - 1));
            }
        }
        let mut body = self.block(place, 4, 8);
        if self.chance(60) {
            let what: Vec<What> = (1..self.objects.tasks.min(4)).map(|task| What::Ref(Ref::Task(task))).collect();
            body.push(step(Does::Gather { what, returns_exceptions: self.chance(70) }));
        }
        if self.chance(15) {
            spawned.extend(body);
            return spawned;
        }
        // Mostly an exception or a wait for ever does not end it all.
        if self.chance(90) {
            let when = Some(When::In(self.one_of(&[4_000, 8_000, 30_000])));
            let timeout = self.below(self.objects.timeouts);
            body = vec![step(Does::Timeout { timeout, when, body })];
        }
        let kind = self.one_of(&[Caught::Timeout, Caught::Any, Caught::Any, Caught::Any]);
        let mut catches = vec![Catch { kind, body: self.block(Place { is_in_catch: true, ..place }, 0, 2) }];
        if self.chance(40) {
            let body = self.block(Place { is_in_catch: true, ..place }, 0, 2);
            catches.push(Catch { kind: Caught::Cancelled, body });
        }
        spawned.push(step(Does::Try { body, catches, finally: None }));
        spawned.extend(self.block(place, 0, 2));
        if self.chance(60) {
            let long = self.one_of(&[1_000, 5_000, 20_000]);
            spawned.push(step(Does::Sleep(long)));
        }
        spawned
    }

    fn callback(&mut self, number: usize) -> Block {
        self.left = MOST_STEPS / 2;
        let function = self.n_functions - 1;
        let place = Place {
            function,
            callback: Some(number),
            depth: 2,
            is_in_catch: false,
            group: None,
            timeout: None,
        };
        self.block(place, 1, 3)
    }

    /// A block of so many steps.
    pub fn block(&mut self, place: Place, least: usize, most: usize) -> Block {
        let count = least + self.below(most - least + 1);
        let mut block = Block::new();
        for _ in 0..count {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            let families = self.families.clone();
            // Two in five steps are of the common kinds.
            let family = if families.is_empty() || self.chance(40) { Family::Common } else { self.one_of(&families) };
            let does = match place.callback {
                Some(_) => family.callback_step(self, place),
                None => family.step(self, place),
            };
            let does = does.unwrap_or_else(|| self.pause(place));
            let wakes = wakes(&does);
            block.push(step(does));
            if wakes && self.chance(40) {
                // Whoever was woken may be cancelled before its turn comes.
                let what = self.any();
                block.push(step(Does::Cancel { what, has_message: self.chance(40) }));
            }
        }
        block
    }

    /// A step that always can be.
    fn pause(&mut self, place: Place) -> Does {
        match self.below(4) {
            _ if place.callback.is_some() => Does::Log,
            0 => Does::Log,
            1 => Does::Sleep(0),
            _ => Does::Sleep(self.delay()),
        }
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

    /// Runs what a block costs once more for each time that it is repeated.
    pub fn repeated(&mut self, times: u32, body: impl FnOnce(&mut Self) -> Block) -> Option<Block> {
        let before = self.left;
        self.left /= times;
        let most = self.left;
        let block = body(self);
        let cost = (most - self.left) * times;
        self.left = before - cost.min(before);
        Some(block)
    }

    /// A function that may be called here, and is paid for.
    pub fn callee(&mut self, place: Place) -> Option<usize> {
        let first = if place.callback.is_some() { self.n_functions - 1 } else { place.function + 1 };
        if first >= self.n_functions {
            return None;
        }
        let function = first + self.below(self.n_functions - first);
        self.pay(function, 1).then_some(function)
    }

    fn spawn(&mut self, function: usize) -> Step {
        let is_eager = self.families.contains(&Family::Eager) && self.chance(30);
        step(Does::Spawn { task: self.task_of(function), function, is_eager })
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
        let tasks: Vec<usize> = (1..self.objects.tasks).filter(|task| self.function_of(*task) > place.function).collect();
        if tasks.is_empty() || self.chance(15) { self.future() } else { Ref::Task(self.one_of(&tasks)) }
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

    /// A block in a block.
    pub fn inner(&mut self, place: Place, least: usize, most: usize) -> Block {
        self.block(Place { depth: place.depth + 1, ..place }, least, most)
    }
}

/// Whether a step may have woken another task at its end, without giving way since.
fn wakes(does: &Does) -> bool {
    matches!(
        does,
        Does::With(..)
            | Does::Release(_)
            | Does::EventSet(_)
            | Does::NotifyAll(_)
            | Does::Get(_)
            | Does::GetNow(_)
            | Does::Put(..)
            | Does::PutNow(..)
            | Does::ShutDown(..)
            | Does::Settle { .. }
    )
}

/// One step, not yet numbered.
pub fn step(does: Does) -> Step {
    Step { number: 0, does }
}
