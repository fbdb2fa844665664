//! The figures that the lessons printed, beside which a result stands.
//!
//! Natively also what the models make of each (`modelled`), whether that is close enough (`figure`), and what the page of
//! all figures is given (`page`): the tests and the page read the same. Not here: any lab's quantity.

#[cfg(not(target_arch = "wasm32"))]
mod choosing;
#[cfg(not(target_arch = "wasm32"))]
mod figure;
#[cfg(not(target_arch = "wasm32"))]
mod modelled;
#[cfg(not(target_arch = "wasm32"))]
mod page;
#[cfg(not(target_arch = "wasm32"))]
mod reading;

#[cfg(not(target_arch = "wasm32"))]
pub use figure::{EXCEPTIONS, Figure};
#[cfg(not(target_arch = "wasm32"))]
pub use page::{Entry, Page};
#[cfg(not(target_arch = "wasm32"))]
pub use reading::{Reading, read, reading};

use super::rows::{runtime_id, strategy_id};
use crate::text::Json;
use crate::wire::{Named, Plain, Provenance, PublishedFigure, Runtime, Strategy};

const FIGURES: &str = include_str!("../lesson-figures.json");

const STRATEGIES: [Strategy; 6] = [
    Strategy::Serial,
    Strategy::Threads,
    Strategy::Processes,
    Strategy::Interpreters,
    Strategy::EventLoop,
    Strategy::ToThread,
];

const RUNTIMES: [Runtime; 3] = [Runtime::GilLegacy, Runtime::Gil, Runtime::FreeThreaded];

/// The figures of one lab, in the lessons' order.
#[must_use]
pub fn published(lab: &str) -> Vec<PublishedFigure> {
    let file = Json::parse(FIGURES).unwrap_or(Json::Null);
    let figures = file.get("figures").map(Json::items).unwrap_or_default();
    let of_lab = figures
        .iter()
        .filter(|figure| figure.get("lab").and_then(Json::text) == Some(lab));
    of_lab.filter_map(one).collect()
}

/// One figure; none where a field is missing, which a test excludes.
fn one(figure: &Json) -> Option<PublishedFigure> {
    let text = |key: &str| figure.get(key).and_then(Json::text).map(str::to_owned);
    let (strategy, runtime) = (text("strategy")?, text("runtime")?);
    let Json::Object(params) = figure.get("params")? else {
        return None;
    };
    let params = params
        .iter()
        .filter_map(|(id, value)| Some((id.clone(), plain(value)?)))
        .collect();
    Some(PublishedFigure {
        id: text("id")?,
        lesson: text("lesson")?,
        strategy: STRATEGIES.into_iter().find(|known| strategy_id(*known) == strategy)?,
        variant: text("variant"),
        runtime: RUNTIMES.into_iter().find(|known| runtime_id(*known) == runtime)?,
        params: Named(params),
        quantity: text("quantity")?,
        value: figure.get("value").and_then(Json::number),
        range: figure
            .get("range")
            .map(|range| range.items().iter().filter_map(Json::number).collect()),
        relation: text("relation"),
        provenance: match text("provenance")?.as_str() {
            "published" => Provenance::Published,
            "derived" => Provenance::Derived,
            _ => return None,
        },
        note: text("note"),
    })
}

fn plain(value: &Json) -> Option<Plain> {
    match value {
        Json::Flag(flag) => Some(Plain::Flag(*flag)),
        Json::Number(number) => Some(Plain::Number(*number)),
        Json::Text(text) => Some(Plain::Text(text.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lab_finds_its_own() {
        let stall = published("stall");
        let gap = stall
            .iter()
            .find(|figure| figure.id == "A-stall-gap")
            .expect("the lesson printed it");
        assert_eq!(gap.value, Some(1.6));
        assert_eq!(stall.len(), 7);
        let calls = published("lost-updates")
            .into_iter()
            .find(|figure| figure.id == "A-count-gil-call");
        assert_eq!(calls.and_then(|figure| figure.relation).as_deref(), Some("at-least"));
        assert!(published("no-such-lab").is_empty());
    }

    /// Read by serde as well: nothing is left out, and every figure says a number.
    #[test]
    fn every_figure_of_the_file_is_read() {
        let file: serde_json::Value = serde_json::from_str(FIGURES).expect("the file is JSON");
        let figures = file
            .get("figures")
            .and_then(|figures| figures.as_array())
            .expect("it lists figures");
        for expected in figures {
            let field = |key: &str| {
                expected
                    .get(key)
                    .and_then(|value| value.as_str())
                    .expect("every figure has it")
            };
            let found = published(field("lab"))
                .into_iter()
                .find(|figure| figure.id == field("id"));
            let found = found.unwrap_or_else(|| panic!("{expected} was not read"));
            let found = serde_json::to_value(found).expect("plain JSON");
            for (key, value) in found.as_object().expect("an object") {
                let expected = expected.get(key).unwrap_or_else(|| panic!("{key} was made up"));
                let is_number = |value: &serde_json::Value| value.is_number();
                assert!(
                    value == expected
                        || is_number(value) && value.as_f64() == expected.as_f64()
                        || key == "params"
                        || key == "range"
                );
            }
            assert!(
                found.get("value").is_some() || found.get("range").is_some(),
                "{expected} says nothing"
            );
        }
    }
}
