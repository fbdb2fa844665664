//! Going through small programs step by step, as the page does: by asking where a schedule stands.

use concurrency_playground::labs::LABS;
use concurrency_playground::labs::puzzles::programs::{PROGRAMS, Shape};
use concurrency_playground::session::Session;
use concurrency_playground::switch_points::Grain;
use concurrency_playground::wire::{
    Choice, ErrorCode, Grade, Position, PositionState, RawValue, Refusal, Reply, Request, RunRequest,
};

use crate::fake_page::{environment, flag, number, request, text};

fn asked(lab: &str, params: &[(&str, RawValue)], schedule: &str) -> RunRequest {
    RunRequest {
        mode: text("model"),
        schedule: text(schedule),
        ..request(lab, params)
    }
}

fn look(run: RunRequest, at: Option<u32>, choice: Choice) -> Result<Position, Refusal> {
    let request = Request::Look {
        run,
        environment: environment(),
        at,
        choice,
    };
    match Session::default().handle(request) {
        Reply::Stands { position } => Ok(position),
        Reply::Refused { refusal } => Err(refusal),
        other => panic!("{other:?}"),
    }
}

/// Lets threads go one after another, each decision a question of its own.
fn play(params: &[(&str, RawValue)], threads: &[u32]) -> Position {
    let mut position = look(asked("interleavings", params, ""), None, Choice::Look).expect("it begins");
    for thread in threads {
        let run = asked("interleavings", params, &position.schedule);
        position = look(run, None, Choice::Thread { thread: *thread }).expect("it can go on");
    }
    position
}

#[test]
fn a_lost_addition_is_played_by_hand() {
    let position = play(&[], &[1, 0, 0, 0, 1, 1]);
    assert!(position.schedule.ends_with(".BA3B2"), "{}", position.schedule);
    let ending = position.ending.expect("all have ended");
    assert_eq!((ending.grade, ending.text.as_str()), (Grade::Lost, "counter = 1"));
    assert_eq!(position.preemptions, 1);
    let texts: Vec<&str> = position.steps.iter().map(|step| step.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "B: r = counter → r = 0",
            "A: r = counter → r = 0",
            "A: r = r + 1 → r = 1",
            "A: counter = r → counter = 1",
            "B: r = r + 1 → r = 1",
            "B: counter = r"
        ]
    );
    let reached: Vec<&str> = position
        .goals
        .iter()
        .filter(|goal| goal.reached)
        .map(|goal| goal.id.as_str())
        .collect();
    assert_eq!(reached, ["lose", "reach"]);
    assert!(
        position
            .threads
            .iter()
            .all(|thread| thread.state == PositionState::Done)
    );
}

/// Drawn from the start all 20 schedules come up; from a later step the rest is drawn, and the steps before it stay.
#[test]
fn the_rest_is_drawn_at_random() {
    let drawn = |schedule: &str, at: Option<u32>, seed: u32| {
        look(asked("interleavings", &[], schedule), at, Choice::Draw { seed }).expect("it can go on")
    };
    let seen: std::collections::BTreeSet<String> = (0..400).map(|seed| drawn("", None, seed).schedule).collect();
    assert_eq!(seen.len(), 20);
    let first = drawn("", None, 1);
    assert_eq!(first, drawn("", None, 1));
    assert_eq!(first.at, 6, "it is shown to its end");
    assert!(first.ending.is_some());
    let said = first.drawn.expect("it was drawn");
    assert!(said.contains("each of the 20 ways"), "{said}");
    let rest = drawn(&first.schedule, Some(2), 3);
    assert_eq!(
        rest.steps.iter().map(|step| step.thread).take(2).collect::<Vec<_>>(),
        first.steps.iter().map(|step| step.thread).take(2).collect::<Vec<_>>()
    );
    let over = drawn(&rest.schedule, None, 3);
    assert_eq!(
        (over.schedule, over.drawn),
        (rest.schedule, None),
        "nothing is left to draw"
    );
    let one = look(asked("interleavings", &[], ""), None, Choice::Thread { thread: 0 }).expect("A can go on");
    assert!(one.drawn.is_none());
}

/// Every program of the labs can be drawn to its end, or to where it is cut, and says how fair that was.
#[test]
fn every_program_is_drawn() {
    for program in PROGRAMS {
        for fixed in [false, true] {
            let params = [("program", text(program.id)), ("fixed", flag(fixed))];
            let Ok(position) = look(asked("interleavings", &params, ""), None, Choice::Draw { seed: 5 }) else {
                continue;
            };
            assert!(
                position.drawn.is_some() && position.at as usize == position.steps.len(),
                "{}",
                program.id
            );
            assert!(
                position.ending.is_some() || position.steps.len() == 2_000,
                "{}",
                program.id
            );
        }
    }
    let many = [("threads", number(8)), ("increments", number(50))];
    let position = look(asked("interleavings", &many, ""), None, Choice::Draw { seed: 5 }).expect("it goes on");
    assert!(position.drawn.is_some_and(|said| said.contains("step by step")));
    assert_eq!(position.steps.len(), 1_200);
}

#[test]
fn an_earlier_step_is_shown_without_losing_what_came_after() {
    let whole = play(&[], &[1, 0, 0, 0, 1, 1]);
    let run = || asked("interleavings", &[], &whole.schedule);
    let early = look(run(), Some(2), Choice::Look).expect("it has two steps");
    assert_eq!((early.at, early.steps.len(), &early.schedule), (2, 6, &whole.schedule));
    assert_eq!(early.ending, None);
    // Choosing there drops the rest.
    let other = look(run(), Some(2), Choice::Thread { thread: 1 }).expect("B can go on");
    assert!(other.schedule.ends_with(".BAB"), "{}", other.schedule);
    let finished = look(run(), Some(2), Choice::Finish).expect("it comes to an end");
    assert!(finished.schedule.ends_with(".BA3B2"), "{}", finished.schedule);
}

#[test]
fn whoever_is_blocked_says_by_whom_and_cannot_go() {
    let params = [("program", text("two-locks")), ("grain", text("access"))];
    let position = play(&params, &[0, 1, 0, 1]);
    let says: Vec<&str> = position.threads.iter().map(|thread| thread.says.as_str()).collect();
    assert_eq!(says, ["Blocked: right is held by B", "Blocked: left is held by A"]);
    let ending = position.ending.expect("nobody can go on");
    assert_eq!(ending.grade, Grade::Deadlock);
    assert_eq!(
        ending.text,
        "nobody can go on: A waits in right.acquire(); B waits in left.acquire()"
    );
    let locks: Vec<_> = position
        .objects
        .iter()
        .map(|lock| (lock.holders.clone(), lock.waiters.clone()))
        .collect();
    assert_eq!(locks, [(vec![0], vec![1]), (vec![1], vec![0])]);
    for thread in [0, 1, 2, 31, 32, u32::MAX] {
        let run = asked("interleavings", &params, &position.schedule);
        let refusal = look(run, None, Choice::Thread { thread }).expect_err("nobody can go on");
        assert_eq!(
            (refusal.code, refusal.parameter.as_deref()),
            (ErrorCode::OutOfRange, Some("schedule"))
        );
    }
}

#[test]
fn a_schedule_of_something_else_is_refused_in_words() {
    let own = play(&[], &[1, 0]).schedule;
    let other = play(&[("program", text("queue"))], &[0]).schedule;
    let wild = [
        other.as_str(),
        "BA",
        "00000000.",
        "zzzzzzzz.BA",
        &format!("{own}C"),
        &format!("{own}0"),
        &format!("{own}A99"),
        &format!("{own}A100000"),
        &format!("{own}99999999999999999999"),
        "\u{202e}",
    ];
    for schedule in wild {
        let refusal = look(asked("interleavings", &[], schedule), None, Choice::Look).expect_err(schedule);
        assert_eq!(refusal.parameter.as_deref(), Some("schedule"), "{schedule}");
        assert!(!refusal.message.contains(['[', '{']), "{}", refusal.message);
    }
    let none = look(asked("stall", &[], ""), None, Choice::Look).expect_err("it has no small program");
    assert_eq!(none.code, ErrorCode::UnknownParameter);
    let three = [("program", text("queue")), ("threads", number(3))];
    let refusal = look(asked("interleavings", &three, ""), None, Choice::Look).expect_err("it is of two");
    assert_eq!(refusal.parameter.as_deref(), Some("threads"));
}

/// Every program in every shape can be made and gone through to an end; those with an end without preemption end right.
#[test]
fn every_program_runs_to_its_end() {
    for known in PROGRAMS {
        for grain in ["await", "checkpoint", "access"] {
            for fixed in [false, true] {
                for threads in [2, u32::from(known.most_threads)] {
                    for increments in if known.repeats { vec![1, 2, 50] } else { vec![1] } {
                        let params = [
                            ("program", text(known.id)),
                            ("grain", text(grain)),
                            ("fixed", RawValue::Flag { value: fixed }),
                            ("threads", number(threads)),
                            ("increments", number(increments)),
                        ];
                        let name = format!("{} {grain} {fixed} {threads} {increments}", known.id);
                        let run = asked("interleavings", &params, "");
                        let position =
                            look(run, None, Choice::Finish).unwrap_or_else(|refusal| panic!("{name}: {refusal:?}"));
                        let ending = position.ending.unwrap_or_else(|| panic!("{name} does not end"));
                        let is_right = ending.grade == Grade::Right;
                        // Handing over by a variable needs turns to be right.
                        assert!(is_right || (known.id == "queue" && !fixed), "{name}: {}", ending.text);
                    }
                }
            }
        }
    }
}

#[test]
fn a_lab_that_can_be_stepped_through_begins() {
    let stepped: Vec<&str> = LABS
        .iter()
        .map(|lab| lab.about().id)
        .filter(|id| look(asked(id, &[], ""), None, Choice::Look).is_ok())
        .collect();
    assert_eq!(stepped, ["lost-updates", "interleavings", "locks"]);
}

#[test]
fn shapes_that_differ_are_different_programs() {
    let mut hashes = Vec::new();
    for known in PROGRAMS {
        for grain in [Grain::Await, Grain::CheckPoint, Grain::Access] {
            for fixed in [false, true] {
                let puzzle = (known.build)(Shape {
                    fixed,
                    threads: 2,
                    increments: 1,
                    grain,
                });
                hashes.push((puzzle.hash(), known.id));
            }
        }
    }
    hashes.sort_unstable();
    hashes.dedup_by_key(|(hash, _)| *hash);
    // A list’s length written back is the counter by another name.
    assert_eq!(hashes.len(), PROGRAMS.len() * 6 - 3, "{hashes:?}");
}

/// A lab's program of locks begins where it is asked for, and goes on to an end where one goes after another.
#[test]
fn every_program_of_locks_runs_to_its_end() {
    let programs = [
        "two-locks",
        "back-off",
        "starvation",
        "stuck-and-spinning",
        "held-too-long",
    ];
    for program in programs {
        for runtime in ["gil", "free-threaded"] {
            for timeout in [0, 50] {
                let params = [
                    ("program", text(program)),
                    ("runtime", text(runtime)),
                    ("timeoutMs", number(timeout)),
                ];
                let name = format!("{program} {runtime} {timeout}");
                let position = look(asked("locks", &params, ""), None, Choice::Finish)
                    .unwrap_or_else(|refusal| panic!("{name}: {refusal:?}"));
                let ending = position.ending.unwrap_or_else(|| panic!("{name} does not end"));
                assert_eq!(ending.grade, Grade::Right, "{name}: {}", ending.text);
            }
        }
    }
    let only_shared = [("sharing", text("queue"))];
    assert!(look(asked("locks", &only_shared, ""), None, Choice::Look).is_err());
}

/// A way that goes round says so; one that is at its end of room is refused in words, and a draw that is cut says that.
#[test]
fn schedules_without_an_end_say_so() {
    let spinning = [("program", text("starvation"))];
    let ask = |schedule: &str, choice| look(asked("locks", &spinning, schedule), None, choice);
    let held = ask("", Choice::Thread { thread: 0 }).expect("A takes the lock");
    let wanted = ask(&held.schedule, Choice::Thread { thread: 1 }).expect("B tries to");
    // Without a switch B tries for ever.
    let round = ask(&wanted.schedule, Choice::Finish).expect("it goes on");
    assert!(round.ending.is_none());
    assert!(round.drawn.is_some_and(|said| said.contains("goes round")));
    let full = held.schedule.replace(".A", ".AB1999");
    assert_eq!(
        ask(&full, Choice::Look).expect("B tries all the time").steps.len(),
        2_000
    );
    for choice in [Choice::Finish, Choice::Draw { seed: 1 }] {
        let refusal = ask(&full, choice).expect_err("there is no room");
        assert_eq!(refusal.parameter.as_deref(), Some("schedule"));
    }
    let near = held.schedule.replace(".A", ".AB1998");
    let cut = ask(&near, Choice::Draw { seed: 1 }).expect("one more step has room");
    assert!(cut.ending.is_none() && cut.steps.len() == 2_000);
    let said = cut.drawn.expect("it was drawn");
    assert!(
        said.contains("step by step") && said.contains("cut at step 2,000"),
        "{said}"
    );
}
