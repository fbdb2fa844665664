//! A modelled run: the machine of each row in turn, a slice at a time, and the result. On the machine `here` a few probes
//! of this browser come first.
//!
//! Not here: any scene, and what a lab concludes.

use sha2::{Digest, Sha256};

use super::run::{Due, SCHEMA};
use crate::labs::presets::{self, PROBES, Probe};
use crate::labs::puzzles::{Followed, Searching};
use crate::labs::{self, Asked, Lab, Model, Modelled, Scene, Sequel};
use crate::machine::threads::{Exceeded, Limit, Progress as MachineProgress};
use crate::machine::trace::{MAX_ROWS, for_page};
use crate::measure::Subject;
use crate::text::{Words, args};
use crate::wire::{
    ActionOutcome, Environment, Finding, LabResult, Mode, Progress, ResultEnvironment, Row, Sabotage, Trace,
};

/// Effects a slice: about 10 ms in a browser, and never over 20, so that Stop and progress arrive.
const SLICE: u64 = 60_000;

/// States a slice of a search: 5 to 20 ms.
const SEARCH_SLICE: u32 = 40_000;

/// A run of a lab's model.
#[derive(Debug)]
pub struct ModelRun {
    lab: &'static dyn Lab,
    model: &'static dyn Model,
    asked: Asked,
    environment: Environment,
    words: Words,
    sabotage: Option<Sabotage>,
    /// Probes that are not answered yet; the first of them is due.
    probes: &'static [Probe],
    /// The schedule that was asked for, instead of the lab's own rows.
    followed: Option<Followed>,
    subjects: Vec<Subject>,
    /// The row that runs; its subject is the one after those of [`rows`](Self::rows).
    scene: Option<Scene>,
    /// The row whose machine has ended and which is not done yet, with what is left to do.
    open: Option<(Box<Row>, Rest)>,
    rows: Vec<Row>,
    hash: Sha256,
    /// Of a run of one row. Several side by side would be too much for a page at once; each can be asked for alone.
    trace: Option<Trace>,
}

/// What is left of a row once its machine has ended.
#[derive(Debug)]
enum Rest {
    /// Its schedules are being counted.
    Search(Box<Searching>),
    /// The lab's own.
    Sequel(Box<dyn Sequel>),
}

impl ModelRun {
    /// Plans it; nothing has run yet. A sabotage is for tests only: no request can carry one.
    pub fn new(
        lab: &'static dyn Lab,
        model: &'static dyn Model,
        asked: Asked,
        environment: Environment,
        words: Words,
        sabotage: Option<Sabotage>,
    ) -> Self {
        let followed = asked
            .schedule
            .as_deref()
            .and_then(|schedule| Followed::new(&model.puzzles(&asked), schedule));
        let subjects = match &followed {
            Some(followed) => vec![followed.subject()],
            None => model.scenes(&asked),
        };
        let probes: &[Probe] = if presets::is_here(&asked) { &PROBES } else { &[] };
        Self {
            lab,
            model,
            asked,
            environment,
            words,
            sabotage,
            probes,
            followed,
            subjects,
            scene: None,
            open: None,
            rows: Vec::new(),
            hash: Sha256::new(),
            trace: None,
        }
    }

    /// Asks for the probe that is due, runs a slice of the row that is due, or ends the run.
    pub fn go_on(&mut self) -> Due {
        if let Some(probe) = self.probes.first() {
            return Due::Action(Box::new(probe.action()), self.probing());
        }
        let Some(subject) = self.subjects.get(self.rows.len()).cloned() else {
            return Due::Result(Box::new(self.result()));
        };
        if let Some((row, rest)) = self.open.take() {
            self.open = self.go_on_with(row, rest);
            return Due::AskAgain(self.progress());
        }
        let mut scene = self.scene.take().unwrap_or_else(|| match &self.followed {
            Some(followed) => followed.scene(),
            None => self.model.scene(&self.asked, &subject, self.sabotage),
        });
        match scene.machine.run(SLICE) {
            MachineProgress::Paused => self.scene = Some(scene),
            ended => {
                let row = self.end(&subject, scene, &ended);
                match self.rest_of(&subject, row.available) {
                    Some(rest) => self.open = Some((Box::new(row), rest)),
                    None => self.rows.push(row),
                }
            }
        }
        Due::AskAgain(self.progress())
    }

    /// What is left of a row whose machine has ended, by itself or cut short.
    fn rest_of(&self, subject: &Subject, by_itself: bool) -> Option<Rest> {
        let puzzle = match &self.followed {
            Some(followed) => Some(followed.puzzle().clone()),
            None => self.model.puzzle_of(&self.asked, subject),
        };
        if let Some(puzzle) = puzzle {
            let puzzle = puzzle.with_fault(self.sabotage);
            let searching = Searching::new(puzzle, self.asked.seed, self.sabotage);
            return Some(Rest::Search(Box::new(searching)));
        }
        let sequel = self.model.sequel(&self.asked, subject, self.sabotage);
        sequel.filter(|_| by_itself).map(Rest::Sequel)
    }

    /// Counts on through the schedules of the row's small program, or goes on with its sequel; none when the row is done.
    fn go_on_with(&mut self, mut row: Box<Row>, mut rest: Rest) -> Option<(Box<Row>, Rest)> {
        match &mut rest {
            Rest::Search(searching) => {
                if searching.go_on(SEARCH_SLICE) {
                    return Some((row, rest));
                }
                row.explored = searching.explored(&self.words);
                for outcome in row.explored.iter().flat_map(|explored| &explored.outcomes) {
                    let line = format!("{} {:?} {};", outcome.text, outcome.schedules, outcome.witness);
                    self.hash.update(line.as_bytes());
                }
            }
            Rest::Sequel(sequel) => {
                if sequel.go_on() {
                    return Some((row, rest));
                }
                sequel.fill(&mut row);
                let line = format!("{:?} {:?} {:?};", row.p50_ms, row.p99_ms, row.throughput);
                self.hash.update(line.as_bytes());
            }
        }
        self.rows.push(*row);
        None
    }

    /// Takes in what became of the probe that was due.
    ///
    /// # Errors
    /// None was due; in words for developers.
    pub fn answered(&mut self, outcome: &ActionOutcome) -> Result<(), String> {
        let Some((probe, rest)) = self.probes.split_first() else {
            return Err("the model has asked for nothing".to_owned());
        };
        if let Some(found) = &mut self.asked.found {
            found.take(*probe, outcome);
        }
        self.probes = rest;
        Ok(())
    }

    /// Whether a probe is due.
    pub fn awaits_answer(&self) -> bool {
        !self.probes.is_empty()
    }

    fn probing(&self) -> Progress {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Progress {
            sampling: false,
            done: count(PROBES.len() - self.probes.len()),
            total: count(PROBES.len() + self.subjects.len()),
            left_ms: None,
            label: self.words.say("progress.probing"),
        }
    }

    /// The row of a machine that has ended.
    fn end(&mut self, subject: &Subject, Scene { mut machine, read }: Scene, ended: &MachineProgress) -> Row {
        let ms = machine.now().as_millis();
        let mut row = labs::modelled(self.lab.about().id, subject, ms, &self.words);
        if let MachineProgress::Exceeded(exceeded) = ended {
            // A run that was cut short has no time of its own; what it has is a reason.
            row.available = false;
            row.samples_ms.clear();
            row.median_ms = None;
            let (reason, cure) = self.limit_in_words(exceeded);
            row.reason = Some(reason);
            row.cure = Some(cure);
        } else {
            row.culprit = labs::culprit(&machine, &self.words);
            read(&machine, ended, &mut row);
        }
        if let Some(log) = std::mem::take(machine.recorder_mut()).finish(machine.now()) {
            self.hash.update(log.hash().0);
            if self.subjects.len() == 1 {
                self.trace = Some(for_page(&log, MAX_ROWS));
            }
        }
        row
    }

    fn limit_in_words(&self, Exceeded { what, limit }: &Exceeded) -> (String, String) {
        let id = match what {
            Limit::Steps => "steps",
            Limit::Time => "time",
            Limit::Threads => "threads",
            Limit::Processes => "processes",
            Limit::Depth => "depth",
            Limit::Trace => "trace",
            Limit::Tasks => "tasks",
            Limit::Timers => "timers",
            Limit::Objects | Limit::Futures | Limit::LoopObjects => "objects",
        };
        let seconds = *limit as f64 / 1e9;
        let numbers = args([("limit", (*limit as f64).into()), ("seconds", seconds.into())]);
        (
            self.words.fill(&format!("limit.{id}"), &numbers),
            self.words.say("limit.cure"),
        )
    }

    fn progress(&self) -> Progress {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let label = self
            .subjects
            .get(self.rows.len())
            .map(|subject| labs::label(self.lab.about().id, subject, &self.words))
            .unwrap_or_default();
        let label = match &self.open {
            Some((_, Rest::Search(searching))) => {
                let numbers = args([("label", label.into()), ("states", searching.n_states().into())]);
                self.words.fill("progress.searching", &numbers)
            }
            Some((_, Rest::Sequel(sequel))) => sequel.progress(&label, &self.words),
            None => {
                let time = self.scene.as_ref().map_or(0.0, |scene| scene.machine.now().as_millis());
                let numbers = args([("label", label.into()), ("time", time.into())]);
                self.words.fill("progress.modelling", &numbers)
            }
        };
        Progress {
            sampling: true,
            done: count(self.rows.len()),
            total: count(self.subjects.len()),
            left_ms: None,
            label,
        }
    }

    fn result(&mut self) -> LabResult {
        labs::compare(&mut self.rows);
        self.model.annotate(&self.asked, &self.words, &mut self.rows);
        let about = self.lab.about();
        let modelled = Modelled {
            lab: about.id,
            asked: &self.asked,
            rows: &self.rows,
            words: &self.words,
        };
        let (id, numbers, text) = match &self.followed {
            Some(followed) => followed.finding(&self.words),
            None => {
                let (id, numbers) = self.model.finding(&modelled);
                let text = self.words.fill(&format!("{}.model.finding.{id}", about.id), &numbers);
                (id, numbers, text)
            }
        };
        let hash = self.hash.clone().finalize();
        LabResult {
            schema: SCHEMA,
            lab: about.id.to_owned(),
            mode: Mode::Model,
            params: self.asked.named(),
            seed: self.asked.seed,
            environment: ResultEnvironment {
                page: self.environment.clone(),
                threads_started: None,
                threads_asked: None,
                void: false,
                warnings: Vec::new(),
                found: self.asked.found.map(|found| found.named()),
            },
            claims: self.model.claims().iter().map(|claim| claim.judge(&modelled)).collect(),
            published: labs::published(about.id),
            finding: Finding {
                id: id.to_owned(),
                args: numbers,
                text,
            },
            rows: std::mem::take(&mut self.rows),
            trace_hash: Some(hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()),
            trace: self.trace.take(),
        }
    }
}
