//! What a lab says of itself: the page, the docs and the checks of a request all read this one description.

use super::plain::{Named, Plain};
use super::result::ClaimKind;
use super::shape::shape;
use super::vocabulary::{Mode, Strategy};

shape! {
    /// What values a parameter takes.
    #[derive(Clone, Debug, PartialEq)]
    pub enum ParameterType {
        /// An unsigned integer within a range, both ends allowed.
        Unsigned {
            /// The least.
            min: u32,
            /// The most.
            max: u32,
        },
        /// true or false.
        Flag,
        /// One of these.
        Choice {
            /// All of them, in the order shown.
            choices: Vec<String>,
        },
    }
}

shape! {
    /// One parameter.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ParameterDescription {
        /// Its public id.
        pub id: String,
        /// Its values. Flattened in JSON would read better, but a tagged field generates exact types.
        pub takes: ParameterType,
        /// The unit, empty where it is a plain count or a choice.
        pub unit: String,
        /// The default; none: with it omitted the lab runs all choices side by side, or takes what the preset says.
        pub default: Option<Plain>,
        /// The one mode it is for; none: for all of the lab's modes.
        pub mode: Option<Mode>,
    }
}

shape! {
    /// One claim.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ClaimDescription {
        /// Its id within the lab.
        pub id: String,
        /// What kind.
        pub kind: ClaimKind,
        /// The modes whose results judge it.
        pub modes: Vec<Mode>,
    }
}

shape! {
    /// One lab.
    #[derive(Clone, Debug, PartialEq)]
    pub struct LabDescription {
        /// Its public id.
        pub id: String,
        /// In words, in the default language; other languages' words lie in the text tables under `<id>.title`.
        pub title: String,
        /// One or two sentences.
        pub summary: String,
        /// The modes it can be run in.
        pub modes: Vec<Mode>,
        /// Its parameters, in the order shown.
        pub parameters: Vec<ParameterDescription>,
        /// The strategies of its rows.
        pub strategies: Vec<Strategy>,
        /// The variants of its rows.
        pub variants: Vec<String>,
        /// Its claims.
        pub claims: Vec<ClaimDescription>,
        /// What the page sets at first so that a run takes about 3 s: part of the parameters.
        pub opening: Named,
        /// Whether its model has a small program whose schedules can be stepped through.
        pub steps: bool,
        /// Minutes a learner needs.
        pub minutes: u32,
        /// Where in the lessons it belongs, for example `A: CPU-bound work`.
        pub sections: Vec<String>,
    }
}
