//! The native half of the benchmarks: `native_bench WHAT [REPEATS]` prints one line of JSON a measurement.
//!
//! WHAT is one of `names`, `modulo`, `squares`, `sha256`, `parallel`, `lock`, `count`, `machine`, `explore` or `all`; REPEATS is 7 unless
//! given. The browser's half calls it again and again between its own samples, so that noise hits both alike; compare
//! minima, because noise only adds. Every measurement is warmed up first. Times are milliseconds.
//!
//! `sha256` measures the back end that was compiled in and names it. To compare with WebAssembly, which has no SHA
//! instructions, build with `RUSTFLAGS='--cfg sha2_backend="soft"'` in a target directory of its own.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use concurrency_playground::live::{Host, perform};
use concurrency_playground::loads;
use concurrency_playground::wire::{ComputeJob, CountJob, CountVariant, Hands, Job, JobOutcome, Runtime, Workload};
use serde_json::json;

const USAGE: &str = "usage: native_bench names|modulo|squares|sha256|parallel|lock|count|machine|explore|all [REPEATS]";
/// The lesson's sizes.
const NAMES: u32 = 150_000;
const STEPS: u32 = 3_000_000;
const BUFFER_KIB: u32 = 32 * 1024;

/// A measurement's name, and what takes so many samples of it.
type Measurement = (&'static str, fn(u32));

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    if what == "tokio" {
        let sizes = arguments.next().unwrap_or_default();
        if tokio_loops(&sizes).is_some() {
            return ExitCode::SUCCESS;
        }
        eprintln!("{USAGE}; or: native_bench tokio SIZES, as JSON");
        return ExitCode::from(2);
    }
    if what == "other-explorers" {
        other_explorers();
        return ExitCode::SUCCESS;
    }
    let repeats = arguments.next().map_or(Ok(7), |repeats| repeats.parse());
    let Ok(repeats @ 1..=1000) = repeats else {
        eprintln!("{USAGE}; REPEATS is 1 to 1000");
        return ExitCode::from(2);
    };
    // The pool needs as many threads as `lock` and `count` race, whatever this machine has.
    if let Err(error) = rayon::ThreadPoolBuilder::new().num_threads(4).build_global() {
        eprintln!("native_bench: no pool of threads: {error}");
        return ExitCode::FAILURE;
    }
    let all: [Measurement; 9] = [
        ("names", |repeats| one_task("names", Workload::Names, NAMES, repeats)),
        ("modulo", |repeats| one_task("modulo", Workload::Modulo, STEPS, repeats)),
        ("squares", |repeats| {
            one_task("squares", Workload::Squares, STEPS, repeats)
        }),
        ("sha256", sha256),
        ("parallel", |repeats| {
            against_serial("parallel", 2, Runtime::FreeThreaded, repeats)
        }),
        ("lock", |repeats| against_serial("lock", 4, Runtime::Gil, repeats)),
        ("count", count),
        ("machine", machine),
        ("explore", explore),
    ];
    let chosen: Vec<_> = all.iter().filter(|(name, _)| what == "all" || what == *name).collect();
    if chosen.is_empty() {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    }
    chosen.iter().for_each(|(_, measure)| measure(repeats));
    ExitCode::SUCCESS
}

/// One task of a workload on one thread.
fn one_task(name: &str, workload: Workload, size: u32, repeats: u32) {
    let sample = || compute(workload, vec![1], size, Hands::Alone).0;
    sample();
    print(name, json!({ "size": size }), (0..repeats).map(|_| sample()).collect());
}

/// SHA-256 of one buffer of 32 MiB.
fn sha256(repeats: u32) {
    let back_end = if cfg!(sha2_backend = "soft") { "soft" } else { "default" };
    let job = Job::Digest {
        kibibytes: BUFFER_KIB,
        repeats: repeats + 1,
    };
    let JobOutcome::Digested { elapsed_ms, digest } = perform(&job, Host::native()) else {
        return;
    };
    print(
        "sha256",
        json!({ "kibibytes": BUFFER_KIB, "backEnd": back_end, "digest": digest }),
        elapsed_ms.into_iter().skip(1).collect(),
    );
}

/// Eight tasks of names, one after another and on threads, in turn.
fn against_serial(name: &str, workers: u32, runtime: Runtime, repeats: u32) {
    let threads = Hands::Threads {
        workers,
        runtime,
        switch_interval_us: 5_000,
    };
    let sample = |hands| compute(Workload::Names, (0..8).collect(), NAMES, hands);
    sample(threads);
    let mut hand_overs = 0;
    let (serial, on_threads) = (0..repeats)
        .map(|_| {
            let serial = sample(Hands::Alone).0;
            let (elapsed_ms, switches) = sample(threads);
            hand_overs = switches;
            (serial, elapsed_ms)
        })
        .unzip();
    print(&format!("{name}-serial"), json!({ "workers": 1 }), serial);
    print(
        &format!("{name}-threads"),
        json!({ "workers": workers, "handOvers": hand_overs }),
        on_threads,
    );
}

/// Four threads that count, under each runtime: how long, how many lost, how much at once.
fn count(repeats: u32) {
    for variant in [
        CountVariant::Plain,
        CountVariant::Call,
        CountVariant::Wide,
        CountVariant::Lock,
        CountVariant::Queue,
    ] {
        for runtime in [Runtime::GilLegacy, Runtime::Gil, Runtime::FreeThreaded] {
            let job = Job::Count(CountJob {
                variant,
                runtime,
                threads: 4,
                additions: 250_000,
                switch_interval_us: 5_000,
                work_per_bytecode: 10,
                sabotage: None,
            });
            let mut last = json!({});
            let samples = (0..repeats)
                .map(|_| match perform(&job, Host::native()) {
                    JobOutcome::Counted { elapsed_ms, value, expected, overlap, at_once, hand_overs } => {
                        last = json!({ "variant": variant, "runtime": runtime, "lost": expected - value, "overlap": overlap, "atOnce": at_once, "handOvers": hand_overs });
                        elapsed_ms
                    }
                    other => unreachable!("a counting job counts: {other:?}"),
                })
                .collect();
            print("count", last, samples);
        }
    }
}

/// The machine's loads.
fn machine(repeats: u32) {
    for (load, size) in loads::LOADS {
        let sample = || {
            let start = Host::native().now();
            let done = loads::load(load, size);
            (Host::native().now() - start, done)
        };
        let (_, done) = sample();
        let steps = done.map_or(0, |done| done.steps);
        print(
            &format!("machine-{load}"),
            json!({ "size": size, "steps": steps }),
            (0..repeats).map(|_| sample().0).collect(),
        );
    }
    let mut timeline = loads::traced(loads::LONG_RUN);
    let about = json!({ "events": timeline.log().n_events(), "effects": loads::LONG_RUN });
    print(
        "machine-jumps",
        about,
        loads::jumps(&mut timeline, Host::native().now_ms),
    );
}

/// The search through all schedules of counters.
fn explore(repeats: u32) {
    for (threads, increments) in loads::COUNTERS {
        let sample = || loads::search(threads, increments, Host::native().now_ms);
        let states = sample().states;
        let about = json!({ "threads": threads, "increments": increments, "states": states });
        let (counting, all) = (0..repeats)
            .map(|_| sample())
            .map(|done| (done.counting_ms, done.all_ms))
            .unzip();
        let name = format!("explore-{threads}x{increments}");
        print(&name, about.clone(), counting);
        print(&format!("{name}-with-witnesses"), about, all);
    }
}

/// How long other explorers of schedules take for the same counters, and how many executions each of them tries; one that
/// is not done within [`PATIENCE`] is cut there.
fn other_explorers() {
    // Loom first: it ends threads that a schedule leaves behind by unwinding them, and shuttle would report each.
    for (name, explore) in [
        ("loom", loom_counter as fn(u8, u8) -> u64),
        ("shuttle", shuttle_counter),
    ] {
        for (threads, increments) in loads::COUNTERS {
            let start = Host::native().now();
            let executions = explore(threads, increments);
            let ms = Host::native().now() - start;
            let is_done = ms < PATIENCE.as_secs_f64() * 1000.0;
            let about = json!({ "explorer": name, "threads": threads, "increments": increments, "done": is_done,
                "executions": executions });
            print(&format!("explore-{threads}x{increments}-{name}"), about, vec![ms]);
        }
    }
}

/// What another explorer is given.
const PATIENCE: Duration = Duration::from_secs(5);

/// Threads that count, with an explorer's own threads and cells; who owns the counter is no part of the program. The thread that starts the others is one of them, as loom
/// allows four in all.
macro_rules! counter_of {
    ($explorer:ident, $threads:expr, $increments:expr, $executions:expr) => {{
        let (threads, increments, executions) = ($threads, $increments, Arc::clone(&$executions));
        move || {
            use $explorer::sync::atomic::{AtomicUsize, Ordering::SeqCst};
            executions.fetch_add(1, Ordering::Relaxed);
            let counter = Arc::new(AtomicUsize::new(0));
            let count = move |counter: &AtomicUsize| {
                for _ in 0..increments {
                    let read = counter.load(SeqCst);
                    counter.store(read + 1, SeqCst);
                }
            };
            let others: Vec<_> = (1..threads)
                .map(|_| {
                    let counter = Arc::clone(&counter);
                    $explorer::thread::spawn(move || count(&counter))
                })
                .collect();
            count(&counter);
            for other in others {
                // None of them panics.
                let _ = other.join();
            }
        }
    }};
}

/// Every interleaving, by loom's partial-order reduction, which a counter defeats: each access conflicts with each other.
fn loom_counter(threads: u8, increments: u8) -> u64 {
    let executions = Arc::new(AtomicU64::new(0));
    let mut builder = loom::model::Builder::new();
    builder.max_duration = Some(PATIENCE);
    builder.max_branches = 100_000;
    builder.check(counter_of!(loom, threads, increments, executions));
    executions.load(Ordering::Relaxed)
}

/// Every interleaving, one after another, depth first.
fn shuttle_counter(threads: u8, increments: u8) -> u64 {
    let executions = Arc::new(AtomicU64::new(0));
    let mut config = shuttle::Config::default();
    config.max_time = Some(PATIENCE);
    let scheduler = shuttle::scheduler::DfsScheduler::new(None, false);
    shuttle::Runner::new(scheduler, config).run(counter_of!(shuttle, threads, increments, executions));
    executions.load(Ordering::Relaxed)
}

/// Milliseconds and hand-overs of one computing job.
fn compute(workload: Workload, tasks: Vec<u32>, size: u32, hands: Hands) -> (f64, u32) {
    let job = Job::Compute(ComputeJob {
        workload,
        tasks,
        size,
        hands,
        sabotage: None,
    });
    match perform(&job, Host::native()) {
        JobOutcome::Computed {
            elapsed_ms, hand_overs, ..
        } => (elapsed_ms, hand_overs),
        other => unreachable!("a computing job computes: {other:?}"),
    }
}

fn print(measurement: &str, about: serde_json::Value, samples: Vec<f64>) {
    let fastest = samples.iter().copied().fold(f64::INFINITY, f64::min);
    println!(
        "{}",
        json!({ "measurement": measurement, "unit": "ms", "fastest": fastest, "samples": samples, "about": about })
    );
}

/// The loop loads on tokio, which has no timers without a task, on one thread: milliseconds of processor time, the fastest of three, as one line of JSON.
/// Sizes come as JSON, as the other loops of the benchmarks take them.
fn tokio_loops(sizes: &str) -> Option<()> {
    let sizes: serde_json::Value = serde_json::from_str(sizes).ok()?;
    let size = |load: &str| sizes.get(load).and_then(serde_json::Value::as_u64);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .ok()?;
    let (n_tasks, n_sleeps, n_requests) = (size("tasks")?, size("sleeps")?, size("fan-out")?);
    let tasks = fastest_cpu_ms(3, || runtime.block_on(all(n_tasks, |_| async {})));
    let each = n_sleeps / loads::PENDING;
    let sleeps = fastest_cpu_ms(1, || {
        runtime.block_on(all(loads::PENDING, move |number| async move {
            let mut random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            for _ in 0..each {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                tokio::time::sleep(Duration::from_nanos(1 + (random >> 40))).await;
            }
        }));
    });
    let requests = fastest_cpu_ms(3, || {
        runtime.block_on(all(n_requests, |_| tokio::time::sleep(Duration::from_millis(200))));
    });
    println!("{}", json!({ "tasks": tasks, "sleeps": sleeps, "fan-out": requests }));
    Some(())
}

/// So many tasks, all of them waited for.
async fn all<Body>(n_tasks: u64, body: impl Fn(u64) -> Body)
where
    Body: Future<Output = ()> + Send + 'static,
{
    let tasks: Vec<_> = (0..n_tasks).map(|number| tokio::spawn(body(number))).collect();
    for task in tasks {
        // No task of these panics or is cancelled.
        let _ = task.await;
    }
}

/// The least processor time of this thread that a run takes, in milliseconds; not a number where it is not to be had.
fn fastest_cpu_ms(repeats: u32, mut run: impl FnMut()) -> f64 {
    let cpu_ms = || {
        let read = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let nanoseconds: f64 = read.split_whitespace().next()?.parse().ok()?;
        Some(nanoseconds / 1e6)
    };
    let samples = (0..repeats).filter_map(|_| {
        let start = cpu_ms()?;
        run();
        Some(cpu_ms()? - start)
    });
    samples.fold(f64::NAN, f64::min)
}
