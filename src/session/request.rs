//! Judges a request: total, so that anything at all is either a checked set of values or a refusal in words.
//!
//! Not here: ceilings on several values together; each lab checks its own.

use super::shown;
use crate::labs::parameters::Takes;
use crate::labs::puzzles::{self, Puzzle};
use crate::labs::{self, Asked, Complaint, LABS, Lab, Parameter, Value};
use crate::text::{Words, args};
use crate::wire::{
    Choice, Environment, ErrorCode, Mode, Named, Plain, Position, RawParameter, RawValue, Refusal, RunRequest,
};

/// Parameters a request may carry at most; the page passes on no more.
const MOST_PARAMETERS: usize = 100;

/// The seed when none is given.
const DEFAULT_SEED: u32 = 1;

/// A request that makes sense.
pub struct Checked {
    /// The lab.
    pub lab: &'static dyn Lab,
    /// How it is run.
    pub mode: Mode,
    /// The values of its parameters.
    pub asked: Asked,
}

/// The lab asked for and the values of its parameters.
///
/// # Errors
/// The first thing that is wrong, in words. Nothing has run.
pub fn check(request: &RunRequest, environment: &Environment, words: &Words) -> Result<Checked, Refusal> {
    let refuse = Refuse { words };
    if let Some(key) = request.unknown.first() {
        return Err(refuse.with(
            ErrorCode::UnknownParameter,
            key,
            "refusal.unknown-key",
            args([("name", shown::text(key).into())]),
        ));
    }
    let lab = lab(&request.lab, &refuse)?;
    let about = lab.about();
    let mode = mode(&request.mode, lab, &refuse)?;
    let seed = match &request.seed {
        RawValue::Missing => DEFAULT_SEED,
        raw => refuse.unsigned("seed", raw, 0, u32::MAX)?,
    };
    if request.params.len() > MOST_PARAMETERS {
        let most = u32::try_from(MOST_PARAMETERS).unwrap_or(u32::MAX);
        return Err(refuse.with(
            ErrorCode::TooLarge,
            "params",
            "refusal.too-many-parameters",
            args([("most", most.into())]),
        ));
    }
    let mut asked = Asked::defaults(about.parameters, mode, seed);
    for RawParameter { name, value } in &request.params {
        let Some(parameter) = about.parameters.iter().find(|parameter| parameter.id == name) else {
            let known: Vec<&str> = about.parameters.iter().map(|parameter| parameter.id).collect();
            let id = if known.is_empty() {
                "refusal.no-parameters"
            } else {
                "refusal.unknown-parameter"
            };
            let args = args([
                ("lab", about.id.into()),
                ("name", shown::text(name).into()),
                ("known", known.join(", ").into()),
            ]);
            return Err(refuse.with(ErrorCode::UnknownParameter, name, id, args));
        };
        if *value == RawValue::Missing {
            continue;
        }
        if let Some(only) = parameter.mode.filter(|only| *only != mode) {
            let args = args([
                ("parameter", parameter.id.into()),
                ("mode", super::run::mode_id(only).into()),
            ]);
            return Err(refuse.with(ErrorCode::UnknownParameter, parameter.id, "refusal.other-mode", args));
        }
        if asked.was_given(parameter.id) {
            let args = args([("parameter", parameter.id.into())]);
            return Err(refuse.with(ErrorCode::OutOfRange, parameter.id, "refusal.twice", args));
        }
        asked.set(parameter.id, refuse.value(parameter, value)?);
    }
    lab.check(&asked, environment)
        .map_err(|complaint| refuse.complain(complaint))?;
    if let Some(model) = lab.model().filter(|_| mode == Mode::Model) {
        asked.found = labs::presets::is_here(&asked).then(|| labs::presets::Found::of(environment));
        model.settle(&mut asked);
        check_cores(&asked, &refuse)?;
    }
    asked.schedule = schedule(&request.schedule, lab, mode, &asked, &refuse)?;
    Ok(Checked { lab, mode, asked })
}

/// The schedule asked for: only where the lab has a small program to follow it. An empty one is the beginning.
fn schedule(
    raw: &RawValue,
    lab: &dyn Lab,
    mode: Mode,
    asked: &Asked,
    refuse: &Refuse<'_>,
) -> Result<Option<String>, Refusal> {
    let text = match raw {
        RawValue::Missing => return Ok(None),
        RawValue::Text { value } | RawValue::Written { value } => value,
        _ => return Err(refuse.wrong_type("schedule", "refusal.wrong-text", raw)),
    };
    let puzzles = puzzles_of(lab, mode, asked);
    if puzzles.is_empty() {
        return Err(refuse.with(
            ErrorCode::UnknownParameter,
            "schedule",
            "refusal.schedule",
            Named::default(),
        ));
    }
    if cfg!(feature = "model") {
        puzzles::of_schedule(&puzzles, text).map_err(|complaint| refuse.complain(complaint))?;
    }
    Ok(Some(text.clone()))
}

/// # Errors
/// There are fewer logical cores than physical ones, which no machine has.
fn check_cores(asked: &Asked, refuse: &Refuse<'_>) -> Result<(), Refusal> {
    let number = |id| asked.maybe_unsigned(id);
    match (number("cores"), number("logicalCores")) {
        (Some(cores), Some(logical)) if logical < cores => {
            let args = args([("cores", cores.into()), ("logical", logical.into())]);
            Err(refuse.with(ErrorCode::OutOfRange, "logicalCores", "refusal.logical-cores", args))
        }
        _ => Ok(()),
    }
}

/// The small programs of a run; none in a build without models, which then goes without all that follows them.
fn puzzles_of(lab: &dyn Lab, mode: Mode, asked: &Asked) -> Vec<Puzzle> {
    if cfg!(feature = "model") {
        let model = lab.model().filter(|_| mode == Mode::Model);
        model.map(|model| model.puzzles(asked)).unwrap_or_default()
    } else {
        Vec::new()
    }
}

/// Where the small program of a run stands after some steps of its schedule.
///
/// # Errors
/// The request makes no sense, or the lab has no small program for these values, in words.
pub fn look(
    request: &RunRequest,
    environment: &Environment,
    at: Option<u32>,
    choice: Choice,
    words: &Words,
) -> Result<Position, Refusal> {
    let checked = check(request, environment, words)?;
    let refuse = Refuse { words };
    let puzzles = puzzles_of(checked.lab, checked.mode, &checked.asked);
    if puzzles.is_empty() || !cfg!(feature = "model") {
        let args = args([("lab", checked.lab.about().id.into())]);
        return Err(refuse.with(ErrorCode::Unavailable, "lab", "refusal.no-steps", args));
    }
    let schedule = checked.asked.schedule.as_deref().unwrap_or_default();
    puzzles::stand(&puzzles, schedule, at, choice, words).map_err(|complaint| refuse.complain(complaint))
}

/// A language whose words nobody handed over.
pub fn unknown_language<'a>(came: &str, known: impl Iterator<Item = &'a String>, words: &Words) -> Refusal {
    let known: Vec<&str> = known.map(String::as_str).collect();
    let args = args([
        ("parameter", "language".into()),
        ("choices", known.join(", ").into()),
        ("came", format!("“{}”", shown::text(came)).into()),
    ]);
    Refuse { words }.with(ErrorCode::OutOfRange, "language", "refusal.choice", args)
}

/// A language that is no text.
pub fn wrong_language(came: &RawValue, words: &Words) -> Refusal {
    Refuse { words }.wrong_type("language", "refusal.wrong-text", came)
}

fn lab(raw: &RawValue, refuse: &Refuse<'_>) -> Result<&'static dyn Lab, Refusal> {
    let (RawValue::Text { value } | RawValue::Written { value }) = raw else {
        return Err(refuse.wrong_type("lab", "refusal.wrong-text", raw));
    };
    labs::by_id(value).ok_or_else(|| {
        let known: Vec<&str> = LABS.iter().map(|lab| lab.about().id).collect();
        let args = args([("came", shown::text(value).into()), ("known", known.join(", ").into())]);
        refuse.with(ErrorCode::UnknownLab, "lab", "refusal.unknown-lab", args)
    })
}

fn mode(raw: &RawValue, lab: &dyn Lab, refuse: &Refuse<'_>) -> Result<Mode, Refusal> {
    let (RawValue::Text { value } | RawValue::Written { value }) = raw else {
        return Err(refuse.wrong_type("mode", "refusal.wrong-text", raw));
    };
    let about = lab.about();
    let offered: Vec<&str> = about.modes.iter().map(|mode| super::run::mode_id(*mode)).collect();
    let found = about.modes.iter().find(|mode| super::run::mode_id(**mode) == value);
    if let Some(mode) = found {
        return Ok(*mode);
    }
    let args = args([
        ("lab", about.id.into()),
        ("offered", offered.join(", ").into()),
        ("came", shown::text(value).into()),
    ]);
    Err(refuse.with(ErrorCode::ModeNotOffered, "mode", "refusal.mode", args))
}

/// Makes refusals in one language.
struct Refuse<'words> {
    words: &'words Words,
}

impl Refuse<'_> {
    fn with(&self, code: ErrorCode, parameter: &str, id: &str, args: Named) -> Refusal {
        // The name may be as wild as any value that came in.
        Refusal {
            code,
            parameter: Some(shown::text(parameter)),
            message: self.words.fill(id, &args),
        }
    }

    fn complain(&self, complaint: Complaint) -> Refusal {
        self.with(complaint.code, complaint.parameter, complaint.id, complaint.args)
    }

    fn wrong_type(&self, parameter: &str, id: &str, came: &RawValue) -> Refusal {
        let args = args([("parameter", parameter.into()), ("came", shown::value(came).into())]);
        self.with(ErrorCode::WrongType, parameter, id, args)
    }

    fn value(&self, parameter: &Parameter, raw: &RawValue) -> Result<Value, Refusal> {
        match parameter.takes {
            Takes::Unsigned { min, max, .. } => self.unsigned(parameter.id, raw, min, max).map(Value::Unsigned),
            Takes::Flag { .. } => match raw {
                RawValue::Flag { value } => Ok(Value::Flag(*value)),
                RawValue::Written { value } if value == "true" => Ok(Value::Flag(true)),
                RawValue::Written { value } if value == "false" => Ok(Value::Flag(false)),
                _ => Err(self.wrong_type(parameter.id, "refusal.wrong-flag", raw)),
            },
            Takes::Choice { choices, .. } => {
                let (RawValue::Text { value } | RawValue::Written { value }) = raw else {
                    return Err(self.wrong_type(parameter.id, "refusal.wrong-text", raw));
                };
                let choice = choices
                    .iter()
                    .find(|choice| **choice == value)
                    .copied()
                    .map(Value::Choice);
                choice.ok_or_else(|| {
                    let args = args([
                        ("parameter", parameter.id.into()),
                        ("choices", choices.join(", ").into()),
                        ("came", shown::value(raw).into()),
                    ]);
                    self.with(ErrorCode::OutOfRange, parameter.id, "refusal.choice", args)
                })
            }
        }
    }

    fn unsigned(&self, parameter: &str, raw: &RawValue, min: u32, max: u32) -> Result<u32, Refusal> {
        let numbers = |came: Plain| {
            args([
                ("parameter", parameter.into()),
                ("min", min.into()),
                ("max", max.into()),
                ("came", came),
            ])
        };
        let number = match raw {
            RawValue::Number { value } => *value,
            RawValue::Written { value } if is_written_number(value) => {
                value.parse::<i64>().map_or(f64::INFINITY, |number| number as f64)
            }
            _ => {
                let args = numbers(shown::value(raw).into());
                return Err(self.with(ErrorCode::WrongType, parameter, "refusal.wrong-number", args));
            }
        };
        if number.is_nan() || (number.is_finite() && number.fract() != 0.0) {
            let args = numbers(shown::value(raw).into());
            return Err(self.with(ErrorCode::WrongType, parameter, "refusal.wrong-number", args));
        }
        if number < f64::from(min) || number > f64::from(max) {
            let args = numbers(shown::value(raw).into());
            return Err(self.with(ErrorCode::OutOfRange, parameter, "refusal.range", args));
        }
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole and within u32's range"
        )]
        Ok(number as u32)
    }
}

/// Digits, with a minus sign so that a negative number is out of range rather than no number; nothing else a parser
/// might accept: no blanks, plus signs, exponents, leading zeros.
fn is_written_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_canonical = digits == "0" || !digits.starts_with('0');
    !digits.is_empty() && is_canonical && digits.bytes().all(|byte| byte.is_ascii_digit())
}
