//! Random names and their entropy: CPython's computation to the bit.
//!
//! A task makes names of 16 characters over an alphabet of 36, as `random.Random(task).choices(alphabet, k=16)` does,
//! and counts those whose Shannon entropy is over 3.6 bits. Worked example: `aabbccddeeffghij` has six pairs and four
//! single letters, so its entropy is 6 · 2/16 · log2(16/2) + 4 · 1/16 · log2(16) = 3.25 bits: not counted.
//!
//! Not here: the letters themselves. Which 36 they are changes no count, so a letter is its number.

use super::mersenne::{Mersenne, WORDS};

/// Characters a name.
pub const LENGTH: usize = 16;
/// Characters in the alphabet.
pub const ALPHABET: u8 = 36;
/// A name of more bits than this is counted.
pub const LIMIT_BITS: f64 = 3.6;

/// Two blocks of the generator are 1,248 numbers, 624 letters (two numbers each), and so exactly 39 names.
const LETTERS: usize = WORDS;

/// How many of `n_names` names are over the limit. `tick` is called once a name.
#[must_use]
pub fn flagged(seed: u32, n_names: u32, mut tick: impl FnMut()) -> u32 {
    let terms = terms();
    let mut generator = Mersenne::seeded(seed);
    let mut letters = [0_u8; LETTERS];
    let mut flagged = 0;
    let mut left = n_names;
    while left > 0 {
        fill(&mut generator, &mut letters);
        for name in letters.as_chunks::<LENGTH>().0 {
            flagged += u32::from(entropy_bits(name, &terms) > LIMIT_BITS);
            tick();
            left -= 1;
            if left == 0 {
                break;
            }
        }
    }
    flagged
}

/// What each of a letter's occurrences adds to the entropy of its name, by how often the letter occurs: with c of 16,
/// each of the c adds 1/16 · log2(16/c), which sums to the textbook's −p · log2 p. That needs neither a search for the
/// distinct letters nor a logarithm in the loop.
fn terms() -> [f64; 32] {
    let mut terms = [0.0; 32];
    for (count, term) in (0_u32..).zip(&mut terms).skip(1).take(LENGTH) {
        *term = (LENGTH as f64 / f64::from(count)).log2() / LENGTH as f64;
    }
    terms
}

/// The entropy of one name in bits.
///
/// Each letter is compared with all sixteen, which a vector does at once: in WebAssembly a fifth less time for the
/// whole task than counting into an array letter by letter.
#[inline(always)]
#[allow(
    clippy::indexing_slicing,
    reason = "each index is masked to below the fixed array's length"
)]
fn entropy_bits(name: &[u8; LENGTH], terms: &[f64; 32]) -> f64 {
    let mut counts = [0_u8; LENGTH];
    for &other in name {
        for (count, &letter) in counts.iter_mut().zip(name) {
            *count += u8::from(letter == other);
        }
    }
    // Four sums side by side: one would wait for its own last addition sixteen times over.
    let mut bits = [0.0; 4];
    for four in counts.as_chunks::<4>().0 {
        for (sum, &count) in bits.iter_mut().zip(four) {
            *sum += terms[usize::from(count & 31)];
        }
    }
    bits.iter().sum()
}

/// The next 624 letters, as `choices` draws them: `floor(random() * 36.0)`, two numbers each.
fn fill(generator: &mut Mersenne, letters: &mut [u8; LETTERS]) {
    let mut block = [0; WORDS];
    for half in letters.as_chunks_mut::<{ LETTERS / 2 }>().0 {
        generator.next_block(&mut block);
        let mut rounding_may_decide = false;
        for (letter, &[high, low]) in half.iter_mut().zip(block.as_chunks::<2>().0) {
            let (exact, near) = exact_letter(high, low);
            *letter = exact;
            rounding_may_decide |= near;
        }
        if rounding_may_decide {
            for (letter, &[high, low]) in half.iter_mut().zip(block.as_chunks::<2>().0) {
                *letter = letter_by_floats(high, low);
            }
        }
    }
}

/// A letter in whole numbers, and whether the product lies so near below the next letter that a floating-point product
/// may be rounded up to it (1 in 33 million). Whole numbers of 32 bits fill a vector; conversions to floats do not.
///
/// `random()` is r / 2^53 with r = (high >> 5) · 2^26 + (low >> 6), and 36 = 4 · 9, so the letter is r · 9 >> 51.
#[inline(always)]
fn exact_letter(high: u32, low: u32) -> (u8, bool) {
    const FRACTION: u32 = (1 << 25) - 1;
    let product = (high >> 5) * 9 + (((low >> 6) * 9) >> 26);
    ((product >> 25) as u8, product & FRACTION == FRACTION)
}

/// A letter as CPython computes it.
#[cold]
fn letter_by_floats(high: u32, low: u32) -> u8 {
    let random = (f64::from(high >> 5) * 67_108_864.0 + f64::from(low >> 6)) / 9_007_199_254_740_992.0;
    (random * f64::from(ALPHABET)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example() {
        let name = b"aabbccddeeffghij".map(|letter| letter - b'a');
        assert!((entropy_bits(&name, &terms()) - 3.25).abs() < 1e-12);
    }

    /// Every way that 16 letters can fall together, against the textbook's sum over the distinct letters.
    #[test]
    fn the_terms_sum_to_the_textbooks_entropy() {
        fn check(counts: &mut Vec<u8>, left: u8, most: u8, seen: &mut u32) {
            if left == 0 {
                let name: Vec<u8> = (0..)
                    .zip(counts.iter())
                    .flat_map(|(letter, &count)| vec![letter; usize::from(count)])
                    .collect();
                let entropy: f64 = counts.iter().map(|&c| f64::from(c) / 16.0).map(|p| -p * p.log2()).sum();
                let ours = entropy_bits(name.as_slice().try_into().expect("16 letters"), &terms());
                assert!((ours - entropy).abs() < 1e-12, "{counts:?}: {ours} against {entropy}");
                assert!(
                    (entropy - LIMIT_BITS).abs() > 0.01,
                    "no name lies so near the limit that rounding decides"
                );
                *seen += 1;
            }
            for count in 1..=most.min(left) {
                counts.push(count);
                check(counts, left - count, count, seen);
                counts.pop();
            }
        }
        let mut seen = 0;
        check(&mut Vec::new(), 16, 16, &mut seen);
        assert_eq!(seen, 231, "the partitions of 16");
    }

    /// Wherever whole numbers and floats could differ, whole numbers say so.
    #[test]
    fn whole_numbers_know_when_rounding_decides() {
        let mut differ = 0;
        for letter in 1..=36_u64 {
            // The 64 fractions just below this letter and the 64 from it on.
            let boundary = (letter << 51).div_ceil(9);
            for r in (boundary - 64..boundary + 64).filter(|&r| r < 1 << 53) {
                let (high, low) = (((r >> 26) << 5) as u32, ((r & 0x3ff_ffff) << 6) as u32);
                let (exact, near) = exact_letter(high, low);
                let by_floats = letter_by_floats(high, low);
                assert!(near || exact == by_floats, "{r}: {exact}, {by_floats}");
                differ += u32::from(exact != by_floats);
            }
        }
        assert!(differ > 0, "the case exists");
    }

    /// The first name of `random.Random(1)`: the letters that CPython's `choices(range(36), k=16)` gives.
    #[test]
    fn the_letters_are_cpythons() {
        let mut letters = [0; LETTERS];
        fill(&mut Mersenne::seeded(1), &mut letters);
        assert_eq!(letters[..16], FIRST);
        assert_eq!(letters[608..], LAST, "the 39th");
    }

    const FIRST: [u8; 16] = [4, 30, 27, 9, 17, 16, 23, 28, 3, 1, 30, 15, 27, 0, 16, 25];
    const LAST: [u8; 16] = [28, 6, 22, 5, 35, 15, 32, 26, 21, 9, 18, 4, 4, 25, 12, 27];
}
