//! The end of a run: what is left is cancelled and awaited, the default pool is shut down, what went wrong is written down.
//!
//! Source: `Lib/asyncio/runners.py`, `Runner.close`. Each phase is a `run_until_complete` there, which runs at least two
//! iterations; so it does here, as due timers may still act in them.

use super::callbacks::Callback;
use super::effects::OnException;
use super::ids::FutureId;
use super::settings::Complaint;
use super::state::Turn;
use super::tasks::CoroutineState;

/// What the loop runs for.
pub(super) enum Phase {
    /// The main program.
    Main,
    /// The tasks that were left, cancelled, and the gather of them.
    Leftovers(Vec<FutureId>, FutureId),
    /// Asynchronous generators, of which there are none here.
    Generators,
    /// The default pool.
    Pool,
    /// Nothing any more.
    Over,
}

impl Phase {
    /// Whether the default pool takes no more calls.
    pub(super) const fn has_shut_pool_down(&self) -> bool {
        matches!(self, Self::Pool | Self::Over)
    }
}

impl Turn<'_> {
    /// What the loop ran for is done: on to the next phase.
    pub(super) fn next_phase(&mut self) {
        self.state.is_stopping = false;
        match std::mem::replace(&mut self.state.phase, Phase::Over) {
            Phase::Main => {
                let main = self.state.main.and_then(|main| self.state.futures.get_mut(main).ok());
                self.state.outcome = main.map(|main| main.result());
                self.cancel_leftovers();
            }
            Phase::Leftovers(tasks, gather) => {
                let _ = self.forget(gather);
                for task in tasks {
                    self.report_leftover(task);
                    self.unpin(task);
                }
                self.begin_phase(Phase::Generators);
            }
            Phase::Generators => self.begin_phase(Phase::Pool),
            Phase::Pool | Phase::Over => self.close_loop(),
        }
    }

    fn cancel_leftovers(&mut self) {
        let tasks = self.state.futures.live_tasks();
        if tasks.is_empty() {
            return self.begin_phase(Phase::Generators);
        }
        for task in &tasks {
            self.pin(*task);
            if let Err(exception) = self.try_cancel(*task, None) {
                // As in asyncio, the run ends with it at once, and what was left is left.
                self.state.outcome = Some(Err(exception));
                return self.close_loop();
            }
        }
        if let Ok(gather) = self.gather_future(&tasks, OnException::Return) {
            self.when_done(gather, Callback::Stop);
            self.state.phase = Phase::Leftovers(tasks, gather);
        }
    }

    fn report_leftover(&mut self, task: FutureId) {
        let Ok(future) = self.state.futures.get_mut(task) else {
            return;
        };
        if !future.is_cancelled()
            && let Ok(Some(exception)) = future.exception()
        {
            self.state.complaints.push(Complaint::Shutdown(task, exception));
        }
    }

    fn begin_phase(&mut self, phase: Phase) {
        self.state.phase = phase;
        self.schedule(Callback::Ending);
    }

    /// The coroutine of a phase goes on.
    pub(super) fn ending(&mut self) {
        if matches!(self.state.phase, Phase::Pool) && std::mem::take(&mut self.state.has_used_pool) {
            return self.shut_pool_down();
        }
        self.schedule(Callback::Stop);
    }

    /// Whatever was never awaited or asked for is complained of.
    fn close_loop(&mut self) {
        let never_awaited = self.state.coroutines.iter();
        let never_awaited = never_awaited.filter(|(_, row)| matches!(row.state, CoroutineState::Fresh(_)));
        let complaints: Vec<Complaint> = never_awaited
            .map(|(_, row)| Complaint::NeverAwaited(row.name.clone()))
            .collect();
        self.state.complaints.extend(complaints);
        let never_retrieved = self.state.futures.iter().filter(|(_, future)| future.is_unretrieved);
        let complaints: Vec<Complaint> = never_retrieved
            .filter_map(|(id, future)| Some(Complaint::NeverRetrieved(id, future.failure().cloned()?)))
            .collect();
        self.state.complaints.extend(complaints);
        self.state.ready.clear();
        self.state.left = 0;
    }
}
