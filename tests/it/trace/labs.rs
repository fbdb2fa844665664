//! The traces of the labs' models: what is true of every trace is true of the machine's own.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use concurrency_playground::labs::{Asked, LABS};
use concurrency_playground::machine::Nanoseconds;
use concurrency_playground::machine::threads::Progress;
use concurrency_playground::machine::trace::{
    Event, LaneKind, Log, State, Timeline, await_tree, check_spans, diagnose, stalls, why_waiting,
};
use concurrency_playground::wire::Mode;

use super::shown;

/// One row of a lab's model.
struct Row {
    of: String,
    log: Log,
    /// What the machine's own detector found: task, call, line, start and length.
    stalls: Vec<(String, String, u32, Nanoseconds, Nanoseconds)>,
    stall: Nanoseconds,
}

/// All rows of all models at defaults, run once for all tests.
fn rows() -> &'static [Row] {
    static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
    ROWS.get_or_init(model_all)
}

fn model_all() -> Vec<Row> {
    let mut rows = Vec::new();
    for lab in LABS {
        let Some(model) = lab.model() else { continue };
        let mut asked = Asked::defaults(lab.about().parameters, Mode::Model, 1);
        model.settle(&mut asked);
        for subject in model.scenes(&asked) {
            let mut machine = model.scene(&asked, &subject, None).machine;
            while matches!(machine.run(u64::MAX), Progress::Paused) {}
            let now = machine.now();
            let found = machine.stalls().into_iter();
            let stalls = found.map(|stall| {
                (
                    stall.name.to_string(),
                    stall.call.to_owned(),
                    stall.line,
                    stall.start,
                    stall.length,
                )
            });
            rows.push(Row {
                of: format!("{} {subject:?}", lab.about().id),
                stalls: stalls.collect(),
                stall: machine.settings().stall,
                log: std::mem::take(machine.recorder_mut())
                    .finish(now)
                    .expect("a lab's machine is traced"),
            });
        }
    }
    assert!(rows.len() > LABS.len(), "the labs have models");
    rows
}

fn logs() -> impl Iterator<Item = (&'static str, Log)> {
    rows().iter().map(|row| (row.of.as_str(), row.log.clone()))
}

#[test]
fn the_log_and_the_machine_find_the_same_culprits() {
    let mut n_found = 0;
    for Row {
        of,
        log,
        stalls: known,
        stall,
    } in rows()
    {
        let found = stalls(log, *stall);
        for stall in &found {
            let task = stall.task.map_or("", |task| log.lane_name(task));
            let told = (
                task.to_owned(),
                log.text(stall.call).to_owned(),
                stall.line,
                stall.start,
                stall.length,
            );
            assert!(known.contains(&told), "{of}: {told:?} is none of {known:?}");
        }
        // The machine also tells of long steps that kept nobody waiting.
        assert!(found.len() <= known.len(), "{of}");
        n_found += found.len();
    }
    assert!(n_found > 0);
}

#[test]
fn the_states_of_every_lane_add_up_and_the_clock_never_goes_back() {
    for (of, log) in logs() {
        assert_eq!(check_spans(&log), Ok(()), "{of}");
        assert!(log.n_events() > 0 && log.truncated().is_none(), "{of}");
    }
}

/// What the readers of a log take for granted.
#[test]
fn parents_are_of_the_kinds_that_they_should_be() {
    for (of, log) in logs() {
        for (_, made) in log.lanes() {
            let parent = made
                .parent
                .and_then(|parent| log.made(parent))
                .map(|parent| parent.kind);
            let expected = match made.kind {
                LaneKind::Core | LaneKind::Process => None,
                LaneKind::Interpreter => Some(LaneKind::Process),
                LaneKind::Thread => Some(LaneKind::Interpreter),
                LaneKind::Loop => Some(LaneKind::Thread),
                LaneKind::Task => Some(LaneKind::Loop),
            };
            // A process that another started may be below it.
            assert!(parent == expected || made.kind == LaneKind::Process, "{of}: {made:?}");
        }
    }
}

#[test]
fn a_loop_runs_what_its_ready_queue_says() {
    for (of, log) in logs() {
        let is_step = |event: &Event| matches!(event, Event::RunNext { .. });
        let steps: Vec<u32> = log
            .events()
            .filter(|happened| is_step(&happened.event))
            .map(|happened| happened.index)
            .take(500)
            .collect();
        let mut timeline = Timeline::begin(log);
        for index in steps {
            timeline.go_to(index - 1);
            let n_ready: usize = timeline.view().loops().map(|queues| queues.ready().count()).sum();
            assert!(n_ready > 0, "{of}: a callback runs at {index} that was not ready");
        }
    }
}

#[test]
fn a_run_that_ended_has_nothing_wrong_with_it() {
    for (of, log) in logs() {
        let ended: BTreeSet<_> = log
            .spans()
            .filter(|span| span.state.is_end())
            .map(|span| span.lane)
            .collect();
        let main = log
            .lanes()
            .find(|(_, made)| made.kind == LaneKind::Thread)
            .expect("a main thread")
            .0;
        let timeline = Timeline::new(log);
        let diagnosis = diagnose(timeline.view());
        if of.starts_with("locks ") && of.contains("\"two-locks\"") {
            // The one run whose subject it is: both stand still for ever, and the trace says so.
            assert!(!ended.contains(&main) && !diagnosis.is_well(), "{of}");
            continue;
        }
        assert!(ended.contains(&main), "{of}: the main thread has not ended");
        assert!(diagnosis.is_well(), "{of}: {diagnosis:?}");
    }
}

#[test]
fn every_event_is_reached_and_every_wait_explained() {
    for (of, log) in logs() {
        let n_events = log.n_events();
        let mut forwards = Timeline::begin(log.clone());
        let mut timeline = Timeline::new(log);
        for place in (0..8).rev().map(|place| place * (n_events / 8)) {
            timeline.go_to(place);
            let view = timeline.view();
            for lane in view.lanes().filter(|lane| lane.state.is_some()).take(50) {
                let why = why_waiting(view, lane.lane).expect("it has a state");
                assert_eq!(why.chain[0].lane, lane.lane, "{of}");
                if lane.state == Some(State::Running) && lane.kind == LaneKind::Thread {
                    assert_eq!(why.chain.len(), 1, "{of}");
                }
            }
            let tree = await_tree(view, None);
            let live = view
                .lanes()
                .filter(|lane| lane.kind == LaneKind::Task && lane.state.is_none_or(|state| !state.is_end()));
            let told: BTreeSet<_> = tree.iter().map(|line| line.lane.lane).collect();
            assert!(live.map(|lane| lane.lane).all(|lane| told.contains(&lane)), "{of}");
        }
        forwards.go_to(n_events / 2);
        timeline.go_to(n_events / 2);
        assert_eq!(shown(timeline.view()), shown(forwards.view()), "{of}");
    }
}
