//! Two loops that only compute: `total += i * i` and `total += i * i % 7`.
//!
//! Not here: a faster way to the same totals. Every index passes through `black_box`, because the optimiser would
//! otherwise replace the bare loop by a formula and measure nothing; a test sees that time grows with the size.

use std::hint::black_box;

/// Steps between two ticks: under a third of a microsecond, far below any switch interval, and few enough calls that
/// they cost nothing measurable.
const STEPS_PER_TICK: u32 = 256;

/// The sum of `i * i` for i below `size`. It passes 64 bits from about 3.8 million on.
#[must_use]
pub fn squares(size: u32, tick: impl FnMut()) -> u128 {
    let mut low = 0_u64;
    let mut high = 0_u64;
    // A carried pair of words costs less in WebAssembly than 128-bit additions, which become calls there.
    steps(size, tick, |i| {
        let (sum, carried) = low.overflowing_add(i * i);
        low = sum;
        high += u64::from(carried);
    });
    u128::from(high) << 64 | u128::from(low)
}

/// The sum of `i * i % 7` for i below `size`.
#[must_use]
pub fn modulo(size: u32, tick: impl FnMut()) -> u64 {
    let mut total = 0;
    steps(size, tick, |i| total += i * i % 7);
    total
}

#[inline(always)]
fn steps(size: u32, mut tick: impl FnMut(), mut step: impl FnMut(u64)) {
    let mut next = 0;
    while next < size {
        let end = size.min(next.saturating_add(STEPS_PER_TICK));
        for i in next..end {
            step(u64::from(black_box(i)));
        }
        tick();
        next = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_sizes_by_hand() {
        assert_eq!([0, 1, 2, 3, 4].map(|size| squares(size, || ())), [0, 0, 1, 5, 14]);
        assert_eq!([0, 1, 2, 3, 4, 8].map(|size| modulo(size, || ())), [0, 0, 1, 5, 7, 14]);
    }

    #[test]
    fn around_a_tick_nothing_is_skipped() {
        for size in [255_u32, 256, 257, 511, 512, 513] {
            let n = u128::from(size);
            assert_eq!(squares(size, || ()), (n - 1) * n * (2 * n - 1) / 6, "size {size}");
            let mut ticks = 0;
            let _ = modulo(size, || ticks += 1);
            assert_eq!(ticks, size.div_ceil(STEPS_PER_TICK), "size {size}");
        }
    }
}
