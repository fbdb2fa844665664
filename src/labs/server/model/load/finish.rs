//! What a simulation comes to: percentiles, throughput, the mean beside the one that queueing theory has.
//!
//! Not here: the simulation.

use super::Load;
use crate::measure::digits::significant;
use crate::wire::Row;

/// Puts the numbers of a simulation that has ended into its row.
pub(super) fn fill(load: &mut Load, row: &mut Row) {
    load.point();
    let n = load.took.len();
    row.answered = u32::try_from(n).ok();
    row.p50_ms = percentile_ms(&mut load.took, 50);
    row.p95_ms = percentile_ms(&mut load.took, 95);
    row.p99_ms = percentile_ms(&mut load.took, 99);
    row.median_ms = row.p50_ms;
    row.samples_ms = row.p50_ms.into_iter().collect();
    row.in_flight_max = Some(load.inside_max);
    row.queue_max = Some(load.queued_max);
    row.in_flight = Some(std::mem::take(&mut load.curve));
    let seconds = (load.now - load.first_at) as f64 / 1e9;
    row.throughput = (seconds > 0.0).then(|| n as f64 / seconds);
    row.load = Some(load.load);
    if let Some(expected) = load.expected_mean_ms {
        let total: u128 = load.took.iter().map(|took| u128::from(*took)).sum();
        let mean = total as f64 / n.max(1) as f64 / 1e6;
        row.value = Some(significant(mean, 6).to_string());
        row.expected = Some(significant(expected, 6).to_string());
    }
}

/// The least of these nanoseconds that at least so many of a hundred do not exceed (nearest rank), in milliseconds. Their
/// order does not matter and is lost.
pub fn percentile_ms(took: &mut [u64], percent: usize) -> Option<f64> {
    let index = (took.len() * percent).div_ceil(100).checked_sub(1)?;
    let (_, found, _) = took.select_nth_unstable(index);
    Some(*found as f64 / 1e6)
}

/// The mean time in a system with arrivals by chance, exponential service and c servers (M/M/c), by Erlang's formula, as in
/// Kleinrock, “Queueing Systems” (1975), section 3.5. Needs less than a full load.
pub fn erlang_mean_ms(a_second: f64, service_ms: f64, servers: u32) -> f64 {
    let offered = a_second * service_ms / 1e3;
    let n = f64::from(servers);
    // Erlang's B for 1, 2, … servers; from the last follows C, the share of requests that wait.
    let blocked = (1..=servers).fold(1.0, |blocked, servers| {
        offered * blocked / (f64::from(servers) + offered * blocked)
    });
    let load = offered / n;
    let waiting = blocked / (1.0 - load * (1.0 - blocked));
    service_ms + waiting * service_ms / (n * (1.0 - load))
}

#[cfg(test)]
mod tests {
    use super::super::super::service::{Kind, Own, Service};
    use super::super::{Load, Traffic};
    use super::*;
    use crate::wire::Runtime;

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let mut took: Vec<u64> = (1..=20).rev().map(|ms| ms * 1_000_000).collect();
        assert_eq!(percentile_ms(&mut took, 50), Some(10.0));
        assert_eq!(percentile_ms(&mut took, 95), Some(19.0));
        assert_eq!(percentile_ms(&mut took, 99), Some(20.0));
        assert_eq!(percentile_ms(&mut [], 50), None);
    }

    /// M/M/1 is 1 / (μ − λ), and the textbook's M/M/2 at a load of one half is 4/3 of the service.
    #[test]
    fn erlangs_formula_has_its_known_values() {
        assert!((erlang_mean_ms(8.0, 100.0, 1) - 500.0).abs() < 1e-9);
        assert!((erlang_mean_ms(10.0, 100.0, 2) - 400.0 / 3.0).abs() < 1e-9);
        assert!((erlang_mean_ms(1.0, 100.0, 1_000) - 100.0).abs() < 1e-9);
    }

    /// A million requests and more, loads up to 0.8, fixed seeds: mean time, mean wait and the 95 % within 3 % of theory.
    #[test]
    fn the_simulation_equals_queueing_theory() {
        for (servers, percent, requests, seed) in [
            (1, 50, 1_000_000, 1),
            (1, 80, 2_000_000, 4),
            (2, 80, 2_000_000, 1),
            (4, 80, 1_000_000, 1),
            (9, 70, 1_000_000, 2),
            (20, 80, 1_000_000, 3),
        ] {
            let service = Service {
                threads: servers,
                at_once: true,
                is_exponential: true,
                ..Service::plain(Kind::Wsgi, Runtime::Gil, None)
            };
            // Whole arrivals a second: 5 requests a second are what a server of 200 ms serves.
            let a_second = servers * 5 * percent / 100;
            let exact = f64::from(a_second);
            let traffic = Traffic {
                requests,
                a_second,
                seed,
            };
            let mut load = Load::new(&service, &Own::nothing(), traffic);
            while load.run(1_000_000) {}
            let took = load.took();
            assert_eq!(took.len(), requests as usize);
            let mean_ms = took.iter().sum::<u64>() as f64 / 1e6 / f64::from(requests);
            let expected = erlang_mean_ms(exact, 200.0, servers);
            let is_close = |found: f64, expected: f64| (found / expected - 1.0).abs() < 0.03;
            let case = format!("{servers} servers, load {percent} %");
            assert!(is_close(mean_ms, expected), "{case}: {mean_ms} for {expected}");
            let (wait, expected_wait) = (mean_ms - 200.0, expected - 200.0);
            // Where one in a hundred waits, chance is larger than that.
            if expected_wait > 20.0 {
                assert!(
                    is_close(wait, expected_wait),
                    "{case}: waits {wait} for {expected_wait}"
                );
            }
            if servers == 1 {
                // M/M/1: the time in the system is exponential itself.
                let mut took = took.to_vec();
                let p95 = percentile_ms(&mut took, 95).expect("some were answered");
                let known = expected * 20.0_f64.ln();
                assert!(is_close(p95, known), "{case}: {p95} for {known}");
            }
        }
    }

    /// The worked example: a thread that is taken is waited for.
    #[test]
    fn who_comes_second_waits_for_the_first() {
        let service = Service::plain(Kind::Wsgi, Runtime::Gil, None);
        let traffic = Traffic {
            requests: 2,
            a_second: 100,
            seed: 1,
        };
        let mut load = Load::new(&service, &Own::nothing(), traffic);
        let mut arrivals = super::super::Arrivals::new(&service, traffic);
        let (first, second) = (arrivals.next().at, arrivals.next().at);
        while load.run(10) {}
        assert_eq!(load.took(), [400_000_000, 800_000_000 - (second - first)]);
    }
}
