//! From a tree of JSON to the types of the wire: what serde's derive would do, in a twentieth of the wasm code.
//!
//! Strict: a missing or unknown key, an unknown word, a number that does not fit is an error that tells where. Reading
//! goes on after an error with any value in place of the wrong one, and the whole is thrown away at the end: code that
//! could leave in the middle would have to drop what it has so far, and that is most of what a reader weighs. Not here:
//! the implementations for the wire's own types (macro `shape` writes them), nor JavaScript's values (`web` makes the
//! tree).

use std::str::SplitAsciiWhitespace;

use super::shape::{TAG, camel, kebab};
use crate::json::Json;

/// A type that can be read from a tree.
pub trait Read: Sized {
    /// The value; any value once the reader has found something wrong.
    fn read(json: &Json, reader: &mut Reader) -> Self;
}

/// The value that a tree stands for.
///
/// # Errors
/// Where in the tree something else was due, and what, as in `run.seed.value: a number was due`; for developers.
pub fn read<T: Read>(json: &Json) -> Result<T, String> {
    let mut reader = Reader::default();
    let value = T::read(json, &mut reader);
    reader
        .wrong
        .map_or(Ok(value), |wrong| Err(wrong.trim_start_matches('.').to_owned()))
}

/// What reading keeps in mind: the first thing wrong.
#[derive(Debug, Default)]
pub struct Reader {
    wrong: Option<String>,
    tag_is_read: bool,
}

impl Reader {
    /// Something else was due.
    pub fn due(&mut self, what: &str) {
        self.wrong.get_or_insert_with(|| [": ", what, " was due"].concat());
    }

    /// Which of these variants, all in Rust's spelling, a word names.
    pub fn word(&mut self, json: &Json, variants: &str) -> usize {
        let word = json.text().unwrap_or_default();
        let found = variants
            .split_ascii_whitespace()
            .position(|variant| kebab(variant).eq(word.chars()));
        if found.is_none() {
            self.due(variants);
        }
        found.unwrap_or_default()
    }

    /// Which of these variants an object is.
    pub fn tag(&mut self, json: &Json, variants: &str) -> usize {
        let variant = self.word(json.get(TAG).unwrap_or(&Json::Null), variants);
        self.tag_is_read = true;
        variant
    }

    /// The fields of an object that has no others, all in Rust's spelling; beside a tag if one was read from it.
    pub fn fields<'from>(&'from mut self, json: &'from Json, names: &'from str) -> Fields<'from> {
        let beside_tag = std::mem::take(&mut self.tag_is_read);
        let members: &[(String, Json)] = if let Json::Object(members) = json { members } else { &[] };
        let is_known = |key: &str| {
            (beside_tag && key == TAG) || names.split_ascii_whitespace().any(|name| camel(name).eq(key.chars()))
        };
        if !matches!(json, Json::Object(_)) || !members.iter().all(|(key, _)| is_known(key)) {
            self.due(&["an object of ", names].concat());
        }
        Fields {
            members,
            names: names.split_ascii_whitespace(),
            reader: self,
        }
    }

    /// What is wrong within a part is wrong at that place of the whole.
    fn part<T: Read>(&mut self, json: &Json, place: &dyn Fn() -> String) -> T {
        let was_wrong = self.wrong.is_some();
        let value = T::read(json, self);
        if !was_wrong {
            self.locate(place);
        }
        value
    }

    fn locate(&mut self, place: &dyn Fn() -> String) {
        if let Some(wrong) = &mut self.wrong {
            *wrong = [".", &place(), wrong].concat();
        }
    }
}

/// Fields that are read in the order of their names.
pub struct Fields<'from> {
    members: &'from [(String, Json)],
    names: SplitAsciiWhitespace<'from>,
    reader: &'from mut Reader,
}

impl Fields<'_> {
    /// The next one; a missing one is read as null.
    pub fn next<T: Read>(&mut self) -> T {
        let (name, json) = self.find();
        self.reader.part(json, &|| camel(name).collect())
    }
}

impl<'from> Fields<'from> {
    fn find(&mut self) -> (&'from str, &'from Json) {
        let name = self.names.next().unwrap_or_default();
        let member = self.members.iter().find(|(key, _)| camel(name).eq(key.chars()));
        (name, member.map_or(&Json::Null, |(_, value)| value))
    }
}

impl Read for bool {
    fn read(json: &Json, reader: &mut Reader) -> Self {
        if let Json::Flag(flag) = json {
            return *flag;
        }
        reader.due("true or false");
        false
    }
}

impl Read for f64 {
    fn read(json: &Json, reader: &mut Reader) -> Self {
        if let Json::Number(number) = json {
            return *number;
        }
        reader.due("a number");
        0.0
    }
}

impl Read for u32 {
    fn read(json: &Json, reader: &mut Reader) -> Self {
        let number = json.number().unwrap_or(f64::NAN);
        // The conversion saturates and makes 0 of NaN, so only a number that fits comes back as it was.
        let whole = number as Self;
        if f64::from(whole) != number {
            reader.due("an unsigned integer of 32 bits");
        }
        whole
    }
}

impl Read for String {
    fn read(json: &Json, reader: &mut Reader) -> Self {
        if json.text().is_none() {
            reader.due("a text");
        }
        json.text().unwrap_or_default().to_owned()
    }
}

impl<T: Read> Read for Option<T> {
    /// None for null, which is also what undefined and a missing key are taken for.
    fn read(json: &Json, reader: &mut Reader) -> Self {
        if matches!(json, Json::Null) {
            None
        } else {
            Some(T::read(json, reader))
        }
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(json: &Json, reader: &mut Reader) -> Self {
        if !matches!(json, Json::List(_)) {
            reader.due("a list");
        }
        let mut items = Self::new();
        for (index, item) in json.items().iter().enumerate() {
            items.push(reader.part(item, &|| index.to_string()));
        }
        items
    }
}
