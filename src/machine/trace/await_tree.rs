//! Who waits for whom, as a tree: what `python -m asyncio pstree` shows of a running program, at any event.
//!
//! Not here: why one of them waits, see [`super::why_waiting`].

use std::collections::BTreeSet;

use super::view::{LaneView, View};
use super::{LaneId, LaneKind};

/// One line of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AwaitLine<'log> {
    /// The task, or the thread that a task waits for.
    pub lane: LaneView<'log>,
    /// How deep it stands; 0: nobody waits for it.
    pub depth: u32,
    /// Whether it stands above already: it is awaited by several, or by itself in a circle. Nothing follows below it.
    pub is_again: bool,
}

/// All tasks that have not ended, each followed by those that it waits for. Of one loop, or of all.
#[must_use]
pub fn await_tree(view: View<'_>, event_loop: Option<LaneId>) -> Vec<AwaitLine<'_>> {
    let is_live = |lane: &LaneView<'_>| lane.state.is_none_or(|state| !state.is_end());
    let is_task = |lane: &LaneView<'_>| {
        lane.kind == LaneKind::Task && (event_loop.is_none() || lane.parent == event_loop) && is_live(lane)
    };
    let tasks: Vec<_> = view.lanes().filter(is_task).collect();
    let awaited: BTreeSet<LaneId> = tasks.iter().flat_map(|task| view.awaited(task.lane)).copied().collect();
    let (below, roots): (Vec<_>, Vec<_>) = tasks.into_iter().partition(|task| awaited.contains(&task.lane));
    let mut lines = Vec::new();
    let mut told = BTreeSet::new();
    // Those that nobody outside a circle waits for come last; each circle gets one root.
    for root in roots.into_iter().chain(below) {
        if told.contains(&root.lane) {
            continue;
        }
        let mut left = vec![(root, 0)];
        while let Some((lane, depth)) = left.pop() {
            let is_again = !told.insert(lane.lane);
            lines.push(AwaitLine { lane, depth, is_again });
            if !is_again {
                // The last of them first, because the next line is taken from the end.
                let awaited = view.awaited(lane.lane).iter().rev();
                let live = awaited.filter_map(|on| view.lane(*on)).filter(is_live);
                left.extend(live.map(|on| (on, depth + 1)));
            }
        }
    }
    lines
}
