//! Queues of threads in all three orders: what `test_queue.py` checks of `Queue`, `LifoQueue` and `PriorityQueue`.

use concurrency_playground::machine::event_loop::QueueOrder;
use concurrency_playground::machine::front::Here;
use concurrency_playground::machine::threads::{Patience, ThreadQueueId};
use concurrency_playground::machine::{Kind, Value};

use super::support::*;

const ORDERS: [QueueOrder; 3] = [QueueOrder::First, QueueOrder::Last, QueueOrder::Smallest];

fn check_orders<Running>(room: i64, body: impl Fn(Here, ThreadQueueId, QueueOrder) -> Running + Copy + 'static)
where
    Running: Future<Output = Gives<()>> + 'static,
{
    for order in ORDERS {
        check(move |here| async move {
            let queue = here.new_thread_queue(order, room).await?;
            body(here, queue, order).await?;
            NOTHING
        });
    }
}

async fn put(here: &Here, queue: ThreadQueueId, n: i64) -> Gives<()> {
    here.put_thread_queue(queue, n, Patience::Forever).await
}

async fn get(here: &Here, queue: ThreadQueueId) -> Gives<i64> {
    let item = here.get_thread_queue(queue, Patience::Forever).await?;
    Ok(item.int().expect("only numbers are put"))
}

/// A thread that makes one call, which must last until something is done after 100 ms.
async fn blocks_until<Running, Freeing>(here: &Here, call: impl FnOnce(Here) -> Running, freeing: Freeing) -> Gives<()>
where
    Running: Future<Output = Gives<()>> + 'static,
    Freeing: Future<Output = Gives<()>>,
{
    let freed = List::new();
    let seen = freed.clone();
    let call = call(here.clone());
    let thread = here.start_thread(move |_| async move {
        call.await?;
        assert_eq!(seen.len(), 1, "the call blocks");
        NOTHING
    });
    let thread = thread.await?;
    here.block(ms(100)).await;
    freed.add(());
    freeing.await?;
    here.join_thread(thread, None).await
}

#[test]
fn items_come_out_in_the_queues_order() {
    check_orders(0, |here, queue, order| async move {
        for n in [333, 111, 222] {
            put(&here, queue, n).await?;
        }
        assert_eq!(here.thread_queue_size(queue).await?, 3);
        let mut out = Vec::new();
        for _ in 0..3 {
            out.push(get(&here, queue).await?);
        }
        assert_eq!(
            out,
            match order {
                QueueOrder::First => [333, 111, 222],
                QueueOrder::Last => [222, 111, 333],
                QueueOrder::Smallest => [111, 222, 333],
            }
        );
        Ok(())
    });
}

#[test]
fn priorities_are_lists_by_their_first_difference() {
    ended(ideal(1), |here| async move {
        let queue = here.new_thread_queue(QueueOrder::Smallest, 0).await?;
        let item = |numbers: &[i64]| Value::from(numbers.iter().copied().map(Value::Int).collect::<Vec<Value>>());
        let sorted = [item(&[1, 9]), item(&[2, 1]), item(&[2, 1, 0]), item(&[3])];
        for place in [2, 0, 3, 1] {
            here.put_thread_queue(queue, sorted[place].clone(), Patience::Forever)
                .await?;
        }
        for item in sorted {
            assert_eq!(here.get_thread_queue(queue, Patience::No).await?, item);
        }
        NOTHING
    });
}

#[test]
fn a_full_queue_and_an_empty_one() {
    check_orders(2, |here, queue, _| async move {
        for (n, is_empty, is_full) in [(0, true, false), (1, false, false), (2, false, true)] {
            assert_eq!(here.is_thread_queue_empty(queue).await?, is_empty);
            assert_eq!(here.is_thread_queue_full(queue).await?, is_full);
            assert_eq!(here.thread_queue_size(queue).await?, n);
            if n < 2 {
                here.put_thread_queue(queue, n, Patience::No).await?;
            }
        }
        assert_eq!(
            kind(here.put_thread_queue(queue, 9, Patience::No).await),
            Kind::QueueFull
        );
        let before = here.now().await;
        assert_eq!(
            kind(here.put_thread_queue(queue, 9, Patience::For(ms(10))).await),
            Kind::QueueFull
        );
        assert!(is_about(here.now().await - before, ms(10)));
        blocks_until(&here, |here| async move { put(&here, queue, 2).await }, async {
            get(&here, queue).await.map(|_| ())
        })
        .await?;
        get(&here, queue).await?;
        get(&here, queue).await?;
        assert_eq!(kind(here.get_thread_queue(queue, Patience::No).await), Kind::QueueEmpty);
        let before = here.now().await;
        assert_eq!(
            kind(here.get_thread_queue(queue, Patience::For(ms(10))).await),
            Kind::QueueEmpty
        );
        assert!(is_about(here.now().await - before, ms(10)));
        blocks_until(
            &here,
            |here| async move { get(&here, queue).await.map(|_| ()) },
            put(&here, queue, 3),
        )
        .await?;
        // With patience, what comes in time is got.
        blocks_until(
            &here,
            |here| async move {
                here.get_thread_queue(queue, Patience::For(ms(10_000)))
                    .await
                    .map(|_| ())
            },
            put(&here, queue, 4),
        )
        .await
    });
}

#[test]
fn task_done_as_often_as_there_were_items() {
    check_orders(0, |here, queue, _| async move {
        let message = "task_done() called too many times".to_owned();
        assert_eq!(
            complaint(here.thread_queue_task_done(queue).await),
            (Kind::ValueError, message.clone())
        );
        put(&here, queue, 1).await?;
        get(&here, queue).await?;
        here.thread_queue_task_done(queue).await?;
        assert_eq!(
            complaint(here.thread_queue_task_done(queue).await),
            (Kind::ValueError, message)
        );
        Ok(())
    });
}

#[test]
fn join_waits_for_all_to_be_done() {
    check_orders(0, |here, queue, _| async move {
        let sum = List::new();
        let list = sum.clone();
        let workers = bunch(&here, 2, move |here, _| {
            let list = list.clone();
            async move {
                loop {
                    let n = get(&here, queue).await?;
                    if n < 0 {
                        here.thread_queue_task_done(queue).await?;
                        return NOTHING;
                    }
                    here.block(ms(1)).await;
                    list.add(n);
                    here.thread_queue_task_done(queue).await?;
                }
            }
        });
        let workers = workers.await?;
        for _ in 0..2 {
            for n in 0..100 {
                put(&here, queue, n).await?;
            }
            here.join_thread_queue(queue).await?;
        }
        assert_eq!(sum.all().iter().sum::<i64>(), 2 * 99 * 100 / 2);
        for _ in 0..2 {
            put(&here, queue, -1).await?;
        }
        here.join_thread_queue(queue).await?;
        join_all(&here, workers).await
    });
}

#[test]
fn after_a_shutdown_nothing_is_put_and_the_rest_is_got() {
    for immediate in [false, true] {
        for order in ORDERS {
            check(move |here| async move {
                let queue = here.new_thread_queue(order, 2).await?;
                put(&here, queue, 1).await?;
                here.shut_thread_queue_down(queue, immediate).await?;
                for patience in [Patience::Forever, Patience::For(ms(10)), Patience::No] {
                    assert_eq!(
                        kind(here.put_thread_queue(queue, 2, patience).await),
                        Kind::QueueShutDown
                    );
                }
                if !immediate {
                    assert_eq!(get(&here, queue).await?, 1);
                }
                for patience in [Patience::Forever, Patience::For(ms(10)), Patience::No] {
                    assert_eq!(kind(here.get_thread_queue(queue, patience).await), Kind::QueueShutDown);
                }
                if !immediate {
                    here.thread_queue_task_done(queue).await?;
                }
                here.join_thread_queue(queue).await?;
                // Once more, or at once after all, is allowed.
                here.shut_thread_queue_down(queue, true).await?;
                here.shut_thread_queue_down(queue, false).await?;
                assert_eq!(kind(get(&here, queue).await), Kind::QueueShutDown);
                NOTHING
            });
        }
    }
}

#[test]
fn a_shutdown_frees_all_who_get() {
    for immediate in [false, true] {
        for order in ORDERS {
            check(move |here| async move {
                let queue = here.new_thread_queue(order, 0).await?;
                let raised = List::new();
                let list = raised.clone();
                let threads = bunch(&here, 4, move |here, _| {
                    let list = list.clone();
                    async move {
                        list.add(kind(get(&here, queue).await));
                        NOTHING
                    }
                });
                let threads = threads.await?;
                here.block(ms(10)).await;
                here.shut_thread_queue_down(queue, immediate).await?;
                join_all(&here, threads).await?;
                assert_eq!(raised.all(), [Kind::QueueShutDown; 4]);
                NOTHING
            });
        }
    }
}

#[test]
fn a_shutdown_frees_all_who_put_and_join() {
    for immediate in [false, true] {
        check(move |here| async move {
            let queue = here.new_thread_queue(QueueOrder::First, 2).await?;
            put(&here, queue, 1).await?;
            put(&here, queue, 2).await?;
            let (raised, joined) = (List::new(), List::new());
            let lists = (raised.clone(), joined.clone());
            let threads = bunch(&here, 4, move |here, number| {
                let (raised, joined) = lists.clone();
                async move {
                    if number < 2 {
                        raised.add(kind(put(&here, queue, 9).await));
                    } else {
                        here.join_thread_queue(queue).await?;
                        joined.add(());
                    }
                    NOTHING
                }
            });
            let threads = threads.await?;
            here.block(ms(10)).await;
            here.shut_thread_queue_down(queue, immediate).await?;
            here.block(ms(10)).await;
            assert_eq!(raised.all(), [Kind::QueueShutDown; 2]);
            // Immediately, what is in it is dropped and counts as done.
            assert_eq!(joined.len(), if immediate { 2 } else { 0 });
            if !immediate {
                for _ in 0..2 {
                    get(&here, queue).await?;
                    here.thread_queue_task_done(queue).await?;
                }
            }
            join_all(&here, threads).await?;
            assert_eq!(joined.len(), 2);
            NOTHING
        });
    }
}

#[test]
fn work_in_hand_at_an_immediate_shutdown_may_still_be_called_done() {
    check_orders(0, |here, queue, _| async move {
        for n in 0..3 {
            put(&here, queue, n).await?;
        }
        get(&here, queue).await?;
        let joined = List::new();
        let list = joined.clone();
        let thread = here.start_thread(move |here| async move {
            here.join_thread_queue(queue).await?;
            list.add(());
            NOTHING
        });
        let thread = thread.await?;
        here.shut_thread_queue_down(queue, true).await?;
        here.block(ms(10)).await;
        assert_eq!(joined.len(), 0);
        here.thread_queue_task_done(queue).await?;
        here.join_thread(thread, None).await?;
        assert_eq!(kind(here.thread_queue_task_done(queue).await), Kind::ValueError);
        Ok(())
    });
}

#[test]
fn an_immediate_shutdown_amid_many_threads_ends_them_all() {
    check_orders(3, |here, queue, _| async move {
        let ended = List::new();
        let list = ended.clone();
        let threads = bunch(&here, 6, move |here, number| {
            let list = list.clone();
            async move {
                let raised = loop {
                    let outcome = match number % 3 {
                        0 => put(&here, queue, 1).await,
                        1 => get(&here, queue).await.map(|_| ()),
                        _ => {
                            here.join_thread_queue(queue).await?;
                            here.block(ms(1)).await;
                            here.put_thread_queue(queue, 2, Patience::For(ms(1))).await
                        }
                    };
                    match outcome {
                        Err(exception) if exception.kind() != Kind::QueueFull => break exception.kind(),
                        _ => here.compute(us(10)).await,
                    }
                };
                list.add(raised);
                NOTHING
            }
        });
        let threads = threads.await?;
        here.block(ms(20)).await;
        here.shut_thread_queue_down(queue, true).await?;
        // What was in hand may still be called done; then nobody waits for it any more.
        while here.thread_queue_task_done(queue).await.is_ok() {}
        join_all(&here, threads).await?;
        assert_eq!(ended.all(), [Kind::QueueShutDown; 6]);
        Ok(())
    });
}

#[test]
fn many_producers_and_consumers_lose_nothing() {
    check_orders(3, |here, queue, _| async move {
        let got = List::new();
        let list = got.clone();
        let consumers = bunch(&here, 3, move |here, _| {
            let list = list.clone();
            async move {
                loop {
                    match here.get_thread_queue(queue, Patience::Forever).await {
                        Ok(item) => list.add(item.int().expect("only numbers are put")),
                        Err(exception) => {
                            assert_eq!(exception.kind(), Kind::QueueShutDown);
                            return NOTHING;
                        }
                    }
                    here.compute(us(30)).await;
                }
            }
        });
        let consumers = consumers.await?;
        let producers = bunch(&here, 3, move |here, number| async move {
            for n in 0..50 {
                put(&here, queue, i64::from(number) * 50 + n).await?;
                here.compute(us(20)).await;
            }
            NOTHING
        });
        join_all(&here, producers.await?).await?;
        here.shut_thread_queue_down(queue, false).await?;
        join_all(&here, consumers).await?;
        let mut got = got.all();
        got.sort_unstable();
        assert_eq!(got, (0..150).collect::<Vec<i64>>());
        Ok(())
    });
}
