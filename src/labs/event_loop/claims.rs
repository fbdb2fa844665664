//! What the lessons say about a loop, one sentence a scene, for both halves. Not here: the words for it.
//!
//! A scene's sentence holds where it prints what CPython prints, in the same order; in the model at the same times as
//! well. Waiting can only take longer than planned, never shorter: that nothing ends early is an invariant, that nothing
//! ends late depends on a machine that is not busy.

use super::scenes::{self, Played};
use super::{prints_as_python, seen};
use crate::labs::claims::decided;
use crate::labs::{ClaimSpec, Decision, Evidence, ModelClaim, Modelled, Need};
use crate::measure::digits::significant;
use crate::text::args;
use crate::wire::{ClaimKind, Holds, LogLine, Named, Row, Sabotage, Strategy};

/// How much too short a time may look: a few steps of a coarse clock.
const CLOCK_MS: f64 = 5.0;

/// What timers of a browser add to a scene; from the second on something else keeps the machine busy, or the loop.
const LATE_MS: f64 = 50.0;
const TOO_LATE_MS: f64 = 150.0;

/// What a machine of the model that is not ideal adds to a scene.
const OVERHEAD_MS: f64 = 2.0;

/// Less than any step of virtual time.
const EXACT_MS: f64 = 1e-6;

const ANY: Need = Need::Ran(Strategy::EventLoop, None, None);

/// One line a scene: the claim, the scene, the fault under which it is false.
macro_rules! scene_claims {
    ($($id:literal, $scene:literal, $sabotage:ident;)*) => {
        /// The measured half's.
        pub const CLAIMS: &[ClaimSpec] = &[
            $(ClaimSpec {
                id: $id,
                kind: ClaimKind::Invariant,
                needs: &[Need::Ran(Strategy::EventLoop, Some($scene), None)],
                sabotage: Sabotage::$sabotage,
                decide: |evidence| printed(evidence, $scene),
            },)*
            ClaimSpec {
                id: "never-early",
                kind: ClaimKind::Invariant,
                needs: &[ANY],
                sabotage: Sabotage::SemaphoreThatLetsAllIn,
                decide: |evidence| {
                    let earliest = excesses(evidence).min_by(|one, two| one.total_cmp(two));
                    on_excess(earliest, |excess| if excess >= -CLOCK_MS { Holds::True } else { Holds::False })
                },
            },
            ClaimSpec {
                id: "little-later",
                kind: ClaimKind::Speed,
                needs: &[ANY],
                sabotage: Sabotage::GroupThatRunsOneAfterAnother,
                decide: |evidence| {
                    let latest = excesses(evidence).max_by(|one, two| one.total_cmp(two));
                    on_excess(latest, |excess| match excess {
                        _ if excess <= LATE_MS => Holds::True,
                        _ if excess > TOO_LATE_MS => Holds::False,
                        _ => Holds::NotApplicable,
                    })
                },
            },
        ];

        /// The model's.
        pub const MODEL_CLAIMS: &[ModelClaim] = &[
            $(ModelClaim {
                id: $id,
                kind: ClaimKind::Invariant,
                needs: &[Need::Ran(Strategy::EventLoop, Some($scene), None)],
                sabotage: Sabotage::$sabotage,
                decide: |modelled| modelled_print(modelled, $scene),
            },)*
            ModelClaim {
                id: "never-early",
                kind: ClaimKind::Invariant,
                needs: &[ANY],
                sabotage: Sabotage::SemaphoreThatLetsAllIn,
                decide: |modelled| {
                    let earliest = modelled_excesses(modelled).min_by(|one, two| one.total_cmp(two));
                    on_excess(earliest, |excess| if excess >= -EXACT_MS { Holds::True } else { Holds::False })
                },
            },
            ModelClaim {
                id: "little-later",
                kind: ClaimKind::Speed,
                needs: &[ANY],
                sabotage: Sabotage::GroupThatRunsOneAfterAnother,
                decide: |modelled| {
                    let most = overhead_ms(modelled);
                    let latest = modelled_excesses(modelled).max_by(|one, two| one.total_cmp(two));
                    on_excess(latest, |excess| if excess <= most { Holds::True } else { Holds::False })
                },
            },
        ];
    };
}

scene_claims! {
    "object-runs-when-awaited", "coroutine-object", CoroutineThatBeginsAtOnce;
    "await-lets-others-run", "await", AwaitThatBlocks;
    "await-alone-does-not-switch", "never-suspends", AwaitThatGivesWay;
    "group-waits-at-once", "group", GroupThatRunsOneAfterAnother;
    "timeout-ends-the-waiting", "timeout", TimeoutThatNeverFires;
    "semaphore-lets-two-in", "semaphore", SemaphoreThatLetsAllIn;
    "group-cancels-gather-does-not", "gather-or-group", GroupThatLetsTheOthersGoOn;
    "group-raises-all-errors", "exception-group", GroupThatKeepsOneError;
    "never-awaited-is-told", "never-awaited", WarningThatIsLost;
    "shield-protects-the-task", "shield", ShieldThatLetsThrough;
    "timeout-raises-at-its-place", "nested-timeouts", TimeoutThatNeverFires;
    "due-timers-go-behind", "timers-and-ready-queue", TimersThatJumpTheQueue;
    "cancelled-task-cleans-up", "cancel-and-clean-up", CancellationThatIsNotPassedOn;
}

/// Whether a measured scene printed what CPython prints, in the same order.
fn printed(evidence: &Evidence<'_>, id: &str) -> Decision {
    let row = evidence.row(Strategy::EventLoop, Some(id), None);
    match (scenes::by_id(id), row.and_then(seen)) {
        (Some(scene), Some((_, log))) => {
            let is_same = log.iter().map(|line| line.text.as_str()).eq(texts(scene));
            decided(is_same, orders(scene, log))
        }
        _ => unclear(),
    }
}

/// Whether a modelled scene printed what CPython prints, in the same order and at the same times.
fn modelled_print(modelled: &Modelled<'_>, id: &str) -> Decision {
    let row = modelled.row(Strategy::EventLoop, Some(id), None);
    let log = row.and_then(|row| row.log.as_deref());
    match (scenes::by_id(id), row, log) {
        (Some(scene), Some(row), Some(log)) => {
            let most = overhead_ms(modelled);
            let in_time = |(line, (ms, _)): (&LogLine, &(u32, &str))| {
                let late = line.at_ms - f64::from(*ms);
                late >= -EXACT_MS && late <= most
            };
            let is_same = prints_as_python(row) && log.iter().zip(scene.lines).all(in_time);
            decided(is_same, orders(scene, log))
        }
        _ => unclear(),
    }
}

fn texts(scene: &Played) -> impl Iterator<Item = &'static str> {
    scene.lines.iter().map(|(_, text)| *text)
}

fn orders(scene: &Played, log: &[LogLine]) -> Named {
    let seen = scenes::in_order(log.iter().map(|line| line.text.as_str()));
    let expected = scenes::in_order(texts(scene));
    args([("seen", seen.as_str().into()), ("expected", expected.as_str().into())])
}

/// How much longer than planned each scene took, in milliseconds.
fn excesses<'a>(evidence: &Evidence<'a>) -> impl Iterator<Item = f64> + 'a {
    evidence.taken.rows.iter().filter_map(|row| {
        let scene = scenes::by_id(row.subject.variant.as_deref()?)?;
        Some(seen(row)?.0 - f64::from(scene.ms))
    })
}

fn modelled_excesses<'a>(modelled: &Modelled<'a>) -> impl Iterator<Item = f64> + 'a {
    modelled
        .rows
        .iter()
        .filter(|row| row.available)
        .filter_map(|row: &Row| {
            let scene = scenes::by_id(row.variant.as_deref()?)?;
            Some(row.median_ms? - f64::from(scene.ms))
        })
}

/// On the ideal machine nothing is late.
fn overhead_ms(modelled: &Modelled<'_>) -> f64 {
    if modelled.asked.choice("preset") == Some("ideal") {
        EXACT_MS
    } else {
        OVERHEAD_MS
    }
}

fn on_excess(excess: Option<f64>, judge: impl FnOnce(f64) -> Holds) -> Decision {
    excess.map_or_else(unclear, |excess| Decision {
        holds: judge(excess),
        args: args([("excess", significant(excess.abs(), 3).into())]),
    })
}

fn unclear() -> Decision {
    Decision {
        holds: Holds::NotApplicable,
        args: Named::default(),
    }
}
