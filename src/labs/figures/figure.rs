//! One published figure, and whether a number agrees with it. Not here: where the number comes from.

use super::published;
use crate::labs::{LABS, Lab};
use crate::text::Json;
use crate::wire::{Plain, PublishedFigure};

/// Figures that no honest cost explains. They stay in the table with the reason (in the texts, under
/// `ui.figures.page.exception.`), and the day that one fits, this list is wrong.
pub const EXCEPTIONS: &[&str] = &["C-cpu-ft-interpreters"];

/// Labs whose seconds are those of timers and not of a machine: they are the same everywhere, and so can be compared.
const TIMED: &[&str] = &["event-loop", "fan-out", "stall", "server"];

/// One published figure with its lab.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What the lesson printed.
    pub published: PublishedFigure,
    /// The lab that is about it.
    pub lab: &'static dyn Lab,
    /// The machine of the lesson, by its public id.
    pub preset: String,
    /// How far off a number may be, as a share of the figure. Nothing means: the same digits as printed.
    pub tolerance: f64,
}

impl Figure {
    /// The figures of all labs that have a model, lab by lab in teaching order.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let file = Json::parse(super::FIGURES).unwrap_or(Json::Null);
        let all = file.get("figures").map(Json::items).unwrap_or_default();
        let modelled = LABS.iter().filter(|lab| lab.model().is_some());
        let figures = modelled.flat_map(|lab| {
            let published = published(lab.about().id).into_iter();
            published.filter_map(|published| Self::of(*lab, published, all))
        });
        figures.collect()
    }

    fn of(lab: &'static dyn Lab, published: PublishedFigure, all: &[Json]) -> Option<Self> {
        let is_meant = |figure: &&Json| figure.get("id").and_then(Json::text) == Some(published.id.as_str());
        let figure = all.iter().find(is_meant)?;
        Some(Self {
            preset: figure.get("preset")?.text()?.to_owned(),
            tolerance: figure.get("tolerance")?.number()?,
            published,
            lab,
        })
    }

    /// The lowest and the highest that was printed.
    #[must_use]
    pub fn range(&self) -> (f64, f64) {
        match (self.published.value, self.published.range.as_deref()) {
            (None, Some([low, high])) => (*low, *high),
            (value, _) => {
                let value = value.unwrap_or(f64::NAN);
                (value, value)
            }
        }
    }

    /// The figure as digits.
    #[must_use]
    pub fn digits(&self) -> String {
        let (low, high) = self.range();
        if low == high {
            format!("{low}")
        } else {
            format!("{low} to {high}")
        }
    }

    /// Whether it is a lower bound.
    #[must_use]
    pub fn is_at_least(&self) -> bool {
        self.published.relation.as_deref() == Some("at-least")
    }

    /// Between which numbers one agrees with the figure, both ends allowed; no end above where it is a lower bound.
    #[must_use]
    pub fn bounds(&self) -> (f64, Option<f64>) {
        let (low, high) = self.range();
        if self.is_at_least() {
            return (low - low.abs() * self.tolerance, None);
        }
        if self.tolerance == 0.0 {
            let digits = self.digits();
            let n_decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
            let half_a_unit = 0.5 / 10_f64.powi(i32::try_from(n_decimals).unwrap_or_default());
            return (low - half_a_unit, Some(high + half_a_unit));
        }
        let wider = |number: f64| number.abs() * self.tolerance;
        (low - wider(low), Some(high + wider(high)))
    }

    /// Whether a number agrees.
    #[must_use]
    pub fn accepts(&self, number: f64) -> bool {
        let (low, high) = self.bounds();
        number >= low && high.is_none_or(|high| number <= high)
    }

    /// How far off a number is, as a share of what was printed; of a figure of 0 the number itself.
    #[must_use]
    pub fn difference(&self, number: f64) -> f64 {
        let (low, high) = self.range();
        let nearest = if self.is_at_least() {
            number.max(low)
        } else {
            number.clamp(low, high)
        };
        if nearest == 0.0 { number } else { number / nearest - 1.0 }
    }

    /// Whether it is listed as one that the model does not reach.
    #[must_use]
    pub fn is_exception(&self) -> bool {
        EXCEPTIONS.contains(&self.published.id.as_str())
    }

    /// Whether a number of another machine can be held to it: one in seconds of computing cannot.
    #[must_use]
    pub fn compares(&self) -> bool {
        self.published.quantity != "seconds" || TIMED.contains(&self.lab.about().id)
    }

    /// Whether this is the figure beside which `other` is so many times as fast: the same work on the same Python, one
    /// part after another.
    #[must_use]
    pub fn is_baseline_of(&self, other: &Self) -> bool {
        let (base, faster) = (&self.published, &other.published);
        let has = |(id, value): (&String, &Plain)| faster.params.0.get(id) == Some(value);
        base.id != faster.id
            && self.lab.about().id == other.lab.about().id
            && base.quantity == "seconds"
            && faster.quantity == "seconds"
            && base.strategy == crate::wire::Strategy::Serial
            && (&base.lesson, base.runtime) == (&faster.lesson, faster.runtime)
            && faster.strategy != base.strategy
            && base.params.0.iter().all(has)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(id: &str) -> Figure {
        let found = Figure::all().into_iter().find(|figure| figure.published.id == id);
        found.expect("it is in the file")
    }

    #[test]
    fn a_tolerance_of_nothing_means_the_same_digits() {
        let scene = figure("A-loop-await");
        assert!(scene.accepts(0.3) && scene.accepts(0.301) && scene.accepts(0.26));
        assert!(!scene.accepts(0.24) && !scene.accepts(0.36) && !scene.accepts(f64::NAN));
        let lost = figure("A-count-gil");
        assert!(lost.accepts(0.0) && !lost.accepts(1.0));
    }

    #[test]
    fn ranges_are_widened_and_lower_bounds_have_no_end() {
        let range = figure("B-cpu-20m-threads");
        assert!(range.accepts(0.8) && range.accepts(1.0) && !range.accepts(0.7) && !range.accepts(1.1));
        let some = figure("A-count-gil-call");
        assert!(some.accepts(1.0) && some.accepts(5.0) && !some.accepts(0.0));
        assert!((some.difference(5.0), some.difference(0.5)) == (0.0, -0.5));
    }

    #[test]
    fn a_baseline_does_the_same_work_on_the_same_python() {
        let base = |of: &str, is: &str| figure(is).is_baseline_of(&figure(of));
        assert!(base("A-cpu-threads", "A-cpu-serial") && base("A-cpu-ft-threads", "A-cpu-ft-serial"));
        assert!(base("A-fan-limit-20", "A-fan-serial"));
        assert!(!base("A-cpu-ft-threads", "A-cpu-serial") && !base("A-cpu-serial", "A-cpu-serial"));
        assert!(!base("A-fan-blocking", "A-fan-serial") && !base("B-cpu-20m-threads", "B-cpu-20m-serial"));
    }
}
