//! Draws programs: each from a few families of constructs, so that those meet each other often ("swarm testing", Groce et
//! al. 2012), on few objects, so that tasks meet on them.
//!
//! Programs end: a function calls, spawns and awaits only functions behind it, and what one costs is counted. Delays are few
//! and often equal, so that deadlines meet.
//!
//! Not here: what each family draws (`families`).

mod choices;
mod families;
mod steps;

use rand::SeedableRng;
use rand_pcg::Pcg32;

use super::syntax::{
    Block, Catch, Caught, Does, Function, Objects, Order, Queue, Ref, Script, Semaphore, Settled, Step, What, When,
};
use families::{ALL, Family};

/// What one function may cost at most, in steps done by itself and all that it starts.
const MOST_STEPS: u32 = 70;
const MOST_STEPS_OF_MAIN: u32 = 260;

/// How deep blocks go.
const DEEPEST: u32 = 4;

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

impl Place {
    fn in_function(function: usize) -> Self {
        Self {
            function,
            callback: None,
            depth: 0,
            is_in_catch: false,
            group: None,
            timeout: None,
        }
    }

    /// In a block of its own.
    pub fn inside(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }

    /// In a block where nothing is being handled, or something else.
    pub fn out_of_catch(self) -> Self {
        Self {
            is_in_catch: false,
            ..self
        }
    }

    /// In a handler.
    pub fn in_catch(self) -> Self {
        Self {
            is_in_catch: true,
            ..self
        }
    }
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
            let with = self.one_of(&[
                Settled::Value,
                Settled::Value,
                Settled::Value,
                Settled::Exception,
                Settled::Cancelled,
            ]);
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
                .map(|_| Semaphore {
                    value: self.one_of(&[0, 1, 1, 1, 2]),
                    is_bounded: self.chance(50),
                })
                .collect(),
            conditions: 1,
            events: one_or_two(self),
            barriers: vec![self.one_of(&[1, 2, 2, 2, 3])],
            queues: (0..1 + usize::from(self.chance(30)))
                .map(|_| Queue {
                    order: self.one_of(&orders),
                    most: self.one_of(&[0, 1, 1, 2]),
                })
                .collect(),
            variables: 1,
            cells: one_or_two(self),
        }
    }

    fn function(&mut self, number: usize) -> Function {
        self.left = if number == 0 { MOST_STEPS_OF_MAIN } else { MOST_STEPS };
        let most = self.left;
        let place = Place::in_function(number);
        let body = if number == 0 {
            self.main(place)
        } else {
            self.block(place, 3, 6)
        };
        self.costs[number] = most - self.left;
        Function {
            body,
            returns: self.between(0, 9),
        }
    }

    /// Makes three tasks and more, does this and that, and mostly waits for some of them.
    fn main(&mut self, place: Place) -> Block {
        let mut main = self.beginning();
        let mut body = self.block(place, 4, 8);
        if self.chance(60) {
            let tasks = (1..self.objects.tasks.min(4)).map(|task| What::Ref(Ref::Task(task)));
            body.push(step(Does::Gather {
                what: tasks.collect(),
                returns_exceptions: self.chance(70),
            }));
        }
        if self.chance(15) {
            main.extend(body);
            return main;
        }
        // Mostly neither an exception nor a wait for ever ends it all.
        if self.chance(90) {
            let when = Some(When::In(self.one_of(&[4_000, 8_000, 30_000])));
            let timeout = self.below(self.objects.timeouts);
            body = vec![step(Does::Timeout { timeout, when, body })];
        }
        let mut kinds = vec![self.one_of(&[Caught::Timeout, Caught::Any, Caught::Any, Caught::Any])];
        kinds.extend(self.chance(40).then_some(Caught::Cancelled));
        let catches = kinds.into_iter().map(|kind| Catch {
            kind,
            body: self.block(place.in_catch(), 0, 2),
        });
        main.push(step(Does::Try {
            body,
            catches: catches.collect(),
            finally: None,
        }));
        main.extend(self.block(place, 0, 2));
        if self.chance(60) {
            let long = self.one_of(&[1_000, 5_000, 20_000]);
            main.push(step(Does::Sleep(long)));
        }
        main
    }

    /// Has most futures settled some time, and spawns.
    fn beginning(&mut self) -> Block {
        let mut block = Block::new();
        for future in 0..self.objects.futures {
            if self.chance(85) {
                block.push(step(Does::CallLater {
                    callback: self.n_callbacks + future,
                    handle: 0,
                    delay: self.delay(),
                }));
            }
        }
        let first = self.below(self.n_functions - 1);
        for number in 0..3 + self.below(3) {
            // One of each function in turn, so that most tasks are there when they are awaited.
            let function = 1 + (first + number) % (self.n_functions - 1);
            if self.pay(function, 1) {
                block.push(self.spawn(function));
            } else if number < 3 {
                block.push(self.spawn(self.n_functions - 1));
            }
        }
        block
    }

    fn callback(&mut self, number: usize) -> Block {
        self.left = MOST_STEPS / 2;
        let place = Place {
            callback: Some(number),
            depth: 2,
            ..Place::in_function(self.n_functions - 1)
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
            // Two in five steps are of the common kinds.
            let families = self.families.clone();
            let family = if self.chance(40) {
                Family::Common
            } else {
                self.one_of(&families)
            };
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
                block.push(step(Does::Cancel {
                    what,
                    has_message: self.chance(40),
                }));
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

    fn spawn(&mut self, function: usize) -> Step {
        let is_eager = self.families.contains(&Family::Eager) && self.chance(30);
        step(Does::Spawn {
            task: self.task_of(function),
            function,
            is_eager,
        })
    }

    /// A block in a block.
    pub fn inner(&mut self, place: Place, least: usize, most: usize) -> Block {
        self.block(place.inside(), least, most)
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
