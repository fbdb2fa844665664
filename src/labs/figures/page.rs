//! What the page of all figures is given, made at build time: each figure with what the model makes of it, how it is
//! measured in a browser, and the link that opens its lab. Not here: words, and how it looks.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::{Figure, Reading, reading};
use crate::labs::rows::runtime_id;
use crate::measure::digits::significant;
use crate::text::Words;
use crate::wire::{Mode, Named, Plain, PublishedFigure};

/// Digits of a modelled number that the page gets: more than it shows, fewer than would differ by nothing.
const DIGITS: i32 = 5;

/// Everything on the page.
#[derive(Clone, Debug, Serialize)]
pub struct Page {
    /// The lessons by their letters, with title and machine.
    pub lessons: Value,
    /// The figures, lab by lab in teaching order.
    pub figures: Vec<Entry>,
}

/// One figure.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// What the lesson printed.
    #[serde(flatten)]
    pub published: PublishedFigure,
    /// The lab.
    pub lab: String,
    /// How far off a number may be, as a share.
    pub tolerance: f64,
    /// The lowest number that agrees.
    pub low: f64,
    /// The highest; none for a lower bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// What the lesson's preset gives.
    pub modelled: f64,
    /// How far off that is, as a share of the figure.
    pub difference: f64,
    /// Whether that is too far, and listed as such.
    pub exception: bool,
    /// Whether a number of another machine can be held to the figure.
    pub compares: bool,
    /// The figure of the same work done one part after another, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// How the quantity is read from a row.
    pub reading: Reading,
    /// The link's hash that opens the lab with these parameters.
    pub link: String,
    /// The parameters of a measured run that has the quantity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<Named>,
    /// Or why there is none: an id of the page's texts under `ui.figures.page.absent.`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent: Option<&'static str>,
}

impl Page {
    /// All figures that there are labs for.
    ///
    /// # Errors
    /// A figure asks for what its lab does not have, in words for developers.
    pub fn new(words: &Words) -> Result<Self, String> {
        let file: Value = serde_json::from_str(super::FIGURES).map_err(|error| error.to_string())?;
        let all = Figure::all();
        let entries = all.iter().map(|figure| entry(figure, &all, words));
        let mut figures = entries.collect::<Result<Vec<_>, _>>()?;
        share_runs(&mut figures, &all);
        Ok(Self {
            lessons: file.get("lessons").cloned().unwrap_or_default(),
            figures,
        })
    }
}

fn entry(figure: &Figure, all: &[Figure], words: &Words) -> Result<Entry, String> {
    let modelled = figure.modelled(None, words)?;
    let (low, high) = figure.bounds();
    let (measured, absent) = match measured(figure)? {
        Ok(params) => (Some(params), None),
        Err(why) => (None, Some(why)),
    };
    let baseline = all.iter().find(|other| other.is_baseline_of(figure));
    Ok(Entry {
        published: figure.published.clone(),
        lab: figure.lab.about().id.to_owned(),
        tolerance: figure.tolerance,
        low,
        high,
        modelled: significant(modelled, DIGITS),
        difference: significant(figure.difference(modelled), DIGITS),
        exception: figure.is_exception(),
        compares: figure.compares(),
        baseline: baseline.map(|figure| figure.published.id.clone()),
        reading: reading(&figure.published.quantity),
        link: link(figure)?,
        measured,
        absent,
    })
}

/// The link to the lab's model with the figure's values, in the format of `www/src/link.ts`.
fn link(figure: &Figure) -> Result<String, String> {
    let mut link = format!("v=1&lab={}&mode=model", figure.lab.about().id);
    for (parameter, value) in figure.given()? {
        // Ids, numbers and flags: none has a character that a link would have to encode.
        let value = match value {
            Plain::Text(id) => id,
            Plain::Number(number) => number.to_string(),
            Plain::Flag(flag) => flag.to_string(),
        };
        link.push_str(&format!("&p.{}={value}", parameter.id));
    }
    Ok(link)
}

/// The parameters of a measured run with the figure's values, but for the runtime and for choices that are made without
/// asking; or why there is no such run.
fn measured(figure: &Figure) -> Result<Result<Named, &'static str>, String> {
    if !figure.lab.about().modes.contains(&Mode::Measured) {
        return Ok(Err("model-only"));
    }
    if reading(&figure.published.quantity) == Reading::Several {
        return Ok(Err("several"));
    }
    let mut params = Named::default();
    for (parameter, value) in figure.given()? {
        if parameter.is_for(Mode::Measured) && parameter.id != "runtime" {
            // Two figures of one run must not differ in what one of them leaves out.
            let is_number = matches!(value, Plain::Number(_));
            if is_number || parameter.describe().default.as_ref() != Some(&value) {
                params.0.insert(parameter.id.to_owned(), value);
            }
        } else if figure.published.params.0.contains_key(parameter.id) {
            return Ok(Err("parameter"));
        }
    }
    Ok(Ok(params))
}

/// Figures that differ in the runtime alone are measured in one run, which then has all runtimes; any other run is of its
/// figure's.
fn share_runs(entries: &mut [Entry], figures: &[Figure]) {
    let runs: Vec<(String, Option<Named>, &'static str)> = entries
        .iter()
        .map(|entry| {
            (
                entry.lab.clone(),
                entry.measured.clone(),
                runtime_id(entry.published.runtime),
            )
        })
        .collect();
    for (entry, figure) in entries.iter_mut().zip(figures) {
        let of_run = runs
            .iter()
            .filter(|(lab, params, _)| (lab, params) == (&entry.lab, &entry.measured));
        let runtimes: BTreeSet<&str> = of_run.map(|(_, _, runtime)| *runtime).collect();
        let mut parameters = figure.lab.about().parameters.iter();
        let has_choice = parameters.any(|parameter| parameter.id == "runtime" && parameter.is_for(Mode::Measured));
        if let (1, true, Some(params)) = (runtimes.len(), has_choice, &mut entry.measured) {
            params
                .0
                .insert("runtime".to_owned(), runtime_id(figure.published.runtime).into());
        }
    }
}
