//! The list of an instance: kept from call to call, one for all threads, begun anew where threads say so.

use concurrency_playground::live::Host;
use concurrency_playground::wire::{AppendJob, Job, JobOutcome, ListSeen, MOST_ITEMS, Sabotage};

use super::{on_pool, perform};

fn append(items: u32, threads: u32, chunk: u32, sabotage: Option<Sabotage>) -> ListSeen {
    let job = Job::Append(AppendJob {
        items,
        threads,
        chunk,
        sabotage,
    });
    let outcome = if threads == 0 {
        perform(&job, Host::native())
    } else {
        on_pool(&job)
    };
    match outcome {
        JobOutcome::Appended(seen) => seen,
        other => panic!("{other:?}"),
    }
}

/// One test, because a native program has one list.
#[test]
fn a_list_is_kept_shared_and_begun_anew() {
    for (items, threads, chunk) in [(1_000, 4, 1), (1_000, 3, 7), (2, 8, 100), (0, 2, 1)] {
        let seen = append(items, threads, chunk, None);
        assert_eq!(
            (seen.before, seen.lists),
            (0, vec![items; threads as usize]),
            "{items}, {threads}, {chunk}"
        );
    }
    append(10, 2, 1, None);
    let seen = append(5, 0, 1, None);
    assert_eq!(
        (seen.before, seen.lists),
        (10, vec![15]),
        "what was there is still there"
    );
    assert_eq!(append(0, 0, 1, None).lists, [15], "looking changes nothing");

    let own = append(1_000, 4, 10, Some(Sabotage::ListsOfTheirOwn));
    assert_eq!(own.lists.iter().sum::<u32>(), 1_000, "{own:?}");
    assert_eq!(append(0, 0, 1, None).lists, [0], "the shared one stayed empty");

    let full = append(MOST_ITEMS, 0, 1, None);
    assert_eq!(full.lists, [MOST_ITEMS]);
    let anew = append(3, 0, 1, None);
    assert_eq!(
        (anew.before, anew.lists),
        (0, vec![3]),
        "a list that is too long is begun anew"
    );
}
