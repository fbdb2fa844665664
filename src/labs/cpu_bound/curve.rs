//! The scaling curve: how far more workers help, and the share that cannot be shared out (Amdahl 1967).
//!
//! Worked example: speed-ups 1, 1.6 and 2 on 1, 2 and 4 workers fit a serial share of 0.31: time(n) = time(1) ×
//! (share + (1 - share) / n). The fit is least squares on 1 / speed-up against 1 / workers, held to the point
//! (1, 1), which one worker defines. Not here: drawing it.

use crate::labs::Evidence;
use crate::labs::rows::median_ms;
use crate::measure::digits::significant;
use crate::text::args;
use crate::wire::{Named, Runtime, Strategy};

/// The curve's numbers; none where it was not asked for or has fewer than two points.
pub fn fit(evidence: &Evidence<'_>) -> Option<Named> {
    let points = points(evidence);
    let (_, alone) = *points.iter().find(|(workers, _)| *workers == 1)?;
    let speedups: Vec<(f64, f64)> = points
        .iter()
        .map(|(workers, ms)| (f64::from(*workers), alone / ms))
        .collect();
    let share = serial_share(&speedups)?;
    let best = speedups.iter().max_by(|one, two| one.1.total_cmp(&two.1))?;
    Some(args([
        ("workers", best.0.into()),
        ("speedup", significant(best.1, 3).into()),
        ("efficiency", significant(best.1 / best.0, 2).into()),
        ("serialShare", significant(share, 2).into()),
    ]))
}

/// Workers and median time of each point.
fn points(evidence: &Evidence<'_>) -> Vec<(u32, f64)> {
    let rows = evidence.taken.rows.iter().filter(|row| {
        let of_curve = row
            .subject
            .variant
            .as_deref()
            .is_some_and(|variant| variant.parse::<u32>().is_ok());
        let is_free = row.subject.runtime == Some(Runtime::FreeThreaded);
        row.subject.strategy == Strategy::Threads && of_curve && is_free && !row.samples.is_empty()
    });
    rows.filter_map(|row| Some((row.subject.workers?, median_ms(row))))
        .filter(|(_, ms)| *ms > 0.0)
        .collect()
}

/// The serial share, 0 to 1; none without a point beyond one worker.
fn serial_share(speedups: &[(f64, f64)]) -> Option<f64> {
    let (above, below) = speedups
        .iter()
        .filter(|(workers, _)| *workers > 1.0)
        .fold((0.0, 0.0), |sums, point| {
            let (x, y) = (1.0 / point.0, 1.0 / point.1);
            (sums.0 + (y - x) * (1.0 - x), sums.1 + (1.0 - x) * (1.0 - x))
        });
    (below > 0.0).then(|| (above / below).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example_fits() {
        let share = serial_share(&[(1.0, 1.0), (2.0, 1.6), (4.0, 2.0)]).expect("there are points");
        assert!((share - 0.307_7).abs() < 1e-4, "{share}");
    }

    #[test]
    fn perfect_and_hopeless_curves() {
        assert_eq!(serial_share(&[(1.0, 1.0), (2.0, 2.0), (8.0, 8.0)]), Some(0.0));
        assert_eq!(serial_share(&[(1.0, 1.0), (2.0, 1.0), (8.0, 1.0)]), Some(1.0));
        assert_eq!(serial_share(&[(1.0, 1.0)]), None);
    }
}
