//! Values of JavaScript to and from trees, and so to and from the types of the wire.

use js_sys::{Array, Object, Reflect};
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::*;

use crate::json::{DEEPEST, Json};
use crate::wire::{Read, Write, read};

/// What the page gives, as the type it stands for.
pub fn from_js<T: Read + Tsify>(value: &Ts<T>) -> Result<T, JsError> {
    let read = tree(&value.js_value(), 0).and_then(|tree| read(&tree));
    read.map_err(|wrong| JsError::new(&wrong))
}

/// What the page gets.
pub fn to_js<T: Write + Tsify>(value: &T) -> Ts<T> {
    Ts::new_unchecked(value_of(&value.write()))
}

/// A JavaScript value as a tree. Undefined counts as null; of an object its own enumerable members count.
fn tree(value: &JsValue, depth: u32) -> Result<Json, String> {
    if depth > DEEPEST {
        return Err(format!("nested deeper than {DEEPEST}"));
    }
    if value.is_null() || value.is_undefined() {
        return Ok(Json::Null);
    }
    if let Some(flag) = value.as_bool() {
        return Ok(Json::Flag(flag));
    }
    if let Some(number) = value.as_f64() {
        return Ok(Json::Number(number));
    }
    if let Some(text) = value.as_string() {
        return Ok(Json::Text(text));
    }
    if let Some(list) = value.dyn_ref::<Array>() {
        let mut items = Vec::new();
        for item in list.iter() {
            items.push(tree(&item, depth + 1)?);
        }
        return Ok(Json::List(items));
    }
    if !value.is_object() {
        return Err("a function, a symbol or a big integer came".to_owned());
    }
    let mut members = Vec::new();
    for entry in Object::entries(value.unchecked_ref()).iter() {
        let entry: Array = entry.unchecked_into();
        members.push((
            entry.get(0).as_string().unwrap_or_default(),
            tree(&entry.get(1), depth + 1)?,
        ));
    }
    Ok(Json::Object(members))
}

/// A tree as a JavaScript value; null is undefined there.
fn value_of(tree: &Json) -> JsValue {
    match tree {
        Json::Null => JsValue::UNDEFINED,
        Json::Flag(flag) => JsValue::from_bool(*flag),
        Json::Number(number) => JsValue::from_f64(*number),
        Json::Text(text) => JsValue::from_str(text),
        Json::List(items) => items.iter().map(value_of).collect::<Array>().into(),
        Json::Object(members) => {
            let object = Object::new();
            for (key, value) in members {
                // Only a frozen object or a setter that throws refuses a member, and this one is new.
                let _ = Reflect::set(&object, &JsValue::from_str(key), &value_of(value));
            }
            object.into()
        }
    }
}
