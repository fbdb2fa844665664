//! Where a small program stands after some steps of a schedule, in words. Not here: following the schedule.

use super::following::{Following, MOST_STEPS, Made, State};
use super::grading::failure_id;
use super::searching::number;
use super::{Goal, Puzzle, refused};
use crate::explore::small::{Doing, LockView, Named, Reason, ThreadView, View};
use crate::explore::{Count, Fairness, Schedule, System, Thread};
use crate::labs::Complaint;
use crate::text::{Words, args};
use crate::wire::{
    Choice, Plain, Position, PositionEnding, PositionGoal, PositionLine, PositionObject, PositionObjectKind,
    PositionState, PositionStep, PositionThread, PositionValue,
};

impl Puzzle {
    /// Where it stands after the first `at` steps of a schedule and a choice.
    ///
    /// # Errors
    /// A thread is to go on that cannot.
    pub fn stand(
        &self,
        mut schedule: Schedule,
        at: Option<u32>,
        choice: Choice,
        words: &Words,
    ) -> Result<Position, Complaint> {
        let following = Following::new(self);
        let mut drawn = None;
        let mut at = at.map_or(usize::MAX, |at| at as usize).min(schedule.0.len());
        let there = |schedule: &Schedule, at: usize| {
            let start = Schedule(schedule.0.iter().copied().take(at).collect());
            let (states, _) = following.follow(&start)?;
            Ok::<_, Complaint>(states.last().copied().unwrap_or(following.system.start()))
        };
        match choice {
            Choice::Look => {}
            Choice::Thread { thread } => {
                schedule.0.truncate(at);
                has_room(&schedule)?;
                // A number that is no thread's at all cannot go on, like one that has ended.
                schedule.0.push(Thread(u8::try_from(thread).unwrap_or(u8::MAX).min(31)));
                at += 1;
            }
            Choice::Finish => {
                schedule.0.truncate(at);
                let state = there(&schedule, at)?;
                if following.ending(&state).is_none() {
                    has_room(&schedule)?;
                    let goes_round = following.finish(&mut schedule, state);
                    drawn = goes_round.then(|| words.say("puzzle.drawn.round"));
                }
                at = schedule.0.len();
            }
            Choice::Draw { seed } => {
                schedule.0.truncate(at);
                let state = there(&schedule, at)?;
                if following.ending(&state).is_none() {
                    has_room(&schedule)?;
                    let fairness = following.draw(&mut schedule, &state, seed);
                    drawn = Some(drawn_words(&fairness, words));
                }
                at = schedule.0.len();
            }
        }
        let (states, made) = following.follow(&schedule)?;
        let shown = Shown {
            puzzle: self,
            following: &following,
            words,
            views: states.iter().map(|state| following.system.view(state)).collect(),
            made: &made,
        };
        let state = states.get(at).copied().unwrap_or(following.system.start());
        let is_cut = at >= MOST_STEPS && following.ending(&state).is_none();
        let drawn = drawn.map(|how| match is_cut {
            true => words.fill("puzzle.drawn.cut", &args([("how", how.into()), most()])),
            false => how,
        });
        Ok(Position {
            drawn,
            ..shown.position(&schedule, at, &state)
        })
    }
}

fn most() -> (&'static str, Plain) {
    ("most", u32::try_from(MOST_STEPS).unwrap_or(u32::MAX).into())
}

/// Whether one more step may be added.
fn has_room(schedule: &Schedule) -> Result<(), Complaint> {
    if schedule.0.len() < MOST_STEPS {
        return Ok(());
    }
    Err(refused("refusal.schedule-too-long", args([most()])))
}

fn drawn_words(fairness: &Fairness, words: &Words) -> String {
    match fairness {
        Fairness::Even(ways) if *ways == Count::from(1_u64) => words.say("puzzle.drawn.only"),
        Fairness::Even(ways) => words.fill("puzzle.drawn.even", &args([("ways", number(ways))])),
        Fairness::StepByStep => words.say("puzzle.drawn.step-by-step"),
    }
}

/// What is needed to show a position.
struct Shown<'a> {
    puzzle: &'a Puzzle,
    following: &'a Following,
    words: &'a Words,
    /// At the start, and after each step.
    views: Vec<View>,
    made: &'a [Made],
}

impl Shown<'_> {
    fn position(&self, schedule: &Schedule, at: usize, state: &State) -> Position {
        let view = self.views.get(at).expect("there is one more view than steps");
        let before = at
            .checked_sub(1)
            .and_then(|before| self.views.get(before))
            .unwrap_or(view);
        let preemptions = count(self.made.iter().take(at).filter(|made| made.preempts).count());
        let ending = self.following.ending(state);
        let enabled = self.following.system.enabled(state);
        let last = at
            .checked_sub(1)
            .and_then(|last| self.made.get(last))
            .map(|made| made.thread);
        let threads = view.threads.iter().zip(&before.threads).map(|(thread, before)| {
            let can_go_on = enabled.has(thread.thread);
            PositionThread {
                was_last: last == Some(thread.thread),
                step_lines: if can_go_on {
                    count(self.following.n_lines(state, thread.thread))
                } else {
                    0
                },
                ..self.thread(thread, before)
            }
        });
        Position {
            schedule: schedule.write(self.puzzle.hash()),
            at: count(at),
            steps: self
                .made
                .iter()
                .enumerate()
                .map(|(number, made)| self.step(number, made))
                .collect(),
            threads: threads.collect(),
            cells: values(&view.cells, &before.cells),
            objects: self.objects(view),
            preemptions,
            drawn: None,
            goals: self
                .puzzle
                .goals
                .iter()
                .map(|goal| {
                    let reached = ending
                        .as_ref()
                        .is_some_and(|end| self.puzzle.reaches(*goal, end, preemptions));
                    self.goal(*goal, reached)
                })
                .collect(),
            ending: ending.map(|ending| PositionEnding {
                grade: self.puzzle.grade(&ending),
                text: self.puzzle.say_ending(&ending, self.words),
            }),
        }
    }

    fn thread(&self, thread: &ThreadView, before: &ThreadView) -> PositionThread {
        let program = &self.puzzle.program;
        let code = program
            .threads
            .get(thread.thread.index())
            .map_or(&[][..], Vec::as_slice);
        let lines = (0_u8..).zip(code).map(|(number, line)| PositionLine {
            code: self.puzzle.code(thread.thread, number),
            may_switch: number > 0 && line.before.is_some_and(|place| program.grain.may_switch(place)),
        });
        let state = match thread.doing {
            Doing::Next | Doing::Wakes(_) => PositionState::Ready,
            Doing::Blocked(_) => PositionState::Blocked,
            Doing::Done => PositionState::Done,
            Doing::Failed(_) => PositionState::Failed,
        };
        PositionThread {
            name: thread.thread.name().to_string(),
            state,
            says: self.says(thread),
            lines: lines.collect(),
            next: (state != PositionState::Done).then_some(u32::from(thread.line)),
            step_lines: 0,
            registers: values(&thread.registers, &before.registers),
            was_last: false,
        }
    }

    /// What a thread does next, or why it cannot.
    fn says(&self, thread: &ThreadView) -> String {
        let name = |thread: Thread| thread.name().to_string();
        let code = self.puzzle.code(thread.thread, thread.line);
        let program = &self.puzzle.program;
        let held = |lock: &'static str, holder: Thread| {
            let id = if holder == thread.thread {
                "puzzle.says.lock-itself"
            } else {
                "puzzle.says.lock"
            };
            (id, args([("lock", lock.into()), ("holder", name(holder).into())]))
        };
        let (id, numbers) = match thread.doing {
            Doing::Next => ("puzzle.says.next", args([("code", code.into())])),
            Doing::Wakes(_) => ("puzzle.says.wakes", args([("code", code.into())])),
            Doing::Done => ("puzzle.says.done", args([])),
            Doing::Failed(failure) => {
                let id = format!("puzzle.says.failed.{}", failure_id(failure));
                return self.words.fill(&id, &args([("code", code.into())]));
            }
            Doing::Blocked(reason) => match reason {
                Reason::Lock { lock, holder } => {
                    let lock = program.locks.get(usize::from(lock.0)).map_or("", |lock| lock.name);
                    held(lock, holder)
                }
                Reason::LockAfterNotification { lock, holder, .. } => {
                    let lock = program.locks.get(usize::from(lock.0)).map_or("", |lock| lock.name);
                    (
                        "puzzle.says.lock-after-notification",
                        args([("lock", lock.into()), ("holder", name(holder).into())]),
                    )
                }
                Reason::Notification(id) => {
                    let condition = program.conditions.get(usize::from(id.0)).map_or("", |one| one.name);
                    ("puzzle.says.notification", args([("condition", condition.into())]))
                }
                Reason::Semaphore(id) => {
                    let semaphore = program.semaphores.get(usize::from(id.0)).map_or("", |one| one.name);
                    ("puzzle.says.semaphore", args([("semaphore", semaphore.into())]))
                }
                Reason::QueueFull(id) => {
                    let queue = program.queues.get(usize::from(id.0)).map_or("", |one| one.name);
                    ("puzzle.says.queue-full", args([("queue", queue.into())]))
                }
                Reason::QueueEmpty(id) => {
                    let queue = program.queues.get(usize::from(id.0)).map_or("", |one| one.name);
                    ("puzzle.says.queue-empty", args([("queue", queue.into())]))
                }
            },
        };
        self.words.fill(id, &numbers)
    }

    fn objects(&self, view: &View) -> Vec<PositionObject> {
        let locks = view.locks.iter().map(|lock| self.lock(lock));
        let conditions = view.conditions.iter().map(|condition| {
            let waiters: Vec<String> = condition.waiters.iter().map(|one| one.name().to_string()).collect();
            let says = if waiters.is_empty() {
                self.words.say("puzzle.object.nobody-waits")
            } else {
                let waiters = args([("waiters", waiters.join(", ").into())]);
                self.words.fill("puzzle.object.waiting", &waiters)
            };
            let waiters = condition.waiters.iter().map(|one| u32::from(one.0)).collect();
            object(PositionObjectKind::Condition, condition.name, says, waiters)
        });
        let semaphores = view.semaphores.iter().map(|semaphore| {
            let says = semaphore.value.to_string();
            object(PositionObjectKind::Semaphore, semaphore.name, says, Vec::new())
        });
        let queues = view.queues.iter().map(|queue| {
            let content: Vec<String> = queue.content.iter().map(ToString::to_string).collect();
            let says = if content.is_empty() {
                self.words.say("puzzle.object.empty")
            } else {
                content.join(", ")
            };
            object(PositionObjectKind::Queue, queue.name, says, Vec::new())
        });
        locks.chain(conditions).chain(semaphores).chain(queues).collect()
    }

    fn lock(&self, lock: &LockView) -> PositionObject {
        let says = match lock.holder {
            None => self.words.say("puzzle.object.free"),
            Some(holder) => self.words.fill(
                "puzzle.object.held",
                &args([("holder", holder.name().to_string().into())]),
            ),
        };
        let cells = &self.puzzle.program.cells;
        let protected = lock.protects.iter().filter_map(|cell| cells.get(usize::from(cell.0)));
        PositionObject {
            holders: lock.holder.iter().map(|holder| u32::from(holder.0)).collect(),
            protects: protected.map(|cell| cell.name.to_owned()).collect(),
            ..object(
                PositionObjectKind::Lock,
                lock.name,
                says,
                lock.wanted_by.iter().map(|one| u32::from(one.0)).collect(),
            )
        }
    }

    /// A step in words: each line, and what it changed.
    fn step(&self, number: usize, made: &Made) -> PositionStep {
        let mut before = self.views.get(number);
        let mut lines = Vec::new();
        for (line, after) in &made.lines {
            let code = self.puzzle.code(made.thread, *line);
            let changes = before
                .map(|before| changes(before, after, made.thread))
                .unwrap_or_default();
            lines.push(if changes.is_empty() {
                code
            } else {
                let numbers = args([("code", code.into()), ("changes", changes.join(", ").into())]);
                self.words.fill("puzzle.line.changes", &numbers)
            });
            before = Some(after);
        }
        let numbers = args([
            ("thread", made.thread.name().to_string().into()),
            ("lines", lines.join("; ").into()),
        ]);
        PositionStep {
            thread: u32::from(made.thread.0),
            text: self.words.fill("puzzle.step", &numbers),
            preempts: made.preempts,
        }
    }

    fn goal(&self, goal: Goal, reached: bool) -> PositionGoal {
        let (id, numbers) = match goal {
            Goal::Lose => ("lose", args([])),
            Goal::Deadlock => ("deadlock", args([])),
            Goal::Fail => ("fail", args([])),
            Goal::RightAnyway => ("right-anyway", args([])),
            Goal::Reach(value) => {
                let cell = self.puzzle.program.cells.get(usize::from(self.puzzle.value.0));
                let name = cell.map_or("", |cell| cell.name);
                (
                    "reach",
                    args([("cell", name.into()), ("value", f64::from(value).into())]),
                )
            }
        };
        PositionGoal {
            id: id.to_owned(),
            text: self.words.fill(&format!("puzzle.goal.{id}"), &numbers),
            reached,
        }
    }
}

fn object(kind: PositionObjectKind, name: &str, says: String, waiters: Vec<u32>) -> PositionObject {
    PositionObject {
        kind,
        name: name.to_owned(),
        says,
        holders: Vec::new(),
        waiters,
        protects: Vec::new(),
    }
}

fn values(now: &[Named], before: &[Named]) -> Vec<PositionValue> {
    let value = |named: &Named| PositionValue {
        name: named.name.to_owned(),
        value: named.value.to_string(),
        changed: !before.contains(named),
    };
    now.iter().map(value).collect()
}

/// What a line changed: cells, and its thread's own variables.
fn changes(before: &View, after: &View, thread: Thread) -> Vec<String> {
    let own = |view: &View| {
        let found = view.threads.get(thread.index());
        found.map(|thread| thread.registers.clone()).unwrap_or_default()
    };
    let changed = |before: Vec<Named>, after: Vec<Named>| {
        let new = after.into_iter().filter(move |named| !before.contains(named));
        new.map(|named| format!("{} = {}", named.name, named.value))
    };
    let registers = changed(own(before), own(after));
    registers
        .chain(changed(before.cells.clone(), after.cells.clone()))
        .collect()
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
