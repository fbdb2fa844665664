//! A lab's parameters as data, and the values a run was asked with. Not here: judging what came in (`session`).

use super::presets::{Found, Tweak};
use crate::wire::{Mode, Named, ParameterDescription, ParameterType, Plain};

/// What a parameter takes, and its default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// An unsigned integer, both ends allowed.
    Unsigned {
        /// The least.
        min: u32,
        /// The most.
        max: u32,
        /// The default; none where it follows from other parameters, as the cores do from the preset.
        default: Option<u32>,
    },
    /// true or false.
    Flag {
        /// The default.
        default: bool,
    },
    /// One of these. Without a default, leaving it out runs them side by side.
    Choice {
        /// All of them, in the order shown.
        choices: &'static [&'static str],
        /// The default.
        default: Option<&'static str>,
    },
}

/// One parameter: a public id, part of links and requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its id.
    pub id: &'static str,
    /// Its unit, empty where it is a plain count or a choice.
    pub unit: &'static str,
    /// Its values.
    pub takes: Takes,
    /// The one mode it is for; none: for all of its lab's modes.
    pub mode: Option<Mode>,
}

impl Parameter {
    /// A whole number.
    #[must_use]
    pub const fn unsigned(id: &'static str, unit: &'static str, default: u32, min: u32, max: u32) -> Self {
        Self {
            id,
            unit,
            takes: Takes::Unsigned {
                min,
                max,
                default: Some(default),
            },
            mode: None,
        }
    }

    /// A whole number whose default follows from other parameters.
    #[must_use]
    pub const fn following(id: &'static str, unit: &'static str, min: u32, max: u32) -> Self {
        Self {
            id,
            unit,
            takes: Takes::Unsigned {
                min,
                max,
                default: None,
            },
            mode: None,
        }
    }

    /// True or false.
    #[must_use]
    pub const fn flag(id: &'static str, default: bool) -> Self {
        Self {
            id,
            unit: "",
            takes: Takes::Flag { default },
            mode: None,
        }
    }

    /// The same for one mode only.
    #[must_use]
    pub const fn only(self, mode: Mode) -> Self {
        Self {
            mode: Some(mode),
            ..self
        }
    }

    /// Whether a run in this mode takes it.
    #[must_use]
    pub fn is_for(&self, mode: Mode) -> bool {
        self.mode.is_none_or(|only| only == mode)
    }

    /// One of several, or all side by side where `default` is none.
    #[must_use]
    pub const fn choice(id: &'static str, default: Option<&'static str>, choices: &'static [&'static str]) -> Self {
        Self {
            id,
            unit: "",
            takes: Takes::Choice { choices, default },
            mode: None,
        }
    }

    /// The same for the page.
    #[must_use]
    pub fn describe(&self) -> ParameterDescription {
        let (takes, default) = match self.takes {
            Takes::Unsigned { min, max, default } => (ParameterType::Unsigned { min, max }, default.map(Plain::from)),
            Takes::Flag { default } => (ParameterType::Flag, Some(default.into())),
            Takes::Choice { choices, default } => {
                let choices = choices.iter().map(|choice| (*choice).to_owned()).collect();
                (ParameterType::Choice { choices }, default.map(Plain::from))
            }
        };
        ParameterDescription {
            id: self.id.to_owned(),
            takes,
            unit: self.unit.to_owned(),
            default,
            mode: self.mode,
        }
    }
}

/// Samples a row: common to all measured labs that repeat.
pub const REPEATS: Parameter = Parameter::unsigned("repeats", "", 5, 1, 100).only(Mode::Measured);

/// The time a row may take when nothing else is asked, in milliseconds.
pub const DEFAULT_BUDGET_MS: u32 = 3_000;

/// Time a row may take: common to all measured labs that repeat.
pub const BUDGET_MS: Parameter =
    Parameter::unsigned("budgetMs", "ms", DEFAULT_BUDGET_MS, 100, 60_000).only(Mode::Measured);

/// The interpreter lock's switch interval.
pub const SWITCH_INTERVAL_US: Parameter = Parameter::unsigned("switchIntervalUs", "µs", 5_000, 1, 50_000);

/// Which runtime; left out, all side by side.
pub const RUNTIME: Parameter = Parameter::choice("runtime", None, &["gil-legacy", "gil", "free-threaded"]);

/// Cores of the model's machine; left out, the preset's.
pub const CORES: Parameter = Parameter::following("cores", "", 1, 256).only(Mode::Model);

/// Logical cores of the model's machine; left out, the preset's.
pub const LOGICAL_CORES: Parameter = Parameter::following("logicalCores", "", 1, 512).only(Mode::Model);

/// A checked value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Within the parameter's range.
    Unsigned(u32),
    /// true or false.
    Flag(bool),
    /// One of the parameter's choices.
    Choice(&'static str),
}

/// The values of one run: those asked for and the defaults of the rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// In the lab's order; few enough to look through.
    values: Vec<(&'static str, Value)>,
    given: Vec<&'static str>,
    /// The run's seed.
    pub seed: u32,
    /// The schedule asked for, checked: it belongs to the small program that these values ask for.
    pub schedule: Option<String>,
    /// What was found of this browser, for the preset `here`.
    pub found: Option<Found>,
    /// One constant of the preset taken other than it is; only in tests.
    pub tweak: Option<Tweak>,
}

impl Asked {
    /// All defaults of a mode.
    #[must_use]
    pub fn defaults(parameters: &[Parameter], mode: Mode, seed: u32) -> Self {
        let values = parameters
            .iter()
            .filter(|parameter| parameter.is_for(mode))
            .filter_map(|parameter| {
                let value = match parameter.takes {
                    Takes::Unsigned { default, .. } => Value::Unsigned(default?),
                    Takes::Flag { default } => Value::Flag(default),
                    Takes::Choice { default, .. } => Value::Choice(default?),
                };
                Some((parameter.id, value))
            })
            .collect();
        Self {
            values,
            given: Vec::new(),
            seed,
            schedule: None,
            found: None,
            tweak: None,
        }
    }

    /// Sets a value that was asked for. Its place in the range has been checked.
    pub fn set(&mut self, id: &'static str, value: Value) {
        self.values.retain(|(known, _)| *known != id);
        self.values.push((id, value));
        self.given.push(id);
    }

    /// Fills in a value that follows from others, where it was not asked for.
    pub fn fill(&mut self, id: &'static str, value: Value) {
        if self.value(id).is_none() {
            self.values.push((id, value));
        }
    }

    /// The number; 0 for an id that is no number of the lab, which the tests of the labs exclude.
    #[must_use]
    pub fn unsigned(&self, id: &str) -> u32 {
        if let Some(Value::Unsigned(number)) = self.value(id) {
            number
        } else {
            0
        }
    }

    /// The number, where the lab has such a parameter.
    #[must_use]
    pub fn maybe_unsigned(&self, id: &str) -> Option<u32> {
        if let Some(Value::Unsigned(number)) = self.value(id) {
            Some(number)
        } else {
            None
        }
    }

    /// The flag; false for an id that is no flag of the lab.
    #[must_use]
    pub fn flag(&self, id: &str) -> bool {
        matches!(self.value(id), Some(Value::Flag(true)))
    }

    /// The choice; none where all run side by side.
    #[must_use]
    pub fn choice(&self, id: &str) -> Option<&'static str> {
        if let Some(Value::Choice(choice)) = self.value(id) {
            Some(choice)
        } else {
            None
        }
    }

    fn value(&self, id: &str) -> Option<Value> {
        let found = self.values.iter().find(|(known, _)| *known == id);
        found.map(|(_, value)| *value)
    }

    /// Whether the run allows this choice: it was asked for, or none was.
    #[must_use]
    pub fn allows(&self, id: &str, choice: &str) -> bool {
        self.choice(id).is_none_or(|chosen| chosen == choice)
    }

    /// Whether it was asked for, not filled in.
    #[must_use]
    pub fn was_given(&self, id: &str) -> bool {
        self.given.contains(&id)
    }

    /// All values as plain JSON.
    #[must_use]
    pub fn named(&self) -> Named {
        let plain = |value: Value| match value {
            Value::Unsigned(number) => number.into(),
            Value::Flag(flag) => flag.into(),
            Value::Choice(choice) => choice.into(),
        };
        Named(
            self.values
                .iter()
                .map(|(id, value)| ((*id).to_owned(), plain(*value)))
                .collect(),
        )
    }
}
