//! What the model makes of a figure, computed as a run computes it. Not here: whether that is close enough.

use super::{Figure, read, reading};
use crate::labs::presets::Tweak;
use crate::labs::rows::runtime_id;
use crate::labs::{self, Asked};
use crate::machine::threads::Progress;
use crate::measure::Subject;
use crate::text::Words;
use crate::wire::{Plain, Row, Runtime};

/// The lengths between which the longest message is looked for whose hash keeps the interpreter lock.
const SHORTEST_BYTES: u32 = 1;
const LONGEST_BYTES: u32 = 65_536;

impl Figure {
    /// The number that the lesson's preset gives; with a tweak, that which it would give.
    ///
    /// # Errors
    /// The lab has no such row or the row no such quantity, in words for developers.
    pub fn modelled(&self, tweak: Option<Tweak>, words: &Words) -> Result<f64, String> {
        match self.published.quantity.as_str() {
            "freeThreadedCost" => self.free_threaded_cost(tweak, words),
            "thresholdBytes" => self.threshold_bytes(tweak, words),
            quantity => {
                let asked = self.asked(tweak, &[])?;
                let reading = reading(quantity);
                // Most quantities are in the row itself; some only once all rows have been seen.
                if let Some(number) = read(&reading, &self.row(&asked, words)?) {
                    return Ok(number);
                }
                read(&reading, &self.row_among_all(&asked, words)?)
                    .ok_or_else(|| format!("{}: its row says no {quantity}", self.published.id))
            }
        }
    }

    /// The row it is about, compared with the baseline that it stands below.
    fn row(&self, asked: &Asked, words: &Words) -> Result<Row, String> {
        let (subjects, meant) = self.subjects(asked)?;
        let above = subjects.iter().take(meant + 1).rposition(|subject| subject.baseline);
        let baseline = above.or_else(|| subjects.iter().position(|subject| subject.baseline));
        let needed = baseline.filter(|at| *at != meant).into_iter().chain([meant]);
        let needed = needed.filter_map(|at| subjects.get(at));
        let mut rows: Vec<Row> = needed.map(|subject| self.run(asked, subject, words)).collect();
        labs::compare(&mut rows);
        rows.pop().ok_or_else(|| format!("{}: no row", self.published.id))
    }

    /// The same after a whole run, with what rows say of each other.
    fn row_among_all(&self, asked: &Asked, words: &Words) -> Result<Row, String> {
        let (subjects, meant) = self.subjects(asked)?;
        let mut rows: Vec<Row> = subjects.iter().map(|subject| self.run(asked, subject, words)).collect();
        labs::compare(&mut rows);
        if let Some(model) = self.lab.model() {
            model.annotate(asked, words, &mut rows);
        }
        Ok(rows.swap_remove(meant))
    }

    fn subjects(&self, asked: &Asked) -> Result<(Vec<Subject>, usize), String> {
        let subjects = self.lab.model().map(|model| model.scenes(asked)).unwrap_or_default();
        let meant = self.row_of(&subjects);
        let meant = meant.ok_or_else(|| format!("{}: no row of {}", self.published.id, self.lab.about().id))?;
        Ok((subjects, meant))
    }

    fn run(&self, asked: &Asked, subject: &Subject, words: &Words) -> Row {
        let lab = self.lab.about().id;
        let model = self.lab.model().expect("its rows are those of a model");
        let mut scene = model.scene(asked, subject, None);
        let ended = loop {
            match scene.machine.run(u64::MAX) {
                Progress::Paused => {}
                ended => break ended,
            }
        };
        let mut row = labs::modelled(lab, subject, scene.machine.now().as_millis(), words);
        (scene.read)(&scene.machine, &ended, &mut row);
        row
    }

    /// What the free-threaded build costs one thread, as the mean over the workloads there are.
    fn free_threaded_cost(&self, tweak: Option<Tweak>, words: &Words) -> Result<f64, String> {
        let workloads = ["names", "squares", "modulo"];
        let mut product = 1.0;
        for workload in workloads {
            let took = |runtime: Runtime| {
                let mut figure = self.clone();
                figure.published.runtime = runtime;
                let more = [
                    ("workload", Plain::from(workload)),
                    ("runtime", Plain::from(runtime_id(runtime))),
                ];
                let row = figure.row(&figure.asked(tweak, &more)?, words)?;
                row.median_ms
                    .ok_or_else(|| format!("{}: it did not run", self.published.id))
            };
            product *= took(Runtime::FreeThreaded)? / took(Runtime::Gil)?;
        }
        Ok(product.powf(1.0 / workloads.len() as f64))
    }

    /// The longest message whose hash keeps the interpreter lock, found by halving. The lab's rows say how often the lock
    /// was let go of.
    fn threshold_bytes(&self, tweak: Option<Tweak>, words: &Words) -> Result<f64, String> {
        let lets_go = |bytes: u32| {
            let more = [
                ("buffers", Plain::from("small")),
                ("messages", Plain::from(5)),
                ("messageBytes", Plain::from(bytes)),
            ];
            let row = self.row(&self.asked(tweak, &more)?, words)?;
            let releases = read(&reading("releases"), &row);
            let releases = releases.ok_or_else(|| format!("{}: its row says no releases", self.published.id))?;
            Ok::<bool, String>(releases > 0.0)
        };
        let (mut kept, mut released) = (SHORTEST_BYTES, LONGEST_BYTES);
        if lets_go(kept)? || !lets_go(released)? {
            return Err(format!("{}: the threshold lies outside", self.published.id));
        }
        while released - kept > 1 {
            let middle = kept.midpoint(released);
            if lets_go(middle)? {
                released = middle;
            } else {
                kept = middle;
            }
        }
        Ok(f64::from(kept))
    }
}
