//! Reads and writes one value both ways, and everything that is nearly that value.
//!
//! The lists of words and tags come out of serde's own messages, so a new variant without a sample fails here.

use std::collections::BTreeSet;
use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::json::Json;
use crate::wire::{Read, Write, read};

pub trait Crosses: Read + Write + Serialize + DeserializeOwned + PartialEq + Debug {}
impl<T: Read + Write + Serialize + DeserializeOwned + PartialEq + Debug> Crosses for T {}

fn by_read<T: Crosses>(value: &Value) -> Result<T, String> {
    read(&Json::parse(&value.to_string()).expect("serde writes JSON"))
}

fn by_serde<T: Crosses>(value: &Value) -> Result<T, String> {
    serde_json::from_value(value.clone()).map_err(|error| error.to_string())
}

/// What serde writes, without what is none.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        Value::Object(members) => {
            let some = members.into_iter().filter(|(_, value)| !value.is_null());
            some.map(|(key, value)| (key, without_nulls(value))).collect()
        }
        leaf => leaf,
    }
}

fn value_of(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Flag(flag) => json!(flag),
        Json::Number(number) => json!(number),
        Json::Text(text) => json!(text),
        Json::List(items) => items.iter().map(value_of).collect(),
        Json::Object(members) => members
            .iter()
            .map(|(key, value)| (key.clone(), value_of(value)))
            .collect(),
    }
}

/// Whole numbers are written 1 by one and 1.0 by the other.
fn as_floats(value: Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.into_iter().map(as_floats).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(key, value)| (key, as_floats(value)))
            .collect(),
        leaf => leaf,
    }
}

/// Values that differ from this one in one place. None in which serde would take a number for a tag, or a list for an
/// object: nobody writes those, and `Read` refuses them.
fn neighbours(value: &Value) -> Vec<Value> {
    let others = json!([
        null,
        true,
        1000,
        1.5,
        -1,
        4_294_967_295_u32,
        4_294_967_296_u64,
        "",
        "other",
        [],
        ["other"],
        {}
    ]);
    let mut found = others.as_array().cloned().unwrap_or_default();
    if let Value::Object(members) = value {
        for (key, inner) in members {
            let with = |other: Option<Value>| {
                let mut changed = members.clone();
                match other {
                    Some(other) => changed.insert(key.clone(), other),
                    None => changed.remove(key),
                };
                Value::Object(changed)
            };
            found.push(with(None));
            found.extend(neighbours(inner).into_iter().map(|other| with(Some(other))));
        }
    }
    if let Value::Array(items) = value {
        for (index, item) in items.iter().enumerate() {
            found.extend(neighbours(item).into_iter().map(|other| {
                let mut changed = items.clone();
                changed[index] = other;
                Value::Array(changed)
            }));
        }
    }
    found
}

/// Every value that has one key more than this one, and that key's path.
fn with_a_key_too_many(value: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    if let Value::Object(members) = value {
        let mut changed = members.clone();
        changed.insert("tooMany".to_owned(), json!(1));
        found.push(Value::Object(changed));
        for (key, inner) in members {
            // A map of names has no key too many.
            if matches!(key.as_str(), "params" | "args" | "opening") && inner.is_object() {
                continue;
            }
            found.extend(with_a_key_too_many(inner).into_iter().map(|other| {
                let mut changed = members.clone();
                changed.insert(key.clone(), other);
                Value::Object(changed)
            }));
        }
    }
    if let Value::Array(items) = value {
        for (index, item) in items.iter().enumerate() {
            found.extend(with_a_key_too_many(item).into_iter().map(|other| {
                let mut changed = items.clone();
                changed[index] = other;
                Value::Array(changed)
            }));
        }
    }
    found
}

pub fn check<T: Crosses>(sample: &Value) {
    let value: T = by_serde(sample).unwrap_or_else(|wrong| panic!("{sample} is no sample: {wrong}"));
    assert_eq!(by_read::<T>(sample).as_ref(), Ok(&value), "{sample}");
    let expected = without_nulls(serde_json::to_value(&value).expect("plain JSON"));
    assert_eq!(as_floats(value_of(&value.write())), as_floats(expected), "{sample}");
    for near in neighbours(sample) {
        let (ours, serdes) = (by_read::<T>(&near), by_serde::<T>(&near));
        assert_eq!(
            ours.as_ref().ok(),
            serdes.as_ref().ok(),
            "{near}: {ours:?} and {serdes:?}"
        );
    }
    // Stricter than serde, which looks at nothing beside the tag of a variant without fields.
    for more in with_a_key_too_many(sample) {
        assert!(by_read::<T>(&more).is_err(), "{more}");
    }
}

/// The words that serde would have taken instead of one that it does not know.
fn known<T: Crosses>(unknown: &Value) -> BTreeSet<String> {
    let wrong = by_serde::<T>(unknown).expect_err("it is unknown");
    let (_, list) = wrong.split_once("expected").expect("serde says what it expected");
    list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

pub fn check_words<T: Crosses>() {
    let words = known::<T>(&json!("no such word"));
    assert!(words.len() > 1, "{words:?}");
    for word in words {
        check::<T>(&json!(word));
    }
}

pub fn check_variants<T: Crosses>(samples: &Value) {
    let samples = samples.as_array().expect("a list of samples");
    let tags = samples
        .iter()
        .filter_map(|sample| sample.get("type")?.as_str().map(str::to_owned));
    assert_eq!(
        tags.collect::<BTreeSet<_>>(),
        known::<T>(&json!({ "type": "no such tag" }))
    );
    for sample in samples {
        check::<T>(sample);
    }
}
