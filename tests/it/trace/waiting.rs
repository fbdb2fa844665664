//! Why a lane waits, and the tree of who awaits whom.

use concurrency_playground::machine::Nanoseconds;
use concurrency_playground::machine::trace::{
    BlockCause, ChainEnd, LaneId, LaneKind, ReadyCause, State, Timeline, WaitCause, await_tree, why_waiting,
};

use super::Stage;

fn blocked_by(holder: LaneId) -> State {
    State::Blocked(BlockCause::Lock, Some(holder))
}

fn check(timeline: &Timeline, lane: LaneId, chain: &[&str], end: &ChainEnd) {
    let why = why_waiting(timeline.view(), lane).expect("it has a state");
    let names: Vec<_> = why.chain.iter().map(|link| link.name).collect();
    assert_eq!(names, chain);
    assert_eq!(&why.end, end);
}

#[test]
fn the_example() {
    let mut stage = Stage::new();
    let a = stage.task("A", State::Running);
    let b = stage.task("B", State::Waiting(WaitCause::Task));
    let c = stage.task("C", State::Ready(ReadyCause::Turn));
    stage.recorder.awaits(stage.now, b, c);
    stage.enter(a, blocked_by(b));
    let d = stage.task("D", State::Running);
    stage.recorder.doing(stage.now, d, "hash");
    let mut timeline = stage.end();
    check(&timeline, a, &["A", "B", "C", "D"], &ChainEnd::Runs);
    let why = why_waiting(timeline.view(), a).expect("it waits");
    assert_eq!((why.chain[3].doing, why.chain[3].state), ("hash", Some(State::Running)));
    // Before D was made nobody had the turn.
    while timeline.view().lane(d).is_some() {
        timeline.step(-1);
    }
    check(&timeline, a, &["A", "B", "C"], &ChainEnd::Turn(ReadyCause::Turn));

    let mut stage = Stage::new();
    let [a, b, c] = ["A", "B", "C"].map(|name| stage.task(name, State::Running));
    stage.enter(b, State::Waiting(WaitCause::Task));
    stage.recorder.awaits(stage.now, b, c);
    stage.enter(c, blocked_by(a));
    stage.enter(a, blocked_by(b));
    let timeline = stage.end();
    check(&timeline, a, &["A", "B", "C"], &ChainEnd::Deadlock(vec![a, b, c]));
    check(&timeline, b, &["B", "C", "A"], &ChainEnd::Deadlock(vec![b, c, a]));
}

#[test]
fn what_a_lane_needs_by_itself() {
    let mut stage = Stage::new();
    let states = [
        (State::Running, ChainEnd::Runs),
        (State::Ready(ReadyCause::Core), ChainEnd::Turn(ReadyCause::Core)),
        (State::Waiting(WaitCause::Timer), ChainEnd::Time(None)),
        (State::Waiting(WaitCause::Io), ChainEnd::Answer),
        (State::Waiting(WaitCause::Task), ChainEnd::Another),
        (State::Blocked(BlockCause::Queue, None), ChainEnd::Another),
        (State::Idle, ChainEnd::Work),
        (State::Done, ChainEnd::Ended),
    ];
    let thread = stage.thread;
    let lanes = states.map(|(state, end)| (stage.another_thread("lane", state), end));
    let timeline = stage.end();
    for (lane, end) in lanes {
        check(&timeline, lane, &["lane"], &end);
    }
    check(&timeline, thread, &["thread"], &ChainEnd::Runs);
    assert_eq!(why_waiting(timeline.view(), LaneId(99)), None);
}

#[test]
fn a_sleeper_says_when_and_who_keeps_it_past_that() {
    let mut stage = Stage::new();
    let event_loop = stage.event_loop;
    let sleeper = stage.task("sleeper", State::Waiting(WaitCause::Timer));
    let due = Nanoseconds::millis(10);
    stage
        .recorder
        .timer(stage.now, event_loop, Nanoseconds::millis(90), 1, Some(sleeper));
    stage.recorder.timer(stage.now, event_loop, due, 2, Some(sleeper));
    let hog = stage.task("hog", State::Running);
    stage.pass(9);
    stage.recorder.doing(stage.now, hog, "parse");
    stage.pass(2);
    stage.recorder.doing(stage.now, hog, "time.sleep");
    let mut timeline = stage.end();
    check(&timeline, sleeper, &["sleeper", "hog"], &ChainEnd::Runs);
    timeline.step(-1);
    check(&timeline, sleeper, &["sleeper"], &ChainEnd::Time(Some(due)));
}

#[test]
fn a_running_task_goes_only_as_far_as_its_thread() {
    let mut stage = Stage::new();
    let waits = stage.task("waits", State::Ready(ReadyCause::Turn));
    stage.task("runs", State::Running);
    let holder = stage.another_thread("holder", State::Waiting(WaitCause::Timer));
    stage.enter(stage.thread, blocked_by(holder));
    let timeline = stage.end();
    check(
        &timeline,
        waits,
        &["waits", "runs", "thread", "holder"],
        &ChainEnd::Time(None),
    );
}

#[test]
fn the_interpreter_lock_has_a_holder() {
    let mut stage = Stage::new();
    let other = stage.another_thread("other", State::Ready(ReadyCause::InterpreterLock));
    let timeline = stage.end();
    check(&timeline, other, &["other", "thread"], &ChainEnd::Runs);
}

#[test]
fn a_lock_whose_holder_has_ended_never_comes() {
    let mut stage = Stage::new();
    let holder = stage.task("holder", State::Running);
    let waits = stage.task("waits", blocked_by(holder));
    stage.enter(holder, State::Failed);
    let timeline = stage.end();
    check(&timeline, waits, &["waits", "holder"], &ChainEnd::HolderEnded);
}

#[test]
fn a_circle_behind_any_of_several_is_found() {
    let mut stage = Stage::new();
    let main = stage.task("main", State::Waiting(WaitCause::Task));
    let good = stage.task("good", State::Waiting(WaitCause::Timer));
    let [a, b] = ["A", "B"].map(|name| stage.task(name, State::Running));
    stage.enter(a, blocked_by(b));
    stage.enter(b, blocked_by(a));
    for on in [good, a, b] {
        stage.recorder.awaits(stage.now, main, on);
    }
    let timeline = stage.end();
    check(&timeline, main, &["main", "A", "B"], &ChainEnd::Deadlock(vec![a, b]));
}

#[test]
fn a_chain_may_be_very_long() {
    let mut stage = Stage::new();
    let mut last = stage.task("first", State::Waiting(WaitCause::Io));
    for _ in 0..20_000 {
        last = stage.task("next", blocked_by(last));
    }
    let timeline = stage.end();
    let why = why_waiting(timeline.view(), last).expect("it waits");
    assert_eq!((why.chain.len(), why.end), (20_001, ChainEnd::Answer));
}

#[test]
fn the_tree_shows_each_task_once_with_those_it_waits_for() {
    let mut stage = Stage::new();
    let main = stage.task("main", State::Waiting(WaitCause::Task));
    let [left, right] = ["left", "right"].map(|name| stage.task(name, State::Waiting(WaitCause::Task)));
    let shared = stage.task("shared", State::Waiting(WaitCause::Io));
    let ended = stage.task("ended", State::Done);
    stage.task("alone", State::Ready(ReadyCause::Turn));
    let worker = stage.another_thread("worker", State::Running);
    let [one, two] = ["one", "two"].map(|name| stage.task(name, State::Waiting(WaitCause::Task)));
    for (lane, on) in [
        (main, left),
        (main, ended),
        (main, right),
        (left, shared),
        (right, shared),
        (right, worker),
        (one, two),
        (two, one),
    ] {
        stage.recorder.awaits(stage.now, lane, on);
    }
    let other_loop = stage.lane(LaneKind::Loop, Some(worker), "other loop", State::Running);
    stage.lane(LaneKind::Task, Some(other_loop), "elsewhere", State::Running);
    let event_loop = stage.event_loop;
    let mut timeline = stage.end();
    let told = |timeline: &Timeline, event_loop| -> Vec<String> {
        let lines = await_tree(timeline.view(), event_loop);
        let told = lines.iter().map(|line| {
            let again = if line.is_again { " again" } else { "" };
            format!("{}{}{again}", "  ".repeat(line.depth as usize), line.lane.name)
        });
        told.collect()
    };
    let of_loop = [
        "main",
        "  left",
        "    shared",
        "  right",
        "    shared again",
        "    worker",
        "alone",
        "one",
        "  two",
        "    one again",
    ];
    assert_eq!(told(&timeline, Some(event_loop)), of_loop);
    let mut all = told(&timeline, None);
    assert_eq!(all.remove(7), "elsewhere");
    assert_eq!(all, of_loop);
    // What a task waits for is over with its next state.
    timeline.go_to(0);
    assert_eq!(told(&timeline, None), [""; 0]);
    let mut stage = Stage::new();
    let [a, b] = ["A", "B"].map(|name| stage.task(name, State::Waiting(WaitCause::Task)));
    stage.recorder.awaits(stage.now, a, b);
    stage.enter(a, State::Ready(ReadyCause::Turn));
    assert_eq!(told(&stage.end(), None), ["A", "B"]);
}
