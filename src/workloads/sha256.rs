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

    #[test]
    fn the_lock_is_released_from_2048_bytes_on() {
        assert_eq!(
            [0, 64, 2047, 2048, 65_536].map(releases_lock),
            [false, false, false, true, true]
        );
    }
}
