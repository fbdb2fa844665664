//! Small whole numbers as few bytes: the alphabet that a log is written in.
//!
//! A number goes in groups of seven bits, lowest first; every byte but the last has its top bit set (LEB128, as in
//! WebAssembly). A number with a sign is folded first: 0, -1, 1, -2 are 0, 1, 2, 3. Worked example: 300 is `ac 02`.
//!
//! Not here: what the numbers mean, which `event` says.

/// Writes a number.
#[inline]
pub(super) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// A number with a sign as one without.
#[inline]
pub(super) const fn folded(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

#[inline]
const fn unfolded(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Writes a text with its length in bytes.
pub(super) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

/// Reads what the functions above wrote. At the end of its bytes it reads zeros.
#[derive(Clone, Debug)]
pub(super) struct Bytes<'log>(pub &'log [u8]);

impl Bytes<'_> {
    #[inline]
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    #[inline]
    pub fn number(&mut self) -> u64 {
        let first = self.byte();
        if first < 0x80 {
            return u64::from(first);
        }
        let mut number = u64::from(first & 0x7f);
        let mut shift = 7;
        loop {
            let byte = self.byte();
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 || shift > 63 {
                return number;
            }
        }
    }

    /// A number that was written from a `u32`.
    #[inline]
    pub fn short(&mut self) -> u32 {
        self.number() as u32
    }

    #[inline]
    pub fn signed(&mut self) -> i64 {
        unfolded(self.number())
    }

    pub fn text(&mut self) -> &str {
        let length = (self.number() as usize).min(self.0.len());
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        str::from_utf8(text).expect("it was written from a text")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_example() {
        let mut bytes = Vec::new();
        put(&mut bytes, 300);
        assert_eq!(bytes, [0xac, 0x02]);
        assert_eq!([0, -1, 1, -2].map(folded), [0, 1, 2, 3]);
    }

    proptest! {
        #[test]
        fn everything_comes_back(numbers in prop::collection::vec(any::<u64>(), 0..20), text in ".{0,9}") {
            let mut bytes = Vec::new();
            for number in &numbers {
                put(&mut bytes, *number);
                put(&mut bytes, *number & 0x1ff);
                put(&mut bytes, folded(*number as i64));
            }
            put_text(&mut bytes, &text);
            let mut read = Bytes(&bytes);
            for number in numbers {
                prop_assert_eq!(read.number(), number);
                prop_assert_eq!(read.number(), number & 0x1ff);
                prop_assert_eq!(read.signed(), number as i64);
            }
            prop_assert_eq!(read.text(), text);
            prop_assert_eq!((read.byte(), read.number()), (0, 0));
        }
    }
}
