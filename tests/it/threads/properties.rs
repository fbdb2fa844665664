//! What holds of every run, whatever its programs and its machine: random programs of every kind of call.

use std::rc::Rc;

use concurrency_playground::machine::event_loop::QueueOrder;
use concurrency_playground::machine::front::Here;
use concurrency_playground::machine::program::{Access, CellId};
use concurrency_playground::machine::threads::{
    Costs, Machine, MachineSettings, NewPool, Patience, Progress, StartCost, StartMethod, Switch, ThreadId, Workers,
};
use concurrency_playground::machine::trace::{TraceHash, check_spans};
use concurrency_playground::machine::{Computing, Nanoseconds, Note};
use concurrency_playground::switch_points::Operation;
use concurrency_playground::wire::Runtime;
use proptest::prelude::*;

use super::support::*;

/// One thing that a thread does.
#[derive(Clone, Debug)]
enum Deed {
    Compute(u64, Computing),
    Access(u32, bool),
    CheckPoint,
    Sleep(u64),
    Locked(usize, u64),
    TryLock(usize, u64),
    Put(i64),
    Get(u64),
    Submit(u64),
    Wait(u64),
    Interpreter(u64),
    Process(u64),
    Mark,
}

fn deed() -> impl Strategy<Value = Deed> {
    let kind = prop_oneof![
        Just(Computing::Bytecode),
        Just(Computing::KeepsLock),
        Just(Computing::ReleasesLock),
    ];
    prop_oneof![
        6 => (1..8_000_000_u64, kind).prop_map(|(cost, kind)| Deed::Compute(cost, kind)),
        3 => (0..4_u32, any::<bool>()).prop_map(|(cell, write)| Deed::Access(cell, write)),
        2 => Just(Deed::CheckPoint),
        3 => (0..5_000_000_u64).prop_map(Deed::Sleep),
        3 => (0..2_usize, 0..3_000_000_u64).prop_map(|(lock, time)| Deed::Locked(lock, time)),
        2 => (0..2_usize, 0..3_000_000_u64).prop_map(|(lock, time)| Deed::TryLock(lock, time)),
        2 => any::<i64>().prop_map(Deed::Put),
        2 => (0..3_000_000_u64).prop_map(Deed::Get),
        2 => (0..3_000_000_u64).prop_map(Deed::Submit),
        1 => (0..3_000_000_u64).prop_map(Deed::Wait),
        1 => (0..3_000_000_u64).prop_map(Deed::Interpreter),
        1 => (0..3_000_000_u64).prop_map(Deed::Process),
        1 => Just(Deed::Mark),
    ]
}

fn settings() -> impl Strategy<Value = MachineSettings> {
    let runtime = prop_oneof![
        Just(Runtime::GilLegacy),
        Just(Runtime::Gil),
        Just(Runtime::FreeThreaded)
    ];
    let costs = prop_oneof![Just(false), Just(true)];
    let switch = (0..120_u64, 0..6_u32).prop_map(|(at_step, to)| Switch {
        at_step,
        to: ThreadId(to),
    });
    let switches = prop_oneof![Just(Vec::new()), prop::collection::vec(switch, 1..30)];
    let machine = (1..4_u32, 0..3_u32, runtime, costs, any::<u32>(), switches);
    machine.prop_map(|(cores, more, runtime, has_costs, seed, switches)| {
        let costs = Costs {
            sibling_permille: 650,
            all_cores_permille: 870,
            cell_transfer: Nanoseconds(80),
            fork_server: StartCost {
                parent: us(100),
                child: us(900),
            },
            interpreter_start: us(500),
            process_item: us(20),
            submit: us(10),
            pool_call: us(5),
            compute_jitter_permille: 0,
            ..rough(1).costs
        };
        MachineSettings {
            cores,
            logical_cores: cores + more,
            runtime,
            seed,
            traced: true,
            switches,
            costs: if has_costs { costs } else { Costs::IDEAL },
            ..MachineSettings::default()
        }
    })
}

/// Computes, and counts it.
async fn compute(here: &Here, time: u64, kind: Computing, total: &List<u64>) {
    total.add(time);
    here.compute_as(Nanoseconds(time), kind).await;
}

/// A program of threads that each do their deeds; all that is computed is written down.
async fn program(here: Here, deeds: Rc<Vec<Vec<Deed>>>, total: List<u64>) -> Gives<()> {
    let locks = [here.new_thread_lock().await?, here.new_thread_lock().await?];
    let queue = here.new_thread_queue(QueueOrder::First, 2).await?;
    let event = here.new_thread_event().await?;
    let new = NewPool {
        workers: Workers::Threads,
        max_workers: Some(2),
        ..NewPool::default()
    };
    let pool = here.new_pool(new).await?;
    let n_threads = deeds.len() as u32;
    let threads = bunch(&here, n_threads, move |here, number| {
        let (deeds, total) = (deeds.clone(), total.clone());
        async move {
            for deed in &deeds[number as usize] {
                match deed.clone() {
                    Deed::Compute(time, kind) => compute(&here, time, kind, &total).await,
                    Deed::Access(cell, false) => drop(here.read(CellId(cell)).await),
                    Deed::Access(cell, true) => drop(here.access(Access::Add(CellId(cell), 1)).await),
                    Deed::CheckPoint => here.check_point(Operation::LoopBackEdge).await,
                    Deed::Sleep(time) => here.block(Nanoseconds(time)).await,
                    Deed::Locked(lock, time) => {
                        here.acquire_thread_lock(locks[lock], Patience::Forever).await?;
                        compute(&here, time, Computing::Bytecode, &total).await;
                        here.release_thread_lock(locks[lock]).await?;
                    }
                    Deed::TryLock(lock, time) => {
                        let patience = Patience::For(Nanoseconds(time));
                        if here.acquire_thread_lock(locks[lock], patience).await? {
                            here.release_thread_lock(locks[lock]).await?;
                        }
                    }
                    Deed::Put(item) => {
                        // Full it may be, and then it is.
                        let _ = here.put_thread_queue(queue, item, Patience::For(ms(1))).await;
                    }
                    Deed::Get(time) => {
                        let _ = here.get_thread_queue(queue, Patience::For(Nanoseconds(time))).await;
                    }
                    Deed::Submit(time) => {
                        let total = total.clone();
                        here.submit(pool, move |here| async move {
                            compute(&here, time, Computing::Bytecode, &total).await;
                            NOTHING
                        })
                        .await?;
                    }
                    Deed::Wait(time) => {
                        here.wait_thread_event(event, Some(Nanoseconds(time))).await?;
                        here.set_thread_event(event).await?;
                        here.clear_thread_event(event).await?;
                    }
                    Deed::Interpreter(time) => {
                        let total = total.clone();
                        let interpreter = here.new_interpreter().await?;
                        let thread = here.start_thread_in(interpreter, move |here| async move {
                            compute(&here, time, Computing::Bytecode, &total).await;
                            NOTHING
                        });
                        here.join_thread(thread.await?, Some(ms(1))).await?;
                    }
                    Deed::Process(time) => {
                        let total = total.clone();
                        here.start_process(StartMethod::ForkServer, move |here| async move {
                            compute(&here, time, Computing::Bytecode, &total).await;
                            NOTHING
                        })
                        .await?;
                    }
                    Deed::Mark => here.note(Note::Mark("mark".to_owned())).await,
                }
            }
            NOTHING
        }
    });
    join_all(&here, threads.await?).await
}

/// Runs to the end in slices; gives the machine and the trace's hash, having checked the clock and the lanes.
fn run_all(settings: MachineSettings, deeds: &Rc<Vec<Vec<Deed>>>, total: &List<u64>) -> (Machine, TraceHash) {
    let (deeds, total) = (deeds.clone(), total.clone());
    let mut machine = machine(settings, move |here| async move {
        program(here, deeds, total).await?;
        NOTHING
    });
    let mut before = machine.now();
    loop {
        let progress = machine.run(13);
        assert!(machine.now() >= before, "the clock goes back");
        before = machine.now();
        match progress {
            Progress::Paused => {}
            Progress::Ended(outcome) => {
                outcome.expect("it ends well");
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(machine.complaints().is_empty(), "{:?}", machine.complaints());
    let now = machine.now();
    let log = std::mem::take(machine.recorder_mut())
        .finish(now)
        .expect("it is traced");
    assert!(!log.clock_went_back());
    check_spans(&log).expect("the states of every lane follow each other without gaps");
    let hash = log.hash();
    (machine, hash)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn every_run_keeps_its_books(
        settings in settings(),
        deeds in prop::collection::vec(prop::collection::vec(deed(), 0..12), 1..6),
    ) {
        let deeds = Rc::new(deeds);
        let total = List::new();
        let (machine, hash) = run_all(settings.clone(), &deeds, &total);
        // All that was asked for was computed, to the nanosecond, however often it was interrupted.
        let computed: u64 = total.all().iter().sum();
        prop_assert_eq!(machine.used().computed, Nanoseconds(computed));
        let used = machine.used();
        if settings.logical_cores == settings.cores && settings.costs == Costs::IDEAL {
            prop_assert_eq!(used.on_core, used.computed);
        } else {
            prop_assert!(used.on_core >= used.computed + used.overhead);
        }
        // No core did more than there was time for.
        let room = machine.now().0 * u64::from(settings.logical_cores);
        prop_assert!(used.on_core.0 <= room);
        // The same again is the same in every event.
        let again = List::new();
        let (second, same) = run_all(settings.clone(), &deeds, &again);
        prop_assert_eq!(hash, same);
        prop_assert_eq!(machine.steps(), second.steps());
        prop_assert_eq!(machine.hand_overs(), second.hand_overs());
        prop_assert_eq!(machine.thread_reports().len(), second.thread_reports().len());
        // Untraced it is the same run.
        let untraced = MachineSettings { traced: false, ..settings };
        let (deeds, total) = (deeds.clone(), List::new());
        let third = ended(untraced, move |here| async move {
            program(here, deeds, total).await?;
            NOTHING
        });
        prop_assert_eq!((third.now(), third.steps()), (second.now(), second.steps()));
    }

    /// `x += 1` under the lock of 3.10 and later loses nothing, at any interval, on any machine.
    #[test]
    fn a_plain_addition_is_whole_under_the_lock(
        mut settings in settings(),
        interval in 1..5_000_u64,
        n_threads in 2..5_u32,
        times in prop::collection::vec(1..400_u64, 3),
    ) {
        settings.runtime = Runtime::Gil;
        settings.traced = false;
        settings.switch_interval = us(interval);
        let machine = ended(settings, move |here| async move {
            let threads = bunch(&here, n_threads, move |here, _| {
                let times = times.clone();
                async move {
                    for _ in 0..200 {
                        let value = here.read(CellId(0)).await.int().unwrap_or(0);
                        here.compute_as(Nanoseconds(times[0]), Computing::KeepsLock).await;
                        here.write(CellId(0), value + 1).await;
                        here.compute_as(Nanoseconds(times[1]), Computing::KeepsLock).await;
                        here.check_point(Operation::LoopBackEdge).await;
                        here.compute(Nanoseconds(times[2])).await;
                    }
                    NOTHING
                }
            });
            join_all(&here, threads.await?).await?;
            NOTHING
        });
        prop_assert_eq!(machine.cell(CellId(0)).int(), Some(i64::from(n_threads) * 200));
    }
}
