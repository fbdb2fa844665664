//! What a list of capabilities promises, as assertions. Not here: the words for it.

use super::answers;
use crate::labs::claims::decided;
use crate::labs::{ClaimSpec, Decision, Evidence};
use crate::measure::TakenRow;
use crate::text::args;
use crate::wire::{ClaimKind, Sabotage, SharedMemory, Strategy};

pub const CLAIMS: &[ClaimSpec] = &[
    ClaimSpec {
        id: "proved-by-doing",
        kind: ClaimKind::Invariant,
        needs: &[],
        sabotage: Sabotage::CapabilityThatLies,
        decide: proved_by_doing,
    },
    ClaimSpec {
        id: "threads-follow-shared-memory",
        kind: ClaimKind::Invariant,
        needs: &[],
        sabotage: Sabotage::CapabilityThatLies,
        decide: threads_follow_shared_memory,
    },
];

/// Whatever is shown as available has answered: every thread that the page says had started, and at least one worker.
/// Fewer started than asked is no lie, as long as it is said.
fn proved_by_doing(evidence: &Evidence<'_>) -> Decision {
    let is_silent = |row: &TakenRow| {
        let claimed = match (row.subject.strategy, row.samples.first()) {
            (Strategy::Threads, Some(sample)) => sample.started.max(1),
            _ => 1,
        };
        answers(row).map(|(answered, _)| answered < claimed)
    };
    let silent: Vec<bool> = evidence.taken.rows.iter().filter_map(is_silent).collect();
    let n_silent = silent.iter().filter(|is_silent| **is_silent).count();
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    decided(
        n_silent == 0,
        args([("rows", count(silent.len()).into()), ("silent", count(n_silent).into())]),
    )
}

/// Threads answer exactly where memory can be shared.
fn threads_follow_shared_memory(evidence: &Evidence<'_>) -> Decision {
    let row = evidence.row(Strategy::Threads, None, None);
    let n_answered = row.and_then(answers).map_or(0, |(answered, _)| answered);
    let shares = evidence.environment.shared_memory == SharedMemory::Works;
    decided(
        shares == (n_answered > 0),
        args([
            (
                "shares",
                evidence
                    .say(if shares { "shares.yes" } else { "shares.no" }, &args([]))
                    .into(),
            ),
            ("answered", n_answered.into()),
        ]),
    )
}
