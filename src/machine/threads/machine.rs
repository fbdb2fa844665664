//! The machine: everything that runs, and the loop that lets the earliest thing happen next.
//!
//! Worked example, two threads that compute 1 ms and 3 ms on two cores: both begin at 0 and put the end of their
//! computing into the heap; the first end is at 1 ms, the clock is set to it, and the first thread is asked for its next
//! effect, and the next, until it computes again or waits. Then the heap is asked again. A computing that ends before
//! anything else happens goes past the heap: the clock is set and the same thread is asked at once.
//!
//! Not here: what effects do (`advance`, `perform`), who gets a core (`cores`) or the interpreter lock
//! (`interpreter_lock`), and any result (`report`).

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use super::cores::Cores;
use super::events::{Event, Events};
use super::futures::ConcurrentFuture;
use super::interpreters::Interpreter;
use super::memory::Memory;

use super::pools::Executor;
use super::primitives::Primitives;
use super::processes::{Module, Process};
use super::progress::{Ended, Exceeded, Limit, Progress};
use super::random::Random;
use super::requests::Network;
use super::several::Completions;
use super::steering::Steering;
use super::thread::{Phase, Thread};
use super::watch::Watch;
use super::{ConcurrentFutureId, MachineFault, MachineSettings, ThreadId};
use crate::machine::event_loop::FutureId;
use crate::machine::trace::Recorder;
use crate::machine::{Nanoseconds, Program};
use crate::wire::Runtime;

/// A computer in virtual time and everything on it.
pub struct Machine {
    pub(super) settings: MachineSettings,
    pub(super) now: Nanoseconds,
    pub(super) steps: u64,
    /// What happened between the effects. Threads that take each other's core or lock away make many without any effect.
    pub(super) n_events: u64,
    /// Where the slice of the run ends, whatever its effects.
    pub(super) last_event: u64,
    pub(super) recorder: Recorder,
    pub(super) events: Events,
    pub(super) random: Random,
    pub(super) cores: Cores,
    pub(super) threads: Vec<Thread>,
    pub(super) interpreters: Vec<Interpreter>,
    pub(super) processes: Vec<Process>,
    pub(super) primitives: Primitives,
    pub(super) futures: Vec<ConcurrentFuture>,
    pub(super) completions: Vec<Completions>,
    pub(super) pools: Vec<Executor>,
    pub(super) network: Network,
    pub(super) memory: Memory,
    pub(super) watch: Watch,
    /// Threads on a core that have not been asked for their next effect yet.
    pub(super) agenda: VecDeque<ThreadId>,
    /// Threads that were woken without any delay and have not looked yet whether they can go on.
    pub(super) woken: VecDeque<ThreadId>,
    /// The thread that is being asked.
    pub(super) acting: Option<ThreadId>,
    /// The thread that is to be asked first when the run goes on.
    pub(super) paused: Option<ThreadId>,
    /// What is still to be answered to a future of a loop's, by the loop's thread.
    pub(super) open_answers: BTreeMap<(ThreadId, FutureId), Answers>,
    pub(super) steering: Steering,
    /// How far the clock may go in this slice of the run.
    pub(super) horizon: Nanoseconds,
    pub(super) ended: Option<Ended>,
}

/// Who answers to a loop's future.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answers {
    Call(ConcurrentFutureId),
    Request(u32),
}

/// What came of looking for the next event.
enum Happened {
    /// This thread, on a core, is to be asked.
    Goes(ThreadId),
    /// Whoever is to be asked is on the agenda.
    Elsewhere,
    /// There is none.
    Nothing,
}

impl Machine {
    /// A machine with nothing to run.
    #[must_use]
    pub fn new(settings: MachineSettings) -> Self {
        let mut recorder = if settings.traced {
            Recorder::within(settings.trace_limits)
        } else {
            Recorder::off()
        };
        let cores = Cores::new(&settings, &mut recorder);
        Self {
            now: Nanoseconds::ZERO,
            steps: 0,
            n_events: 0,
            last_event: 0,
            events: Events::default(),
            random: Random::new(settings.seed),
            cores,
            threads: Vec::new(),
            interpreters: Vec::new(),
            processes: Vec::new(),
            primitives: Primitives::default(),
            futures: Vec::new(),
            completions: Vec::new(),
            pools: Vec::new(),
            network: Network::default(),
            memory: Memory::default(),
            watch: Watch::default(),
            agenda: VecDeque::new(),
            woken: VecDeque::new(),
            acting: None,
            paused: None,
            open_answers: BTreeMap::new(),
            steering: Steering::new(&settings.switches),
            horizon: settings.limits.time,
            ended: None,
            recorder,
            settings,
        }
    }

    /// Sets a program going on the main thread of the first process. Once a machine.
    pub fn start(&mut self, main: Box<dyn Program>) {
        self.start_first_process(super::Body::Program(main), None);
    }

    /// `asyncio.run(main)` on the main thread of the first process. Once a machine.
    pub fn start_loop(&mut self, main: Box<dyn Program>) {
        self.start_first_process(super::Body::Loop(main), None);
    }

    /// Runs a main module, which children that do not copy their parent import again. Once a machine.
    pub fn start_module(&mut self, module: Module) {
        let main = module();
        self.start_first_process(super::Body::Program(main), Some(module));
    }

    /// Runs on for at most so many effects, and as many events between them; [`Progress::Paused`] asks to be called again.
    pub fn run(&mut self, budget: u64) -> Progress {
        self.run_until(Nanoseconds::MAX, budget)
    }

    /// Runs on as long as the clock does not have to go beyond a time, for at most so many effects, and as many events.
    pub fn run_until(&mut self, time: Nanoseconds, budget: u64) -> Progress {
        self.horizon = time.min(self.settings.limits.time);
        let stop_at = self.steps.saturating_add(budget).min(self.settings.limits.steps);
        self.last_event = self.n_events.saturating_add(budget);
        while self.ended.is_none() && self.n_events < self.last_event {
            if self.is_steered_now() {
                self.steer();
            }
            let next = match self.paused.take().or_else(|| self.agenda.pop_front()) {
                Some(thread) => Happened::Goes(thread),
                None => self.next_event(),
            };
            let thread = match next {
                Happened::Goes(thread) => thread,
                Happened::Elsewhere => {
                    self.n_events += 1;
                    if self.steps.saturating_add(self.n_events) >= self.settings.limits.steps {
                        self.exceed(Limit::Steps);
                    }
                    continue;
                }
                Happened::Nothing => break,
            };
            let is_done = self.advance(thread, stop_at.min(self.steering.next_at()));
            if self.recorder.wants_stop() {
                self.exceed(Limit::Trace);
            }
            if !is_done {
                self.paused = Some(thread);
                if self.steps < stop_at {
                    // Not the slice is over, but a switch is due.
                    continue;
                }
                if self.steps >= self.settings.limits.steps {
                    self.exceed(Limit::Steps);
                }
                break;
            }
        }
        match &self.ended {
            Some(ended) => ended.progress(),
            None if self.has_more() => Progress::Paused,
            None => Progress::Deadlock(Box::new(self.deadlock())),
        }
    }

    /// Whether anything is left to do or to happen.
    fn has_more(&self) -> bool {
        self.paused.is_some() || !self.agenda.is_empty() || self.next_event_at().is_some()
    }

    /// Lets the earliest thing happen.
    fn next_event(&mut self) -> Happened {
        if self.events.is_crowded() {
            let threads = &self.threads;
            self.events.sweep(|event| holds(threads, event));
        }
        while self.events.next_at() <= self.horizon {
            let Some((at, event)) = self.events.next() else { break };
            if !holds(&self.threads, event) {
                continue;
            }
            self.now = at;
            if let Event::ComputeEnd(thread, _) = event
                && self.compute_end(thread)
            {
                return Happened::Goes(thread);
            }
            self.happen(event);
            self.settle_woken();
            return Happened::Elsewhere;
        }
        if self.horizon == self.settings.limits.time && self.next_event_at().is_some() {
            self.exceed(Limit::Time);
        }
        Happened::Nothing
    }

    fn happen(&mut self, event: Event) {
        match event {
            // Its thread has what it needs, or waits for it.
            Event::ComputeEnd(..) => {}
            Event::Wake(thread, _) => self.try_again(thread),
            Event::Timeout(thread, _) => self.time_is_up(thread),
            Event::Interval(thread, _) => self.interval_over(thread),
            Event::LockWake(thread, _) => self.lock_signalled(thread),
            Event::Slice(core) => self.slice_over(core),
            Event::Answered(request) => self.request_answered(request),
            Event::RequestTimeout(request) => self.request_timed_out(request),
        }
    }

    /// When something happens next, if anything does.
    pub(super) fn next_event_at(&self) -> Option<Nanoseconds> {
        let all = self.events.all();
        let real = all.filter(|(_, event)| !matches!(event, Event::Slice(_)) && holds(&self.threads, *event));
        real.map(|(at, _)| at).min()
    }

    /// Lets threads that were woken at this very moment look whether they can go on, in the order of their waking.
    #[inline(always)]
    pub(super) fn settle_woken(&mut self) {
        while let Some(thread) = self.woken.pop_front() {
            self.try_again(thread);
        }
    }

    /// Ends the run: it has more of something than is allowed.
    pub(super) fn exceed(&mut self, what: Limit) {
        let limit = what.of(&self.settings);
        self.ended.get_or_insert(Ended::Exceeded(Exceeded { what, limit }));
    }

    /// The clock.
    #[must_use]
    pub fn now(&self) -> Nanoseconds {
        self.now
    }

    /// Effects so far, of all programs.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// What it was made with.
    #[must_use]
    pub fn settings(&self) -> &MachineSettings {
        &self.settings
    }

    /// What was written down.
    #[must_use]
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// What was written down, to be taken away or shown.
    pub fn recorder_mut(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    #[inline(always)]
    pub(super) fn thread(&self, id: ThreadId) -> &Thread {
        self.threads
            .get(id.index())
            .expect("ids of threads are checked where programs hand them in")
    }

    #[inline(always)]
    pub(super) fn thread_mut(&mut self, id: ThreadId) -> &mut Thread {
        self.threads
            .get_mut(id.index())
            .expect("ids of threads are checked where programs hand them in")
    }

    pub(super) fn has_fault(&self, fault: MachineFault) -> bool {
        self.settings.fault == Some(fault)
    }

    /// Whether interpreters have a lock.
    pub(super) fn has_interpreter_lock(&self) -> bool {
        self.settings.runtime != Runtime::FreeThreaded && !self.has_fault(MachineFault::NoInterpreterLock)
    }
}

/// Whether an event is about what still is.
fn holds(threads: &[Thread], event: Event) -> bool {
    let (thread, epoch) = match event {
        Event::ComputeEnd(thread, epoch)
        | Event::Wake(thread, epoch)
        | Event::Timeout(thread, epoch)
        | Event::Interval(thread, epoch)
        | Event::LockWake(thread, epoch) => (thread, epoch),
        Event::Slice(_) | Event::Answered(_) | Event::RequestTimeout(_) => return true,
    };
    threads
        .get(thread.index())
        .is_some_and(|thread| thread.epoch == epoch && !matches!(thread.phase, Phase::Ended))
}

impl fmt::Debug for Machine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Machine")
            .field("now", &self.now)
            .field("steps", &self.steps)
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}
