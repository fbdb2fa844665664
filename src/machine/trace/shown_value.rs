//! The value of a cell, as a log keeps it: enough to show it, without the objects behind it.
//!
//! Not here: values that programs work with, see `machine::value`.

use std::fmt;
use std::rc::Rc;

use super::coding::{self, Bytes, folded};
use crate::machine::{Exception, Kind, Value};

/// A value to be shown. `Display` writes it as Python does.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ShownValue {
    /// Nothing.
    #[default]
    None,
    /// A truth.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// An object, by its number.
    Handle(u64),
    /// A text.
    Text(Rc<str>),
    /// An exception, by kind and message.
    Exception(Rc<str>),
    /// Several in order.
    List(Rc<[ShownValue]>),
}

mod tag {
    pub const NONE: u8 = 0;
    pub const FALSE: u8 = 1;
    pub const TRUE: u8 = 2;
    pub const INT: u8 = 3;
    pub const HANDLE: u8 = 4;
    pub const TEXT: u8 = 5;
    pub const EXCEPTION: u8 = 6;
    pub const LIST: u8 = 7;
}

/// Writes a value, a list with all that is in it.
pub(super) fn put(bytes: &mut Vec<u8>, value: &Value) {
    match value {
        Value::None => bytes.push(tag::NONE),
        Value::Bool(false) => bytes.push(tag::FALSE),
        Value::Bool(true) => bytes.push(tag::TRUE),
        Value::Int(number) => {
            bytes.push(tag::INT);
            coding::put(bytes, folded(*number));
        }
        Value::Handle(number) => {
            bytes.push(tag::HANDLE);
            coding::put(bytes, *number);
        }
        Value::Text(text) => {
            bytes.push(tag::TEXT);
            coding::put_text(bytes, text);
        }
        Value::Exception(exception) => {
            bytes.push(tag::EXCEPTION);
            coding::put_text(bytes, &told(exception));
        }
        Value::List(values) => {
            bytes.push(tag::LIST);
            coding::put(bytes, values.len() as u64);
            for value in values.iter() {
                put(bytes, value);
            }
        }
    }
}

fn told(exception: &Exception) -> String {
    match exception.kind() {
        Kind::Own => exception.message().to_owned(),
        kind => format!("{kind:?}: {}", exception.message()),
    }
}

/// Reads what [`put`] wrote.
pub(super) fn read(bytes: &mut Bytes<'_>) -> ShownValue {
    match bytes.byte() {
        tag::FALSE => ShownValue::Bool(false),
        tag::TRUE => ShownValue::Bool(true),
        tag::INT => ShownValue::Int(bytes.signed()),
        tag::HANDLE => ShownValue::Handle(bytes.number()),
        tag::TEXT => ShownValue::Text(bytes.text().into()),
        tag::EXCEPTION => ShownValue::Exception(bytes.text().into()),
        tag::LIST => {
            let n_values = bytes.number();
            ShownValue::List((0..n_values).map(|_| read(bytes)).collect())
        }
        _ => ShownValue::None,
    }
}

impl fmt::Display for ShownValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => formatter.write_str("None"),
            Self::Bool(true) => formatter.write_str("True"),
            Self::Bool(false) => formatter.write_str("False"),
            Self::Int(number) => write!(formatter, "{number}"),
            Self::Handle(number) => write!(formatter, "<object {number}>"),
            Self::Text(text) => write!(formatter, "'{text}'"),
            Self::Exception(told) => write!(formatter, "<{told}>"),
            Self::List(values) => {
                formatter.write_str("[")?;
                for (index, value) in values.iter().enumerate() {
                    if index > 0 {
                        formatter.write_str(", ")?;
                    }
                    write!(formatter, "{value}")?;
                }
                formatter.write_str("]")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_comes_back() {
        let several: Value = vec![
            Value::None,
            Value::Bool(true),
            Value::Bool(false),
            Value::Int(i64::MIN),
            Value::Handle(u64::MAX),
            Value::Text("a name".into()),
            Value::Exception(Exception::new(Kind::Timeout, "too late")),
            Value::Exception(Exception::own("ValueError", Value::None)),
            vec![Value::Int(-1)].into(),
        ]
        .into();
        let mut bytes = Vec::new();
        put(&mut bytes, &several);
        let mut left = Bytes(&bytes);
        let shown = read(&mut left);
        assert!(left.0.is_empty());
        assert_eq!(
            shown.to_string(),
            "[None, True, False, -9223372036854775808, <object 18446744073709551615>, 'a name', <Timeout: too late>, \
             <ValueError>, [-1]]"
        );
    }
}
