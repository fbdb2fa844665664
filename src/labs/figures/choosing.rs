//! Which parameters a figure asks of its lab, and which row it is about. Not here: running anything.

use super::Figure;
use crate::labs::parameters::Takes;
use crate::labs::presets::Tweak;
use crate::labs::rows::runtime_id;
use crate::labs::{Asked, Parameter, Value};
use crate::measure::Subject;
use crate::wire::{Mode, Plain};

impl Figure {
    /// The values that the figure asks for, by the lab's own ids: the lesson's machine, its Python, the variant, and the
    /// parameters under which it was taken. A lab whose rows are all of one runtime or variant has no such parameter.
    ///
    /// # Errors
    /// The lab lacks a parameter, in words for developers.
    pub fn given(&self) -> Result<Vec<(&'static Parameter, Plain)>, String> {
        let published = &self.published;
        let own = [
            Some(("preset", Plain::from(self.preset.as_str()))),
            Some(("runtime", Plain::from(runtime_id(published.runtime)))),
            published.variant.as_deref().map(|variant| ("variant", variant.into())),
        ];
        let params = published
            .params
            .0
            .iter()
            .map(|(id, value)| (id.as_str(), value.clone()));
        let mut given = Vec::new();
        for (id, value) in own.into_iter().flatten().chain(params) {
            match self.parameter(id) {
                Some(parameter) => given.push((parameter, value)),
                None if ["runtime", "variant"].contains(&id) => {}
                None => {
                    return Err(format!(
                        "{}: {} has no parameter {id}",
                        published.id,
                        self.lab.about().id
                    ));
                }
            }
        }
        Ok(given)
    }

    fn parameter(&self, id: &str) -> Option<&'static Parameter> {
        self.lab.about().parameters.iter().find(|parameter| parameter.id == id)
    }

    /// A run of the model with these values, and with `more` in place of some.
    ///
    /// # Errors
    /// A value is none of its parameter's, in words for developers.
    pub fn asked(&self, tweak: Option<Tweak>, more: &[(&str, Plain)]) -> Result<Asked, String> {
        let mut asked = Asked::defaults(self.lab.about().parameters, Mode::Model, 1);
        asked.tweak = tweak;
        let more = more.iter().map(|(id, value)| {
            let parameter = self
                .parameter(id)
                .ok_or_else(|| format!("{}: no parameter {id}", self.published.id));
            Ok::<_, String>((parameter?, value.clone()))
        });
        for (parameter, plain) in self.given()?.into_iter().chain(more.collect::<Result<Vec<_>, _>>()?) {
            let wrong = || format!("{}: {} is {plain:?}", self.published.id, parameter.id);
            asked.set(parameter.id, value(parameter, &plain).ok_or_else(wrong)?);
        }
        if let Some(model) = self.lab.model() {
            model.settle(&mut asked);
        }
        Ok(asked)
    }

    /// Which of these rows the figure is about: that of its strategy, Python and variant. Where it names no variant, the
    /// one that is called after the most of its choices; the first of equals.
    #[must_use]
    pub fn row_of(&self, subjects: &[Subject]) -> Option<usize> {
        let published = &self.published;
        let mut best: Option<(usize, usize)> = None;
        for (at, subject) in subjects.iter().enumerate() {
            let wanted = published.variant.as_deref();
            let is_meant = subject.strategy == published.strategy
                && subject.runtime.is_none_or(|runtime| runtime == published.runtime)
                && (wanted.is_none() || subject.variant.is_none() || wanted == subject.variant.as_deref());
            let n_named = self.n_choices_in(subject.variant.as_deref().unwrap_or_default());
            if is_meant && best.is_none_or(|(_, most)| n_named > most) {
                best = Some((at, n_named));
            }
        }
        best.map(|(at, _)| at)
    }

    /// How many of the figure's choices a variant is called after: `spawn-cold` after `spawn` and `cold`.
    fn n_choices_in(&self, variant: &str) -> usize {
        let within = format!("-{variant}-");
        let is_in = |value: &&Plain| matches!(value, Plain::Text(choice) if within.contains(&format!("-{choice}-")));
        self.published.params.0.values().filter(is_in).count()
    }
}

/// A plain value as one of the parameter's; none where it is none of them.
fn value(parameter: &Parameter, plain: &Plain) -> Option<Value> {
    match (plain, parameter.takes) {
        (Plain::Number(number), Takes::Unsigned { min, max, .. }) => {
            let is_whole = number.fract() == 0.0 && (f64::from(min)..=f64::from(max)).contains(number);
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "whole and within the range"
            )]
            is_whole.then_some(Value::Unsigned(*number as u32))
        }
        (Plain::Flag(flag), Takes::Flag { .. }) => Some(Value::Flag(*flag)),
        (Plain::Text(text), Takes::Choice { choices, .. }) => {
            let choice = choices.iter().find(|choice| *choice == text)?;
            Some(Value::Choice(choice))
        }
        _ => None,
    }
}
