//! A tree of JSON, and how it is read from text without a library: serde_json would be a sixth of the wasm file. Tables
//! of words and the lessons' figures come as text, what a page sends as JavaScript's values (`web` makes the tree).
//! Not here: JSON as text for others; and what a tree means, which `wire` knows.
//!
//! It follows RFC 8259, except that numbers may begin with zeros or lose their last bits, and that nesting deeper
//! than [`DEEPEST`] is refused.

use std::iter::Peekable;
use std::str::Chars;

use crate::decimal;

/// How deep lists and objects may be nested.
pub const DEEPEST: u32 = 32;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// null.
    Null,
    /// true or false.
    Flag(bool),
    /// A number; from JavaScript's values NaN and infinities too.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object's members in their order; of two equal keys the last counts.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a whole text.
    ///
    /// # Errors
    /// What was wanted where something else came, in words for developers.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader {
            left: text.chars().peekable(),
            depth: 0,
        };
        let value = reader.value()?;
        reader.blanks();
        match reader.left.next() {
            None => Ok(value),
            Some(character) => Err(format!("the end was due, not {character:?}")),
        }
    }

    /// The member of an object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        if let Self::Object(members) = self {
            members
                .iter()
                .rev()
                .find(|(known, _)| known == key)
                .map(|(_, value)| value)
        } else {
            None
        }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The number.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        if let Self::Number(number) = self {
            Some(*number)
        } else {
            None
        }
    }

    /// The list's items; none of anything else.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }
}

struct Reader<'text> {
    left: Peekable<Chars<'text>>,
    depth: u32,
}

impl Reader<'_> {
    fn value(&mut self) -> Result<Json, String> {
        self.blanks();
        match self.left.peek() {
            Some('{') => self.nested(Self::object),
            Some('[') => self.nested(Self::list),
            Some('"') => self.text().map(Json::Text),
            _ => self.word(),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Json, String>) -> Result<Json, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("nested deeper than {DEEPEST}"));
        }
        self.left.next();
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Result<Json, String> {
        let mut members = Vec::new();
        while self.goes_on('}', members.is_empty())? {
            self.blanks();
            let key = self.text()?;
            self.blanks();
            self.expect(':')?;
            let value = self.value()?;
            members.push((key, value));
        }
        Ok(Json::Object(members))
    }

    fn list(&mut self) -> Result<Json, String> {
        let mut items = Vec::new();
        while self.goes_on(']', items.is_empty())? {
            items.push(self.value()?);
        }
        Ok(Json::List(items))
    }

    /// Whether another item follows: past the comma, or at the first of them.
    fn goes_on(&mut self, end: char, is_first: bool) -> Result<bool, String> {
        self.blanks();
        if self.left.next_if_eq(&end).is_some() {
            return Ok(false);
        }
        if !is_first {
            self.expect(',')?;
        }
        Ok(true)
    }

    fn text(&mut self) -> Result<String, String> {
        self.expect('"')?;
        let mut text = String::new();
        loop {
            match self.left.next() {
                Some('"') => return Ok(text),
                Some('\\') => text.push(self.escaped()?),
                Some(character) if character >= ' ' => text.push(character),
                Some(character) => return Err(format!("{character:?} in a text")),
                None => return Err("a text without an end".to_owned()),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, String> {
        match self.left.next() {
            Some(same @ ('"' | '\\' | '/')) => Ok(same),
            Some('b') => Ok('\u{8}'),
            Some('f') => Ok('\u{c}'),
            Some('n') => Ok('\n'),
            Some('r') => Ok('\r'),
            Some('t') => Ok('\t'),
            Some('u') => {
                let first = self.four_digits()?;
                // Beyond the first 65,536 characters JSON writes two halves (UTF-16 surrogates).
                let code = if (0xd800..0xdc00).contains(&first) {
                    self.expect('\\')?;
                    self.expect('u')?;
                    let second = self.four_digits()?;
                    0x1_0000 + ((first - 0xd800) << 10) + second.wrapping_sub(0xdc00) % 0x400
                } else {
                    first
                };
                char::from_u32(code).ok_or_else(|| format!("no character has the number {code:x}"))
            }
            other => Err(format!("{other:?} after a backslash")),
        }
    }

    fn four_digits(&mut self) -> Result<u32, String> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.left.next().and_then(|digit| digit.to_digit(16));
            code = code * 16 + digit.ok_or("four hexadecimal digits were due")?;
        }
        Ok(code)
    }

    fn word(&mut self) -> Result<Json, String> {
        let mut word = String::new();
        let is_part = |character: &char| character.is_ascii_alphanumeric() || matches!(character, '+' | '-' | '.');
        while let Some(character) = self.left.next_if(is_part) {
            word.push(character);
        }
        match word.as_str() {
            "null" => Ok(Json::Null),
            "true" => Ok(Json::Flag(true)),
            "false" => Ok(Json::Flag(false)),
            _ if word.starts_with(|first: char| first == '-' || first.is_ascii_digit()) => decimal::read(&word)
                .map(Json::Number)
                .ok_or_else(|| format!("{word} is no number")),
            _ => Err(format!("a value was due, not {:?}", self.left.peek())),
        }
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        match self.left.next() {
            Some(character) if character == wanted => Ok(()),
            other => Err(format!("{wanted:?} was due, not {other:?}")),
        }
    }

    fn blanks(&mut self) {
        while self
            .left
            .next_if(|character| matches!(character, ' ' | '\n' | '\r' | '\t'))
            .is_some()
        {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn plain(value: &Value) -> Json {
        match value {
            Value::Null => Json::Null,
            Value::Bool(flag) => Json::Flag(*flag),
            Value::Number(number) => Json::Number(number.as_f64().expect("it came from one")),
            Value::String(text) => Json::Text(text.clone()),
            Value::Array(items) => Json::List(items.iter().map(plain).collect()),
            Value::Object(members) => {
                Json::Object(members.iter().map(|(key, value)| (key.clone(), plain(value))).collect())
            }
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            // Up to 15 digits, which are read to the last bit.
            (-999_999_999_999_999_i64..=999_999_999_999_999, 0..=20)
                .prop_map(|(digits, power)| Value::from(digits as f64 / 10_f64.powi(power))),
            ".{0,20}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 30, 6, |inner| {
            let items = prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from);
            let members = prop::collection::btree_map(".{0,8}", inner, 0..6);
            prop_oneof![
                items,
                members.prop_map(|members| Value::Object(members.into_iter().collect()))
            ]
        })
    }

    proptest! {
        #[test]
        fn what_serde_writes_is_read_alike(value in any_value()) {
            let expected = plain(&value);
            prop_assert_eq!(Json::parse(&value.to_string()), Ok(expected.clone()));
            prop_assert_eq!(Json::parse(&serde_json::to_string_pretty(&value).expect("plain")), Ok(expected));
        }

        #[test]
        fn anything_else_is_an_error_and_no_panic(text in "[\\[\\]{}\",:\\\\u0-9a-f eE.+-]{0,40}") {
            if serde_json::from_str::<Value>(&text).is_ok() {
                prop_assert!(Json::parse(&text).is_ok(), "{}", text);
            } else {
                let _ = Json::parse(&text);
            }
        }
    }

    #[test]
    fn escapes_and_halves() {
        let smile = Json::Text("a\n😀/".to_owned());
        assert_eq!(Json::parse(r#" "a\n\ud83d\ude00\/" "#), Ok(smile));
        for wrong in [
            "",
            "\"",
            "\"\\x\"",
            "\"\\ud83d\"",
            "[1,]",
            "[,1]",
            "{\"a\":1,}",
            "{\"a\"}",
            "{a:1}",
            "nul",
            "1 2",
            "[1",
            "\"\u{1}\"",
        ] {
            assert!(Json::parse(wrong).is_err(), "{wrong}");
        }
        assert!(Json::parse(&"[".repeat(1_000_000)).is_err());
    }
}
