//! Two threads that wait for something outside, each with the one lock held: on the machine, where it takes time.
//!
//! Not here: its schedules, none of which is wrong.

use crate::labs::Scene;
use crate::machine::front::{Here, program};
use crate::machine::threads::{Machine, MachineSettings, Patience};
use crate::machine::{Nanoseconds, Value};

use super::THREADS;

/// How long each waits.
pub const WAIT: Nanoseconds = Nanoseconds::millis(100);

/// The machine of the row.
pub fn scene(settings: MachineSettings) -> Scene {
    let mut machine = Machine::new(settings);
    let here = Here::new();
    machine.start(program(&here, |here| async move {
        let lock = here.new_thread_lock().await?;
        let mut threads = Vec::new();
        for _ in 0..THREADS {
            let body = move |here: Here| async move {
                here.acquire_thread_lock(lock, Patience::Forever).await?;
                here.block(WAIT).await;
                // Sabotaged, the lock may be free already.
                let _ = here.release_thread_lock(lock).await;
                Ok(Value::None)
            };
            threads.push(here.start_thread(body).await?);
        }
        for thread in threads {
            here.join_thread(thread, None).await?;
        }
        Ok(Value::None)
    }));
    Scene {
        machine,
        read: Box::new(|_, _, _| {}),
    }
}
