//! What {{id}} promises, as assertions. Not here: the words for it.

use crate::labs::claims::decided;
use crate::labs::{ClaimSpec, Need};
use crate::text::args;
use crate::wire::{ClaimKind, Sabotage, Strategy};

pub const CLAIMS: &[ClaimSpec] = &[ClaimSpec {
    id: "takes-its-time",
    kind: ClaimKind::Invariant,
    needs: &[Need::Ran(Strategy::Serial, None, None)],
    sabotage: Sabotage::CallThatDoesNotBlock,
    decide: |evidence| {
        let least: f64 = evidence.asked.unsigned("milliseconds").into();
        let shortest = evidence
            .baseline()
            .map(|row| row.samples_ms())
            .unwrap_or_default()
            .into_iter()
            .reduce(f64::min);
        let shortest = shortest.unwrap_or_default();
        decided(
            shortest >= least,
            args([("seen", shortest.into()), ("limit", least.into())]),
        )
    },
}];
