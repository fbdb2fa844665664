//! Results that are known without running: CPython's. Not here: computing them.
//!
//! `names` is known where CPython was run: `random.Random(seed)`, `choices` of 16 from 36 characters, 150,000 names.
//! The other two have exact formulas, and Python's integers never overflow.

/// Names flagged of 150,000, by seed, as CPython counts them.
const FLAGGED: [&str; 8] = ["89266", "89542", "89612", "89079", "89383", "89474", "89487", "89501"];

/// The first tasks' results, as far as they are known.
#[must_use]
pub fn totals(workload: Option<&str>, size: u32, n_tasks: usize) -> Vec<String> {
    let one = match workload {
        Some("names") if size == 150_000 => {
            return FLAGGED.iter().take(n_tasks).map(|total| (*total).to_owned()).collect();
        }
        Some("squares") => squares(size).to_string(),
        Some("modulo") => modulo(size).to_string(),
        _ => return Vec::new(),
    };
    // Every task of these two computes the same, so one says it all.
    vec![one]
}

/// The sum of i² below the size.
fn squares(size: u32) -> u128 {
    let n = u128::from(size);
    n.saturating_sub(1) * n * (2 * n).saturating_sub(1) / 6
}

/// The sum of i² mod 7 below the size: it repeats every seven steps.
fn modulo(size: u32) -> u64 {
    let period = [0, 1, 4, 2, 2, 4, 1];
    let whole: u64 = period.iter().sum::<u64>() * u64::from(size / 7);
    whole + period.iter().take(size as usize % 7).sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_give_pythons_numbers() {
        assert_eq!(totals(Some("squares"), 3_000_000, 4), ["8999995500000500000"]);
        assert_eq!(totals(Some("squares"), 20_000_000, 4), ["2666666466666670000000"]);
        assert_eq!(totals(Some("modulo"), 3_000_000, 8), ["5999999"]);
        assert_eq!(totals(Some("squares"), 1, 1), ["0"]);
    }

    #[test]
    fn names_are_known_where_python_was_run() {
        assert_eq!(
            totals(Some("names"), 150_000, 8).first().map(String::as_str),
            Some("89266")
        );
        assert!(totals(Some("names"), 149_999, 8).is_empty());
    }
}
