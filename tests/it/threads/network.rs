//! Endpoints: latency laws, capacity, backlog, failures, impatient clients; from threads and from tasks.

use concurrency_playground::machine::event_loop::OnException;
use concurrency_playground::machine::front::Here;
use concurrency_playground::machine::threads::{
    Costs, EndpointId, EndpointReport, Failures, Latency, MachineSettings, NewEndpoint,
};
use concurrency_playground::machine::{Kind, Nanoseconds};

use super::support::*;

fn endpoint(latency: Latency, capacity: Option<u32>, backlog: u32) -> NewEndpoint {
    NewEndpoint {
        latency,
        capacity,
        backlog,
        failures: Failures::None,
    }
}

/// So many requests at once, from threads or from tasks; what came of each and when.
async fn requests(
    here: &Here,
    of: EndpointId,
    n: u32,
    is_async: bool,
    timeout: Option<Nanoseconds>,
) -> Gives<Vec<String>> {
    let said = List::new();
    let list = said.clone();
    let one = move |here: Here, number: u32| {
        let list = list.clone();
        async move {
            let answer = if is_async {
                here.request_async(of, timeout).await
            } else {
                here.request(of, timeout).await
            };
            let word = answer.map_or_else(|exception| format!("{:?}", exception.kind()), |_| "ok".to_owned());
            list.add(format!("{number} {word}@{}", here.now().await.as_millis()));
            NOTHING
        }
    };
    if is_async {
        let mut tasks = Vec::new();
        for number in 0..n {
            let one = one.clone();
            tasks.push(here.spawn(move |here| one(here, number)).await?.into());
        }
        here.gather(tasks).await?;
    } else {
        let threads = bunch(here, n, one).await?;
        join_all(here, threads).await?;
    }
    Ok(said.all())
}

/// The same from threads and from tasks, on the ideal machine: what was said, and the endpoint's report.
fn check_requests(new: &NewEndpoint, n: u32, timeout: Option<Nanoseconds>, said: &[&str]) -> EndpointReport {
    let mut reports = Vec::new();
    for is_async in [false, true] {
        let list = List::new();
        let seen = list.clone();
        let body = {
            let new = new.clone();
            move |here: Here| async move {
                let of = here.new_endpoint(new).await?;
                seen.add((requests(&here, of, n, is_async, timeout).await?, of));
                NOTHING
            }
        };
        let machine = if is_async {
            loop_ended(ideal(4), body)
        } else {
            ended(ideal(4), body)
        };
        let (words, of) = list.all()[0].clone();
        assert_eq!(words, said, "tasks: {is_async}");
        reports.push(machine.endpoint(of).expect("it is there"));
    }
    assert_eq!(reports[0], reports[1]);
    reports[0]
}

#[test]
fn without_a_limit_all_are_answered_after_the_latency() {
    let report = check_requests(
        &endpoint(Latency::Fixed(ms(200)), None, 0),
        3,
        None,
        &["0 ok@200", "1 ok@200", "2 ok@200"],
    );
    assert_eq!(
        (
            report.requests,
            report.answered,
            report.peak_in_flight,
            report.in_flight
        ),
        (3, 3, 3, 0)
    );
}

#[test]
fn capacity_makes_rounds_and_the_backlog_an_end_of_them() {
    let new = endpoint(Latency::Fixed(ms(100)), Some(2), 1);
    let report = check_requests(&new, 4, None, &["3 Connection@0", "0 ok@100", "1 ok@100", "2 ok@200"]);
    assert_eq!((report.answered, report.refused, report.peak_in_flight), (3, 1, 3));
}

#[test]
fn impatient_clients_give_up_but_free_nothing_that_is_begun() {
    let new = endpoint(Latency::Fixed(ms(100)), Some(1), 10);
    let said = ["0 Timeout@60", "1 Timeout@60", "2 Timeout@60"];
    let report = check_requests(&new, 3, Some(ms(60)), &said);
    assert_eq!((report.answered, report.given_up, report.in_flight), (0, 3, 0));
    // The endpoint works on what it has begun: who comes at 60 is answered at 200.
    let body = |here: Here| async move {
        let of = here.new_endpoint(new).await?;
        assert_eq!(kind(here.request(of, Some(ms(60))).await), Kind::Timeout);
        here.request(of, None).await?;
        assert_eq!(here.now().await, ms(200));
        NOTHING
    };
    ended(ideal(1), body);
}

#[test]
fn the_first_so_many_fail_after_their_time() {
    let new = NewEndpoint {
        failures: Failures::First(2),
        ..endpoint(Latency::Fixed(ms(10)), Some(1), 10)
    };
    let report = check_requests(&new, 3, None, &["0 Connection@10", "1 Connection@20", "2 ok@30"]);
    assert_eq!((report.answered, report.failed), (1, 2));
}

/// The times that many requests one after the other take.
fn times(new: NewEndpoint, seed: u32) -> (Vec<u64>, EndpointReport) {
    let list = List::new();
    let seen = list.clone();
    let settings = MachineSettings { seed, ..ideal(1) };
    let machine = ended(settings, move |here| async move {
        let of = here.new_endpoint(new).await?;
        for _ in 0..2000 {
            let before = here.now().await;
            // Some may fail.
            let _ = here.request(of, None).await;
            seen.add((here.now().await - before).0);
        }
        NOTHING
    });
    (list.all(), machine.endpoint(EndpointId(0)).expect("it is there"))
}

#[test]
fn laws_are_by_the_seed() {
    let mean = |times: &[u64]| times.iter().sum::<u64>() as f64 / times.len() as f64;
    let (uniform, _) = times(endpoint(Latency::Uniform(ms(10), ms(20)), None, 0), 1);
    assert!(uniform.iter().all(|time| (10_000_000..=20_000_000).contains(time)));
    assert!((mean(&uniform) / 15e6 - 1.0).abs() < 0.02);
    let (exponential, _) = times(endpoint(Latency::Exponential(ms(10)), None, 0), 1);
    assert!((mean(&exponential) / 10e6 - 1.0).abs() < 0.05);
    let (again, _) = times(endpoint(Latency::Exponential(ms(10)), None, 0), 1);
    assert_eq!(exponential, again);
    let (other, _) = times(endpoint(Latency::Exponential(ms(10)), None, 0), 2);
    assert_ne!(exponential, other);
    let failing = NewEndpoint {
        failures: Failures::Share(250),
        ..endpoint(Latency::Fixed(ms(1)), None, 0)
    };
    let (_, report) = times(failing, 1);
    assert!(report.failed.abs_diff(500) < 60, "{}", report.failed);
}

/// 10,000 at once against 20 connections: all but the first few rounds time out; in order, none does.
#[test]
fn unbounded_requests_time_out_where_limited_ones_do_not() {
    let answered = |limit: Option<i64>| {
        let machine = loop_ended(ideal(1), move |here| async move {
            let of = here
                .new_endpoint(endpoint(Latency::Fixed(ms(10)), Some(20), 10_000))
                .await?;
            let semaphore = here.new_semaphore(limit.unwrap_or(10_000)).await?;
            let mut tasks = Vec::new();
            for _ in 0..2000 {
                let task = here.spawn(move |here| async move {
                    here.acquire_semaphore(semaphore).await?;
                    let answer = here.request_async(of, Some(ms(200))).await;
                    here.release_semaphore(semaphore).await?;
                    answer
                });
                tasks.push(task.await?.into());
            }
            here.gather_future(tasks, OnException::Return).await?;
            here.sleep(ms(2000)).await
        });
        machine.endpoint(EndpointId(0)).expect("it is there").answered
    };
    assert_eq!(answered(Some(20)), 2000);
    assert!(answered(None) <= 420);
}

#[test]
fn a_cancelled_task_drops_its_request() {
    let machine = loop_ended(ideal(1), |here| async move {
        let of = here.new_endpoint(endpoint(Latency::Fixed(ms(100)), None, 0)).await?;
        let within = here.timeout(ms(30), here.request_async(of, None)).await;
        assert_eq!(kind(within), Kind::Timeout);
        here.sleep(ms(200)).await
    });
    let report = machine.endpoint(EndpointId(0)).expect("it is there");
    assert_eq!((report.given_up, report.answered, report.in_flight), (1, 0, 0));
}

#[test]
fn the_clients_own_computing_is_the_threads() {
    let takes = |is_async: bool| {
        let settings = MachineSettings {
            costs: Costs {
                request_on_thread: ms(2),
                request_in_task: ms(1),
                ..Costs::IDEAL
            },
            ..ideal(4)
        };
        let body = move |here: Here| async move {
            let of = here.new_endpoint(endpoint(Latency::Fixed(ms(100)), None, 0)).await?;
            requests(&here, of, 10, is_async, None).await?;
            NOTHING
        };
        let machine = if is_async {
            loop_ended(settings, body)
        } else {
            ended(settings, body)
        };
        assert_eq!(machine.used().overhead, ms(if is_async { 10 } else { 20 }));
        machine.now()
    };
    // Under the lock one request's computing comes after the other's.
    assert_eq!(takes(true), ms(110));
    assert_eq!(takes(false), ms(120));
}
