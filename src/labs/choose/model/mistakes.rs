//! Eleven common mistakes, each as it is written and as it is better: most of them are scenes of the lab that is about
//! them, some are jobs of this one.
//!
//! Not here: the scenes of other labs.

use std::rc::Rc;

use super::super::advice::Needs;
use super::work::{self, Seen, Work};
use crate::labs::puzzles::Puzzle;
use crate::labs::{Asked, Model, Scene, Value, by_id, presets};
use crate::machine::front::{Here, MapOptions, program};
use crate::machine::threads::{Machine, NewPool, Payload, Progress, StartMethod, Workers};
use crate::machine::{Nanoseconds, Outcome, Value as Passed};
use crate::measure::Subject;
use crate::wire::{Row, Runtime, Sabotage, Strategy};

/// Bytes of a large object, and of a name that says where it is.
const LARGE: u64 = 64 << 20;
const SMALL: u64 = 100;

/// What a call computes with what it is handed, on the reference core.
const SHORT: Nanoseconds = Nanoseconds::millis(10);

/// Calls that are handed over, and their workers.
const CALLS: u32 = 8;
const WORKERS: u32 = 4;

/// One mistake.
struct Mistake {
    id: &'static str,
    written: Way,
    better: Way,
}

/// How something is done.
enum Way {
    /// One query, by a strategy.
    OneQuery(Strategy),
    /// Calls of a process pool, each with so many bytes.
    Sending(u64),
    /// A scene of another lab: the lab, what is asked of it, and which of its rows.
    Of {
        lab: &'static str,
        asking: &'static [(&'static str, Value)],
        row: (Strategy, Option<&'static str>, Option<Runtime>),
    },
}

const fn of(
    lab: &'static str,
    asking: &'static [(&'static str, Value)],
    strategy: Strategy,
    variant: Option<&'static str>,
    runtime: Option<Runtime>,
) -> Way {
    Way::Of {
        lab,
        asking,
        row: (strategy, variant, runtime),
    }
}

const GIL: Option<Runtime> = Some(Runtime::Gil);
const FREE: Option<Runtime> = Some(Runtime::FreeThreaded);
const APPEND: &[(&str, Value)] = &[("program", Value::Choice("append"))];
const TWO_LOCKS: &[(&str, Value)] = &[("program", Value::Choice("two-locks"))];

const MISTAKES: [Mistake; 11] = [
    Mistake {
        id: "threads-for-computing",
        written: of("cpu-bound", &[], Strategy::Threads, None, GIL),
        better: of("cpu-bound", &[], Strategy::Processes, Some("warm"), None),
    },
    Mistake {
        id: "blocking-in-coroutine",
        written: of("stall", &[], Strategy::EventLoop, Some("blocking"), None),
        better: of("stall", &[], Strategy::ToThread, Some("to-thread"), None),
    },
    Mistake {
        id: "async-for-one-query",
        written: Way::OneQuery(Strategy::EventLoop),
        better: Way::OneQuery(Strategy::Serial),
    },
    Mistake {
        id: "unbounded-tasks",
        written: of("fan-out", &[], Strategy::EventLoop, Some("many-tasks"), None),
        better: of("fan-out", &[], Strategy::EventLoop, Some("many-limited"), None),
    },
    Mistake {
        id: "unlocked-state",
        written: of("lost-updates", &[], Strategy::Threads, Some("call"), GIL),
        better: of("lost-updates", &[], Strategy::Threads, Some("lock"), FREE),
    },
    Mistake {
        id: "append-as-proof",
        written: of("interleavings", APPEND, Strategy::Threads, Some("access"), None),
        better: of("interleavings", APPEND, Strategy::Threads, Some("access-fixed"), None),
    },
    Mistake {
        id: "pool-per-task",
        written: of("start-methods", &[], Strategy::Processes, Some("spawn-per-task"), None),
        better: of("start-methods", &[], Strategy::Processes, Some("spawn-warm"), None),
    },
    Mistake {
        id: "large-objects",
        written: Way::Sending(LARGE),
        better: Way::Sending(SMALL),
    },
    Mistake {
        id: "lock-order",
        written: of("locks", TWO_LOCKS, Strategy::Threads, Some("two-locks"), None),
        better: of("locks", TWO_LOCKS, Strategy::Threads, Some("two-locks-ordered"), None),
    },
    Mistake {
        id: "no-guard",
        written: of("start-methods", &[], Strategy::Processes, Some("spawn-bare-file"), None),
        better: of(
            "start-methods",
            &[],
            Strategy::Processes,
            Some("spawn-guard-file"),
            None,
        ),
    },
    Mistake {
        id: "timeout-for-thread",
        written: of("stall", &[], Strategy::ToThread, Some("to-thread"), None),
        better: of("stall", &[], Strategy::ToThread, Some("own-timeout"), None),
    },
];

/// The id of a mistake, where there is one of this name: what is found of it goes by that.
pub fn id_of(case: &str) -> Option<&'static str> {
    MISTAKES
        .iter()
        .find(|mistake| mistake.id == case)
        .map(|mistake| mistake.id)
}

/// Whether a row is of a mistake.
pub fn is_mistake(row: &Row) -> bool {
    way_of(row.variant.as_deref()).is_some()
}

fn way_of(variant: Option<&str>) -> Option<&'static Way> {
    let variant = variant?;
    MISTAKES.iter().find_map(|mistake| {
        let part = variant.strip_prefix(mistake.id)?;
        match part {
            "-written" => Some(&mistake.written),
            "-better" => Some(&mistake.better),
            _ => None,
        }
    })
}

/// The two rows.
pub fn subjects(asked: &Asked, case: &str) -> Vec<Subject> {
    ["written", "better"]
        .into_iter()
        .filter_map(|way| {
            let variant = format!("{case}-{way}");
            let subject = subject(asked, way_of(Some(&variant))?);
            Some(Subject {
                variant: Some(variant),
                baseline: false,
                ..subject
            })
        })
        .collect()
}

fn subject(asked: &Asked, way: &Way) -> Subject {
    let runtime = Some(Needs::plain(asked).runtime);
    match way {
        Way::OneQuery(strategy) => Subject {
            runtime,
            workers: Some(1),
            ..Subject::new(*strategy)
        },
        Way::Sending(_) => Subject {
            runtime,
            workers: Some(WORKERS),
            ..Subject::new(Strategy::Processes)
        },
        Way::Of { .. } => {
            let elsewhere = elsewhere(asked, way).map(|(_, _, subject)| subject);
            elsewhere.unwrap_or_else(|| Subject::new(Strategy::Serial))
        }
    }
}

/// Another lab's model, what it is asked, and the row that is meant.
fn elsewhere(asked: &Asked, way: &Way) -> Option<(&'static dyn Model, Asked, Subject)> {
    let Way::Of { lab, asking, row } = way else { return None };
    let lab = by_id(lab)?;
    let model = lab.model()?;
    let about = lab.about();
    let mut of_lab = Asked::defaults(about.parameters, crate::wire::Mode::Model, asked.seed);
    (of_lab.found, of_lab.tweak) = (asked.found, asked.tweak);
    let machine = asked.choice("preset").map(|preset| ("preset", Value::Choice(preset)));
    let cores = ["cores", "logicalCores"].map(|id| Some((id, Value::Unsigned(asked.maybe_unsigned(id)?))));
    let given = machine
        .into_iter()
        .chain(cores.into_iter().flatten())
        .chain(asking.iter().copied());
    for (id, value) in given {
        of_lab.set(id, value);
    }
    model.settle(&mut of_lab);
    let (strategy, variant, runtime) = *row;
    let subject = model.scenes(&of_lab).into_iter().find(|subject| {
        subject.strategy == strategy
            && subject.variant.as_deref() == variant
            && (runtime.is_none() || subject.runtime == runtime)
    })?;
    Some((model, of_lab, subject))
}

/// The small program whose schedules belong to a row.
pub fn puzzle_of(asked: &Asked, subject: &Subject) -> Option<Puzzle> {
    let (model, of_lab, of_row) = elsewhere(asked, way_of(subject.variant.as_deref())?)?;
    model.puzzle_of(&of_lab, &of_row)
}

/// The scene of a row; none where the row is of no mistake.
pub fn scene(asked: &Asked, subject: &Subject, sabotage: Option<Sabotage>) -> Option<Scene> {
    let way = way_of(subject.variant.as_deref())?;
    let plain = Needs::plain(asked);
    let preset = presets::of(asked);
    match way {
        Way::OneQuery(strategy) => {
            let needs = Needs {
                at_once: 1,
                has_async: true,
                ..plain
            };
            let work = Work::new(needs, *strategy, preset.on_core(work::WORK));
            Some(super::scene_of(asked, work, sabotage))
        }
        Way::Sending(bytes) => {
            let mut machine = Machine::new(presets::machine_settings(asked, plain.runtime, sabotage));
            let (seen, bytes, cost) = (Rc::<Seen>::default(), *bytes, preset.on_core(SHORT));
            let here = Here::new();
            let writes = Rc::clone(&seen);
            machine.start(program(&here, move |here| sending(here, bytes, cost, writes)));
            Some(Scene {
                machine,
                read: Box::new(move |machine: &Machine, _: &Progress, row: &mut Row| {
                    super::read(machine, &seen, CALLS, None, row);
                }),
            })
        }
        Way::Of { .. } => {
            let (model, of_lab, of_row) = elsewhere(asked, way)?;
            Some(model.scene(&of_lab, &of_row, sabotage))
        }
    }
}

/// Calls that compute, each with an argument of so many bytes.
async fn sending(here: Here, bytes: u64, cost: Nanoseconds, seen: Rc<Seen>) -> Outcome {
    let pool = here
        .new_pool(NewPool {
            workers: Workers::Processes(StartMethod::ForkServer),
            max_workers: Some(WORKERS),
            ..NewPool::default()
        })
        .await?;
    let call = |cost| {
        program(&here, move |here| async move {
            here.compute(cost).await;
            Ok(Passed::None)
        })
    };
    let wait = |here: Here| async move {
        here.block(work::STARTING).await;
        Ok(Passed::None)
    };
    let calls = (0..WORKERS).map(|_| program(&here, wait)).collect();
    here.map(pool, calls, MapOptions::default()).await?;
    seen.start.set(here.now().await);
    let options = MapOptions {
        payload: Payload {
            sent: bytes,
            returned: SMALL,
        },
        ..MapOptions::default()
    };
    let results = here
        .map(pool, (0..CALLS).map(|_| call(cost)).collect(), options)
        .await?;
    seen.right.set(u32::try_from(results.len()).ok());
    here.shut_pool_down(pool, true, false).await?;
    Ok(Passed::None)
}
