//! Requests in flight as time goes by, from the counters of a run's log, in few enough points to draw.
//!
//! Not here: drawing.

use crate::machine::Nanoseconds;
use crate::machine::trace::{CounterKind, Event, Log};
use crate::wire::CurvePoint;

/// More points than that do not fit a picture side by side.
const MOST_POINTS: usize = 400;

/// The curve. Of several changes at one time the last stays; where there are too many, each part of the curve keeps its
/// highest point, so that the highest of all is there.
pub fn in_flight(log: &Log) -> Vec<CurvePoint> {
    let mut points: Vec<(Nanoseconds, u64)> = Vec::new();
    for happened in log.events() {
        let Event::Count {
            counter: CounterKind::InFlight,
            value,
            ..
        } = happened.event
        else {
            continue;
        };
        match points.last_mut() {
            // The highest at one time, not the last: a request that is answered as another begins was in flight too.
            Some((at, last)) if *at == happened.at && *last <= value => *last = value,
            _ => points.push((happened.at, value)),
        }
    }
    let each = points.len().div_ceil(MOST_POINTS).max(1);
    let (last, rest) = match points.split_last() {
        Some((last, rest)) => (Some(*last), rest),
        None => (None, points.as_slice()),
    };
    let highest = rest
        .chunks(each)
        .filter_map(|part| part.iter().max_by_key(|(_, value)| *value));
    let kept = highest.copied().chain(last);
    kept.map(|(at, value)| CurvePoint {
        at_ms: at.as_millis(),
        value: u32::try_from(value).unwrap_or(u32::MAX),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::trace::{LaneKind, Recorder};

    fn curve(values: impl Iterator<Item = (u64, u64)>) -> Vec<(f64, u32)> {
        let mut recorder = Recorder::on();
        let lane = recorder.lane(Nanoseconds::ZERO, LaneKind::Process, None, || "client".to_owned());
        for (at, value) in values {
            recorder.count(Nanoseconds::millis(at), lane, CounterKind::InFlight, value);
        }
        let log = recorder.finish(Nanoseconds::seconds(100)).expect("it was on");
        in_flight(&log)
            .into_iter()
            .map(|point| (point.at_ms, point.value))
            .collect()
    }

    #[test]
    fn it_rises_and_falls() {
        let seen = curve([(0, 1), (0, 2), (5, 1), (5, 2), (9, 1), (9, 0)].into_iter());
        assert_eq!(seen.first(), Some(&(0.0, 2)));
        assert_eq!(seen.last(), Some(&(9.0, 0)));
    }

    #[test]
    fn a_long_curve_keeps_its_highest_point_and_its_end() {
        let up_and_down = (0..10_000).map(|at| (at, if at == 7_777 { 99 } else { at % 7 + 1 }));
        let seen = curve(up_and_down.chain([(10_000, 0)]));
        assert!(seen.len() <= MOST_POINTS + 1, "{}", seen.len());
        assert!(seen.iter().any(|(_, value)| *value == 99));
        assert_eq!(seen.last(), Some(&(10_000.0, 0)));
    }
}
