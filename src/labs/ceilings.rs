//! Ceilings on what allowed values ask together. Each is documented in the refusal itself, with what would fit.

use super::{Asked, Complaint};
use crate::text::args;
use crate::wire::ErrorCode;

/// Rows × time budget, in milliseconds: no run is meant to take more than ten minutes.
pub const LONGEST_RUN_MS: u32 = 600_000;

/// Repeats × workers of rows that start every worker anew: each start takes about 0.1 s whatever the size.
pub const MOST_COLD_STARTS: u32 = 2_000;

/// Checks the length of a run.
///
/// # Errors
/// Rows × budget is over [`LONGEST_RUN_MS`].
pub fn check_length(n_rows: usize, asked: &Asked) -> Result<(), Complaint> {
    let n_rows = u32::try_from(n_rows).unwrap_or(u32::MAX);
    let budget = asked.unsigned("budgetMs");
    if n_rows.saturating_mul(budget) <= LONGEST_RUN_MS {
        return Ok(());
    }
    let most = LONGEST_RUN_MS / n_rows.max(1);
    let numbers = [("rows", n_rows), ("budget", budget), ("most", most)];
    Err(too_large("budgetMs", "refusal.too-long", numbers))
}

/// Checks how many workers would be started.
///
/// # Errors
/// Repeats × workers is over [`MOST_COLD_STARTS`].
pub fn check_cold_starts(asked: &Asked) -> Result<(), Complaint> {
    check_starts_a_sample(asked, asked.unsigned("workers"))
}

/// Checks how many workers would be started where a sample of a row starts so many of them.
///
/// # Errors
/// Repeats × workers is over [`MOST_COLD_STARTS`].
pub fn check_starts_a_sample(asked: &Asked, workers: u32) -> Result<(), Complaint> {
    let repeats = asked.unsigned("repeats");
    if repeats.saturating_mul(workers) <= MOST_COLD_STARTS {
        return Ok(());
    }
    let most = MOST_COLD_STARTS / workers.max(1);
    let numbers = [("workers", workers), ("repeats", repeats), ("most", most)];
    Err(too_large("repeats", "refusal.too-many-cold", numbers))
}

fn too_large(parameter: &'static str, id: &'static str, numbers: [(&'static str, u32); 3]) -> Complaint {
    Complaint {
        code: ErrorCode::TooLarge,
        parameter,
        id,
        args: args(numbers.map(|(name, number)| (name, number.into()))),
    }
}
