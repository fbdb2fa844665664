//! The counter's exact numbers: states, schedules, endings.

use super::counting::by_layers;
use super::programs::counter;
use concurrency_playground::explore::small::{Ending, SmallSystem, words_needed};

/// Threads, additions, steps of one, merged states, the same with alike threads exchanged, schedules.
const TABLE: [(u8, u8, u8, usize, usize, u128); 12] = [
    (2, 1, 2, 12, 8, 6),
    (2, 3, 2, 195, 106, 924),
    (2, 5, 2, 1_277, 661, 184_756),
    (2, 10, 2, 22_707, 11_446, 137_846_528_820),
    (3, 1, 2, 59, 20, 90),
    (3, 3, 2, 7_646, 1_529, 17_153_136),
    (3, 5, 2, 169_771, 30_387, 5_550_996_791_340),
    (4, 3, 2, 361_775, 20_432, 2_308_743_493_056),
    (2, 1, 3, 21, 13, 20),
    (2, 3, 3, 439, 231, 48_620),
    (2, 5, 3, 3_209, 1_636, 155_117_520),
    (3, 1, 3, 141, 40, 1_680),
];

fn factorial(n: u128) -> u128 {
    (1..=n).product()
}

#[test]
fn states_and_schedules_are_those_of_the_table() {
    for (n, k, m, n_states, n_sorted, n_schedules) in TABLE {
        let program = counter(n, k, m);
        assert_eq!(words_needed(&program), Ok(1));
        let system = SmallSystem::<1>::new(program).expect("it is sound");
        let plain = by_layers(&system, false);
        let sorted = by_layers(&system, true);
        assert_eq!(
            (plain.n_states, sorted.n_states),
            (n_states, n_sorted),
            "{n} × {k}, {m} steps"
        );
        assert_eq!(plain.n_schedules(), n_schedules, "{n} × {k}, {m} steps");
        assert_eq!(plain.endings, sorted.endings, "{n} × {k}, {m} steps");

        let (n, k) = (u128::from(n), u128::from(k));
        let right = Ending::Finished {
            cells: vec![i32::try_from(n * k).expect("it is small")],
        };
        let n_right = factorial(n * k) / (0..n).map(|_| factorial(k)).product::<u128>();
        assert_eq!(plain.endings[&right], n_right);
        let least = if k == 1 { 1 } else { 2 };
        let values: Vec<Ending> = (least..=i32::try_from(n * k).expect("it is small"))
            .map(|value| Ending::Finished { cells: vec![value] })
            .collect();
        assert_eq!(plain.endings.into_keys().collect::<Vec<_>>(), values);
    }
}

/// The same program in more words than it needs goes the same ways.
#[test]
fn four_words_count_as_one_does() {
    let one = by_layers(&SmallSystem::<1>::new(counter(3, 2, 2)).expect("it is sound"), true);
    let four = by_layers(&SmallSystem::<4>::new(counter(3, 2, 2)).expect("it is sound"), true);
    assert_eq!(one, four);
}

/// Eight threads with numbers up to 400 need three words, and their parts lie in different ones.
#[test]
fn the_largest_counter_fits_into_four_words() {
    let program = counter(8, 50, 2);
    assert_eq!(words_needed(&program), Ok(3));
    let system = SmallSystem::<4>::new(program).expect("it is sound");
    let mut state = super::counting::after(&system, &"ABCDEFGH".repeat(100));
    assert_eq!(state, super::counting::after(&system, &"HGFEDCBA".repeat(100)));
    let view = system.view(&state);
    assert_eq!(view.cells[0].value, 50);
    concurrency_playground::explore::System::sort(&system, &mut state);
    assert_eq!(system.view(&state), view);
}
