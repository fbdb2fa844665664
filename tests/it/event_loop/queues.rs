//! What `test_queues.py` checks.

use concurrency_playground::machine::event_loop::{FutureId, LoopCall, QueueId, QueueOrder};
use concurrency_playground::machine::front::{Here, program};
use concurrency_playground::machine::{Exception, Kind, Value};

use super::{Count, GIVE_WAY, Log, done, ended, log_of, millis, ok};

const ORDERS: [QueueOrder; 3] = [QueueOrder::First, QueueOrder::Last, QueueOrder::Smallest];

async fn getter(here: &Here, queue: QueueId) -> Result<FutureId, Exception> {
    here.spawn(move |here| async move { here.get(queue).await }).await
}

async fn putter(here: &Here, queue: QueueId, item: i64) -> Result<FutureId, Exception> {
    here.spawn(move |here| async move {
        here.put(queue, item).await?;
        done()
    })
    .await
}

#[test]
fn items_come_in_the_order_of_the_queue() {
    for (order, expected) in ORDERS.into_iter().zip([[1, 3, 2], [2, 3, 1], [1, 2, 3]]) {
        ok(move |here| async move {
            let queue = here.new_queue_of(order, 0).await?;
            for item in [1, 3, 2] {
                here.put(queue, item).await?;
            }
            for item in expected {
                assert_eq!(here.get(queue).await?, Value::Int(item));
            }
            done()
        });
    }
}

#[test]
fn what_has_no_order_is_refused_by_a_priority_queue() {
    ok(|here| async move {
        let queue = here.new_queue_of(QueueOrder::Smallest, 0).await?;
        for (first, second) in [(2, 1), (1, 7), (1, 3)] {
            here.put(queue, vec![Value::Int(first), Value::Int(second)]).await?;
        }
        for (first, second) in [(1, 3), (1, 7), (2, 1)] {
            assert_eq!(
                here.get(queue).await?,
                Value::from(vec![Value::Int(first), Value::Int(second)])
            );
        }
        here.put(queue, 1).await?;
        let raised = here.put(queue, ()).await.expect_err("nothing is no number");
        assert_eq!(raised.message(), "TypeError");
        done()
    });
}

#[test]
fn it_knows_whether_it_is_empty_or_full() {
    ok(|here| async move {
        let endless = here.new_queue(0).await?;
        assert!(here.queue_empty(endless).await? && !here.queue_full(endless).await?);
        here.put(endless, 1).await?;
        assert!(!here.queue_empty(endless).await?);
        assert_eq!(here.get(endless).await?, Value::Int(1));
        assert!(here.queue_empty(endless).await?);
        let small = here.new_queue(1).await?;
        here.put(small, 1).await?;
        assert!(here.queue_full(small).await?);
        assert_eq!(here.queue_size(small).await?, 1);
        assert_eq!(ended(&here.put_nowait(small, 2).await), "QueueFull");
        assert_eq!(here.get_nowait(small).await?, Value::Int(1));
        assert_eq!(ended(&here.get_nowait(small).await), "QueueEmpty");
        done()
    });
}

#[test]
fn a_full_queue_holds_the_putter_up() {
    let log = log_of(|here, log| async move {
        let queue = here.new_queue(2).await?;
        let inside = log.clone();
        let task = here
            .spawn(move |here| async move {
                for item in 0..3 {
                    here.put(queue, item).await?;
                    inside.say(item);
                }
                Ok(Value::Bool(true))
            })
            .await?;
        here.sleep(GIVE_WAY).await?;
        here.sleep(GIVE_WAY).await?;
        log.say("full");
        assert_eq!(here.get(queue).await?, Value::Int(0));
        here.sleep(GIVE_WAY).await?;
        log.say("room");
        assert_eq!(here.get(queue).await?, Value::Int(1));
        assert_eq!(here.get(queue).await?, Value::Int(2));
        assert!(here.result(task).await?.is_true());
        done()
    });
    assert_eq!(log, ["0", "1", "full", "2", "room"]);
}

#[test]
fn getting_waits_for_an_item_and_putting_for_room() {
    ok(|here| async move {
        let queue = here.new_queue(1).await?;
        let got = getter(&here, queue).await?;
        here.sleep(GIVE_WAY).await?;
        assert!(!here.done(got).await?);
        let put = program(&here, move |here| async move {
            here.ask(LoopCall::PutNowait(queue, Value::Int(1))).await
        });
        here.call_later(millis(10), put).await?;
        assert_eq!(here.join(got).await?, Value::Int(1));

        here.put_nowait(queue, 1).await?;
        let second = putter(&here, queue, 2).await?;
        here.sleep(GIVE_WAY).await?;
        assert!(!here.done(second).await?);
        let get = program(
            &here,
            move |here| async move { here.ask(LoopCall::GetNowait(queue)).await },
        );
        here.call_later(millis(10), get).await?;
        here.join(second).await
    });
}

#[test]
fn waiting_getters_and_putters_are_served_in_order() {
    ok(|here| async move {
        let queue = here.new_queue(1).await?;
        putter(&here, queue, 1).await?;
        putter(&here, queue, 2).await?;
        for item in [1, 2] {
            assert_eq!(here.get(queue).await?, Value::Int(item));
        }
        let waiting = getter(&here, queue).await?;
        here.sleep(GIVE_WAY).await?;
        here.put(queue, 3).await?;
        assert_eq!(here.join(waiting).await?, Value::Int(3));
        done()
    });
}

#[test]
fn producer_and_consumer_come_to_an_end() {
    for size in [1, 2] {
        ok(move |here| async move {
            let queue = here.new_queue(size).await?;
            here.group(async |group| {
                here.spawn_in(group, move |here| async move {
                    for item in 0..5 {
                        here.put(queue, item).await?;
                    }
                    done()
                })
                .await?;
                here.spawn_in(group, move |here| async move {
                    for item in 0..5 {
                        assert_eq!(here.get(queue).await?, Value::Int(item));
                    }
                    done()
                })
                .await?;
                Ok(())
            })
            .await?;
            done()
        });
    }
}

#[test]
fn taking_what_is_there_wakes_waiting_putters() {
    ok(|here| async move {
        let queue = here.new_queue(2).await?;
        here.group(async |group| {
            here.spawn_in(group, move |here| async move {
                here.sleep(GIVE_WAY).await?;
                for _ in 0..here.queue_size(queue).await? {
                    here.get_nowait(queue).await?;
                }
                done()
            })
            .await?;
            for item in 0..4 {
                here.spawn_in(group, move |here| async move {
                    here.put(queue, item).await?;
                    done()
                })
                .await?;
            }
            Ok(())
        })
        .await?;
        assert_eq!(here.queue_size(queue).await?, 2);
        done()
    });
}

#[test]
fn a_cancelled_getter_leaves_the_item_to_others() {
    ok(|here| async move {
        let queue = here.new_queue(0).await?;
        let first = getter(&here, queue).await?;
        let second = getter(&here, queue).await?;
        here.sleep(GIVE_WAY).await?;
        here.cancel(first, None).await?;
        here.sleep(GIVE_WAY).await?;
        assert!(here.done(first).await?);
        here.put(queue, 1).await?;
        assert_eq!(here.join(second).await?, Value::Int(1));
        let waited = here
            .wait_for(
                program(&here, move |here| async move { here.get(queue).await }),
                Some(millis(1)),
            )
            .await;
        assert_eq!(ended(&waited), "Timeout");
        here.put(queue, 2).await?;
        assert_eq!(
            here.get_nowait(queue).await?,
            Value::Int(2),
            "nobody was left to take it"
        );
        done()
    });
}

/// It was woken by an item and is cancelled before it takes it: the item stays first.
#[test]
fn a_getter_cancelled_on_waking_drops_nothing() {
    ok(|here| async move {
        let queue = here.new_queue(0).await?;
        let reader = getter(&here, queue).await?;
        here.sleep(GIVE_WAY).await?;
        here.put_nowait(queue, 1).await?;
        here.put_nowait(queue, 2).await?;
        here.cancel(reader, None).await?;
        assert_eq!(ended(&here.join(reader).await), "Cancelled");
        assert_eq!(here.get(queue).await?, Value::Int(1));
        done()
    });
}

#[test]
fn of_many_getters_one_cancelled_on_waking_wakes_another() {
    ok(|here| async move {
        let queue = here.new_queue(0).await?;
        let mut readers = Vec::new();
        for _ in 0..3 {
            readers.push(getter(&here, queue).await?);
        }
        here.sleep(GIVE_WAY).await?;
        here.put_nowait(queue, 1).await?;
        here.put_nowait(queue, 2).await?;
        here.cancel(readers[0], None).await?;
        assert_eq!(ended(&here.join(readers[0]).await), "Cancelled");
        let total = Count::default();
        for reader in &readers[1..] {
            total.add(here.join(*reader).await?.int().expect("numbers were put"));
        }
        assert_eq!(total.get(), 3);
        done()
    });
}

#[test]
fn a_putter_cancelled_on_waking_drops_nothing() {
    ok(|here| async move {
        let queue = here.new_queue(1).await?;
        here.put_nowait(queue, 1).await?;
        let writer = putter(&here, queue, 2).await?;
        here.sleep(GIVE_WAY).await?;
        assert_eq!(here.get_nowait(queue).await?, Value::Int(1));
        here.cancel(writer, None).await?;
        assert_eq!(ended(&here.join(writer).await), "Cancelled");
        let again = putter(&here, queue, 2).await?;
        here.join(again).await?;
        assert_eq!(here.get_nowait(queue).await?, Value::Int(2));
        assert_eq!(here.queue_size(queue).await?, 0);
        done()
    });
}

#[test]
fn a_cancelled_putter_is_passed_by() {
    ok(|here| async move {
        let queue = here.new_queue(1).await?;
        let first = putter(&here, queue, 1).await?;
        let second = putter(&here, queue, 2).await?;
        let third = putter(&here, queue, 3).await?;
        here.sleep(GIVE_WAY).await?;
        assert!(here.done(first).await? && !here.done(second).await?);
        here.cancel(third, None).await?;
        here.sleep(GIVE_WAY).await?;
        assert!(here.done(third).await?);
        assert_eq!(here.get_nowait(queue).await?, Value::Int(1));
        here.sleep(GIVE_WAY).await?;
        assert_eq!(here.get_nowait(queue).await?, Value::Int(2));
        here.join(second).await
    });
}

#[test]
fn work_is_done_when_every_item_was_reported() {
    for order in ORDERS {
        let log = log_of(move |here, log: Log| async move {
            let queue = here.new_queue_of(order, 0).await?;
            for item in 0..100 {
                here.put_nowait(queue, item).await?;
            }
            let (total, running) = (Count::default(), Count::default());
            running.add(1);
            here.group(async |group| {
                for _ in 0..2 {
                    let (total, running) = (total.clone(), running.clone());
                    here.spawn_in(group, move |here| async move {
                        while running.get() > 0 {
                            total.add(here.get(queue).await?.int().expect("numbers were put"));
                            here.task_done(queue).await?;
                        }
                        done()
                    })
                    .await?;
                }
                here.join_queue(queue).await?;
                log.say(total.get());
                running.add(-1);
                for _ in 0..2 {
                    here.put_nowait(queue, 0).await?;
                }
                Ok(())
            })
            .await?;
            done()
        });
        assert_eq!(log, ["4950"]);
    }
}

#[test]
fn without_work_there_is_nothing_to_wait_for_or_to_report() {
    for order in ORDERS {
        ok(move |here| async move {
            let queue = here.new_queue_of(order, 0).await?;
            here.join_queue(queue).await?;
            here.join_queue(queue).await?;
            let raised = here.task_done(queue).await.expect_err("nothing was put");
            assert_eq!(
                (raised.kind(), raised.message()),
                (Kind::ValueError, "task_done() called too many times")
            );
            done()
        });
    }
}

async fn is_shut(here: &Here, queue: QueueId) -> Result<(), Exception> {
    assert_eq!(ended(&here.put(queue, 1).await), "QueueShutDown");
    assert_eq!(ended(&here.put_nowait(queue, 1).await), "QueueShutDown");
    assert_eq!(ended(&here.get(queue).await), "QueueShutDown");
    assert_eq!(ended(&here.get_nowait(queue).await), "QueueShutDown");
    Ok(())
}

#[test]
fn an_empty_queue_shut_down_sends_its_getters_away() {
    for order in ORDERS {
        ok(move |here| async move {
            let queue = here.new_queue_of(order, 0).await?;
            let waiting = getter(&here, queue).await?;
            here.sleep(GIVE_WAY).await?;
            here.shut_down_queue(queue, false).await?;
            assert_eq!(here.queue_size(queue).await?, 0);
            here.join_queue(queue).await?;
            here.sleep(GIVE_WAY).await?;
            assert!(here.done(waiting).await?);
            assert_eq!(ended(&here.join(waiting).await), "QueueShutDown");
            is_shut(&here, queue).await?;
            done()
        });
    }
}

async fn joiner(here: &Here, queue: QueueId) -> Result<FutureId, Exception> {
    here.spawn(move |here| async move {
        here.join_queue(queue).await?;
        done()
    })
    .await
}

#[test]
fn a_queue_shut_down_gives_what_it_has() {
    for order in ORDERS {
        ok(move |here| async move {
            let queue = here.new_queue_of(order, 1).await?;
            here.put_nowait(queue, 7).await?;
            let joining = joiner(&here, queue).await?;
            let putting = putter(&here, queue, 8).await?;
            here.sleep(GIVE_WAY).await?;
            assert!(!here.done(putting).await?);
            here.shut_down_queue(queue, false).await?;
            assert_eq!(here.queue_size(queue).await?, 1);
            here.sleep(GIVE_WAY).await?;
            assert_eq!(ended(&here.join(putting).await), "QueueShutDown");
            assert_eq!(here.get(queue).await?, Value::Int(7));
            here.sleep(GIVE_WAY).await?;
            assert!(!here.done(joining).await?);
            is_shut(&here, queue).await?;
            here.task_done(queue).await?;
            here.sleep(GIVE_WAY).await?;
            assert!(here.done(joining).await?);
            assert!(here.task_done(queue).await.is_err());
            done()
        });
    }
}

#[test]
fn shut_down_at_once_it_drops_what_it_has() {
    for (order, n_got) in ORDERS.into_iter().flat_map(|order| [(order, 0), (order, 1)]) {
        ok(move |here| async move {
            let queue = here.new_queue_of(order, 0).await?;
            for item in 0..=n_got {
                here.put_nowait(queue, item).await?;
            }
            let joining = joiner(&here, queue).await?;
            for _ in 0..n_got {
                here.get(queue).await?;
            }
            here.shut_down_queue(queue, true).await?;
            assert_eq!(here.queue_size(queue).await?, 0);
            here.sleep(GIVE_WAY).await?;
            assert_eq!(here.done(joining).await?, n_got == 0);
            is_shut(&here, queue).await?;
            for _ in 0..n_got {
                here.task_done(queue).await?;
            }
            assert!(here.task_done(queue).await.is_err());
            here.sleep(GIVE_WAY).await?;
            assert!(here.done(joining).await?);
            done()
        });
    }
}
