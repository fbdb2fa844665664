//! A measured run, from its first action to its result. Not here: checking the request, and what a lab concludes.

use super::run::SCHEMA;
use crate::labs::{self, Asked, Evidence, Lab};
use crate::measure::{Sampler, Settings, Step};
use crate::text::{Words, args};
use crate::wire::{Action, ActionOutcome, Environment, Finding, LabResult, Mode, Progress, ResultEnvironment};

/// A run under way.
#[derive(Debug)]
pub struct Measured {
    lab: &'static dyn Lab,
    asked: Asked,
    environment: Environment,
    words: Words,
    sampler: Sampler,
}

impl Measured {
    /// Plans it; nothing has been asked for yet.
    pub fn new(lab: &'static dyn Lab, asked: Asked, environment: Environment, words: Words) -> Self {
        let settings = Settings {
            // A lab whose rows are bound to timers takes one sample and has no such parameters.
            repeats: asked.maybe_unsigned("repeats").unwrap_or(1),
            budget_ms: asked
                .maybe_unsigned("budgetMs")
                .unwrap_or(labs::parameters::DEFAULT_BUDGET_MS)
                .into(),
            clock_step_ms: sane_step(environment.clock_step_ms),
        };
        let sampler = Sampler::new(lab.plan(&asked, &environment), settings);
        Self {
            lab,
            asked,
            environment,
            words,
            sampler,
        }
    }

    /// The next action with how far the run is; none when it is over.
    pub fn next_action(&mut self) -> Option<(Action, Progress)> {
        let action = self.sampler.next_action()?;
        let (done, total) = self.sampler.counts();
        let step = self.sampler.step();
        let sampling = matches!(step, Step::Sampling(..));
        let progress = Progress {
            sampling,
            done,
            total,
            left_ms: self.sampler.left_ms(),
            label: self.label(step),
        };
        Some((action, progress))
    }

    /// Takes in what became of the action.
    ///
    /// # Errors
    /// It does not answer the action that was due; in words for developers.
    pub fn answered(&mut self, outcome: ActionOutcome) -> Result<(), String> {
        self.sampler.answered(outcome)
    }

    /// The result of what was taken.
    pub fn result(&self) -> LabResult {
        let about = self.lab.about();
        let taken = self.sampler.taken();
        let evidence = Evidence {
            lab: about.id,
            asked: &self.asked,
            environment: &self.environment,
            taken,
            words: &self.words,
        };
        let rows = self.lab.rows(&evidence);
        let (id, numbers) = self.lab.finding(&evidence, &rows);
        let text = evidence.say(&format!("finding.{id}"), &numbers);
        LabResult {
            schema: SCHEMA,
            lab: about.id.to_owned(),
            mode: Mode::Measured,
            params: self.asked.named(),
            seed: self.asked.seed,
            environment: ResultEnvironment {
                page: self.environment.clone(),
                threads_started: taken.pool.map(|(_, started)| started),
                threads_asked: taken.pool.map(|(asked, _)| asked),
                void: evidence.is_void(),
                warnings: labs::warnings(&evidence),
                found: None,
            },
            claims: about.claims.iter().map(|claim| claim.judge(&evidence)).collect(),
            published: labs::published(about.id),
            finding: Finding {
                id: id.to_owned(),
                args: numbers,
                text,
            },
            rows,
            trace_hash: None,
            trace: None,
        }
    }

    fn label(&self, step: Step) -> String {
        let (Step::Warming(row) | Step::Sampling(row, _)) = step else {
            return self.words.say("progress.probing");
        };
        let subject = self.sampler.taken().rows.get(row).map(|row| &row.subject);
        let label = subject
            .map(|subject| labs::label(self.lab.about().id, subject, &self.words))
            .unwrap_or_default();
        let id = if matches!(step, Step::Warming(_)) {
            "progress.warming"
        } else {
            "progress.sampling"
        };
        self.words.fill(id, &args([("label", label.into())]))
    }
}

/// The page's own finding about its clock; one that makes no sense must not make every sample too short.
fn sane_step(clock_step_ms: f64) -> f64 {
    if clock_step_ms.is_finite() && clock_step_ms >= 0.0 {
        clock_step_ms.min(1_000.0)
    } else {
        0.0
    }
}
