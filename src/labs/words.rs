//! The English table of everything, and the labs' descriptions: what the build writes beside the wasm files.
//!
//! Native only: in the browser the page hands the table over.

use std::collections::BTreeMap;

use super::{About, Asked, ClaimSpec, LABS, Lab};
use crate::text::{DEFAULT_LANGUAGE, ENGINE_ENGLISH, SHARED_ENGLISH, UI_ENGLISH, Words};
use crate::wire::{ClaimDescription, LabDescription, Mode, Named};

/// Everything in English: what is shared, the page's own, and each lab's under its id.
#[must_use]
pub fn english() -> Words {
    let parse = |text: &str| -> BTreeMap<String, String> {
        serde_json::from_str(text).expect("the tidy test parses every table that is compiled in")
    };
    let mut table = parse(SHARED_ENGLISH);
    table.extend(parse(UI_ENGLISH));
    table.extend(parse(ENGINE_ENGLISH));
    for lab in LABS {
        let about = lab.about();
        // What every lab has by the same name is said once, and a lab may still say it in its own way.
        for parameter in about.parameters {
            let shared = table.get(&format!("parameter.{}", parameter.id)).cloned();
            table.extend(shared.map(|text| (format!("{}.parameter.{}", about.id, parameter.id), text)));
        }
        table.extend(
            parse(about.words)
                .into_iter()
                .map(|(id, text)| (format!("{}.{id}", about.id), text)),
        );
    }
    Words::new(DEFAULT_LANGUAGE, table)
}

/// The lab for the page, in these words.
#[must_use]
pub fn describe(lab: &dyn Lab, words: &Words) -> LabDescription {
    let about = lab.about();
    let mut opening = Asked::default();
    for (id, value) in about.opening {
        opening.set(id, *value);
    }
    let Named(opening) = opening.named();
    LabDescription {
        id: about.id.to_owned(),
        title: words.say(&format!("{}.title", about.id)),
        summary: words.say(&format!("{}.summary", about.id)),
        modes: about.modes.to_vec(),
        parameters: about.parameters.iter().map(super::Parameter::describe).collect(),
        strategies: about.strategies.to_vec(),
        variants: about.variants.iter().map(|variant| (*variant).to_owned()).collect(),
        claims: claims(lab),
        opening: Named(opening),
        steps: has_steps(lab, &about),
        minutes: about.minutes,
        sections: about.sections.iter().map(|section| (*section).to_owned()).collect(),
    }
}

/// The claims of both halves; one that both make is listed once.
fn claims(lab: &dyn Lab) -> Vec<ClaimDescription> {
    let mut claims: Vec<_> = lab.about().claims.iter().map(ClaimSpec::describe).collect();
    for claim in lab.model().map(super::Model::claims).unwrap_or_default() {
        match claims.iter_mut().find(|known| known.id == claim.id) {
            Some(known) => known.modes.push(Mode::Model),
            None => claims.push(ClaimDescription {
                id: claim.id.to_owned(),
                kind: claim.kind,
                modes: vec![Mode::Model],
            }),
        }
    }
    claims
}

/// Whether the lab's model, as its defaults are, has a small program to step through.
fn has_steps(lab: &dyn Lab, about: &About) -> bool {
    let asked = Asked::defaults(about.parameters, Mode::Model, 1);
    lab.model().is_some_and(|model| !model.puzzles(&asked).is_empty())
}
