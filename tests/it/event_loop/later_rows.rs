//! The A rows of the recorded behaviours from the twenty-fifth on: cancellation, locks, waiting, ends.

use concurrency_playground::machine::event_loop::{Complaint, LoopSettings, Situation, Stop, Until, WaitsOn};
use concurrency_playground::machine::front::{Here, program};
use concurrency_playground::machine::{Nanoseconds, Value};

use super::rows::{sleeper, timed};
use super::{GIVE_WAY, Log, done, ended, log_of, millis, run, run_with, seconds, shown, value_error};

#[test]
fn a25_a_task_may_swallow_its_cancellation() {
    let log = log_of(|here, log| async move {
        let task = here
            .spawn(|here| async move {
                let _ = here.sleep(seconds(10)).await;
                Ok(Value::Int(5))
            })
            .await?;
        here.sleep(GIVE_WAY).await?;
        log.say(here.cancel(task, None).await?);
        log.say(here.join(task).await?.int().expect("a number"));
        log.say(here.cancelled(task).await?);
        log.say(here.cancelling(task).await?);
        done()
    });
    assert_eq!(log, ["true", "5", "false", "1"]);
}

#[test]
fn a26_a_task_cancelled_before_its_first_step_never_runs() {
    let log = log_of(|here, log| async move {
        let body = log.clone();
        let task = here.spawn(|here| sleeper(here, body, "body", seconds(1))).await?;
        log.say(here.cancel(task, None).await?);
        log.say(ended(&here.join(task).await));
        log.say(here.cancel(task, None).await?);
        done()
    });
    assert_eq!(log, ["true", "Cancelled", "false"]);
}

#[test]
fn a27_cancellations_are_delivered_later_in_their_order() {
    let log = log_of(|here, log| async move {
        let catcher = |name: &'static str| {
            let log = log.clone();
            move |here: Here| async move {
                if here.sleep(seconds(10)).await.is_err() {
                    log.say(format!("{name} got it"));
                }
                done()
            }
        };
        let a = here.spawn(catcher("a")).await?;
        let b = here.spawn(catcher("b")).await?;
        here.sleep(GIVE_WAY).await?;
        here.cancel(b, None).await?;
        here.cancel(a, None).await?;
        log.say("main continues");
        here.join(a).await?;
        here.join(b).await
    });
    assert_eq!(log, ["main continues", "b got it", "a got it"]);
}

#[test]
fn a29_a_semaphore_lets_so_many_in() {
    let log = log_of(|here, log| async move {
        let semaphore = here.new_semaphore(2).await?;
        let mut workers = Vec::new();
        for n in 0..6 {
            let log = log.clone();
            let worker = here.spawn(move |here| async move {
                here.semaphore(semaphore, async {
                    log.at(&here, n).await;
                    here.sleep(seconds(1)).await
                })
                .await
            });
            workers.push(worker.await?);
        }
        here.wait(&workers, Until::AllCompleted, None).await?;
        done()
    });
    assert_eq!(log, ["0 @0", "1 @0", "2 @1", "3 @1", "4 @2", "5 @2"]);
}

#[test]
fn a30_nobody_barges_past_a_waiter() {
    for is_lock in [false, true] {
        let log = log_of(move |here, log| async move {
            let semaphore = here.new_semaphore(1).await?;
            let lock = here.new_lock().await?;
            let enter = async move |here: &Here, log: &Log, what: String| {
                let inside = async {
                    log.say(what);
                    here.sleep(GIVE_WAY).await
                };
                match is_lock {
                    true => here.lock(lock, inside).await,
                    false => here.semaphore(semaphore, inside).await,
                }
            };
            let (hogs, others) = (log.clone(), log.clone());
            let hog = here.spawn(move |here| async move {
                for n in 0..3 {
                    enter(&here, &hogs, format!("hog{n}")).await?;
                }
                done()
            });
            let hog = hog.await?;
            let other = here
                .spawn(move |here| async move { enter(&here, &others, "other".to_owned()).await })
                .await?;
            here.join(hog).await?;
            here.join(other).await
        });
        assert_eq!(log, ["hog0", "other", "hog1", "hog2"]);
    }
}

#[test]
fn a32_wait_for_waits_for_the_cleaning_up() {
    let log = log_of(|here, log| async move {
        let cleaning = log.clone();
        let slow = program(&here, |here| async move {
            let cancelled = here.sleep(seconds(10)).await;
            here.sleep(seconds(2)).await?;
            cleaning.at(&here, "clean").await;
            cancelled
        });
        let waited = here.wait_for(slow, Some(seconds(1))).await;
        log.at(&here, ended(&waited)).await;
        done()
    });
    assert_eq!(log, ["clean @3", "Timeout @3"]);
}

#[test]
fn a33_a_shielded_task_goes_on() {
    let log = log_of(|here, log| async move {
        let inner = here
            .create_task(timed(&here, &log, "inner", seconds(3), done()))
            .await?;
        let limited = here
            .timeout(seconds(1), async {
                let shield = here.shield(inner).await?;
                here.join(shield).await
            })
            .await;
        log.at(&here, ended(&limited)).await;
        here.join(inner).await
    });
    assert_eq!(log, ["Timeout @1", "inner @3"]);
}

#[test]
fn a34_wait_cancels_nothing() {
    let log = log_of(|here, log| async move {
        let mut tasks = Vec::new();
        for n in [3, 1, 2] {
            tasks.push(
                here.create_task(timed(&here, &log, "task", seconds(n), Ok(Value::Int(n as i64))))
                    .await?,
            );
        }
        let (first, pending) = here.wait(&tasks, Until::FirstCompleted, None).await?;
        log.at(&here, format!("{} done, {} pending", first.len(), pending.len()))
            .await;
        assert_eq!(here.result(first[0]).await?, Value::Int(1));
        let (second, pending) = here.wait(&pending, Until::AllCompleted, Some(seconds(1))).await?;
        log.at(&here, format!("{} done, {} pending", second.len(), pending.len()))
            .await;
        assert_eq!(here.result(second[0]).await?, Value::Int(2));
        here.join(pending[0]).await
    });
    assert_eq!(
        log,
        [
            "task @1",
            "1 done, 2 pending @1",
            "task @2",
            "1 done, 1 pending @2",
            "task @3"
        ]
    );
}

#[test]
fn a35_the_end_of_main_cancels_what_is_left() {
    let ran = run(|here, log| async move {
        let background = log.clone();
        here.spawn(|here| sleeper(here, background, "bg", seconds(100))).await?;
        here.sleep(seconds(1)).await
    });
    ran.value();
    assert_eq!(ran.log, ["bg Cancelled @1"]);
    assert_eq!(ran.now, seconds(1));
}

#[test]
fn a36_only_an_await_between_read_and_write_loses_updates() {
    for (gives_way, expected) in [(false, 1000), (true, 100)] {
        let log = log_of(move |here, log| async move {
            let total = std::rc::Rc::new(std::cell::Cell::new(0));
            let mut tasks = Vec::new();
            for _ in 0..10 {
                let total = total.clone();
                let task = here.spawn(move |here| async move {
                    for _ in 0..100 {
                        let read = total.get();
                        if gives_way {
                            here.sleep(GIVE_WAY).await?;
                        }
                        total.set(read + 1);
                    }
                    done()
                });
                tasks.push(task.await?);
            }
            here.wait(&tasks, Until::AllCompleted, None).await?;
            log.say(total.get());
            done()
        });
        assert_eq!(log, [expected.to_string()]);
    }
}

#[test]
fn a37_missed_heartbeats_are_not_replayed() {
    let log = log_of(|here, log| async move {
        let beats = log.clone();
        let heart = here
            .spawn(|here| async move {
                let mut before = here.time().await?;
                loop {
                    here.sleep(millis(100)).await?;
                    let now = here.time().await?;
                    beats.say((now - before).as_seconds());
                    before = now;
                }
            })
            .await?;
        here.sleep(millis(250)).await?;
        here.block(seconds(1)).await;
        here.sleep(millis(250)).await?;
        here.cancel(heart, None).await?;
        done()
    });
    assert_eq!(log, ["0.1", "0.1", "1.05", "0.1", "0.1"]);
}

#[test]
fn a38_debug_reports_slow_steps() {
    let settings = LoopSettings {
        debug: true,
        ..LoopSettings::default()
    };
    let ran = run_with(settings, |here, _| async move {
        for length in [millis(99), millis(100), millis(250)] {
            here.compute(length).await;
            here.sleep(GIVE_WAY).await?;
        }
        done()
    });
    ran.value();
    let slow: Vec<Nanoseconds> = ran
        .complaints()
        .iter()
        .map(|complaint| match complaint {
            Complaint::Slow { name, length, .. } if &**name == "Task-1" => *length,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(slow, [millis(100), millis(250)]);
}

#[test]
fn a39_two_locks_in_opposite_order_stand_still_with_their_circle() {
    let ran = run(|here, _| async move {
        let first = here.new_lock().await?;
        let second = here.new_lock().await?;
        let taker = |one, other| {
            move |here: Here| async move {
                here.lock(one, async {
                    here.sleep(GIVE_WAY).await?;
                    here.lock(other, async { done() }).await
                })
                .await
            }
        };
        let ab = here.spawn_named("AB", taker(first, second)).await?;
        let ba = here.spawn_named("BA", taker(second, first)).await?;
        here.gather(vec![ab.into(), ba.into()]).await
    });
    assert!(matches!(ran.stop, Stop::Stuck), "{:?}", ran.stop);
    let event_loop = &ran.event_loop;
    let circle: Vec<String> = event_loop
        .cycle()
        .into_iter()
        .map(|(task, on)| format!("{} {on:?}", event_loop.task_name(task)))
        .collect();
    assert_eq!(circle, ["AB Lock(LockId(1))", "BA Lock(LockId(0))"]);
    let tree: Vec<String> = event_loop
        .await_tree(10)
        .into_iter()
        .map(|row| format!("{}{}", "  ".repeat(row.depth as usize), row.name))
        .collect();
    assert_eq!(
        tree,
        ["Task-1", "  AB", "    BA", "      AB", "  BA", "    AB", "      BA"]
    );
    let [_, ab, ba] = event_loop.tasks()[..] else {
        panic!("three tasks are left")
    };
    match event_loop.situation(ab) {
        Some(Situation::Waiting(why)) => {
            assert_eq!((why.held_up_by, matches!(why.on, WaitsOn::Lock(_))), (vec![ba], true));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a40_a_timeout_around_a_group_is_a_plain_timeout_error() {
    let log = log_of(|here, log| async move {
        let limited = here
            .timeout(
                seconds(1),
                here.group(async |group| {
                    for name in ["one", "two"] {
                        let log = log.clone();
                        here.spawn_in(group, move |here| sleeper(here, log, name, seconds(10)))
                            .await?;
                    }
                    Ok(())
                }),
            )
            .await;
        log.at(&here, ended(&limited)).await;
        done()
    });
    assert_eq!(log, ["one Cancelled @1", "two Cancelled @1", "Timeout @1"]);
}

#[test]
fn a41_an_error_while_cleaning_up_wins_and_knows_of_the_timeout() {
    let log = log_of(|here, log| async move {
        let limited = here
            .timeout(
                seconds(1),
                here.group(async |group| {
                    here.spawn_in(group, |here| async move {
                        let cancelled = here.sleep(seconds(10)).await.expect_err("it is cancelled");
                        Err(Here::while_handling(&cancelled, value_error()))
                    })
                    .await?;
                    let other = log.clone();
                    here.spawn_in(group, |here| sleeper(here, other, "other", seconds(10)))
                        .await?;
                    Ok(())
                }),
            )
            .await;
        let raised = limited.expect_err("a child failed");
        log.at(&here, shown(&raised)).await;
        log.say(shown(
            &raised.exceptions()[0].context().expect("it was raised in a handler"),
        ));
        let me = here.current_task().await?;
        log.say(here.cancelling(me).await?);
        done()
    });
    assert_eq!(log, ["other Cancelled @1", "Group[ValueError] @1", "Timeout", "0"]);
}

#[test]
fn a44_a_bounded_queue_holds_its_producer_back() {
    let log = log_of(|here, log| async move {
        let queue = here.new_queue(2).await?;
        let putting = log.clone();
        let producer = here
            .spawn(move |here| async move {
                for n in 0..5 {
                    here.put(queue, n).await?;
                    putting.at(&here, format!("put{n}")).await;
                }
                here.shut_down_queue(queue, false).await?;
                done()
            })
            .await?;
        let getting = log.clone();
        let consumer = here
            .spawn(move |here| async move {
                loop {
                    let n = here.get(queue).await?.int().expect("numbers were put");
                    getting.at(&here, format!("got{n}")).await;
                    here.sleep(seconds(1)).await?;
                }
            })
            .await?;
        here.join(producer).await?;
        log.say(ended(&here.join(consumer).await));
        done()
    });
    let expected = [
        "put0 @0",
        "put1 @0",
        "got0 @0",
        "put2 @0",
        "got1 @1",
        "put3 @1",
        "got2 @2",
        "put4 @2",
        "got3 @3",
        "got4 @4",
        "QueueShutDown",
    ];
    assert_eq!(log, expected);
}
