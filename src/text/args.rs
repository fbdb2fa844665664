//! Arguments of a text, written without ceremony. Not here: how they look in a language.

use crate::wire::{Named, Plain};

/// Named arguments.
#[must_use]
pub fn args<const N: usize>(pairs: [(&str, Plain); N]) -> Named {
    named(&mut pairs.into_iter())
}

/// The same code for every number of arguments; a copy for each would be a tenth of the wasm file.
#[inline(never)]
fn named(pairs: &mut dyn Iterator<Item = (&str, Plain)>) -> Named {
    let mut named = Named::default();
    for (name, value) in pairs {
        named.0.insert(name.to_owned(), value);
    }
    named
}

impl From<f64> for Plain {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for Plain {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<bool> for Plain {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<&str> for Plain {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Plain {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}
