//! What the lessons say about starting processes, as assertions on the model's numbers. Not here: the words for it.

use super::outcome::{Outcome, ends_as_recorded, is_outcome};
use super::{cases, kept_and_renewed};
use crate::labs::claims::decided;
use crate::labs::{Decision, ModelClaim, Modelled, Need, presets};
use crate::measure::digits::significant;
use crate::text::args;
use crate::wire::{ClaimKind, Holds, Named, Row, Sabotage, Strategy};

/// A start on a new Python takes at least this share of what it costs away from the tasks: some of it overlaps.
const START_SHARE: f64 = 0.9;

/// How far two runs of the same computing may differ by a preset's jitter; and where physical cores have two threads,
/// of which two workers may come to share one.
const JITTER_SHARE: f64 = 0.02;
const SIBLING_SHARE: f64 = 0.65;

const PROCESSES: Need = Need::Ran(Strategy::Processes, None, None);

const fn of_scripts(id: &'static str, sabotage: Sabotage, decide: fn(&Modelled<'_>) -> Decision) -> ModelClaim {
    ModelClaim {
        id,
        kind: ClaimKind::Invariant,
        needs: &[PROCESSES],
        sabotage,
        decide,
    }
}

pub const CLAIMS: &[ModelClaim] = &[
    of_scripts("fork-imports-nothing", Sabotage::ForkThatImports, |modelled| {
        every(modelled, "fork-", "", |outcome| {
            outcome.imports == 0 && outcome.parent.is_none()
        })
    }),
    of_scripts("guard-lets-them-import", Sabotage::ImportThatIsLeftOut, |modelled| {
        importing(modelled, "-guard-file", |outcome| {
            outcome.imports > 0 && outcome.child.is_none() && outcome.parent.is_none()
        })
    }),
    of_scripts("without-guard-they-fail", Sabotage::ImportThatIsLeftOut, |modelled| {
        importing(modelled, "-bare-file", |outcome| {
            outcome.child == Some("RuntimeError") && outcome.exit_code == Some("1") && outcome.parent.is_some()
        })
    }),
    of_scripts("standard-input-is-no-file", Sabotage::ImportThatIsLeftOut, |modelled| {
        importing(modelled, "-stdin", |outcome| {
            outcome.child == Some("FileNotFoundError") && outcome.parent.is_some()
        })
    }),
    of_scripts("as-python", Sabotage::ForkThatImports, |modelled| {
        let scripts = || modelled.rows.iter().filter(|row| row.available && is_outcome(row));
        let odd = scripts().find(|row| !ends_as_recorded(row, modelled.asked));
        judged(scripts().count(), odd)
    }),
    ModelClaim {
        id: "reuse-beats-a-pool-per-task",
        kind: ClaimKind::Speed,
        needs: &[PROCESSES, Need::AtLeast("tasks", 2), Need::AtLeast("cores", 2)],
        sabotage: Sabotage::PoolThatIsNeverNew,
        decide: |modelled| {
            let all = kept_and_renewed(modelled).map(|(_, _, times)| times);
            let least = all.min_by(|one, two| one.total_cmp(two));
            least.map_or_else(unclear, |least| {
                decided(least > 1.0, args([("value", significant(least, 3).into())]))
            })
        },
    },
    ModelClaim {
        id: "warm-saves-the-start",
        kind: ClaimKind::Speed,
        needs: &[
            Need::Ran(Strategy::Processes, Some("spawn-warm"), None),
            Need::Ran(Strategy::Processes, Some("spawn-cold"), None),
            // Where a start takes nothing there is nothing to save.
            Need::Other("preset", "ideal"),
        ],
        sabotage: Sabotage::StartsThatTakeNothing,
        decide: |modelled| {
            let ms = |variant| {
                modelled
                    .ms(Strategy::Processes, Some(variant), None)
                    .unwrap_or_default()
            };
            let (warm, saved) = (ms("spawn-warm"), ms("spawn-cold") - ms("spawn-warm"));
            let start = presets::machine_settings(modelled.asked, cases::runtime(modelled.asked), None)
                .costs
                .spawn
                .child
                .as_millis();
            let numbers = [("saved", saved), ("start", start)];
            let has_siblings = modelled.asked.unsigned("logicalCores") > modelled.asked.unsigned("cores");
            let differs = if has_siblings { SIBLING_SHARE } else { JITTER_SHARE };
            decided(
                saved >= start * START_SHARE - warm * differs,
                args(numbers.map(|(id, ms)| (id, significant(ms, 3).into()))),
            )
        },
    },
];

/// Whether all rows of the script with this beginning and end are so.
fn every(modelled: &Modelled<'_>, method: &str, ending: &str, is_so: fn(&Outcome<'_>) -> bool) -> Decision {
    let of_kind = |row: &&Row| {
        let variant = row.variant.as_deref().unwrap_or_default();
        row.available && is_outcome(row) && variant.starts_with(method) && variant.ends_with(ending)
    };
    let rows = || modelled.rows.iter().filter(of_kind);
    judged(rows().count(), rows().find(|row| !is_so(&Outcome::of(row))))
}

/// The same of the two methods whose processes import.
fn importing(modelled: &Modelled<'_>, ending: &str, is_so: fn(&Outcome<'_>) -> bool) -> Decision {
    let [server, spawn] = ["forkserver-", "spawn-"].map(|method| every(modelled, method, ending, is_so));
    match (server.holds, spawn.holds) {
        (Holds::False, _) | (Holds::True, Holds::NotApplicable) => server,
        _ => spawn,
    }
}

fn judged(n_rows: usize, odd: Option<&Row>) -> Decision {
    if n_rows == 0 {
        return unclear();
    }
    let rows = u32::try_from(n_rows).unwrap_or(u32::MAX);
    let label = odd.map(|row| row.label.as_str()).unwrap_or_default();
    decided(odd.is_none(), args([("rows", rows.into()), ("label", label.into())]))
}

fn unclear() -> Decision {
    Decision {
        holds: Holds::NotApplicable,
        args: Named::default(),
    }
}
