//! What is asked of the random programs themselves, and which faults of the loop they show.
//!
//! Not here: whether CPython agrees (tests/difference/run.mjs).

use std::collections::BTreeMap;

use super::syntax::Does;
use super::{CONSTRUCTS, FAULTS, constructs, generate, listing, python, row, rows, run, run_on_machine};

const PROGRAMS: u32 = 1_000;
/// Every fault shows in so many.
const ENOUGH_FOR_FAULTS: u32 = 500;

#[test]
fn every_construct_is_in_five_percent_of_the_programs() {
    let mut counts: BTreeMap<&str, u32> = CONSTRUCTS.iter().map(|name| (*name, 0)).collect();
    for seed in 1..=PROGRAMS {
        for name in constructs(&generate(seed)) {
            *counts.get_mut(name).unwrap_or_else(|| panic!("{name} is not listed")) += 1;
        }
    }
    let rare: Vec<_> = counts
        .iter()
        .filter(|(_, count)| **count * 100 < PROGRAMS * 5)
        .collect();
    assert!(rare.is_empty(), "{rare:?} of {PROGRAMS}");
}

#[test]
fn half_of_the_programs_have_twelve_operations_and_all_have_three_tasks() {
    let mut sizes = Vec::new();
    for seed in 1..=PROGRAMS {
        let script = generate(seed);
        sizes.push(script.size());
        let mut n_spawned = 0;
        script.each(&mut |does, _| n_spawned += u32::from(matches!(does, Does::Spawn { .. })));
        assert!(n_spawned >= 3, "program {seed} spawns {n_spawned}");
    }
    sizes.sort_unstable();
    assert!(sizes[sizes.len() / 2] >= 12, "median {}", sizes[sizes.len() / 2]);
}

#[test]
fn a_seed_is_a_program_and_a_program_is_a_log() {
    for seed in 1..=50 {
        let script = generate(seed);
        assert_eq!(script, generate(seed));
        assert_eq!(run(&script, None), run(&script, None), "program {seed}");
    }
    assert_ne!(generate(1), generate(2));
}

#[test]
fn smaller_programs_are_smaller_and_run() {
    for seed in 1..=5 {
        let script = generate(seed);
        let all = script.smaller();
        assert!(all.len() > script.size(), "each step can go");
        for smaller in all {
            assert_ne!(smaller, script);
            assert!(smaller.size() <= script.size());
            assert!(!run(&smaller, None).is_empty());
        }
    }
}

/// CPython agrees with the honest loop on these very programs, so that a log that differs from its is a fault found.
#[test]
fn every_fault_shows_within_five_hundred_programs() {
    let mut first: BTreeMap<String, Option<u32>> = FAULTS.iter().map(|fault| (format!("{fault:?}"), None)).collect();
    for seed in 1..=ENOUGH_FOR_FAULTS {
        if first.values().all(Option::is_some) {
            break;
        }
        let script = generate(seed);
        let honest = run(&script, None);
        for fault in FAULTS {
            let first = first.entry(format!("{fault:?}")).or_default();
            if first.is_none() && run(&script, Some(fault)) != honest {
                *first = Some(seed);
            }
        }
    }
    println!("fault, and how many programs it took to see it:");
    for (fault, first) in &first {
        println!(
            "  {fault:28} {}",
            first.map_or_else(|| "never".to_owned(), |first| first.to_string())
        );
    }
    assert!(first.values().all(Option::is_some), "{first:?}");
}

#[test]
fn a_program_reads_as_python_and_as_code() {
    let script = row("A6").script;
    let python = python(&script);
    let lines: Vec<&str> = python
        .lines()
        .skip_while(|line| !line.starts_with("async def"))
        .collect();
    let expected = [
        "async def f0(me):",
        "    t[0] = asyncio.current_task()",
        "    h[0] = loop.call_later(0, c0, me + \".1\")",
        "    h[1] = loop.call_soon(c1, me + \".2\")",
        "    await asyncio.sleep(1000000 * US)",
        "    log(me, 3, \"slept\")",
        "    return 0",
        "def c0(me):",
        "    log(me, 4, \"later\")",
        "def c1(me):",
        "    log(me, 5, \"soon\")",
    ];
    assert_eq!(lines, expected);
    let code = listing(&script);
    assert!(
        code.contains("c1:\n    0 log 5 soon with 0\n    1 push None\n    2 return\n"),
        "{code}"
    );
}

#[test]
fn every_row_has_a_name_of_its_own() {
    let mut names: Vec<&str> = rows().iter().map(|row| row.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn what_random_programs_have_found_stays_mended() {
    let found: Vec<_> = rows().into_iter().filter(|row| row.name.starts_with("found")).collect();
    assert!(!found.is_empty());
    found.iter().for_each(super::rows::Row::check);
}

#[test]
fn a_loop_on_a_thread_of_the_machine_does_the_same() {
    for seed in 1..=300 {
        let script = generate(seed);
        let alone = run(&script, None);
        let on_machine = run_on_machine(&script);
        // What went wrong beside is only told of a loop alone.
        let alone: Vec<&str> = alone.lines().take(on_machine.len()).collect();
        assert_eq!(on_machine, alone, "program {seed}");
    }
}
