//! How a figure's quantity is read from a row, as data: the native side and the page follow the same, so that what is
//! modelled and what is measured cannot be different things.
//!
//! Not here: quantities that no single row has (`modelled`).

use serde::Serialize;
use serde_json::Value;

use crate::wire::Row;

/// How a number is read from a row. Fields are named as in the row's JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Reading {
    /// The first of these fields that there is (a number, a number as text, or a flag: 1 or 0), divided.
    Field {
        /// The fields.
        fields: Vec<String>,
        /// By what.
        per: f64,
    },
    /// One field as a share of another.
    Share {
        /// The one.
        field: String,
        /// The other.
        of: String,
    },
    /// How many entries of a list are over 0. A list of another length says nothing.
    OverZero {
        /// The list.
        field: String,
        /// Its length.
        entries: u32,
    },
    /// No row has it: it takes several runs of the model.
    Several,
}

/// How this quantity is read. One that is not known here is the row's field of the same name, or else its `value`: a new
/// lab needs no line here.
#[must_use]
pub fn reading(quantity: &str) -> Reading {
    let field = |fields: &[&str], per: f64| Reading::Field {
        fields: fields.iter().map(|field| (*field).to_owned()).collect(),
        per,
    };
    match quantity {
        "seconds" => field(&["medianMs"], 1_000.0),
        "longestGapSeconds" => field(&["longestGapMs"], 1_000.0),
        "timeoutSeconds" => field(&["timeoutAfterMs"], 1_000.0),
        "programSeconds" => field(&["programEndedMs"], 1_000.0),
        "lostFraction" => Reading::Share {
            field: "lost".to_owned(),
            of: "expected".to_owned(),
        },
        "runsThatLoseOf5" => Reading::OverZero {
            field: "losses".to_owned(),
            entries: 5,
        },
        "freeThreadedCost" | "thresholdBytes" => Reading::Several,
        same => field(&[same, "value"], 1.0),
    }
}

/// The number; none where the row does not have it.
#[must_use]
pub fn read(reading: &Reading, row: &Row) -> Option<f64> {
    let row = serde_json::to_value(row).expect("a row is plain JSON");
    let field = |name: &str| row.get(name).and_then(number);
    match reading {
        Reading::Field { fields, per } => Some(fields.iter().find_map(|name| field(name))? / per),
        Reading::Share { field: part, of } => Some(field(part)? / field(of)?),
        Reading::OverZero { field, entries } => {
            let list = row.get(field)?.as_array()?;
            let n_over = list
                .iter()
                .filter(|entry| number(entry).is_some_and(|value| value > 0.0));
            let n_over = u32::try_from(n_over.count()).ok()?;
            (u32::try_from(list.len()) == Ok(*entries)).then_some(f64::from(n_over))
        }
        Reading::Several => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.parse().ok(),
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labs::rows::empty;
    use crate::wire::{Provenance, Strategy};

    #[test]
    fn quantities_are_read_from_rows() {
        let mut row = empty(Strategy::Threads, String::new(), Provenance::Modelled);
        let read_as = |quantity: &str, row: &Row| read(&reading(quantity), row);
        for quantity in [
            "seconds",
            "lost",
            "lostFraction",
            "runsThatLoseOf5",
            "workers",
            "not-known",
        ] {
            assert_eq!(read_as(quantity, &row), None, "{quantity}");
        }
        row.median_ms = Some(1_500.0);
        row.lost = Some(3);
        row.expected = Some("4".to_owned());
        row.losses = Some(vec![0, 1, 0, 2, 0]);
        row.timeout_fired = Some(true);
        row.value = Some("12".to_owned());
        assert_eq!(read_as("seconds", &row), Some(1.5));
        assert_eq!(read_as("lost", &row), Some(3.0));
        assert_eq!(read_as("lostFraction", &row), Some(0.75));
        assert_eq!(read_as("runsThatLoseOf5", &row), Some(2.0));
        assert_eq!(read_as("timeoutFired", &row), Some(1.0));
        assert_eq!(read_as("not-known", &row), Some(12.0));
        row.losses = Some(vec![1]);
        assert_eq!(read_as("runsThatLoseOf5", &row), None);
    }
}
