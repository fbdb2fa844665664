//! The three types whose JSON follows no rule of the others: a plain value, a map of them, and a verdict.

use std::collections::BTreeMap;

#[cfg(not(target_arch = "wasm32"))]
use serde::{Deserialize, Serialize};

use super::read::{Read, Reader};
use super::write::Write;
use crate::json::Json;

/// Plain JSON: a number, a text or a flag.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(Serialize, Deserialize))]
#[serde(untagged)]
pub enum Plain {
    /// true or false.
    Flag(bool),
    /// A finite number.
    Number(f64),
    /// A text.
    Text(String),
}

/// Named plain values.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(target_arch = "wasm32", tsify(hashmap_as_object))]
#[cfg_attr(not(target_arch = "wasm32"), derive(Serialize, Deserialize))]
#[serde(transparent)]
pub struct Named(pub BTreeMap<String, Plain>);

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_arch = "wasm32"), derive(Serialize, Deserialize))]
#[cfg_attr(not(target_arch = "wasm32"), serde(into = "Plain", try_from = "Plain"))]
pub enum Holds {
    /// The result shows it.
    True,
    /// The result contradicts it.
    False,
    /// The precondition is not met, or noise decides.
    NotApplicable,
}

const NOT_APPLICABLE: &str = "not-applicable";

impl From<Holds> for Plain {
    fn from(holds: Holds) -> Self {
        match holds {
            Holds::True => Self::Flag(true),
            Holds::False => Self::Flag(false),
            Holds::NotApplicable => Self::Text(NOT_APPLICABLE.to_owned()),
        }
    }
}

impl TryFrom<Plain> for Holds {
    type Error = &'static str;

    fn try_from(plain: Plain) -> Result<Self, Self::Error> {
        match plain {
            Plain::Flag(true) => Ok(Self::True),
            Plain::Flag(false) => Ok(Self::False),
            Plain::Text(text) if text == NOT_APPLICABLE => Ok(Self::NotApplicable),
            _ => Err("true, false or \"not-applicable\""),
        }
    }
}

impl Read for Plain {
    fn read(json: &Json, reader: &mut Reader) -> Self {
        match json {
            Json::Flag(flag) => Self::Flag(*flag),
            Json::Number(number) => Self::Number(*number),
            other => Self::Text(String::read(other, reader)),
        }
    }
}

impl Write for Plain {
    fn write(&self) -> Json {
        match self {
            Self::Flag(flag) => flag.write(),
            Self::Number(number) => number.write(),
            Self::Text(text) => text.write(),
        }
    }
}

impl Read for Named {
    fn read(json: &Json, reader: &mut Reader) -> Self {
        let mut named = Self::default();
        if let Json::Object(members) = json {
            for (name, value) in members {
                named.0.insert(name.clone(), Plain::read(value, reader));
            }
        } else {
            reader.due("an object");
        }
        named
    }
}

impl Write for Named {
    fn write(&self) -> Json {
        Json::Object(
            self.0
                .iter()
                .map(|(name, value)| (name.clone(), value.write()))
                .collect(),
        )
    }
}

impl Read for Holds {
    fn read(json: &Json, reader: &mut Reader) -> Self {
        let holds = Self::try_from(Plain::read(json, reader));
        if let Err(what) = holds {
            reader.due(what);
        }
        holds.unwrap_or(Self::NotApplicable)
    }
}

impl Write for Holds {
    fn write(&self) -> Json {
        Plain::from(*self).write()
    }
}
