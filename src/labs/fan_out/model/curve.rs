//! Requests in flight as time goes by, from the counters of a run's log. Not here: drawing.

use crate::labs::fan_out::summary::Curve;
use crate::machine::trace::{CounterKind, Event, Log};
use crate::wire::CurvePoint;

/// The curve, in few enough points to draw.
pub fn in_flight(log: &Log) -> Vec<CurvePoint> {
    let mut curve = Curve::default();
    for happened in log.events() {
        if let Event::Count {
            counter: CounterKind::InFlight,
            value,
            ..
        } = happened.event
        {
            curve.add(happened.at.as_millis(), u32::try_from(value).unwrap_or(u32::MAX));
        }
    }
    curve.points()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Nanoseconds;
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
        // 400 of them, and the end.
        assert!(seen.len() <= 401, "{}", seen.len());
        assert!(seen.iter().any(|(_, value)| *value == 99));
        assert_eq!(seen.last(), Some(&(10_000.0, 0)));
    }
}
