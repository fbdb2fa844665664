//! Many times in few numbers: percentiles, and how many requests were under way as time went by.
//!
//! Not here: where the times come from.

use crate::wire::{CurvePoint, ErrorCount};

/// More points than that do not fit a picture side by side.
const MOST_POINTS: usize = 400;

/// The least of so many that at least this share of them does not exceed (nearest rank).
pub fn percentile(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.checked_sub(1)?).copied()
}

/// What became of those that were not answered, without what happened to none.
pub fn errors(timeouts: u32, failed: u32, cancelled: u32) -> Vec<ErrorCount> {
    let all = [("timeout", timeouts), ("connection", failed), ("cancelled", cancelled)];
    let some = all.into_iter().filter(|(_, count)| *count > 0);
    some.map(|(kind, count)| ErrorCount {
        kind: kind.to_owned(),
        count,
    })
    .collect()
}

/// A number as it changes.
#[derive(Debug, Default)]
pub struct Curve(Vec<CurvePoint>);

impl Curve {
    /// From this time on it is that. Times come in their order.
    pub fn add(&mut self, at_ms: f64, value: u32) {
        match self.0.last_mut() {
            // The highest at one time, not the last: a request that is answered as another begins was under way too.
            Some(last) if last.at_ms == at_ms && last.value <= value => last.value = value,
            _ => self.0.push(CurvePoint { at_ms, value }),
        }
    }

    /// Its points. Where there are too many, each part of the curve keeps its highest, so that the highest of all is there;
    /// the last stays.
    pub fn points(self) -> Vec<CurvePoint> {
        let each = self.0.len().div_ceil(MOST_POINTS).max(1);
        let (last, rest) = match self.0.split_last() {
            Some((last, rest)) => (Some(*last), rest),
            None => (None, self.0.as_slice()),
        };
        let highest = rest
            .chunks(each)
            .filter_map(|part| part.iter().max_by_key(|point| point.value));
        highest.copied().chain(last).collect()
    }
}

/// How many were under way at once, at most, and as time went by since `start_ms`.
pub fn in_flight(spans: &[(f64, f64)], start_ms: f64) -> (u32, Vec<CurvePoint>) {
    let lasting = spans.iter().filter(|(start, end)| end > start);
    let mut changes: Vec<(f64, bool)> = lasting
        .flat_map(|(start, end)| [(*start, true), (*end, false)])
        .collect();
    // At equal times ends come first: a worker that is free takes the next request at once.
    changes.sort_by(|one, two| one.0.total_cmp(&two.0).then(one.1.cmp(&two.1)));
    // On a coarse clock none may have lasted; still each was under way.
    let mut most = u32::from(!spans.is_empty());
    let (mut now, mut curve) = (0_u32, Curve::default());
    for (at, begins) in changes {
        now = if begins { now + 1 } else { now.saturating_sub(1) };
        most = most.max(now);
        curve.add((at - start_ms).max(0.0), now);
    }
    (most, curve.points())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let times: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!(percentile(&times, 50), Some(10.0));
        assert_eq!(percentile(&times, 95), Some(19.0));
        assert_eq!(percentile(&times, 99), Some(20.0));
        assert_eq!(percentile(&[1.0], 50), Some(1.0));
        assert_eq!(percentile(&[], 50), None);
    }

    #[test]
    fn who_follows_at_once_is_not_one_more() {
        let (most, points) = in_flight(&[(100.0, 110.0), (100.0, 120.0), (110.0, 130.0)], 100.0);
        assert_eq!(most, 2);
        let points: Vec<(f64, u32)> = points.iter().map(|point| (point.at_ms, point.value)).collect();
        assert_eq!(points, [(0.0, 2), (10.0, 2), (20.0, 1), (30.0, 0)]);
        assert_eq!(
            in_flight(&[(5.0, 5.0)], 5.0),
            (1, Vec::new()),
            "a clock too coarse for it"
        );
        assert_eq!(in_flight(&[], 0.0), (0, Vec::new()));
    }
}
