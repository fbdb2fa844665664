//! The lesson's sentences as assertions on what was taken. Not here: any one of them; each lab states its own.
//!
//! A claim is data: an id, a kind, the conditions under which it says anything, a named fault under which a test sees
//! it false, and one function that decides. Outside its conditions it is "not applicable", with the condition that
//! failed as the reason; a claim about speed is decided from the interval, never from a median alone.

use super::evidence::Evidence;
use super::parameters::Asked;
use crate::measure::statistics::Estimate;
use crate::text::{Words, args};
use crate::wire::{Claim, ClaimDescription, ClaimKind, Holds, Mode, Named, Plain, Runtime, Sabotage, Strategy};

/// What must be so for a claim to say anything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Need {
    /// The row ran: available, with samples. A runtime or variant of none means any.
    Ran(Strategy, Option<&'static str>, Option<Runtime>),
    /// The browser claims at least so many cores.
    Cores(u32),
    /// The number parameter is at least this.
    AtLeast(&'static str, u32),
    /// The number parameter is at most this.
    AtMost(&'static str, u32),
    /// The flag is off.
    Off(&'static str),
    /// One number parameter is below a share of another, in percent: `sliceMs` below 25 % of `callMs`.
    Below(&'static str, u32, &'static str),
    /// The baseline's samples agree with each other: nothing else uses the processor.
    QuietMachine,
    /// Samples of the row overlapped at least this share of the time, as the median in percent.
    Overlap(&'static str, Runtime, u32),
    /// The interpreter lock changed hands at least this often in the row, as the median.
    HandOvers(&'static str, Runtime, u32),
    /// At least so much work was really run, after scaling.
    Size(u32),
    /// The baseline's samples last at least so many milliseconds: shorter work is over before others start.
    LongSamples(u32),
    /// The choice parameter has this value.
    Chosen(&'static str, &'static str),
    /// The choice parameter has another value than this.
    Other(&'static str, &'static str),
    /// All of these, which several claims need together.
    All(&'static [Need]),
}

impl Need {
    /// What is missing where the need is about the values asked for alone; none when it is met, or about the run.
    #[must_use]
    pub fn of_values(&self, lab: &str, asked: &Asked, words: &Words) -> Option<String> {
        let parameter = |id: &str| name(lab, words, &format!("parameter.{id}"), id);
        let chosen = |need: &str, id: &str, choice: &str| {
            let choice = name(lab, words, &format!("{id}.{choice}"), choice);
            words.fill(need, &args([("parameter", parameter(id)), ("choice", choice)]))
        };
        match *self {
            Self::AtLeast(id, least) => (asked.unsigned(id) < least).then(|| {
                words.fill(
                    "need.at-least",
                    &args([("parameter", parameter(id)), ("least", least.into())]),
                )
            }),
            Self::AtMost(id, most) => (asked.unsigned(id) > most).then(|| {
                words.fill(
                    "need.below",
                    &args([("parameter", parameter(id)), ("most", most.into())]),
                )
            }),
            Self::Off(id) => asked
                .flag(id)
                .then(|| words.fill("need.off", &args([("parameter", parameter(id))]))),
            Self::Below(id, percent, of) => {
                let most = f64::from(asked.unsigned(of)) * f64::from(percent) / 100.0;
                (f64::from(asked.unsigned(id)) > most).then(|| {
                    words.fill(
                        "need.below",
                        &args([("parameter", parameter(id)), ("most", most.into())]),
                    )
                })
            }
            Self::Chosen(id, choice) => (asked.choice(id) != Some(choice)).then(|| chosen("need.chosen", id, choice)),
            Self::Other(id, choice) => (asked.choice(id) == Some(choice)).then(|| chosen("need.other", id, choice)),
            Self::Ran(..)
            | Self::Cores(_)
            | Self::QuietMachine
            | Self::Overlap(..)
            | Self::HandOvers(..)
            | Self::Size(_)
            | Self::LongSamples(_)
            | Self::All(_) => None,
        }
    }
}

/// What this lab calls it, else what all labs do; the fallback where there is no word for it.
fn name(lab: &str, words: &Words, id: &str, fallback: &str) -> Plain {
    let own = format!("{lab}.{id}");
    words.find(&own).or_else(|| words.find(id)).unwrap_or(fallback).into()
}

/// What a claim's function finds.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Whether it holds.
    pub holds: Holds,
    /// The numbers of the reason.
    pub args: Named,
}

/// One claim.
#[derive(Clone, Copy, Debug)]
pub struct ClaimSpec {
    /// Its id within the lab.
    pub id: &'static str,
    /// Its kind.
    pub kind: ClaimKind,
    /// Outside these it is not applicable; the first that fails is the reason.
    pub needs: &'static [Need],
    /// The fault under which a test sees it false.
    pub sabotage: Sabotage,
    /// Decides, where the needs are met.
    pub decide: fn(&Evidence<'_>) -> Decision,
}

impl ClaimSpec {
    /// For the page.
    #[must_use]
    pub fn describe(&self) -> ClaimDescription {
        ClaimDescription {
            id: self.id.to_owned(),
            kind: self.kind,
            modes: vec![Mode::Measured],
        }
    }

    /// Judges what was taken.
    #[must_use]
    pub fn judge(&self, evidence: &Evidence<'_>) -> Claim {
        let words = evidence.words;
        let text = evidence.say(&format!("claim.{}", self.id), &args([]));
        let (holds, why) = if self.kind == ClaimKind::Speed && evidence.is_void() {
            (Holds::NotApplicable, words.say("need.visible"))
        } else if let Some(missing) = evidence.lacks_of(self.needs) {
            (Holds::NotApplicable, missing)
        } else {
            let decision = (self.decide)(evidence);
            let suffix = match decision.holds {
                Holds::True => "true",
                Holds::False => "false",
                Holds::NotApplicable => "unclear",
            };
            (
                decision.holds,
                evidence.say(&format!("why.{}.{suffix}", self.id), &decision.args),
            )
        };
        Claim {
            id: self.id.to_owned(),
            kind: self.kind,
            holds,
            why,
            text,
        }
    }
}

/// Decides by a flag.
#[must_use]
pub fn decided(holds: bool, args: Named) -> Decision {
    Decision {
        holds: if holds { Holds::True } else { Holds::False },
        args,
    }
}

/// Decides from an interval whether a value is above a threshold: yes when all of it is, no when none is.
#[must_use]
pub fn above(estimate: Option<Estimate>, threshold: f64, args: Named) -> Decision {
    let holds = match estimate {
        Some(estimate) if estimate.low > threshold => Holds::True,
        Some(estimate) if estimate.high < threshold => Holds::False,
        _ => Holds::NotApplicable,
    };
    Decision { holds, args }
}

/// Decides from an interval whether a value is at most a threshold.
#[must_use]
pub fn at_most(estimate: Option<Estimate>, threshold: f64, args: Named) -> Decision {
    let holds = match estimate {
        Some(estimate) if estimate.high <= threshold => Holds::True,
        Some(estimate) if estimate.low > threshold => Holds::False,
        _ => Holds::NotApplicable,
    };
    Decision { holds, args }
}
