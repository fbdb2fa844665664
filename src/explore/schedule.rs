//! A schedule: who goes on, step by step; and its text, which stands in a link.
//!
//! Worked example: `7c1f09ab.BA4B3` is for the program whose hash is 7c1f09ab; B goes once, A four times, B three times.
//!
//! Not here: what it does to a program (`replay`).

use std::fmt::Write as _;

use super::limits::MAX_STEPS;
use super::system::Thread;

/// Who goes on at each step, from the first.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Schedule(pub Vec<Thread>);

/// Why a text is no schedule for this program. Places are characters from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleProblem {
    /// It does not begin with eight hexadecimal digits and a point.
    NoProgram,
    /// It is for another program, with this hash.
    OtherProgram {
        /// The hash that it begins with.
        hash: u32,
    },
    /// A letter that is none of this program's threads, or no letter.
    NotAThread {
        /// Where.
        at: u32,
    },
    /// A count of 0, with a zero before it, or of more than 100,000.
    BadCount {
        /// Where.
        at: u32,
    },
    /// More than 100,000 steps.
    TooLong,
}

impl Schedule {
    /// Its text: the program's hash, a point, and for each run of steps of one thread its letter, with its length where
    /// that is over 1. Letters, digits and the point only, so that it stands in a link as it is.
    #[must_use]
    pub fn write(&self, hash: u32) -> String {
        format!("{hash:08x}.{}", self.runs())
    }

    /// The same without the program: `BA4B3`.
    #[must_use]
    pub fn runs(&self) -> String {
        let mut text = String::new();
        for run in self.0.chunk_by(PartialEq::eq) {
            text.extend(run.first().map(|thread| thread.name()));
            if run.len() > 1 {
                let _ = write!(text, "{}", run.len());
            }
        }
        text
    }

    /// The same, a letter for each step: `BAAAABBB`.
    #[must_use]
    pub fn letters(&self) -> String {
        self.0.iter().map(|thread| thread.name()).collect()
    }

    /// Reads a text for a program with this hash and so many threads. Total: any text gives a schedule or the first
    /// problem. A letter may stand several times in a row; an empty schedule is one.
    pub fn parse(text: &str, hash: u32, n_threads: u8) -> Result<Self, ScheduleProblem> {
        let (program, runs) = text.split_once('.').ok_or(ScheduleProblem::NoProgram)?;
        let lower_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if program.len() != 8 || !program.bytes().all(lower_hex) {
            return Err(ScheduleProblem::NoProgram);
        }
        let found = u32::from_str_radix(program, 16).map_err(|_| ScheduleProblem::NoProgram)?;
        if found != hash {
            return Err(ScheduleProblem::OtherProgram { hash: found });
        }
        let mut steps = Vec::new();
        let mut characters = (9..).zip(runs.chars()).peekable();
        while let Some((at, letter)) = characters.next() {
            let threads = (0..n_threads).map(Thread);
            let mut named = threads.into_iter().filter(|thread| thread.name() == letter);
            let thread = named.next().ok_or(ScheduleProblem::NotAThread { at })?;
            let mut count = None;
            while let Some((at, digit)) = characters.peek().and_then(|(at, c)| Some((*at, c.to_digit(10)?))) {
                let longer = count.unwrap_or(0) * 10 + digit;
                if longer == 0 || longer > MAX_STEPS {
                    return Err(ScheduleProblem::BadCount { at });
                }
                count = Some(longer);
                characters.next();
            }
            let length = steps.len() + count.unwrap_or(1) as usize;
            if length > MAX_STEPS as usize {
                return Err(ScheduleProblem::TooLong);
            }
            steps.resize(length, thread);
        }
        Ok(Self(steps))
    }
}
