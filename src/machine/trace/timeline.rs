//! A log with a view that is put at any event: forwards event by event, backwards from the nearest keyframe before.
//!
//! Not here: the run itself. What a program would have done otherwise is another run.

use super::keyframes::Keyframes;
use super::log::{Happened, Log};
use super::snapshot::Snapshot;
use super::view::View;
use crate::machine::Nanoseconds;

/// A log and where one stands in it.
#[derive(Debug)]
pub struct Timeline {
    log: Log,
    at: Snapshot,
    keyframes: Keyframes,
}

impl Timeline {
    /// A timeline that stands at the log's end. It reads the whole log, about 10 ns an event.
    #[must_use]
    pub fn new(log: Log) -> Self {
        let mut timeline = Self::begin(log);
        timeline.go_to(u32::MAX);
        timeline
    }

    /// A timeline that stands before the first event and has read nothing yet: for slices, with
    /// [`read_on`](Self::read_on).
    #[must_use]
    pub fn begin(log: Log) -> Self {
        Self {
            log,
            at: Snapshot::default(),
            keyframes: Keyframes::default(),
        }
    }

    /// Reads at most so many events that were not read yet; whether all are. The view goes along.
    pub fn read_on(&mut self, n_events: u32) -> bool {
        self.go_to(self.keyframes.known().saturating_add(n_events));
        self.keyframes.known() == self.log.n_events()
    }

    /// The log.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// The log again.
    #[must_use]
    pub fn into_log(self) -> Log {
        self.log
    }

    /// What is to be seen where it stands.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View::new(&self.log, &self.at)
    }

    /// Where it stands.
    #[must_use]
    pub fn index(&self) -> u32 {
        self.at.place.index
    }

    /// Goes to an index, from 0 (before the first event) to the number of events; farther is the end.
    pub fn go_to(&mut self, index: u32) {
        let index = index.min(self.log.n_events());
        let nearest = self.keyframes.before(index).map_or(0, |place| place.index);
        // From where it stands, if that is no farther.
        if !(nearest..=index).contains(&self.index()) {
            self.keyframes.restore(nearest, &mut self.at);
        }
        self.go_on_to(index);
    }

    /// Goes so many events on, or back where it is negative.
    pub fn step(&mut self, n_events: i64) {
        let index = i64::from(self.index()).saturating_add(n_events);
        self.go_to(u32::try_from(index.max(0)).unwrap_or(u32::MAX));
    }

    /// Goes to the last event that is not later than this.
    pub fn go_to_time(&mut self, time: Nanoseconds) {
        let start = self.keyframes.not_after(time).unwrap_or_default();
        let not_later = self.log.events_from(start).take_while(|happened| happened.at <= time);
        let index = not_later.last().map_or(start.index, |happened| happened.index);
        self.go_to(index);
    }

    /// Goes on to the next event of which this is true, and says whether there is one; where there is none it stays.
    pub fn find_next(&mut self, mut is_wanted: impl FnMut(&Happened) -> bool) -> bool {
        let found = self
            .log
            .events_from(self.at.place)
            .find(|happened| is_wanted(happened))
            .map(|happened| happened.index);
        if let Some(index) = found {
            self.go_to(index);
        }
        found.is_some()
    }

    /// Memory that going back takes, in bytes, nearly: no more than the log takes.
    #[must_use]
    pub fn n_keyframe_bytes(&self) -> usize {
        self.keyframes.n_bytes()
    }

    fn go_on_to(&mut self, index: u32) {
        let mut events = self.log.events_from(self.at.place);
        let mut last = None;
        while events.index() < index
            && let Some(happened) = events.next()
        {
            self.at.apply(&self.log, &happened);
            if self.keyframes.note(&happened, &self.at) {
                self.at.place = events.place();
                self.at.beside.last = Some(happened.clone());
                self.keyframes.look(&self.at);
            }
            last = Some(happened);
        }
        if last.is_some() {
            self.at.place = events.place();
            self.at.beside.last = last;
        }
    }
}
