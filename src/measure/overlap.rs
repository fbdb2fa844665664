//! Whether workers really worked at the same time, from the record of who worked when. Not here: taking that record.

use crate::wire::WorkSpan;

/// How much of the time at least two workers were busy, and how many at once at most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlap {
    /// Share of the time from the first start to the last end, 0 to 1.
    pub share: f64,
    /// Workers busy at the same time, at most.
    pub at_once: u32,
}

/// Sweeps over starts and ends. A worker that ends one task and starts the next at the same time counts once.
#[must_use]
pub fn overlap(spans: &[WorkSpan]) -> Overlap {
    let mut events: Vec<(f64, i32)> = spans
        .iter()
        .filter(|span| span.end_ms > span.start_ms)
        .flat_map(|span| [(span.start_ms, 1), (span.end_ms, -1)])
        .collect();
    // At equal times ends come first.
    events.sort_by(|one, two| one.0.total_cmp(&two.0).then(one.1.cmp(&two.1)));
    let (Some(first), Some(last)) = (events.first(), events.last()) else {
        return Overlap::default();
    };
    let whole = last.0 - first.0;
    let (mut n_busy, mut at_once, mut shared, mut since) = (0i32, 0i32, 0.0, first.0);
    for (at, change) in &events {
        if n_busy >= 2 {
            shared += at - since;
        }
        since = *at;
        n_busy += change;
        at_once = at_once.max(n_busy);
    }
    Overlap {
        share: shared / whole,
        at_once: at_once.unsigned_abs(),
    }
}

/// The same spans on a clock that starts with the first of them: what a drawing wants.
#[must_use]
pub fn from_start(spans: &[WorkSpan]) -> Vec<WorkSpan> {
    let start = spans.iter().map(|span| span.start_ms).fold(f64::INFINITY, f64::min);
    spans
        .iter()
        .map(|span| WorkSpan {
            start_ms: span.start_ms - start,
            end_ms: span.end_ms - start,
            ..*span
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(worker: u32, start_ms: f64, end_ms: f64) -> WorkSpan {
        WorkSpan {
            worker,
            task: 0,
            start_ms,
            end_ms,
        }
    }

    #[test]
    fn half_shared_time_is_half_an_overlap() {
        let seen = overlap(&[span(0, 100.0, 110.0), span(1, 105.0, 110.0)]);
        assert_eq!(seen, Overlap { share: 0.5, at_once: 2 });
    }

    #[test]
    fn one_after_another_is_none() {
        assert_eq!(
            overlap(&[span(0, 0.0, 5.0), span(1, 5.0, 9.0)]),
            Overlap { share: 0.0, at_once: 1 }
        );
        assert_eq!(overlap(&[]), Overlap::default());
        assert_eq!(overlap(&[span(0, 3.0, 3.0)]), Overlap::default());
    }

    #[test]
    fn spans_are_moved_to_their_start() {
        let moved = from_start(&[span(0, 1_000.5, 1_002.0), span(1, 1_000.0, 1_001.0)]);
        assert_eq!(moved, vec![span(0, 0.5, 2.0), span(1, 0.0, 1.0)]);
    }
}
