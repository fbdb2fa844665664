//! One number for a whole log: equal wherever the same run is written down, natively and in WebAssembly.
//!
//! It is SHA-256 over the log's canonical bytes:
//!
//! 1. the ten bytes `trace 1` and three zeros (a change of the form changes the number);
//! 2. the number of events, then their bytes as in `form`, all numbers as in `coding`: nothing in them hangs on where in
//!    memory things lie, on the machine's word, or on the order of a hash map;
//! 3. the number of texts, then each with its length;
//! 4. the time of the end, and 1 if the log was cut at its ceiling, else 0.
//!
//! Not here: a hash of a result; a lab's rows are compared as JSON.

use std::fmt;

use sha2::{Digest, Sha256};

use super::coding::{put, put_text};
use super::log::Log;

const HEAD: &[u8; 10] = b"trace 1\0\0\0";

/// The hash of a log. `Display` shows its first eight bytes as 16 hexadecimal digits, which is how it is compared and
/// linked to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TraceHash(pub [u8; 32]);

impl fmt::Display for TraceHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0.iter().take(8) {
            write!(formatter, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for TraceHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl Log {
    /// The hash of all that is written down; about as long as hashing four bytes an event takes.
    #[must_use]
    pub fn hash(&self) -> TraceHash {
        let mut hasher = Sha256::new();
        let mut bytes = HEAD.to_vec();
        put(&mut bytes, u64::from(self.n_events()));
        hasher.update(&bytes);
        for piece in self.pieces() {
            hasher.update(piece);
        }
        bytes.clear();
        put(&mut bytes, self.texts().count() as u64);
        for text in self.texts() {
            put_text(&mut bytes, text);
            // Many texts make one long list: not all of it at once.
            if bytes.len() > 1 << 16 {
                hasher.update(&bytes);
                bytes.clear();
            }
        }
        put(&mut bytes, self.end().0);
        bytes.push(u8::from(self.truncated().is_some()));
        hasher.update(&bytes);
        TraceHash(hasher.finalize().into())
    }
}
