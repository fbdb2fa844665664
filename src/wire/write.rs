//! From the types of the wire to a tree of JSON. What is none is left out.
//!
//! Not here: the implementations for the wire's own types (macro `shape` writes them), nor JavaScript's values (`web`
//! makes them from the tree).

use std::str::SplitAsciiWhitespace;

use super::shape::{TAG, camel, kebab};
use crate::json::Json;

/// A type that can be written as a tree.
pub trait Write {
    /// The tree.
    fn write(&self) -> Json;
}

/// An object in the making: its fields are written in the order of their names.
pub struct Object {
    members: Vec<(String, Json)>,
    names: SplitAsciiWhitespace<'static>,
}

impl Object {
    /// One without members yet, of these fields in Rust's spelling.
    pub fn new(names: &'static str) -> Self {
        Self {
            members: Vec::new(),
            names: names.split_ascii_whitespace(),
        }
    }

    /// One that is told from others by its tag, the variant in Rust's spelling.
    pub fn tagged(variant: &'static str, names: &'static str) -> Self {
        let mut object = Self::new(names);
        object.members.push((TAG.to_owned(), word(variant)));
        object
    }

    /// Writes the next field.
    pub fn put<T: Write>(&mut self, value: &T) {
        self.add(value.write());
    }

    /// Writes the members of what a variant wraps.
    pub fn extend<T: Write>(&mut self, wrapped: &T) {
        if let Json::Object(members) = wrapped.write() {
            self.members.extend(members);
        }
    }

    /// The whole.
    pub fn end(self) -> Json {
        Json::Object(self.members)
    }

    fn add(&mut self, value: Json) {
        let name = self.names.next().unwrap_or_default();
        if !matches!(value, Json::Null) {
            self.members.push((camel(name).collect(), value));
        }
    }
}

/// A variant that is a word, from Rust's spelling.
pub fn word(variant: &str) -> Json {
    Json::Text(kebab(variant).collect())
}

impl Write for bool {
    fn write(&self) -> Json {
        Json::Flag(*self)
    }
}

impl Write for f64 {
    fn write(&self) -> Json {
        Json::Number(*self)
    }
}

impl Write for u32 {
    fn write(&self) -> Json {
        Json::Number(f64::from(*self))
    }
}

impl Write for String {
    fn write(&self) -> Json {
        Json::Text(self.clone())
    }
}

impl<T: Write> Write for Option<T> {
    fn write(&self) -> Json {
        self.as_ref().map_or(Json::Null, T::write)
    }
}

impl<T: Write> Write for Vec<T> {
    fn write(&self) -> Json {
        let mut items = Vec::new();
        for item in self {
            items.push(item.write());
        }
        Json::List(items)
    }
}
