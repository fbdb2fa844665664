//! One run from its start to its result, in either mode. Not here: checking the request, and what a lab concludes.

use super::measured::Measured;
#[cfg(feature = "model")]
use super::modelled::ModelRun;
use crate::labs::{Asked, Lab};
use crate::text::Words;
use crate::wire::{Action, ActionOutcome, Environment, LabResult, Mode, Progress, Sabotage};

/// The results' format: 0 until all labs exist.
pub const SCHEMA: u32 = 0;

/// A run under way.
#[derive(Debug)]
pub enum Run {
    /// Real work, done by the page action by action.
    Measured(Box<Measured>),
    /// A machine, run by the session itself slice by slice.
    #[cfg(feature = "model")]
    Model(Box<ModelRun>),
}

/// What is due.
#[derive(Debug)]
pub enum Due {
    /// The page must do this.
    Action(Box<Action>, Progress),
    /// The page only has to ask again, which leaves it time to stop the run.
    #[cfg(feature = "model")]
    AskAgain(Progress),
    /// The run is over.
    Result(Box<LabResult>),
}

impl Run {
    /// Plans it; nothing has been asked for yet.
    pub fn new(
        lab: &'static dyn Lab,
        mode: Mode,
        asked: Asked,
        environment: Environment,
        words: Words,
        sabotage: Option<Sabotage>,
    ) -> Self {
        #[cfg(feature = "model")]
        if let Some(model) = lab.model().filter(|_| mode == Mode::Model) {
            return Self::Model(Box::new(ModelRun::new(lab, model, asked, environment, words, sabotage)));
        }
        #[cfg(not(feature = "model"))]
        let _ = (mode, sabotage);
        Self::Measured(Box::new(Measured::new(lab, asked, environment, words)))
    }

    /// Goes on to what is due next.
    pub fn go_on(&mut self) -> Due {
        match self {
            Self::Measured(run) => match run.next_action() {
                Some((action, progress)) => Due::Action(Box::new(action), progress),
                None => Due::Result(Box::new(run.result())),
            },
            #[cfg(feature = "model")]
            Self::Model(run) => run.go_on(),
        }
    }

    /// Takes in what became of the action.
    ///
    /// # Errors
    /// It does not answer the action that was due; in words for developers.
    pub fn answered(&mut self, outcome: ActionOutcome) -> Result<(), String> {
        match self {
            Self::Measured(run) => run.answered(outcome),
            #[cfg(feature = "model")]
            Self::Model(run) => run.answered(&outcome),
        }
    }

    /// Whether the page may ask again without having done anything.
    pub fn may_be_asked_again(&self) -> bool {
        match self {
            Self::Measured(_) => false,
            #[cfg(feature = "model")]
            Self::Model(run) => !run.awaits_answer(),
        }
    }
}

/// A mode's public id.
pub fn mode_id(mode: Mode) -> &'static str {
    match mode {
        Mode::Measured => "measured",
        Mode::Model => "model",
    }
}
