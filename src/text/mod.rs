//! Where an id becomes words of a language.
//!
//! A table is a flat map from id to text; `{name}` in a text is filled from the arguments, once, so that an argument
//! cannot smuggle in a placeholder. `{name:ms}` writes a time given in milliseconds with the unit that suits it,
//! `{name:percent}` a share, `{name:2}` exactly two decimals. Not here: the tables of the labs (each lies in its
//! lab's folder), and any decision about what to say.
//!
//! Natively the English tables are compiled in; in the browser the page hands over the table of the asked language,
//! so that no words travel inside the wasm file.

mod args;
mod number;

pub use args::args;

pub use crate::json::Json;

use crate::wire::{Named, Plain};

/// The English table of what belongs to no lab: refusals, warnings, reasons and cures.
#[cfg(not(target_arch = "wasm32"))]
pub const SHARED_ENGLISH: &str = include_str!("en.json");

/// The page's own English words, all under `ui.`.
#[cfg(not(target_arch = "wasm32"))]
pub const UI_ENGLISH: &str = include_str!("ui.en.json");

/// What TypeScript says of its own failures and of links: under `engine.`, `link.` and `machine-page.`.
#[cfg(not(target_arch = "wasm32"))]
pub const ENGINE_ENGLISH: &str = include_str!("engine.en.json");

/// The language when none is asked for.
pub const DEFAULT_LANGUAGE: &str = "en";

/// The words of one language.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Words {
    language: String,
    /// In no order; few enough to look through.
    table: Vec<(String, String)>,
}

impl Words {
    /// From ids and their texts, each id once.
    pub fn new(language: &str, table: impl IntoIterator<Item = (String, String)>) -> Self {
        Self {
            language: language.to_owned(),
            table: table.into_iter().collect(),
        }
    }

    /// From a flat JSON object.
    ///
    /// # Errors
    /// The text is not a JSON object whose values are all texts; in words for developers.
    pub fn parse(language: &str, json: &str) -> Result<Self, String> {
        let wrong = |what: &str| format!("table of {language}: {what}");
        let Json::Object(members) = Json::parse(json).map_err(|error| wrong(&error))? else {
            return Err(wrong("an object was due"));
        };
        let mut table = Vec::new();
        for (id, text) in members {
            let Json::Text(text) = text else {
                return Err(wrong(&format!("{id} is no text")));
            };
            table.push((id, text));
        }
        Ok(Self::new(language, table))
    }

    /// The text of an id; the id itself in brackets where the table lacks it, so that it is seen.
    #[must_use]
    pub fn say(&self, id: &str) -> String {
        self.find(id).map_or_else(|| format!("[{id}]"), str::to_owned)
    }

    /// The text of an id, where the table has one.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&str> {
        let found = self.table.iter().rfind(|(known, _)| known == id);
        found.map(|(_, text)| text.as_str())
    }

    /// The text of an id with its placeholders filled. One without an argument stays as it is, so that it is seen.
    #[must_use]
    pub fn fill(&self, id: &str, args: &Named) -> String {
        let template = self.say(id);
        let mut filled = String::with_capacity(template.len());
        let mut rest = template.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            let Some((placeholder, behind)) = after.split_once('}') else {
                filled.push('{');
                rest = after;
                continue;
            };
            let (name, style) = placeholder.split_once(':').unwrap_or((placeholder, ""));
            match args.0.get(name) {
                Some(value) => filled.push_str(&self.write(value, style)),
                None => {
                    filled.push('{');
                    filled.push_str(placeholder);
                    filled.push('}');
                }
            }
            rest = behind;
        }
        filled.push_str(rest);
        filled
    }

    /// All ids and texts, by id.
    #[cfg(not(target_arch = "wasm32"))]
    #[must_use]
    pub fn table(&self) -> std::collections::BTreeMap<&str, &str> {
        self.table
            .iter()
            .map(|(id, text)| (id.as_str(), text.as_str()))
            .collect()
    }

    fn write(&self, value: &Plain, style: &str) -> String {
        match value {
            Plain::Text(text) => text.clone(),
            Plain::Flag(flag) => flag.to_string(),
            Plain::Number(number) => number::write(*number, style, &self.language),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Words {
        Words::parse(
            "en",
            r#"{"a": "{name} took {time:ms}", "open": "{ and {missing}", "plain": "no holes"}"#,
        )
        .expect("the table is JSON")
    }

    #[test]
    fn placeholders_are_filled_once() {
        let args = args([("name", "{time}".into()), ("time", 1_500.0.into())]);
        assert_eq!(words().fill("a", &args), "{time} took 1.5 s");
    }

    #[test]
    fn what_is_missing_is_seen() {
        assert_eq!(words().fill("none", &Named::default()), "[none]");
        assert_eq!(words().fill("open", &Named::default()), "{ and {missing}");
        assert_eq!(words().say("plain"), "no holes");
    }

    #[test]
    fn a_table_that_is_none_is_said() {
        assert!(Words::parse("en", "[1]").is_err());
        assert!(Words::parse("en", r#"{"a": {"b": "c"}}"#).is_err());
    }
}
