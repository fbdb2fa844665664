//! Threads' first names along a way through sorted states.
//!
//! Sorting a state exchanges threads that do the same. A way through sorted states says which place goes on; who stands
//! at that place is carried along here, so that the way becomes a schedule of the program as it was written.
//!
//! Not here: which way.

use super::system::{System, Thread};

/// A state, sorted, and who stands at each of its places.
#[derive(Clone, Debug)]
pub(super) struct Named<T> {
    pub state: T,
    names: Vec<Thread>,
}

impl<T: Clone> Named<T> {
    pub fn start<S: System<State = T>>(system: &S) -> Self {
        let mut named = Self {
            state: system.start(),
            names: (0..system.n_threads()).map(Thread).collect(),
        };
        named.sort(system);
        named
    }

    /// Lets whoever stands at a place go on, and says who that was.
    pub fn step<S: System<State = T>>(&mut self, system: &S, place: Thread) -> Thread {
        let name = self.names.get(place.index()).copied().unwrap_or(place);
        system.step(&mut self.state, place);
        self.sort(system);
        name
    }

    fn sort<S: System<State = T>>(&mut self, system: &S) {
        let mut names = self.names.clone();
        for (place, name) in self.names.iter().enumerate() {
            let now = system.sort_following(&mut self.state.clone(), Thread(place as u8));
            *names.get_mut(now.index()).expect("sorting leaves as many places") = *name;
        }
        self.names = names;
        system.sort(&mut self.state);
    }
}
