//! The labs' house rules: every folder listed, every lesson whole, every word there and used.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use concurrency_playground::labs::parameters::Takes;
use concurrency_playground::labs::{LABS, Value, by_id, describe, english, published};
use concurrency_playground::text::{ENGINE_ENGLISH, UI_ENGLISH};
use concurrency_playground::wire::Mode;

const HEADINGS: [&str; 6] = [
    "Question",
    "Predict",
    "What you see",
    "Why",
    "Vary it",
    "Where you meet it",
];

/// Characters of code that stand side by side in a lesson's column; longer lines wrap.
const CODE_COLUMNS: usize = 68;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn folders(of: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(of)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read"));
    let folders = entries.filter(|entry| entry.path().is_dir());
    folders
        .map(|entry| entry.file_name().into_string().expect("names are plain"))
        .collect()
}

/// Every source file below a folder, as one text.
fn sources(of: &Path, extensions: &[&str]) -> String {
    let mut all = String::new();
    for entry in fs::read_dir(of).into_iter().flatten() {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            all.push_str(&sources(&path, extensions));
        } else if path
            .extension()
            .is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted))
        {
            all.push_str(&fs::read_to_string(&path).expect("sources are text"));
        }
    }
    all
}

#[test]
fn every_lab_folder_is_listed() {
    let mut listed: BTreeSet<String> = LABS.iter().map(|lab| lab.about().id.replace('-', "_")).collect();
    // Not a lab but what labs are made from, the machines that their models run on, small programs, and the figures that
    // they stand beside.
    listed.extend(["template", "presets", "puzzles", "figures"].map(str::to_owned));
    assert_eq!(folders(&root().join("src/labs")), listed);
}

#[test]
fn every_lesson_has_the_six_parts() {
    let template = fs::read_to_string(root().join("src/labs/template/lesson.en.md")).expect("the template has one");
    let lessons = LABS.iter().map(|lab| (lab.about().id, lab.about().lesson));
    for (id, lesson) in lessons.chain([("template", template.as_str())]) {
        let headings: Vec<&str> = lesson.lines().filter_map(|line| line.strip_prefix("### ")).collect();
        assert_eq!(headings, HEADINGS, "{id}");
        for part in lesson.split("### ").skip(1) {
            let (heading, text) = part.split_once('\n').expect("a heading is a line");
            assert!(text.trim().len() > 10, "{id}: “{heading}” says nothing");
        }
        assert!(lesson.contains("```python"), "{id} shows no Python");
        for line in lesson.split("```").skip(1).step_by(2).flat_map(str::lines) {
            assert!(
                line.chars().count() <= CODE_COLUMNS,
                "{id}: too long to stand on one line of the page: {line}"
            );
        }
    }
}

#[test]
fn every_parameter_has_a_range_that_holds_its_default() {
    for lab in LABS {
        let about = lab.about();
        let ids: BTreeSet<&str> = about.parameters.iter().map(|parameter| parameter.id).collect();
        assert_eq!(ids.len(), about.parameters.len(), "{}: a parameter twice", about.id);
        for parameter in about.parameters {
            let name = format!("{} {}", about.id, parameter.id);
            match parameter.takes {
                Takes::Unsigned { min, max, default } => {
                    assert!(
                        min < max && default.is_none_or(|default| (min..=max).contains(&default)),
                        "{name}"
                    );
                }
                Takes::Choice { choices, default } => {
                    assert!(choices.len() > 1, "{name}");
                    assert!(default.is_none_or(|default| choices.contains(&default)), "{name}");
                }
                Takes::Flag { .. } => {}
            }
        }
        for (id, value) in about.opening {
            let parameter = about
                .parameters
                .iter()
                .find(|parameter| parameter.id == *id)
                .expect("it opens what it has");
            let fits = match (parameter.takes, *value) {
                (Takes::Unsigned { min, max, .. }, Value::Unsigned(number)) => (min..=max).contains(&number),
                (Takes::Choice { choices, .. }, Value::Choice(choice)) => choices.contains(&choice),
                (Takes::Flag { .. }, Value::Flag(_)) => true,
                _ => false,
            };
            assert!(fits, "{} opens with {id} = {value:?}", about.id);
        }
    }
}

#[test]
fn labs_are_complete_and_unmistakable() {
    let ids: BTreeSet<&str> = LABS.iter().map(|lab| lab.about().id).collect();
    assert_eq!(ids.len(), LABS.len());
    for lab in LABS {
        let about = lab.about();
        assert!(by_id(about.id).is_some() && by_id(&about.id.to_uppercase()).is_none());
        let model_claims = lab.model().map(|model| model.claims()).unwrap_or_default();
        assert!(
            about.claims.is_empty() != about.modes.contains(&Mode::Measured)
                && model_claims.is_empty() != about.modes.contains(&Mode::Model),
            "{}: a mode without claims, or claims without their mode",
            about.id
        );
        assert!(
            !about.modes.is_empty() && !about.strategies.is_empty() && about.minutes > 0,
            "{}",
            about.id
        );
        assert!(
            !about.sections.is_empty() && about.modes.contains(&Mode::Model) == lab.model().is_some(),
            "{}",
            about.id
        );
        let claims: BTreeSet<&str> = about.claims.iter().map(|claim| claim.id).collect();
        assert_eq!(claims.len(), about.claims.len(), "{}: a claim twice", about.id);
        let described = describe(*lab, &english());
        let json = serde_json::to_string(&described).expect("a description is plain JSON");
        assert_eq!(
            serde_json::from_str::<concurrency_playground::wire::LabDescription>(&json).expect("and reads back"),
            described
        );
        assert!(
            !json.contains('['.to_string().as_str()) || !json.contains("\"["),
            "{json}"
        );
        let _ = published(about.id);
    }
}

/// The ids that a lab's description alone calls for.
fn ids_of_labs() -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for lab in LABS {
        let about = lab.about();
        let mut add = |id: String| ids.insert(format!("{}.{id}", about.id));
        add("title".to_owned());
        add("summary".to_owned());
        for parameter in about.parameters {
            add(format!("parameter.{}", parameter.id));
        }
        for variant in about.variants {
            add(format!("variant.{variant}"));
        }
        for claim in about.claims {
            add(format!("claim.{}", claim.id));
            add(format!("why.{}.true", claim.id));
            add(format!("why.{}.false", claim.id));
        }
        for claim in lab.model().map(|model| model.claims()).unwrap_or_default() {
            add(format!("model.claim.{}", claim.id));
            add(format!("model.why.{}.true", claim.id));
            add(format!("model.why.{}.false", claim.id));
        }
    }
    ids
}

#[test]
fn no_word_is_missing() {
    let words = english();
    for id in ids_of_labs() {
        assert!(words.table().contains_key(id.as_str()), "no text for {id}");
    }
    let code = sources(&root().join("src"), &["rs"]);
    // Ids are written out wherever they are not made from a description: `say("…")`, `fill("…"`.
    for call in ["words.say(\"", "words.fill(\"", "\"refusal."] {
        for (_, after) in code.match_indices(call).map(|(at, _)| code.split_at(at + call.len())) {
            let id = after.split('"').next().expect("a literal ends");
            let id = if call.starts_with("\"refusal") {
                format!("refusal.{id}")
            } else {
                id.to_owned()
            };
            assert!(
                id.is_empty() || words.table().contains_key(id.as_str()),
                "no text for {id}"
            );
        }
    }
    for (id, text) in words.table() {
        assert!(!text.trim().is_empty(), "{id} says nothing");
        assert_eq!(text.matches('{').count(), text.matches('}').count(), "{id}: {text}");
    }
}

#[test]
fn no_word_is_unused() {
    let words = english();
    let called_for = ids_of_labs();
    let code = sources(&root().join("src"), &["rs"]);
    let page = sources(&root().join("www"), &["ts", "mjs", "html"]);
    let mut of_page: BTreeMap<String, String> = serde_json::from_str(UI_ENGLISH).expect("the page's words are JSON");
    let of_engine: BTreeMap<String, String> =
        serde_json::from_str(ENGINE_ENGLISH).expect("the engine's words are JSON");
    of_page.extend(of_engine);
    let lab_ids: Vec<&str> = LABS.iter().map(|lab| lab.about().id).collect();
    let shared_parameters: BTreeSet<&str> = LABS
        .iter()
        .flat_map(|lab| lab.about().parameters.iter().map(|parameter| parameter.id))
        .collect();
    let mut unused = Vec::new();
    for id in words.table().into_keys() {
        if called_for.contains(id) {
            continue;
        }
        // A made-up id ends in a literal: a need, an absence, a finding, a choice, an outcome.
        let parts: Vec<&str> = id.split('.').collect();
        let written = |part: &str| code.contains(&format!("\"{part}\""));
        let is_used = match parts.as_slice() {
            _ if of_page.contains_key(id) => on_page(&page, id),
            ["parameter", parameter] => shared_parameters.contains(parameter),
            ["absence", what, "reason" | "cure"] => written(what),
            [lab, "why", _, "unclear"] if lab_ids.contains(lab) => true,
            [lab, "model", "why", _, "unclear"] if lab_ids.contains(lab) => true,
            [lab, "model", "finding", what] if lab_ids.contains(lab) => written(what),
            [lab, "finding" | "lock", what] if lab_ids.contains(lab) => written(what),
            [lab, parameter, choice] if lab_ids.contains(lab) && shared_parameters.contains(parameter) => {
                written(choice)
            }
            [lab, rest @ ..] if lab_ids.contains(lab) => written(&rest.join(".")) || written(id),
            ["warning" | "strategy" | "runtime" | "limit" | "preset", what] => written(what),
            ["puzzle", .., what] => written(id) || written(what),
            _ => written(id),
        };
        if !is_used {
            unused.push(id);
        }
    }
    assert!(unused.is_empty(), "nobody says {unused:#?}");
}

/// The page writes its ids out, or makes a part of one from a value: `ui.state.${state}`.
fn on_page(page: &str, id: &str) -> bool {
    let is_written = [format!("'{id}'"), format!("`{id}`"), format!("{{{{{id}}}}}")]
        .iter()
        .any(|form| page.contains(form));
    let mut stems = id.match_indices('.').map(|(at, _)| id.split_at(at + 1).0);
    is_written || stems.any(|stem| page.contains(&format!("{stem}${{")))
}

#[test]
fn the_template_becomes_a_lab_by_names_alone() {
    let files = |folder: &Path| -> BTreeSet<String> {
        let entries = fs::read_dir(folder)
            .expect("the folder is there")
            .map(|entry| entry.expect("it can be read"));
        entries
            .map(|entry| entry.file_name().into_string().expect("names are plain"))
            .collect()
    };
    let template = root().join("src/labs/template");
    let expected = files(&template);
    for lab in LABS {
        let lab = files(&root().join("src/labs").join(lab.about().id.replace('-', "_")));
        let missing: Vec<_> = expected.difference(&lab).collect();
        assert!(missing.iter().all(|file| *file == "claims.rs"), "{missing:?}");
    }
    let text = fs::read_to_string(template.join("text.en.json")).expect("it has words");
    let words: serde_json::Value = serde_json::from_str(&text.replace("{{id}}", "new-lab")).expect("they are JSON");
    for id in [
        "title",
        "summary",
        "parameter.milliseconds",
        "claim.takes-its-time",
        "finding.took",
        "finding.void",
    ] {
        assert!(words.get(id).is_some_and(serde_json::Value::is_string), "{id}");
    }
}
