//! Schedules drawn at random so that each of all interleavings is exactly alike likely.
//!
//! All layers are kept. From the last to the first each state gets the exact number of ways on from it, the sum of those
//! of the states one step later; a schedule is drawn by choosing each step in proportion to the ways on after it. The
//! fractions cancel from step to step, so that the product is one part in the number of all schedules.
//!
//! Not here: random walks, which choose each step evenly and so prefer schedules with few choices (`walks`).

use std::hash::Hash;

use super::count::Count;
use super::layers::Layer;
use super::limits::{Pace, SearchLimits};
use super::names::Named;
use super::random::Random;
use super::schedule::Schedule;
use super::system::{System, Thread};

/// All ways on from all states, being counted in slices. Only for programs that cannot come back to a state: they must
/// have been counted completely before.
#[derive(Debug)]
pub struct UniformSchedules<S: System> {
    system: S,
    limits: SearchLimits,
    layers: Vec<Layer<S::State>>,
    /// Whether all layers are there and ways on are being counted, from the last layer to the first.
    backwards: bool,
    /// The layer and its state to be looked at.
    layer: usize,
    at: u32,
    /// States and memory of the layers before the last two.
    n_states: usize,
    n_bytes: usize,
    pace: Pace,
}

/// Draws schedules.
#[derive(Debug)]
pub struct Uniform<'ways, S: System> {
    ways: &'ways UniformSchedules<S>,
    random: Random,
}

impl<S: System> UniformSchedules<S> {
    /// Nothing is counted yet. Of the limits it heeds states, bytes and steps; all layers count.
    pub fn new(system: S, limits: SearchLimits) -> Self {
        let mut first = Layer::for_about(1);
        let mut start = system.start();
        system.sort(&mut start);
        first.add(start, &[]);
        Self {
            system,
            limits,
            layers: vec![first, Layer::for_about(0)],
            backwards: false,
            layer: 0,
            at: 0,
            n_states: 0,
            n_bytes: 0,
            pace: Pace::More,
        }
    }

    /// Looks at about so many states more; true while there is more to do.
    pub fn go_on(&mut self, n_states: u32) -> bool {
        for _ in 0..n_states {
            if self.pace != Pace::More {
                break;
            }
            self.pace = if self.backwards { self.back() } else { self.forth() };
        }
        self.pace == Pace::More
    }

    fn forth(&mut self) -> Pace {
        let n_layers = self.layers.len();
        let [.., layer, next] = self.layers.as_mut_slice() else {
            return Pace::Over;
        };
        if let Some(state) = layer.states.key(self.at) {
            for thread in self.system.enabled(state).iter() {
                let mut after = state.clone();
                self.system.step(&mut after, thread);
                self.system.sort(&mut after);
                next.add(after, &[]);
            }
            self.at += 1;
        } else if next.states.len() == 0 {
            self.layers.pop();
            self.backwards = true;
            (self.layer, self.at) = (self.layers.len() - 1, 0);
        } else if n_layers > self.limits.steps as usize + 1 {
            return Pace::Over;
        } else {
            self.at = 0;
            self.n_states += layer.states.len();
            self.n_bytes += layer.n_bytes();
            self.layers.push(Layer::for_about(0));
        }
        let last_two = self.layers.iter().rev().take(2);
        let n_states: usize = last_two.clone().map(|layer| layer.states.len()).sum();
        let n_bytes = || self.n_bytes + last_two.map(Layer::n_bytes).sum::<usize>();
        if self.limits.exceeded(self.n_states + n_states, self.at, n_bytes) {
            return Pace::Over;
        }
        Pace::More
    }

    fn back(&mut self) -> Pace {
        let (before, after) = self.layers.split_at_mut(self.layer + 1);
        let Some(layer) = before.last_mut() else {
            return Pace::Over;
        };
        let Some(state) = layer.states.key(self.at) else {
            self.at = 0;
            return match self.layer.checked_sub(1) {
                Some(layer) => {
                    self.layer = layer;
                    Pace::More
                }
                None => Pace::Done,
            };
        };
        let enabled = self.system.enabled(state);
        if enabled.is_empty() {
            layer.counts.add(self.at, &[1]);
        }
        for thread in enabled.iter() {
            let mut next = state.clone();
            self.system.step(&mut next, thread);
            self.system.sort(&mut next);
            let place = after.first().and_then(|after| Some((after, after.states.find(&next)?)));
            let (after, place) = place.expect("every step from a layer was taken when the next one was built");
            layer.counts.add(self.at, after.counts.limbs(place));
        }
        self.at += 1;
        Pace::More
    }

    /// How many schedules there are; nothing before all is counted, or if it was too much.
    pub fn total(&self) -> Option<Count> {
        (self.pace == Pace::Done).then(|| self.layers.first().map(|first| first.counts.get(0)))?
    }

    /// Who can go after these steps, each with the number of schedules that go on so. Nothing before all is counted, or
    /// where the steps cannot be gone.
    pub fn ways_on(&self, steps: &Schedule) -> Option<Vec<(Thread, Count)>> {
        self.total()?;
        let mut named = Named::start(&self.system);
        for (n_steps, thread) in steps.0.iter().enumerate() {
            let places = self.places(n_steps, &named);
            let (place, ..) = places.into_iter().find(|(_, name, _)| name == thread)?;
            named.step(&self.system, place);
        }
        let mut ways: Vec<(Thread, Count)> = self
            .places(steps.0.len(), &named)
            .into_iter()
            .map(|(_, name, count)| (name, count))
            .collect();
        ways.sort_by_key(|(name, _)| *name);
        Some(ways)
    }

    /// The places that can go at a state after so many steps: who stands there, and the number of ways on.
    fn places(&self, n_steps: usize, named: &Named<S::State>) -> Vec<(Thread, Thread, Count)> {
        let next = self.layers.get(n_steps + 1);
        let enabled = self.system.enabled(&named.state);
        enabled
            .iter()
            .filter_map(|place| {
                let mut after = named.clone();
                let name = after.step(&self.system, place);
                let ways = next?.counts.get(next?.states.find(&after.state)?);
                Some((place, name, ways))
            })
            .collect()
    }

    /// Draws with this seed; nothing before all is counted.
    pub fn draw(&self, seed: u32) -> Option<Uniform<'_, S>> {
        self.total()?;
        Some(Uniform {
            ways: self,
            random: Random::new(seed),
        })
    }
}

/// Schedules without an end.
impl<S: System> Iterator for Uniform<'_, S>
where
    S::State: Hash,
{
    type Item = Schedule;

    fn next(&mut self) -> Option<Schedule> {
        let ways = self.ways;
        let mut named = Named::start(&ways.system);
        let mut left = self.random.below(&ways.total()?);
        let mut steps = Vec::new();
        loop {
            let places = ways.places(steps.len(), &named);
            if places.is_empty() {
                return Some(Schedule(steps));
            }
            // One number draws the whole schedule: what is left of it after a choice is even among the ways on.
            for (place, name, count) in places {
                match left.minus(&count) {
                    Some(rest) => left = rest,
                    None => {
                        named.step(&ways.system, place);
                        steps.push(name);
                        break;
                    }
                }
            }
        }
    }
}
