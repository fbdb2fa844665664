//! SHA-256, and when CPython's hashlib lets go of the interpreter lock for it.
//!
//! Not here: the algorithm; crate sha2 has it. In WebAssembly it takes the vector back end where simd128 is on.

use sha2::{Digest, Sha256};

/// CPython's hashlib keeps the interpreter lock for inputs of up to this many bytes and releases it for longer ones
/// (`HASHLIB_GIL_MINSIZE` in `Modules/hashlib.h`).
pub const KEEPS_LOCK_UP_TO_BYTES: usize = 2047;

/// Whether hashing an input this long releases the interpreter lock.
#[must_use]
pub const fn releases_lock(n_bytes: usize) -> bool {
    n_bytes > KEEPS_LOCK_UP_TO_BYTES
}

/// What the inputs of the lab `lock-release` consist of: the text of the longest of NIST's example messages for SHA-256,
/// which is these 64 bytes 16,777,216 times over.
pub const TEXT: &[u8; 64] = b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno";

/// How much of an input lies in memory at once, at most: a whole number of texts.
pub const WINDOW_BYTES: usize = 1 << 20;

/// The text, over and over, as far as an input of so many bytes needs it in memory.
#[must_use]
pub fn window(n_bytes: usize) -> Vec<u8> {
    TEXT.iter().copied().cycle().take(n_bytes.min(WINDOW_BYTES)).collect()
}

/// The digest of so many bytes of the text, of which the window holds as many as [`window`] gives.
#[must_use]
pub fn digest_of_text(window: &[u8], n_bytes: usize) -> [u8; 32] {
    let mut hash = Sha256::new();
    let mut left = n_bytes;
    while left > 0 && !window.is_empty() {
        let part = window.get(..left).unwrap_or(window);
        hash.update(part);
        left -= part.len();
    }
    hash.finalize().into()
}

/// The digest.
#[must_use]
pub fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// A digest as 64 lower-case hexadecimal digits.
#[must_use]
pub fn hexadecimal(digest: &[u8; 32]) -> String {
    digest
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|d| char::from_digit(d.into(), 16))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 180-4's own examples, and the empty message.
    #[test]
    fn known_vectors() {
        let check = |message: &[u8], expected| assert_eq!(hexadecimal(&digest(message)), expected);
        check(b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        check(
            b"abc",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        );
        check(
            b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        );
        check(
            &vec![b'a'; 1_000_000],
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
        );
    }

    /// Python's `hashlib.sha256((TEXT * n)[:n_bytes])`, below, at and beyond the window's length.
    #[test]
    fn the_text_has_pythons_digests() {
        let check = |n_bytes: usize, expected: &str| {
            let found = digest_of_text(&window(n_bytes), n_bytes);
            assert_eq!(hexadecimal(&found), expected, "{n_bytes}");
        };
        check(0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        check(3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        check(100, "cba241376ad1d2ac176f70d3ab7b6f8796201041b8b6cba92c3a74e45e8efb69");
        check(
            1 << 21,
            "1d1ed7b8a3a78a79fda005089cebf0ec67079f8e3c0d8ef9755513c1e877f8bb",
        );
    }

    #[test]
    fn the_lock_is_released_from_2048_bytes_on() {
        assert_eq!(
            [0, 64, 2047, 2048, 65_536].map(releases_lock),
            [false, false, false, true, true]
        );
    }
}
