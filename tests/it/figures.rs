//! The figures that the lessons printed, beside what the presets make of them: the same computing as on the page of figures.
//!
//! `cargo test --test it figures -- --nocapture` prints two tables: each figure with what was published and what is
//! modelled, and each constant of the presets with the figures that move when it is halved or doubled.

use std::collections::BTreeSet;
use std::fs;

use concurrency_playground::labs::figures::{EXCEPTIONS, Figure, Page};
use concurrency_playground::labs::presets::{Hardware, Python, Tweak};
use concurrency_playground::labs::{by_id, english};
use concurrency_playground::text::Words;
use concurrency_playground::wire::Mode;

fn modelled(figure: &Figure, tweak: Option<Tweak>, words: &Words) -> f64 {
    figure.modelled(tweak, words).expect("its lab has such a row")
}

#[test]
fn every_figure_is_reproduced_or_an_exception() {
    let words = english();
    let mut wrong = Vec::new();
    println!(
        "{:24} {:>14} {:>10} {:>8}  within",
        "figure", "published", "modelled", "off"
    );
    for figure in Figure::all() {
        let modelled = modelled(&figure, None, &words);
        let id = figure.published.id.clone();
        let verdict = match (figure.accepts(modelled), figure.is_exception()) {
            (true, false) => format!("{:.0} %", figure.tolerance * 100.0),
            (false, true) => format!("exception: {}", words.say(&reason(&id))),
            _ => {
                wrong.push(id.clone());
                "NO".to_owned()
            }
        };
        let sign = if figure.is_at_least() { "≥ " } else { "" };
        println!(
            "{id:24} {:>14} {:>10.3} {:>+7.1}%  {verdict}",
            format!("{sign}{}", figure.digits()),
            modelled,
            figure.difference(modelled) * 100.0
        );
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

fn reason(id: &str) -> String {
    format!("ui.figures.page.exception.{id}")
}

#[test]
fn every_exception_is_a_figure_and_has_its_reason() {
    let words = english();
    let ids: BTreeSet<String> = Figure::all().into_iter().map(|figure| figure.published.id).collect();
    for id in EXCEPTIONS {
        assert!(ids.contains(*id) && words.find(&reason(id)).is_some(), "{id}");
    }
}

#[test]
fn the_page_has_every_figure_of_every_lab_once() {
    let words = english();
    let page = Page::new(&words).expect("every figure has its row");
    let ids: BTreeSet<&str> = page.figures.iter().map(|entry| entry.published.id.as_str()).collect();
    assert_eq!(ids.len(), page.figures.len());
    let file: serde_json::Value =
        serde_json::from_str(include_str!("../../src/labs/lesson-figures.json")).expect("the file is JSON");
    let listed = file
        .get("figures")
        .and_then(serde_json::Value::as_array)
        .expect("it lists figures");
    for figure in listed {
        let field = |key: &str| figure.get(key).and_then(serde_json::Value::as_str).expect("it has one");
        let is_there = by_id(field("lab")).is_some_and(|lab| lab.model().is_some());
        assert_eq!(ids.contains(field("id")), is_there, "{}", field("id"));
    }
    for entry in &page.figures {
        let (id, lab) = (&entry.published.id, by_id(&entry.lab).expect("it has a lab").about());
        assert!(entry.measured.is_some() != entry.absent.is_some(), "{id}");
        assert!(entry.measured.is_none() || lab.modes.contains(&Mode::Measured), "{id}");
        if let Some(why) = entry.absent {
            assert!(words.find(&format!("ui.figures.page.absent.{why}")).is_some(), "{why}");
        }
        // A link holds what its lab takes, and nothing that would have to be encoded.
        let params = entry.link.split('&').filter_map(|part| part.strip_prefix("p."));
        for (name, value) in params.map(|param| param.split_once('=').expect("it has a value")) {
            assert!(
                lab.parameters.iter().any(|parameter| parameter.id == name),
                "{id}: {name}"
            );
            assert!(
                value.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '-'),
                "{id}: {value}"
            );
        }
        let fits = entry.modelled >= entry.low && entry.high.is_none_or(|high| entry.modelled <= high);
        assert!(fits != entry.exception, "{id}: the page’s rounding changes the verdict");
        assert!(entry.baseline.as_deref().is_none_or(|base| ids.contains(base)), "{id}");
    }
}

/// Both builds of one workload are measured side by side, and a race of one build alone is not run on both.
#[test]
fn figures_share_a_measured_run_where_they_can() {
    let page = Page::new(&english()).expect("every figure has its row");
    let measured = |id: &str| {
        let entry = page
            .figures
            .iter()
            .find(|entry| entry.published.id == id)
            .expect("it is there");
        entry.measured.clone().expect("it is measured")
    };
    assert_eq!(measured("A-cpu-serial"), measured("A-cpu-ft-threads"));
    assert!(!measured("A-cpu-serial").0.contains_key("runtime"));
    assert_eq!(measured("B-cpu-3m-serial"), measured("B-cpu-3m-processes"));
    assert!(measured("A-count-gil-call").0.contains_key("runtime"));
    assert!(
        !measured("A-loop-await").0.contains_key("runtime"),
        "the measured loop has no such choice"
    );
    assert!(!measured("A-cpu-serial").0.contains_key("preset"));
}

/// The script that learners run prints figures that there are, in the form that the page reads.
#[test]
fn the_script_knows_the_figures() {
    let script = format!("{}/www/assets/figures.py", env!("CARGO_MANIFEST_DIR"));
    let script = fs::read_to_string(script).expect("it is there");
    let file: serde_json::Value =
        serde_json::from_str(include_str!("../../src/labs/lesson-figures.json")).expect("the file is JSON");
    let listed = file
        .get("figures")
        .and_then(serde_json::Value::as_array)
        .expect("it lists figures");
    let ids: BTreeSet<&str> = listed.iter().filter_map(|figure| figure.get("id")?.as_str()).collect();
    let is_id = |text: &&str| {
        let (lesson, rest) = text.split_at_checked(2).unwrap_or_default();
        ["A-", "B-", "C-"].contains(&lesson) && !rest.is_empty() && !rest.contains(|sign: char| sign.is_whitespace())
    };
    let quoted: BTreeSet<&str> = script.split('"').filter(is_id).collect();
    assert!(quoted.len() > 40, "{quoted:?}");
    let unknown: Vec<_> = quoted.difference(&ids).collect();
    assert!(unknown.is_empty(), "the script prints what is no figure: {unknown:?}");
}

/// Which constant moves which figure by a hundredth or more. Those that move any are fewer than the figures: a constant
/// of a lesson's hardware counts for each lesson.
///
/// Figures that must agree to the digit are left out: they are invariants, and the table above holds them.
#[test]
fn every_constant_is_known_by_what_it_moves() {
    let words = english();
    let all = Figure::all();
    let n_figures = all.len();
    let modelled_as_it_is = all.into_iter().filter(|figure| figure.tolerance > 0.0).map(|figure| {
        let as_it_is = modelled(&figure, None, &words);
        (figure, as_it_is)
    });
    let modelled_as_it_is: Vec<(Figure, f64)> = modelled_as_it_is.collect();
    let mut n_constants = 0;
    for constant in Python::NAMES.iter().chain(Hardware::NAMES) {
        let mut moved: Vec<(&Figure, String)> = Vec::new();
        for (figure, as_it_is) in &modelled_as_it_is {
            let with = |permille| modelled(figure, Some(Tweak { constant, permille }), &words) / as_it_is - 1.0;
            let (half, double) = (with(500), with(2000));
            if half.abs().max(double.abs()) >= 0.01 {
                let id = &figure.published.id;
                let shown = format!("{id} {:+.0}/{:+.0} %", half * 100.0, double * 100.0);
                moved.push((figure, shown));
            }
        }
        let presets: BTreeSet<&str> = moved.iter().map(|(figure, _)| figure.preset.as_str()).collect();
        n_constants += if Hardware::NAMES.contains(constant) {
            presets.len()
        } else {
            presets.len().min(1)
        };
        let moved: Vec<String> = moved.into_iter().map(|(_, shown)| shown).collect();
        println!(
            "{constant:28} ×½ / ×2: {}",
            if moved.is_empty() {
                "nothing".to_owned()
            } else {
                moved.join(", ")
            }
        );
    }
    println!("{n_constants} constants move {n_figures} figures");
    assert!(n_constants < n_figures);
}
