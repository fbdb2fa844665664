//! The texts of a log: names of lanes, calls and marks, each kept once as far as that is cheap, and known by number.
//!
//! Not here: words that a learner reads; those are in the tables of a language.

use std::collections::BTreeMap;

/// A text of a log. Number 0 is the empty text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextId(pub u32);

/// All texts of a log, in one.
#[derive(Clone, Debug)]
pub(super) struct Texts {
    all: String,
    ends: Vec<usize>,
}

impl Default for Texts {
    fn default() -> Self {
        Self {
            all: String::new(),
            ends: vec![0],
        }
    }
}

impl Texts {
    pub fn get(&self, id: TextId) -> &str {
        let index = id.0 as usize;
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before));
        let end = self.ends.get(index);
        end.and_then(|end| self.all.get(start.copied().unwrap_or(0)..*end))
            .unwrap_or_default()
    }

    /// Adds a text without looking whether it is there.
    pub fn add(&mut self, text: &str) -> TextId {
        if text.is_empty() {
            return TextId::default();
        }
        self.all.push_str(text);
        self.ends.push(self.all.len());
        TextId(self.ends.len() as u32 - 1)
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|index| self.get(TextId(index as u32)))
    }

    pub fn n_bytes(&self) -> usize {
        self.all.capacity() + self.ends.capacity() * size_of::<usize>()
    }
}

/// Finds texts that come again and again.
#[derive(Debug, Default)]
pub(super) struct Known {
    texts: BTreeMap<Box<str>, TextId>,
    /// The calls seen last, by address: a call's name is a constant, so the same address is the same name.
    recent: [(usize, usize, TextId); 32],
}

impl Known {
    /// The number of a text that may be there already.
    pub fn text(&mut self, texts: &mut Texts, text: &str) -> TextId {
        if let Some(id) = self.texts.get(text) {
            return *id;
        }
        let id = texts.add(text);
        self.texts.insert(text.into(), id);
        id
    }

    /// The number of a call's name. Which number does not hang on addresses, only how fast it is found.
    #[inline]
    pub fn call(&mut self, texts: &mut Texts, call: &'static str) -> TextId {
        let (address, length) = (call.as_ptr().addr(), call.len());
        let place = (address >> 2 ^ address >> 7) % self.recent.len();
        match self.recent.get(place) {
            Some((known, known_length, id)) if *known == address && *known_length == length => *id,
            _ => {
                let id = self.text(texts, call);
                if let Some(slot) = self.recent.get_mut(place) {
                    *slot = (address, length, id);
                }
                id
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_again() {
        let (mut texts, mut known) = (Texts::default(), Known::default());
        assert_eq!(known.call(&mut texts, ""), TextId(0));
        let first = known.call(&mut texts, "hash");
        let own = String::from("hash");
        assert_eq!(known.text(&mut texts, &own), first);
        let lane = texts.add("hash");
        assert_ne!(lane, first);
        assert_eq!(
            (texts.get(first), texts.get(lane), texts.get(TextId(0))),
            ("hash", "hash", "")
        );
        assert_eq!(texts.get(TextId(99)), "");
        assert_eq!(texts.iter().collect::<Vec<_>>(), ["", "hash", "hash"]);
    }

    #[test]
    fn parts_of_one_constant_are_told_apart() {
        const BOTH: &str = "sleeping";
        let (mut texts, mut known) = (Texts::default(), Known::default());
        let ids = [&BOTH[..5], BOTH, &BOTH[..5]].map(|call| known.call(&mut texts, call));
        assert_eq!(ids[0], ids[2]);
        assert_eq!(ids.map(|id| texts.get(id)), ["sleep", "sleeping", "sleep"]);
    }
}
