//! The order of a measured run: probes, warm-ups, samples. Sans I/O: it says what is due and is told what happened.
//!
//! **The rule for sizes.** Each row may spend its time budget on its warm-up and its samples, so one sample may take
//! `budget / (repeats + 1)`. Short probes tell how long work takes here; if the size asked for does not fit, it
//! becomes the largest that does, for all rows alike, and the repeats stay as asked. The warm-ups, which run at that
//! size, then check the prediction: a row that takes more than [`TOLERATED`] times its share shrinks the size once
//! more, one that is too short for the clock lets it grow (where the experiment allows that and the slowest row's
//! share has room), and the warm-ups run again. After [`MOST_CORRECTIONS`] corrections things stay as they are, and
//! the notes say what was missed.
//!
//! **The order.** All rows once for warm-up, then row 1, 2, 3, 1, 2, 3 …: a slow phase of the machine then hits every
//! row, not one. Rows bound to timers are sampled once, in the first round.

use super::answer::{Sample, read};
use super::digits::two_digits;
use super::experiment::{Absence, Experiment};
use super::notes::LEAST_CLOCK_STEPS;
use super::taken::{Settings, Taken, TakenRow};
use crate::wire::{Action, ActionOutcome, Impossible};

/// How far a warm-up may exceed its share of the budget before the size shrinks again: it is noisy, and runs cold.
const TOLERATED: f64 = 1.5;

/// How often sizes are corrected after warm-ups.
const MOST_CORRECTIONS: u32 = 2;

/// A sample may take this many times as long as predicted before the watchdog calls it endless.
const LIMIT_FACTOR: f64 = 4.0;

/// No limit is longer than this, in milliseconds: the longest budget of one row, with that factor.
const LONGEST_LIMIT_MS: f64 = 240_000.0;

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A probe; the first state. Next: `Warming`.
    Probing,
    /// This row warms up; nothing counts. Next: the next row, this state again at another size, or `Sampling`.
    Warming(usize),
    /// This row's sample of this round (from 0) is taken. Next: the next row or round, or `Done`.
    Sampling(usize, u32),
    /// Nothing is left.
    Done,
}

/// The order of a measured run.
#[derive(Debug)]
pub struct Sampler {
    experiment: Box<dyn Experiment>,
    settings: Settings,
    taken: Taken,
    step: Step,
    due: Option<Action>,
    n_corrections: u32,
    n_done: u32,
    pool_lost: bool,
}

impl Sampler {
    /// A run that has not begun.
    #[must_use]
    pub fn new(experiment: Box<dyn Experiment>, settings: Settings) -> Self {
        let share_ms = settings.budget_ms / (f64::from(settings.repeats) + 1.0);
        let rows = experiment
            .subjects()
            .into_iter()
            .map(|subject| TakenRow {
                subject,
                warm_up: Vec::new(),
                samples: Vec::new(),
            })
            .collect();
        let asked_size = experiment.asked_size();
        let taken = Taken {
            rows,
            asked_size,
            size: asked_size,
            hidden: false,
            pool: None,
            share_ms,
        };
        let step = Step::Probing;
        Self {
            experiment,
            settings,
            taken,
            step,
            due: None,
            n_corrections: 0,
            n_done: 0,
            pool_lost: false,
        }
    }

    /// The action that is due now; none when the run is over.
    pub fn next_action(&mut self) -> Option<Action> {
        self.due = None;
        if !self.taken.rows.iter().any(TakenRow::is_available) {
            self.step = Step::Done;
        }
        loop {
            match self.step {
                Step::Probing => {
                    if let Some(probe) = self.experiment.next_probe() {
                        return self.ask(probe, None);
                    }
                    self.taken.size = self
                        .experiment
                        .fitting_size(self.taken.share_ms)
                        .clamp(1, self.taken.asked_size.max(1));
                    self.step = Step::Warming(0);
                }
                Step::Warming(row) => match self.taken.rows.get(row).map(|row| row.subject.clone()) {
                    None if self.correct_size() => self.step = Step::Warming(0),
                    None => self.step = Step::Sampling(0, 0),
                    Some(subject) if subject.once || subject.absent.is_some() => self.step = Step::Warming(row + 1),
                    Some(_) => return self.ask(self.experiment.action(row, self.taken.size), Some(row)),
                },
                Step::Sampling(row, round) => match self.taken.rows.get(row).map(|row| row.subject.clone()) {
                    None if round + 1 >= self.settings.repeats => self.step = Step::Done,
                    None => self.step = Step::Sampling(0, round + 1),
                    Some(subject) if subject.absent.is_some() || (subject.once && round > 0) => {
                        self.step = Step::Sampling(row + 1, round);
                    }
                    Some(_) => return self.ask(self.experiment.action(row, self.taken.size), Some(row)),
                },
                Step::Done => return None,
            }
        }
    }

    /// Takes in what became of the action that was due.
    ///
    /// # Errors
    /// It does not answer that action; in words for developers. The run cannot go on.
    pub fn answered(&mut self, outcome: ActionOutcome) -> Result<(), String> {
        let action = self.due.take().ok_or("no action was due")?;
        match read(&action, outcome)? {
            Ok(sample) => {
                self.n_done += 1;
                self.take(&action, sample);
                Ok(())
            }
            Err(why) => self.do_without(&action, &why),
        }
    }

    /// Where the run is.
    #[must_use]
    pub fn step(&self) -> Step {
        self.step
    }

    /// Actions done, and actions in all as planned now.
    #[must_use]
    pub fn counts(&self) -> (u32, u32) {
        let n_probes = u32::from(self.step == Step::Probing);
        let n_left = (0..self.taken.rows.len())
            .map(|row| self.n_left(row))
            .fold(n_probes, u32::saturating_add);
        (self.n_done, self.n_done.saturating_add(n_left))
    }

    /// Milliseconds left, estimated from each row's last run; none before a sample.
    #[must_use]
    pub fn left_ms(&self) -> Option<f64> {
        self.taken.rows.iter().find(|row| !row.samples.is_empty())?;
        let rows = self.taken.rows.iter().enumerate();
        Some(
            rows.map(|(index, row)| f64::from(self.n_left(index)) * last_ms(row).unwrap_or_default())
                .sum(),
        )
    }

    /// What has been taken so far.
    #[must_use]
    pub fn taken(&self) -> &Taken {
        &self.taken
    }

    fn n_left(&self, index: usize) -> u32 {
        let Some(row) = self.taken.rows.get(index).filter(|row| row.is_available()) else {
            return 0;
        };
        let n_taken = u32::try_from(row.samples.len()).unwrap_or(u32::MAX);
        let warms = !row.subject.once && row.warm_up.is_empty();
        let n_samples = if row.subject.once { 1 } else { self.settings.repeats };
        n_samples.saturating_sub(n_taken).saturating_add(u32::from(warms))
    }

    /// Notes the action as due, with the pool that is left and the watchdog's limit.
    fn ask(&mut self, mut action: Action, row: Option<usize>) -> Option<Action> {
        let expected = row.and_then(|index| {
            let predicted = self.experiment.predicted_ms(index, self.taken.size);
            predicted
                .into_iter()
                .chain(self.taken.rows.get(index).and_then(last_ms))
                .reduce(f64::max)
        });
        let least = (expected.unwrap_or_default() * LIMIT_FACTOR).clamp(0.0, LONGEST_LIMIT_MS);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to a range far inside u32"
        )]
        let least = least as u32;
        match &mut action {
            Action::OnLab { threads, limit_ms, .. } => {
                *limit_ms = least.max(*limit_ms);
                if self.pool_lost {
                    *threads = 0;
                }
            }
            Action::OnIsolates { limit_ms, .. }
            | Action::OnPair { limit_ms, .. }
            | Action::OnOwnProcesses { limit_ms, .. }
            | Action::OnNewIsolates { limit_ms, .. }
            | Action::OnPage { limit_ms, .. }
            | Action::OnNetwork { limit_ms, .. } => *limit_ms = least.max(*limit_ms),
        }
        self.due = Some(action.clone());
        Some(action)
    }

    fn take(&mut self, action: &Action, sample: Sample) {
        self.taken.hidden |= sample.hidden;
        if let Action::OnLab {
            threads: asked @ 1.., ..
        } = action
        {
            let fewest = self
                .taken
                .pool
                .map_or(u32::MAX, |(_, started)| started)
                .min(sample.started);
            self.taken.pool = Some((*asked, fewest));
        }
        match self.step {
            Step::Probing => {
                if let Some(job) = sample.jobs.first() {
                    self.experiment.probed(sample.ms, job);
                }
            }
            Step::Warming(row) => {
                if let Some(taken) = self.taken.rows.get_mut(row) {
                    taken.warm_up.push(sample);
                }
                self.step = Step::Warming(row + 1);
            }
            Step::Sampling(row, round) => {
                if let Some(taken) = self.taken.rows.get_mut(row) {
                    taken.samples.push(sample);
                }
                self.step = Step::Sampling(row + 1, round);
            }
            Step::Done => {}
        }
    }

    /// The action cannot be done here: its rows end without a number, and the run goes on.
    fn do_without(&mut self, action: &Action, why: &Impossible) -> Result<(), String> {
        let is_pool = matches!(why, Impossible::NoSharedMemory | Impossible::PoolFailed { .. });
        if is_pool && matches!(action, Action::OnLab { threads: 1.., .. }) {
            // What needs no pool is asked again without one: the step stays.
            self.pool_lost = true;
            self.taken.pool = None;
            for row in &mut self.taken.rows {
                if row.subject.needs_pool {
                    give_up(row, why);
                }
            }
            return Ok(());
        }
        match self.step {
            Step::Warming(row) | Step::Sampling(row, _) => {
                if let Some(row) = self.taken.rows.get_mut(row) {
                    give_up(row, why);
                }
                Ok(())
            }
            Step::Probing | Step::Done => Err(format!("a probe cannot be {why:?}")),
        }
    }

    /// After a round of warm-ups: chooses another size where this one misses the budget or the clock.
    fn correct_size(&mut self) -> bool {
        let warm = self
            .taken
            .rows
            .iter()
            .filter(|row| row.is_available())
            .filter_map(|row| row.warm_up.last());
        let (shortest, longest) = warm
            .map(|sample| sample.ms)
            .fold((f64::INFINITY, 0.0f64), |(shortest, longest), ms| {
                (shortest.min(ms), longest.max(ms))
            });
        let least = (LEAST_CLOCK_STEPS * self.settings.clock_step_ms).max(self.experiment.least_sample_ms());
        let current = self.taken.size;
        let wanted = if longest > TOLERATED * self.taken.share_ms {
            Some(two_digits(f64::from(current) * self.taken.share_ms / longest))
        } else if shortest < least {
            let factor = least / shortest.max(self.settings.clock_step_ms).max(f64::MIN_POSITIVE);
            let room = self.taken.share_ms / longest.max(f64::MIN_POSITIVE);
            let grown = self
                .experiment
                .grown_size(factor * f64::from(current) / f64::from(self.taken.asked_size.max(1)));
            grown.filter(|size| f64::from(*size) <= f64::from(current) * room && *size > current)
        } else {
            None
        };
        match wanted {
            Some(size) if size != current && self.n_corrections < MOST_CORRECTIONS => {
                self.n_corrections += 1;
                self.taken.size = size;
                for row in &mut self.taken.rows {
                    row.warm_up.clear();
                }
                true
            }
            _ => false,
        }
    }
}

fn give_up(row: &mut TakenRow, why: &Impossible) {
    row.subject.absent = Some(Absence::Found(why.clone()));
    row.warm_up.clear();
    row.samples.clear();
}

fn last_ms(row: &TakenRow) -> Option<f64> {
    row.samples.last().or(row.warm_up.last()).map(|sample| sample.ms)
}
