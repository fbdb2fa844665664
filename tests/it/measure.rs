//! Statistics that must not lie, and the order of a run.

use concurrency_playground::measure::statistics::{median, median_interval, ratio_interval};
use concurrency_playground::measure::verdict::{Verdict, compare};
use concurrency_playground::measure::{Experiment, Sampler, Settings, Step, Subject, digits};
use concurrency_playground::wire::{Action, ActionOutcome, Impossible, Job, JobOutcome, Strategy as Way};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

/// Noise as timers have it: a floor, a tail, now and then a large disturbance.
fn noisy(generator: &mut Pcg32, n_samples: usize) -> Vec<f64> {
    let one = |generator: &mut Pcg32| {
        let tail = -generator.random::<f64>().max(1e-12).ln();
        let disturbed = if generator.random::<f64>() < 0.1 {
            generator.random::<f64>() * 60.0
        } else {
            0.0
        };
        100.0 + 3.0 * tail + disturbed
    };
    (0..n_samples).map(|_| one(generator)).collect()
}

/// The promise of the verdict's rule: equal work is called faster in fewer than 2 of 100 runs, however few samples.
#[test]
fn equal_work_is_rarely_called_faster() {
    for n_samples in [5, 10] {
        let mut generator = Pcg32::seed_from_u64(n_samples as u64);
        let (mut n_faster, mut n_slower) = (0, 0);
        for trial in 0..1_000 {
            let (one, two) = (noisy(&mut generator, n_samples), noisy(&mut generator, n_samples));
            match compare(&one, &two, trial).expect("comparable").verdict {
                Verdict::Faster => n_faster += 1,
                Verdict::Slower => n_slower += 1,
                _ => {}
            }
        }
        assert!(
            n_faster < 20 && n_slower < 20,
            "{n_samples} samples: {n_faster} faster, {n_slower} slower of 1,000"
        );
    }
}

/// And it is no rule that never speaks: half the time is found with the default five samples.
#[test]
fn half_the_time_is_found() {
    let mut generator = Pcg32::seed_from_u64(9);
    let found = (0..200).filter(|trial| {
        let slow: Vec<f64> = noisy(&mut generator, 5).iter().map(|ms| 2.0 * ms).collect();
        compare(&slow, &noisy(&mut generator, 5), *trial)
            .expect("comparable")
            .verdict
            == Verdict::Faster
    });
    assert!(found.count() >= 190);
}

proptest! {
    #[test]
    fn an_interval_holds_its_median(samples in prop::collection::vec(0.001..1e6f64, 2..60), seed: u32) {
        let interval = median_interval(&samples, seed).expect("two samples at least");
        prop_assert_eq!(Some(interval.value), median(&samples));
        prop_assert!(interval.low <= interval.value && interval.value <= interval.high);
        let least = samples.iter().copied().fold(f64::INFINITY, f64::min);
        let most = samples.iter().copied().fold(0.0, f64::max);
        prop_assert!(least <= interval.low && interval.high <= most);
    }

    #[test]
    fn equal_samples_are_no_difference(ms in 0.01..1e5f64, n_one in 5usize..40, n_two in 5usize..40, seed: u32) {
        let comparison = compare(&vec![ms; n_one], &vec![ms; n_two], seed).expect("comparable");
        prop_assert_eq!(comparison.verdict, Verdict::NoDifference);
        prop_assert_eq!(comparison.speedup.value, 1.0);
    }

    #[test]
    fn faster_one_way_is_slower_the_other(
        one in prop::collection::vec(1.0..100f64, 5..30),
        two in prop::collection::vec(1.0..100f64, 5..30),
    ) {
        let there = compare(&one, &two, 1).expect("comparable");
        let back = compare(&two, &one, 1).expect("comparable");
        prop_assert!((there.speedup.value * back.speedup.value - 1.0).abs() < 1e-9);
        prop_assert!(there.verdict != Verdict::Faster || back.verdict != Verdict::Faster);
        prop_assert!(there.verdict != Verdict::Slower || back.verdict != Verdict::Slower);
    }

    #[test]
    fn a_ratio_scales_with_its_samples(samples in prop::collection::vec(1.0..100f64, 2..30), factor in 1.1..50f64) {
        let slower: Vec<f64> = samples.iter().map(|ms| ms * factor).collect();
        let ratio = ratio_interval(&slower, &samples, 3).expect("comparable");
        prop_assert!((ratio.value - factor).abs() < factor * 1e-9);
    }

    #[test]
    fn rounding_stays_close(value in -1e9..1e9f64, width in 1e-6..1e6f64) {
        let shown = digits::rounded(value, value - width, value + width);
        prop_assert!((shown - value).abs() <= width / 5.0);
    }
}

/// Rows that take time in proportion to the size: `rates` are milliseconds a unit.
#[derive(Debug)]
struct Proportional {
    size: u32,
    rates: Vec<f64>,
    knows_rate: bool,
    may_grow: bool,
    timer_row: bool,
}

impl Proportional {
    fn new(size: u32, rates: &[f64]) -> Self {
        Self {
            size,
            rates: rates.to_vec(),
            knows_rate: false,
            may_grow: false,
            timer_row: false,
        }
    }
}

impl Experiment for Proportional {
    fn subjects(&self) -> Vec<Subject> {
        let rows = self.rates.iter().map(|_| Subject::new(Way::Serial));
        let timer = self.timer_row.then(|| Subject {
            once: true,
            ..Subject::new(Way::EventLoop)
        });
        rows.chain(timer).collect()
    }

    fn asked_size(&self) -> u32 {
        self.size
    }

    fn fitting_size(&self, sample_ms: f64) -> u32 {
        let rate = self.rates.first().copied().filter(|_| self.knows_rate);
        rate.map_or(self.size, |rate| digits::two_digits(sample_ms / rate).min(self.size))
    }

    fn grown_size(&self, factor: f64) -> Option<u32> {
        self.may_grow.then(|| (f64::from(self.size) * factor).ceil() as u32)
    }

    fn action(&self, row: usize, size: u32) -> Action {
        // The size travels in the job, the row in the number of callers: enough for a page to answer.
        Action::OnLab {
            threads: 0,
            job: Job::Block { ms: size },
            callers: row as u32,
            limit_ms: 8_000,
        }
    }
}

fn settings(repeats: u32, budget_ms: f64, clock_step_ms: f64) -> Settings {
    Settings {
        repeats,
        budget_ms,
        clock_step_ms,
    }
}

/// Runs to the end; each entry is the row, the size and the step of an action.
fn drive(experiment: Proportional, settings: Settings) -> (Sampler, Vec<(u32, u32, Step)>) {
    let rates = experiment.rates.clone();
    let mut sampler = Sampler::new(Box::new(experiment), settings);
    let mut order = Vec::new();
    while let Some(Action::OnLab {
        job: Job::Block { ms: size },
        callers: row,
        ..
    }) = sampler.next_action()
    {
        order.push((row, size, sampler.step()));
        let ms = rates.get(row as usize).copied().unwrap_or(1.0) * f64::from(size);
        sampler.answered(blocked(ms)).expect("it answers");
        assert!(order.len() < 10_000, "it ends");
    }
    (sampler, order)
}

fn blocked(ms: f64) -> ActionOutcome {
    let jobs = vec![JobOutcome::Blocked { elapsed_ms: ms }];
    ActionOutcome::Performed {
        elapsed_ms: ms + 1.0,
        jobs,
        spans: Vec::new(),
        started: 1,
        hidden: false,
    }
}

#[test]
fn rows_warm_up_once_and_take_turns() {
    let (sampler, order) = drive(
        Proportional {
            timer_row: true,
            ..Proportional::new(10, &[1.0, 2.0])
        },
        settings(3, 3_000.0, 0.0),
    );
    let rows: Vec<u32> = order.iter().map(|(row, _, _)| *row).collect();
    assert_eq!(
        rows,
        [0, 1, 0, 1, 2, 0, 1, 0, 1],
        "two warm-ups, then turns; the timer's row once"
    );
    assert_eq!(order[1].2, Step::Warming(1));
    assert_eq!(order[2].2, Step::Sampling(0, 0));
    assert_eq!(order[8].2, Step::Sampling(1, 2));
    let taken = sampler.taken();
    assert_eq!(
        taken.rows[0].samples_ms(),
        [10.0, 10.0, 10.0],
        "the worker's own time, not the page's"
    );
    assert_eq!(
        (
            taken.rows[0].warm_up.len(),
            taken.rows[2].warm_up.len(),
            taken.rows[2].samples.len()
        ),
        (1, 0, 1)
    );
    assert_eq!(sampler.counts(), (9, 9));
}

#[test]
fn sizes_shrink_to_the_budget_and_repeats_stay() {
    // 1,000 units of 1 ms would take 1 s a sample; the budget allows 3,000 / (5 + 1) = 500 ms.
    let known = Proportional {
        knows_rate: true,
        ..Proportional::new(1_000, &[1.0, 0.5])
    };
    let (sampler, order) = drive(known, settings(5, 3_000.0, 0.0));
    assert!(order.iter().all(|(_, size, _)| *size == 500));
    assert_eq!(sampler.taken().rows[1].samples.len(), 5);

    // Nothing was known before: the warm-ups show it, and run again at the size that fits.
    let (sampler, order) = drive(Proportional::new(1_000, &[1.0, 0.5]), settings(5, 3_000.0, 0.0));
    let sizes: Vec<u32> = order.iter().map(|(_, size, _)| *size).collect();
    assert_eq!(sizes[..4], [1_000, 1_000, 500, 500]);
    assert_eq!(
        sampler.taken().rows[0].warm_up.len(),
        1,
        "warm-ups at another size are not shown"
    );
    assert_eq!((sampler.taken().asked_size, sampler.taken().size), (1_000, 500));
}

#[test]
fn short_samples_grow_where_they_may() {
    let growing = Proportional {
        may_grow: true,
        ..Proportional::new(10, &[0.1, 0.05])
    };
    let (sampler, _) = drive(growing, settings(5, 3_000.0, 0.1));
    // The quicker row took 0.5 ms; 100 steps of 0.1 ms are 10 ms: twenty times the size.
    assert_eq!(sampler.taken().size, 200);
    let (sampler, _) = drive(Proportional::new(10, &[0.1, 0.05]), settings(5, 3_000.0, 0.1));
    assert_eq!(sampler.taken().size, 10);
    // Growing must not break the budget of the slowest row.
    let wide = Proportional {
        may_grow: true,
        ..Proportional::new(10, &[30.0, 0.05])
    };
    let (sampler, _) = drive(wide, settings(5, 3_000.0, 0.1));
    assert_eq!(sampler.taken().size, 10);
}

#[test]
fn the_watchdogs_limit_follows_the_time_a_sample_takes() {
    let mut sampler = Sampler::new(Box::new(Proportional::new(5, &[1_000.0])), settings(1, 60_000.0, 0.0));
    let limit = |sampler: &mut Sampler| match sampler.next_action() {
        Some(Action::OnLab { limit_ms, .. }) => limit_ms,
        other => panic!("{other:?}"),
    };
    assert_eq!(limit(&mut sampler), 8_000, "before anything is known");
    sampler.answered(blocked(5_000.0)).expect("it answers");
    assert_eq!(limit(&mut sampler), 20_000, "four times the warm-up");
}

#[test]
fn nonsense_ends_the_run_and_absence_does_not() {
    let sampler = || {
        let mut sampler = Sampler::new(Box::new(Proportional::new(1, &[1.0, 1.0])), settings(2, 3_000.0, 0.0));
        sampler.next_action().expect("something is due");
        sampler
    };
    let performed = |ms: f64, jobs| ActionOutcome::Performed {
        elapsed_ms: ms,
        jobs,
        spans: Vec::new(),
        started: 1,
        hidden: false,
    };
    for nonsense in [
        performed(1.0, Vec::new()),
        performed(1.0, vec![JobOutcome::Pinged { threads: 1 }]),
        performed(f64::NAN, vec![JobOutcome::Blocked { elapsed_ms: 1.0 }]),
        performed(1.0, vec![JobOutcome::Blocked { elapsed_ms: -1.0 }]),
        performed(1.0, vec![JobOutcome::Blocked { elapsed_ms: 1.0 }; 2]),
    ] {
        assert!(sampler().answered(nonsense.clone()).is_err(), "{nonsense:?}");
    }
    let mut going = sampler();
    going
        .answered(ActionOutcome::Unavailable {
            why: Impossible::NoPage,
        })
        .expect("a row less");
    assert!(matches!(going.next_action(), Some(Action::OnLab { callers: 1, .. })));
    assert!(!going.taken().rows[0].is_available());
    let mut early = sampler();
    early.answered(blocked(1.0)).expect("it answers");
    assert!(early.answered(blocked(1.0)).is_err(), "nothing was due");
}
