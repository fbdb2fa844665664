//! What the table of decisions says, held to the model: whoever is advised is the fastest of those that are right, or
//! nearly, and without the constraint that decided somebody else would be. Not here: the words for it.

use super::super::YOURS;
use super::cases::{JOB, advice_of, assigns, needs_of};
use crate::labs::claims::decided;
use crate::labs::rows::strategy_id;
use crate::labs::{Asked, Decision, ModelClaim, Modelled, Need};
use crate::measure::digits::significant;
use crate::text::args;
use crate::wire::{ClaimKind, Holds, Named, Row, Sabotage, Strategy};

/// How much longer than the fastest the advised one may take.
pub const NEARLY: f64 = 1.5;

/// The whole job of four sections, given out well, takes at most this share of one after another; and no section makes it
/// longer by more than this.
const HALF: f64 = 0.5;
const NO_LONGER: f64 = 1.05;

const MEBIBYTE: f64 = 1_048_576.0;

/// One row of the table.
macro_rules! decision {
    ($id:literal, $sabotage:ident $(, $need:expr)*) => {
        ModelClaim {
            id: $id,
            kind: ClaimKind::Speed,
            needs: &[Need::Ran(Strategy::Serial, Some($id), None) $(, $need)*],
            sabotage: Sabotage::$sabotage,
            decide: |modelled| holds(modelled, $id),
        }
    };
}

pub const CLAIMS: &[ModelClaim] = &[
    decision!("network-calls", AdvisedThatDawdles),
    decision!("thousands", AdvisedThatDawdles),
    decision!("python-computing", AdvisedThatDawdles, Need::AtLeast("cores", 2)),
    decision!(
        "releasing-code",
        AdvisedThatDawdles,
        Need::AtLeast("cores", 2),
        // Where there is no lock there is none to let go of.
        Need::Other("runtime", "free-threaded")
    ),
    decision!("no-locks", AdvisedThatDawdles, Need::AtLeast("cores", 2)),
    decision!("deadline", TimeoutThatNeverFires),
    decision!("slow-services", AdvisedThatDawdles),
    decision!("few-queries", AdvisedThatDawdles),
    decision!("crash-outside", CrashThatSpreads),
    ModelClaim {
        id: YOURS,
        kind: ClaimKind::Speed,
        needs: &[Need::Ran(Strategy::Serial, Some(YOURS), None)],
        sabotage: Sabotage::AdvisedThatDawdles,
        decide: |modelled| holds(modelled, YOURS),
    },
    ModelClaim {
        id: "sections-add-up",
        kind: ClaimKind::Speed,
        needs: &[Need::AtLeast("cores", 2), Need::AtLeast("memoryMiB", 128)],
        sabotage: Sabotage::PoolThatRunsOneAfterAnother,
        decide: sections_add_up,
    },
];

/// Whether a row came to what it should, in time.
pub fn is_right(row: &Row) -> bool {
    row.value == row.expected && row.timeout_fired != Some(false)
}

/// Whether it stayed within a ceiling of so many MiB.
pub fn fits(row: &Row, memory_mib: u32) -> bool {
    let used = row.peak_memory_bytes.unwrap_or_default() + row.reserved_bytes.unwrap_or_default();
    used <= f64::from(memory_mib) * MEBIBYTE
}

/// What the rows of one job show.
pub struct Evidence<'rows> {
    /// The one that is advised.
    pub advised: &'rows Row,
    /// The fastest of those that are right and fit; none where there is none.
    pub fastest: Option<&'rows Row>,
    /// How many are.
    pub n_right: usize,
}

impl Evidence<'_> {
    /// Whether the advised one is as good as the fastest, or nearly.
    pub fn is_good(&self) -> bool {
        let is_among = |fastest: &Row| ms(self.advised) <= ms(fastest) * NEARLY + f64::EPSILON;
        self.fastest.is_some_and(is_among)
    }
}

/// The evidence of a job.
pub fn evidence<'rows>(asked: &Asked, rows: &'rows [Row], variant: &str) -> Option<Evidence<'rows>> {
    let (needs, advice) = (needs_of(asked, variant), advice_of(asked, variant));
    let of_job = || {
        rows.iter()
            .filter(|row| row.available && row.variant.as_deref() == Some(variant))
    };
    let advised = of_job().find(|row| row.strategy == advice.strategy)?;
    let good = || of_job().filter(|row| is_right(row) && fits(row, needs.memory_mib));
    let is_advised_good = is_right(advised) && fits(advised, needs.memory_mib);
    let fastest = good().min_by(|one, two| ms(one).total_cmp(&ms(two)));
    Some(Evidence {
        advised,
        fastest: fastest.filter(|_| is_advised_good),
        n_right: good().count(),
    })
}

fn holds(modelled: &Modelled<'_>, variant: &str) -> Decision {
    let asked = modelled.asked;
    let Some(evidence) = evidence(asked, modelled.rows, variant) else {
        return unclear();
    };
    if variant == YOURS && evidence.n_right == 0 {
        // What is asked for cannot be had: the finding says so.
        return unclear();
    }
    let advice = advice_of(asked, variant);
    let fastest = evidence.fastest.unwrap_or(evidence.advised);
    let numbers = args([
        ("advised", evidence.advised.label.as_str().into()),
        ("took", significant(ms(evidence.advised), 3).into()),
        ("fastest", fastest.label.as_str().into()),
        ("least", significant(ms(fastest), 3).into()),
        (
            "otherwise",
            modelled
                .words
                .say(&format!("strategy.{}", strategy_id(advice.otherwise)))
                .into(),
        ),
    ]);
    decided(evidence.is_good() && advice.otherwise != advice.strategy, numbers)
}

fn sections_add_up(modelled: &Modelled<'_>) -> Decision {
    if assigns(modelled.asked) {
        return unclear();
    }
    let times: Vec<f64> = JOB
        .iter()
        .filter_map(|variant| {
            let row = modelled
                .rows
                .iter()
                .find(|row| row.variant.as_deref() == Some(*variant))?;
            row.median_ms
        })
        .collect();
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        return unclear();
    };
    let never_longer = times
        .iter()
        .zip(times.iter().skip(1))
        .all(|(before, after)| *after <= before * NO_LONGER);
    let numbers = [("first", *first), ("last", *last)].map(|(id, ms)| (id, significant(ms, 3).into()));
    decided(never_longer && *last <= first * HALF, args(numbers))
}

fn ms(row: &Row) -> f64 {
    row.median_ms.unwrap_or(f64::INFINITY)
}

fn unclear() -> Decision {
    Decision {
        holds: Holds::NotApplicable,
        args: Named::default(),
    }
}
