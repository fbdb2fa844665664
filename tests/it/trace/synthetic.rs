//! Logs out of nowhere: a make-believe event loop beside a make-believe thread, told to a `Recorder` through its public
//! door. It has all kinds of events and breaks no rule of the recorder's; what it does means nothing.

use std::collections::{BTreeSet, VecDeque};

use concurrency_playground::machine::program::{Access, CellId};
use concurrency_playground::machine::trace::{
    BlockCause, CounterKind, Instant, LaneId, LaneKind, ReadyCause, Recorder, State, WaitCause,
};
use concurrency_playground::machine::{Nanoseconds, Value};

/// What a synthetic run is like.
#[derive(Clone, Copy, Debug)]
pub struct Synthetic {
    /// Tasks at any time: one that ends is followed by another.
    pub n_tasks: u32,
    /// It goes on until so many calls of the recorder were made.
    pub n_calls: u32,
    /// Drives every choice.
    pub seed: u64,
    /// One task in so many ends at its turn; 0: none ever does.
    pub ends_one_in: u64,
}

struct World {
    about: Synthetic,
    recorder: Recorder,
    random: u64,
    now: Nanoseconds,
    n_calls: u32,
    event_loop: LaneId,
    thread: LaneId,
    ready: VecDeque<LaneId>,
    timers: BTreeSet<(Nanoseconds, u64, LaneId)>,
    n_timers: u64,
    /// The lock's holder, and who waits for it.
    holder: Option<LaneId>,
    blocked: VecDeque<LaneId>,
    /// Who waits for whom.
    waiting: Vec<(LaneId, LaneId)>,
}

const CALLS: [&str; 4] = ["fetch", "hash", "parse", "time.sleep"];

impl Synthetic {
    /// Writes the run down.
    pub fn record(self, recorder: Recorder) -> (Recorder, Nanoseconds) {
        let mut world = World::new(self, recorder);
        while world.n_calls < self.n_calls {
            world.turn();
        }
        (world.recorder, world.now)
    }
}

impl World {
    fn new(about: Synthetic, mut recorder: Recorder) -> Self {
        let now = Nanoseconds::ZERO;
        let mut lane = |kind, parent, name: &str| {
            let lane = recorder.lane(now, kind, parent, || name.to_owned());
            recorder.enter(now, lane, State::Running);
            lane
        };
        let core = lane(LaneKind::Core, None, "core 0");
        let process = lane(LaneKind::Process, None, "process");
        let interpreter = lane(LaneKind::Interpreter, Some(process), "main");
        let thread = lane(LaneKind::Thread, Some(interpreter), "MainThread");
        let event_loop = lane(LaneKind::Loop, Some(thread), "loop");
        assert_eq!(core, LaneId(0));
        let mut world = Self {
            about,
            recorder,
            random: about.seed | 1,
            now,
            n_calls: 10,
            event_loop,
            thread,
            ready: VecDeque::new(),
            timers: BTreeSet::new(),
            n_timers: 0,
            holder: None,
            blocked: VecDeque::new(),
            waiting: Vec::new(),
        };
        for _ in 0..about.n_tasks {
            world.spawn();
        }
        world
    }

    /// A number below `below` (Knuth's linear congruential generator, upper bits).
    fn draw(&mut self, below: u64) -> u64 {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % below
    }

    fn one_of<Choice: Copy, const N: usize>(&mut self, choices: [Choice; N]) -> Choice {
        let place = self.draw(N as u64) as usize;
        *choices.get(place).expect("the number is below the choices'")
    }

    fn spawn(&mut self) {
        let number = self.n_calls;
        let task = self.recorder.lane(self.now, LaneKind::Task, Some(self.event_loop), || {
            format!("task-{number}")
        });
        self.n_calls += 1;
        self.make_ready(task);
    }

    fn make_ready(&mut self, task: LaneId) {
        self.recorder.enter(self.now, task, State::Ready(ReadyCause::Turn));
        self.recorder.ready(self.now, self.event_loop, Some(task));
        self.ready.push_back(task);
        self.n_calls += 2;
    }

    /// One callback, or the sleep until a timer.
    fn turn(&mut self) {
        let Some(task) = self.ready.pop_front() else {
            return self.sleep();
        };
        self.recorder.run_next(self.now, self.event_loop);
        self.recorder.enter(self.now, task, State::Running);
        self.n_calls += 2;
        self.work(task);
        if self.about.ends_one_in > 0 && self.draw(self.about.ends_one_in) == 0 {
            return self.end(task);
        }
        match self.draw(8) {
            0 if self.holder != Some(task) => self.lock(task),
            1 => self.wait_for_another(task),
            2 | 3 => self.make_ready(task),
            _ => self.wait_for_a_time(task),
        }
    }

    fn work(&mut self, task: LaneId) {
        let call = self.one_of(CALLS);
        self.recorder.doing(self.now, task, call);
        let line = 1 + self.draw(20) as u32;
        self.recorder.line(self.now, task, line);
        self.n_calls += 2;
        let cost = self.draw(5_000);
        self.now += Nanoseconds(cost);
        if self.draw(3) == 0 {
            let cell = CellId(self.draw(4) as u32);
            let number = self.draw(1_000_000) as i64;
            self.recorder
                .access(self.now, task, cell, &Access::Read(cell), &Value::Int(number));
            self.recorder
                .access(self.now, task, cell, &Access::Add(cell, 1), &Value::Int(number + 1));
            self.n_calls += 2;
        }
        if self.draw(50) == 0 {
            self.recorder
                .instant(self.now, task, Instant::Mark, || "beat".to_owned());
            self.recorder.count(
                self.now,
                self.event_loop,
                CounterKind::ReadyQueue,
                self.ready.len() as u64,
            );
            self.n_calls += 2;
        }
        if self.holder == Some(task) {
            self.unlock(task);
        }
    }

    fn lock(&mut self, task: LaneId) {
        if self.holder.is_none() {
            self.holder = Some(task);
            return self.make_ready(task);
        }
        self.recorder
            .enter(self.now, task, State::Blocked(BlockCause::Lock, self.holder));
        self.n_calls += 1;
        self.blocked.push_back(task);
    }

    fn unlock(&mut self, task: LaneId) {
        self.holder = self.blocked.pop_front();
        if let Some(next) = self.holder {
            self.recorder.wake(self.now, task, next);
            self.n_calls += 1;
            self.make_ready(next);
        }
    }

    fn wait_for_a_time(&mut self, task: LaneId) {
        let due = self.now + Nanoseconds(1 + self.draw(2_000_000));
        self.recorder.enter(self.now, task, State::Waiting(WaitCause::Timer));
        self.recorder
            .timer(self.now, self.event_loop, due, self.n_timers, Some(task));
        self.timers.insert((due, self.n_timers, task));
        self.n_timers += 1;
        self.n_calls += 2;
    }

    fn wait_for_another(&mut self, task: LaneId) {
        let Some(&(_, _, other)) = self.timers.first() else {
            return self.make_ready(task);
        };
        self.recorder.enter(self.now, task, State::Waiting(WaitCause::Task));
        self.recorder.awaits(self.now, task, other);
        self.waiting.push((task, other));
        self.n_calls += 2;
    }

    fn end(&mut self, task: LaneId) {
        if self.holder == Some(task) {
            self.unlock(task);
        }
        let state = self.one_of([State::Done, State::Cancelled, State::Failed]);
        self.recorder.enter(self.now, task, state);
        self.n_calls += 1;
        self.wake_those_that_wait_for(task);
        self.spawn();
    }

    fn wake_those_that_wait_for(&mut self, task: LaneId) {
        while let Some(place) = self.waiting.iter().position(|(_, on)| *on == task) {
            let (woken, _) = self.waiting.swap_remove(place);
            self.recorder.wake(self.now, task, woken);
            self.n_calls += 1;
            self.make_ready(woken);
        }
    }

    /// The loop has nothing to do until its first timer.
    fn sleep(&mut self) {
        let (due, number, task) = self
            .timers
            .pop_first()
            .expect("a task is ready, blocked or waits for a time");
        if due > self.now {
            for lane in [self.event_loop, self.thread] {
                self.recorder.enter(self.now, lane, State::Waiting(WaitCause::Timer));
            }
            self.now = due;
            for lane in [self.thread, self.event_loop] {
                self.recorder.enter(self.now, lane, State::Running);
            }
            self.n_calls += 4;
        }
        self.recorder.timer_gone(self.now, self.event_loop, number);
        self.n_calls += 1;
        self.make_ready(task);
        // Whoever waited for the sleeper goes on with it.
        if self.waiting.len() < 64 {
            self.wake_those_that_wait_for(task);
        } else {
            let waiting = std::mem::take(&mut self.waiting);
            for (woken, _) in waiting {
                self.recorder.wake(self.now, task, woken);
                self.n_calls += 1;
                self.make_ready(woken);
            }
        }
    }
}
