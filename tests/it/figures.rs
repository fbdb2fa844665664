//! The figures that the lessons printed, beside what the presets make of them.
//!
//! `cargo test --test it figures -- --nocapture` prints two tables: each figure with what was published and what is
//! modelled, and each constant of the presets with the figures that move when it is halved or doubled.

use std::collections::{BTreeMap, BTreeSet};

use concurrency_playground::labs::presets::{Hardware, Python, Tweak};
use concurrency_playground::labs::{self, Asked, Lab, Value, by_id, english};
use concurrency_playground::machine::threads::Progress;
use concurrency_playground::text::Words;
use concurrency_playground::wire::{Mode, Row};
use serde_json::Value as Json;

const FIGURES: &str = include_str!("../../src/labs/lesson-figures.json");

/// Figures that no honest cost explains, and why. They stay in the table, and the day that one fits, this list is wrong.
const EXCEPTIONS: &[(&str, &str)] = &[(
    "C-cpu-ft-interpreters",
    "the lesson prints no cause: interpreters share nothing that threads do not, and threads of the same build are fast",
)];

/// One published figure.
#[derive(Clone)]
struct Figure {
    id: String,
    lab: &'static dyn Lab,
    preset: String,
    strategy: String,
    variant: Option<String>,
    runtime: String,
    params: BTreeMap<String, Json>,
    quantity: String,
    low: f64,
    high: f64,
    published: String,
    tolerance: f64,
    at_least: bool,
}

fn field(figure: &Json, key: &str) -> Option<String> {
    figure.get(key).and_then(Json::as_str).map(str::to_owned)
}

/// The figures of all labs that have a model.
fn figures() -> Vec<Figure> {
    let file: Json = serde_json::from_str(FIGURES).expect("the file is JSON");
    let all = file.get("figures").and_then(Json::as_array).expect("it lists figures");
    all.iter().filter_map(figure).collect()
}

fn figure(of: &Json) -> Option<Figure> {
    let lab = by_id(&field(of, "lab")?)?;
    lab.model()?;
    let number = |key: &str| of.get(key).and_then(Json::as_f64);
    let (low, high) = match of.get("range").and_then(Json::as_array).map(Vec::as_slice) {
        Some([low, high]) => (low.as_f64()?, high.as_f64()?),
        _ => (number("value")?, number("value")?),
    };
    Some(Figure {
        id: field(of, "id")?,
        lab,
        preset: field(of, "preset")?,
        strategy: field(of, "strategy")?,
        variant: field(of, "variant"),
        runtime: field(of, "runtime")?,
        params: serde_json::from_value(of.get("params")?.clone()).ok()?,
        quantity: field(of, "quantity")?,
        low,
        high,
        published: if low == high {
            format!("{low}")
        } else {
            format!("{low} to {high}")
        },
        tolerance: number("tolerance")?,
        at_least: field(of, "relation").as_deref() == Some("at-least"),
    })
}

impl Figure {
    /// Whether a modelled number agrees. A tolerance of nothing means: the same digits as printed.
    fn accepts(&self, modelled: f64) -> bool {
        if self.tolerance == 0.0 && !self.at_least {
            let decimals = self.published.split_once('.').map_or(0, |(_, decimals)| decimals.len());
            return format!("{modelled:.decimals$}") == format!("{:.decimals$}", self.low);
        }
        let low = self.low - self.low.abs() * self.tolerance;
        let high = self.high + self.high.abs() * self.tolerance;
        modelled >= low && (self.at_least || modelled <= high)
    }

    /// How far off a modelled number is, as a share of what was published.
    fn difference(&self, modelled: f64) -> f64 {
        let nearest = if self.at_least {
            modelled.max(self.low)
        } else {
            modelled.clamp(self.low, self.high)
        };
        if nearest == 0.0 {
            modelled - nearest
        } else {
            modelled / nearest - 1.0
        }
    }

    fn asked(&self, tweak: Option<Tweak>, more: &[(&str, Json)]) -> Asked {
        let parameters = self.lab.about().parameters;
        let mut asked = Asked::defaults(parameters, Mode::Model, 1);
        asked.tweak = tweak;
        let own = [
            ("preset", Json::from(self.preset.as_str())),
            ("runtime", Json::from(self.runtime.as_str())),
        ];
        let variant = self.variant.as_deref().map(|variant| ("variant", Json::from(variant)));
        let given = self.params.iter().map(|(id, value)| (id.as_str(), value.clone()));
        for (id, value) in own.into_iter().chain(variant).chain(given).chain(more.iter().cloned()) {
            // A lab whose rows are all of one runtime has no such parameter.
            let Some(parameter) = parameters.iter().find(|parameter| parameter.id == id) else {
                assert!(["runtime", "variant"].contains(&id), "{}: no parameter {id}", self.id);
                continue;
            };
            let value = match (&value, parameter.takes) {
                (Json::Number(number), _) => Value::Unsigned(number.as_u64().expect("whole") as u32),
                (Json::Bool(flag), _) => Value::Flag(*flag),
                (Json::String(text), labs::parameters::Takes::Choice { choices, .. }) => {
                    let choice = choices.iter().find(|choice| *choice == text);
                    Value::Choice(choice.unwrap_or_else(|| panic!("{}: no {id} is {text}", self.id)))
                }
                _ => panic!("{}: {id} is {value}", self.id),
            };
            asked.set(parameter.id, value);
        }
        self.lab.model().expect("it has one").settle(&mut asked);
        asked
    }

    /// The row it is about, compared with the baseline.
    fn row(&self, asked: &Asked, words: &Words) -> Row {
        let model = self.lab.model().expect("it has one");
        let is_meant = |subject: &concurrency_playground::measure::Subject| {
            let row = labs::modelled(self.lab.about().id, subject, 0.0, words);
            self.is_about(&row)
        };
        let subjects = model.scenes(asked);
        let meant = subjects.iter().find(|subject| is_meant(subject)).cloned();
        let meant = meant.unwrap_or_else(|| panic!("{}: no row", self.id));
        let baseline = subjects
            .into_iter()
            .find(|subject| subject.baseline && *subject != meant);
        let mut rows: Vec<Row> = [Some(meant), baseline]
            .into_iter()
            .flatten()
            .map(|subject| {
                let mut scene = model.scene(asked, &subject, None);
                let ended = loop {
                    match scene.machine.run(u64::MAX) {
                        Progress::Paused => {}
                        ended => break ended,
                    }
                };
                let ms = scene.machine.now().as_millis();
                let mut row = labs::modelled(self.lab.about().id, &subject, ms, words);
                (scene.read)(&scene.machine, &ended, &mut row);
                row
            })
            .collect();
        labs::compare(&mut rows);
        rows.swap_remove(0)
    }

    fn is_about(&self, row: &Row) -> bool {
        let json = serde_json::to_value(row).expect("plain JSON");
        let same = |key: &str, value: &str| json.get(key).is_none_or(|found| found == value);
        same("strategy", &self.strategy)
            && same("runtime", &self.runtime)
            && self.variant.as_deref().is_none_or(|variant| same("variant", variant))
    }

    /// The number that the preset makes of it.
    fn modelled(&self, tweak: Option<Tweak>, words: &Words) -> f64 {
        if self.quantity == "freeThreadedCost" {
            return self.free_threaded_cost(tweak, words);
        }
        if self.quantity == "thresholdBytes" {
            return f64::from(self.threshold_bytes(tweak, words));
        }
        let row = self.row(&self.asked(tweak, &[]), words);
        let seconds = |ms: Option<f64>| ms.unwrap_or(f64::NAN) / 1000.0;
        match self.quantity.as_str() {
            "seconds" => seconds(row.median_ms),
            "speedup" => row.speedup.unwrap_or(f64::NAN),
            "lost" => f64::from(row.lost.expect("it counts")),
            "lostFraction" => {
                let expected: f64 = row
                    .expected
                    .as_deref()
                    .and_then(|text| text.parse().ok())
                    .expect("it counts");
                f64::from(row.lost.expect("it counts")) / expected
            }
            "runsThatLoseOf5" => {
                let losses = row.losses.as_ref().expect("it counts");
                assert_eq!(losses.len(), 5);
                losses.iter().filter(|lost| **lost > 0).count() as f64
            }
            "parentListLength" => row
                .value
                .as_deref()
                .and_then(|text| text.parse().ok())
                .expect("it counts"),
            "workers" => f64::from(row.workers.expect("it has some")),
            "longestGapSeconds" => seconds(row.longest_gap_ms),
            "timeoutFired" => f64::from(u8::from(row.timeout_fired.expect("it has one"))),
            "timeoutSeconds" => seconds(row.timeout_after_ms),
            "programSeconds" => seconds(row.program_ended_ms),
            other => panic!("{}: nobody models {other}", self.id),
        }
    }

    /// The longest message whose hash keeps the interpreter lock, found by halving.
    fn threshold_bytes(&self, tweak: Option<Tweak>, words: &Words) -> u32 {
        let lets_go = |bytes: u32| {
            let more = [
                ("buffers", Json::from("small")),
                ("messages", Json::from(5)),
                ("messageBytes", Json::from(bytes)),
            ];
            let row = self.row(&self.asked(tweak, &more), words);
            row.releases.expect("it counts") > 0
        };
        let (mut kept, mut released) = (1, 65_536);
        assert!(!lets_go(kept) && lets_go(released));
        while released - kept > 1 {
            let middle = kept.midpoint(released);
            if lets_go(middle) {
                released = middle;
            } else {
                kept = middle;
            }
        }
        kept
    }

    /// What the free-threaded build costs one thread, as the mean over the workloads there are.
    fn free_threaded_cost(&self, tweak: Option<Tweak>, words: &Words) -> f64 {
        let workloads = ["names", "squares", "modulo"];
        let cost = |workload: &str| {
            let took = |runtime: &str| {
                let more = [("workload", Json::from(workload)), ("runtime", Json::from(runtime))];
                let asked = self.asked(tweak, &more);
                let figure = Figure {
                    runtime: runtime.to_owned(),
                    ..self.clone()
                };
                figure.row(&asked, words).median_ms.expect("it ran")
            };
            took("free-threaded") / took("gil")
        };
        workloads
            .iter()
            .map(|workload| cost(workload).ln())
            .sum::<f64>()
            .exp()
            .powf(1.0 / workloads.len() as f64)
    }
}

fn exception(id: &str) -> Option<&'static str> {
    EXCEPTIONS.iter().find(|(of, _)| *of == id).map(|(_, reason)| *reason)
}

#[test]
fn every_figure_is_reproduced_or_an_exception() {
    let words = english();
    let mut wrong = Vec::new();
    println!(
        "{:24} {:>14} {:>10} {:>8}  within",
        "figure", "published", "modelled", "off"
    );
    for figure in figures() {
        let modelled = figure.modelled(None, &words);
        let (fits, reason) = (figure.accepts(modelled), exception(&figure.id));
        let verdict = match (fits, reason) {
            (true, None) => format!("{:.0} %", figure.tolerance * 100.0),
            (false, Some(reason)) => format!("exception: {reason}"),
            _ => {
                wrong.push(figure.id.clone());
                "NO".to_owned()
            }
        };
        let sign = if figure.at_least { "≥ " } else { "" };
        println!(
            "{:24} {:>14} {:>10.3} {:>+7.1}%  {verdict}",
            figure.id,
            format!("{sign}{}", figure.published),
            modelled,
            figure.difference(modelled) * 100.0
        );
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Which constant moves which figure by a hundredth or more. Those that move any are fewer than the figures: a constant
/// of a lesson's hardware counts for each lesson.
///
/// Figures that must agree to the digit are left out: they are invariants, and the table above holds them.
#[test]
fn every_constant_is_known_by_what_it_moves() {
    let words = english();
    let all = figures();
    let n_figures = all.len();
    let modelled = all.into_iter().filter(|figure| figure.tolerance > 0.0).map(|figure| {
        let as_it_is = figure.modelled(None, &words);
        (figure, as_it_is)
    });
    let modelled: Vec<(Figure, f64)> = modelled.collect();
    let mut n_constants = 0;
    for constant in Python::NAMES.iter().chain(Hardware::NAMES) {
        let mut moved: Vec<(&Figure, String)> = Vec::new();
        for (figure, as_it_is) in &modelled {
            let with = |permille| figure.modelled(Some(Tweak { constant, permille }), &words) / as_it_is - 1.0;
            let (half, double) = (with(500), with(2000));
            if half.abs().max(double.abs()) >= 0.01 {
                let shown = format!("{} {:+.0}/{:+.0} %", figure.id, half * 100.0, double * 100.0);
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
