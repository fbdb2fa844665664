//! The workloads against CPython's own results.

use std::hint::black_box;

use concurrency_playground::live::Host;
use concurrency_playground::workloads::{arithmetic, names};

fn no_tick() {}

/// Counts that CPython gives for its `random.Random(seed)` and `math.log2`, at the sizes of the lesson and around
/// the ends of the generator's blocks.
#[test]
fn names_are_cpythons() {
    let check =
        |seed, n_names, expected| assert_eq!(names::flagged(seed, n_names, no_tick), expected, "{seed}, {n_names}");
    check(0, 150_000, 89_266);
    check(1, 150_000, 89_542);
    for (seed, counts) in [
        (0, [0, 0, 23, 24, 24, 599]),
        (1, [1, 1, 23, 24, 24, 610]),
        (2, [1, 2, 28, 28, 29, 618]),
        (12_345, [1, 2, 26, 26, 27, 617]),
        (u32::MAX, [1, 1, 24, 24, 25, 606]),
    ] {
        for (n_names, expected) in [1, 2, 38, 39, 40, 1000].into_iter().zip(counts) {
            check(seed, n_names, expected);
        }
    }
    assert_eq!(names::flagged(0, 0, no_tick), 0);
}

#[test]
fn a_tick_comes_with_every_name() {
    let mut ticks = 0;
    let _ = names::flagged(1, 1234, || ticks += 1);
    assert_eq!(ticks, 1234);
}

#[test]
fn arithmetic_is_cpythons() {
    assert_eq!(arithmetic::squares(3_000_000, no_tick), 8_999_995_500_000_500_000);
    assert_eq!(arithmetic::squares(20_000_000, no_tick), 2_666_666_466_666_670_000_000);
    assert_eq!(arithmetic::modulo(3_000_000, no_tick), 5_999_999);
}

/// A loop replaced by a formula would take the same time for any size. Ten times the size must take twice the time
/// at least, comparing the fastest of many, because noise only adds.
#[test]
fn time_grows_with_the_size() {
    type Work = fn(u32) -> u128;
    let all: [(&str, Work); 3] = [
        ("names", |size| names::flagged(1, size / 64, no_tick).into()),
        ("squares", |size| arithmetic::squares(size, no_tick)),
        ("modulo", |size| arithmetic::modulo(size, no_tick).into()),
    ];
    let host = Host::native();
    for (name, work) in all {
        let fastest = |size: u32| {
            (0..30)
                .map(|_| {
                    let start = host.now();
                    black_box(work(black_box(size)));
                    host.now() - start
                })
                .fold(f64::INFINITY, f64::min)
        };
        let (small, large) = (fastest(20_000), fastest(200_000));
        assert!(
            large > 2.0 * small,
            "{name}: {small} ms, then {large} ms for ten times as much"
        );
    }
}
