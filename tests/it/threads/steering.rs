//! Other schedules: the same run up to the first switch, and what would have come of it after.

use std::collections::BTreeSet;

use concurrency_playground::machine::front::Here;
use concurrency_playground::machine::program::CellId;
use concurrency_playground::machine::threads::{Machine, MachineSettings, Patience, Switch, ThreadId};
use concurrency_playground::machine::trace::TraceHash;
use concurrency_playground::switch_points::Operation;
use concurrency_playground::wire::Runtime;

use super::support::*;

/// How a thread adds one to the cell.
#[derive(Clone, Copy, Debug)]
enum Adds {
    /// A read and a write, with nothing in between.
    Plainly,
    /// With a call between the read and the write.
    AroundACall,
    /// Under a lock, with a call in between.
    Locked,
}

fn add_with_two(settings: MachineSettings, adds: Adds) -> Machine {
    machine(settings, move |here| async move {
        let lock = here.new_thread_lock().await?;
        let both_there = here.new_thread_event().await?;
        let threads = bunch(&here, 2, move |here, _| async move {
            here.wait_thread_event(both_there, None).await?;
            if matches!(adds, Adds::Locked) {
                here.acquire_thread_lock(lock, Patience::Forever).await?;
            }
            let value = here.read(CellId(0)).await.int().unwrap_or(0);
            if !matches!(adds, Adds::Plainly) {
                here.check_point(Operation::FunctionEntry).await;
            }
            here.write(CellId(0), value + 1).await;
            if matches!(adds, Adds::Locked) {
                here.release_thread_lock(lock).await?;
            }
            NOTHING
        });
        let threads = threads.await?;
        here.set_thread_event(both_there).await?;
        join_all(&here, threads).await?;
        NOTHING
    })
}

fn on_one_core(runtime: Runtime, switches: Vec<Switch>) -> MachineSettings {
    MachineSettings {
        switches,
        traced: true,
        ..with_runtime(1, runtime)
    }
}

/// What the cell comes to under every schedule with a single switch.
fn outcomes(runtime: Runtime, adds: Adds) -> BTreeSet<i64> {
    let mut alone = add_with_two(on_one_core(runtime, Vec::new()), adds);
    outcome(&mut alone).expect("it ends well");
    let steps = 0..alone.steps();
    let switches = steps.flat_map(|at_step| {
        (0..3).map(move |to| Switch {
            at_step,
            to: ThreadId(to),
        })
    });
    switches
        .map(|switch| {
            let mut machine = add_with_two(on_one_core(runtime, vec![switch]), adds);
            outcome(&mut machine).expect("it ends well");
            machine.cell(CellId(0)).int().expect("it counts")
        })
        .collect()
}

#[test]
fn one_switch_between_read_and_write_loses_an_addition() {
    assert_eq!(outcomes(Runtime::FreeThreaded, Adds::Plainly), BTreeSet::from([1, 2]));
    assert_eq!(
        outcomes(Runtime::FreeThreaded, Adds::AroundACall),
        BTreeSet::from([1, 2])
    );
}

/// No schedule does what the runtime rules out: the lock is dropped where it may be, and nowhere else.
#[test]
fn under_the_interpreter_lock_a_switch_waits_for_a_place_where_it_may_be() {
    assert_eq!(outcomes(Runtime::Gil, Adds::Plainly), BTreeSet::from([2]));
    assert_eq!(outcomes(Runtime::Gil, Adds::AroundACall), BTreeSet::from([1, 2]));
    assert_eq!(outcomes(Runtime::GilLegacy, Adds::Plainly), BTreeSet::from([1, 2]));
}

#[test]
fn a_lock_holds_under_every_switch() {
    for runtime in [Runtime::GilLegacy, Runtime::Gil, Runtime::FreeThreaded] {
        assert_eq!(outcomes(runtime, Adds::Locked), BTreeSet::from([2]), "{runtime:?}");
    }
}

fn hash_after(mut machine: Machine, steps: u64) -> TraceHash {
    if steps > 0 {
        machine.run(steps);
    }
    let now = machine.now();
    let log = std::mem::take(machine.recorder_mut()).finish(now);
    log.expect("it is traced").hash()
}

/// "What if" is the same run up to the switch, event by event, and another one after it.
#[test]
fn up_to_the_switch_it_is_the_same_run() {
    let alone = |switches| add_with_two(on_one_core(Runtime::FreeThreaded, switches), Adds::Plainly);
    let all = {
        let mut machine = alone(Vec::new());
        outcome(&mut machine).expect("it ends well");
        machine.steps()
    };
    let mut n_others = 0;
    for at_step in 1..all {
        let switch = Switch {
            at_step,
            to: ThreadId(2),
        };
        assert_eq!(
            hash_after(alone(vec![switch]), at_step - 1),
            hash_after(alone(Vec::new()), at_step - 1),
            "up to step {at_step}"
        );
        n_others += usize::from(hash_after(alone(vec![switch]), all) != hash_after(alone(Vec::new()), all));
    }
    assert!(n_others > 0, "no switch changed anything");
}

/// A whole schedule: two threads take turns, effect by effect, and again the same way.
#[test]
fn many_switches_are_a_schedule_and_the_same_each_time() {
    let turns = || {
        (4..60).map(|at_step| Switch {
            at_step,
            to: ThreadId(1 + (at_step % 2) as u32),
        })
    };
    let body = |here: Here| async move {
        let both_there = here.new_thread_event().await?;
        let threads = bunch(&here, 2, move |here, _| async move {
            here.wait_thread_event(both_there, None).await?;
            for _ in 0..5 {
                let value = here.read(CellId(0)).await.int().unwrap_or(0);
                here.write(CellId(0), value + 1).await;
            }
            NOTHING
        });
        let threads = threads.await?;
        here.set_thread_event(both_there).await?;
        join_all(&here, threads).await?;
        NOTHING
    };
    let run = |switches: Vec<Switch>| {
        let machine = ended(on_one_core(Runtime::FreeThreaded, switches), body);
        machine.cell(CellId(0)).int().expect("it counts")
    };
    let lost = run(turns().collect());
    assert!((2..10).contains(&lost), "{lost}");
    assert_eq!(
        run(turns().rev().collect()),
        lost,
        "their order in the list is no matter"
    );
}

#[test]
fn a_switch_that_cannot_be_is_told() {
    let mut alone = add_with_two(on_one_core(Runtime::FreeThreaded, Vec::new()), Adds::Plainly);
    outcome(&mut alone).expect("it ends well");
    let switch = |at_step, to| Switch {
        at_step,
        to: ThreadId(to),
    };
    // There is no such thread; this one has ended; and this step never comes.
    let switches = vec![switch(3, 99), switch(alone.steps() - 1, 1), switch(1_000_000, 1)];
    let mut machine = add_with_two(on_one_core(Runtime::FreeThreaded, switches.clone()), Adds::Plainly);
    assert_eq!(machine.switches_not_made(), switches);
    outcome(&mut machine).expect("it ends well");
    assert_eq!(machine.switches_not_made(), switches);
    assert_eq!(machine.steps(), alone.steps());
}
