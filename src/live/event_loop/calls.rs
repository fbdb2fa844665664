//! Calls that other workers make for the loop: a bounded number at a time, the others in a queue.
//!
//! As CPython's thread pool does it: first in, first out; nothing stops a call that runs; one that is taken back while it
//! is queued never starts. A call is a program whose blocking, computing and asking another worker does, effect by effect.
//!
//! Not here: who the other workers are.

use std::collections::VecDeque;
use std::fmt;

use super::network::{Network, input};
use super::{Clock, whole_ms};
use crate::machine::event_loop::{FutureId, Posted};
use crate::machine::threads::{NetworkCall, ThreadCall};
use crate::machine::{Effect, Exception, Input, Kind, Outcome, Program, Value};
use crate::wire::{HandedCall, Job, JobOutcome};

/// All calls of a loop that have not ended.
#[derive(Debug)]
pub struct Calls {
    limit: usize,
    n_handed: u32,
    queued: VecDeque<Call>,
    /// With another worker.
    running: Vec<Running>,
    /// To be handed out at the end of this turn.
    handed: Vec<HandedCall>,
    /// Futures that are told when no call is left.
    told_at_the_end: Vec<FutureId>,
    /// What the loop has still to be told.
    posts: Vec<Posted>,
}

struct Call {
    program: Box<dyn Program>,
    answer_to: Option<FutureId>,
}

#[derive(Debug)]
struct Running {
    /// What was handed out last.
    id: u32,
    call: Call,
}

impl fmt::Debug for Call {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Call")
            .field("answer_to", &self.answer_to)
            .finish_non_exhaustive()
    }
}

impl Calls {
    /// None yet; at most `limit` will run at a time.
    pub fn new(limit: u32) -> Self {
        Self {
            limit: limit as usize,
            n_handed: 0,
            queued: VecDeque::new(),
            running: Vec::new(),
            handed: Vec::new(),
            told_at_the_end: Vec::new(),
            posts: Vec::new(),
        }
    }

    /// A new call, started now or when there is room.
    pub fn submit(
        &mut self,
        program: Box<dyn Program>,
        answer_to: Option<FutureId>,
        network: &mut Network,
        clock: Clock,
    ) {
        self.queued.push_back(Call { program, answer_to });
        self.start(network, clock);
    }

    /// Nobody waits for this answer any more. Whether the call had not begun; then it never does.
    pub fn take_back(&mut self, future: FutureId) -> bool {
        let n_queued = self.queued.len();
        self.queued.retain(|call| call.answer_to != Some(future));
        self.queued.len() < n_queued
    }

    /// None of those that are queued starts any more.
    pub fn drop_queued(&mut self) {
        self.queued.clear();
    }

    /// This future is to be told when no call is left.
    pub fn tell_at_the_end(&mut self, future: FutureId) {
        self.told_at_the_end.push(future);
        self.tell();
    }

    /// What was handed out has been done.
    pub fn answered(&mut self, id: u32, outcome: JobOutcome, network: &mut Network, clock: Clock) {
        if let Some(place) = self.running.iter().position(|running| running.id == id) {
            let Running { call, .. } = self.running.swap_remove(place);
            let answer = match outcome {
                JobOutcome::Requested { tries } => input(network.ended_elsewhere(tries)),
                _ => Input::Value(Value::None),
            };
            self.go_on(call, answer, network, clock);
            self.start(network, clock);
            self.tell();
        }
    }

    /// What is to be handed out now.
    pub fn take_handed(&mut self) -> Vec<HandedCall> {
        std::mem::take(&mut self.handed)
    }

    /// What the loop is to be told now.
    pub fn take_posts(&mut self) -> Vec<Posted> {
        std::mem::take(&mut self.posts)
    }

    /// Whether all have ended.
    pub fn is_empty(&self) -> bool {
        self.running.is_empty() && self.queued.is_empty()
    }

    fn start(&mut self, network: &mut Network, clock: Clock) {
        while self.running.len() < self.limit
            && let Some(call) = self.queued.pop_front()
        {
            self.go_on(call, Input::Start, network, clock);
        }
    }

    fn tell(&mut self) {
        if self.is_empty() {
            let told = self.told_at_the_end.drain(..);
            self.posts
                .extend(told.map(|future| Posted::Settle(future, Ok(Value::None))));
        }
    }

    /// A call goes on until another worker has something to do for it, or to its end.
    fn go_on(&mut self, mut call: Call, mut input: Input, network: &mut Network, clock: Clock) {
        loop {
            let job = match call.program.resume(input) {
                Effect::Thread(ThreadCall::Sleep(delay)) => Job::Block { ms: whole_ms(delay) },
                Effect::Compute(compute) => Job::Busy {
                    ms: whole_ms(compute.cost),
                },
                Effect::Thread(ThreadCall::Network(NetworkCall::Request {
                    timeout: None,
                    answer_to: None,
                    ..
                })) => Job::Request(network.job()),
                Effect::Thread(ThreadCall::Now) => {
                    input = clock.answer();
                    continue;
                }
                Effect::Return(value) => return self.end(&call, Ok(value)),
                Effect::Raise(exception) => return self.end(&call, Err(exception)),
                Effect::Note(_) | Effect::CheckPoint(_) => {
                    input = Input::Value(Value::None);
                    continue;
                }
                Effect::Access(_) | Effect::Thread(_) | Effect::Await(_) | Effect::Loop(_) => {
                    let message = "another worker only blocks, computes and asks";
                    input = Input::Throw(Exception::new(Kind::RuntimeError, message));
                    continue;
                }
            };
            let id = self.n_handed;
            self.n_handed += 1;
            self.handed.push(HandedCall { id, job });
            return self.running.push(Running { id, call });
        }
    }

    fn end(&mut self, call: &Call, outcome: Outcome) {
        self.posts
            .extend(call.answer_to.map(|future| Posted::Settle(future, outcome)));
    }
}
