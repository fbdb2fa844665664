//! Hashing with made-up times and digests. Not here: the page.

use concurrency_playground::wire::{HashJob, HashesSeen, JobOutcome, Runtime, Sabotage};

use super::{FakePage, share_out};

impl FakePage {
    /// 300 MiB a second, with something for each input and each read.
    pub fn hash(&mut self, job: &HashJob) -> JobOutcome {
        let is_free = job.runtime == Runtime::FreeThreaded;
        let has_lock = !is_free && job.sabotage != Some(Sabotage::NoInterpreterLock);
        let lets_go = job.input_bytes > 2_047 && job.sabotage != Some(Sabotage::HashThatKeepsTheLock);
        let input_ms = f64::from(job.input_bytes) * 3e-6 + 2e-4 + if job.reads { 0.01 } else { 0.0 };
        let at_once = if has_lock && !lets_go {
            1
        } else {
            job.workers.min(self.cores)
        };
        let speed = match job.workers {
            1 => 1.0,
            _ if is_free => self.free_speed,
            _ => self.lock_speed,
        };
        let times: Vec<f64> = (0..job.tasks)
            .map(|task| self.noisy(input_ms * f64::from(job.share(task)) / speed))
            .collect();
        let (elapsed_ms, spans) = share_out(&times, at_once);
        let is_wrong = job.sabotage == Some(Sabotage::WrongTotals) && job.workers > 1;
        JobOutcome::Hashed(HashesSeen {
            elapsed_ms,
            digests: vec![digest(job.input_bytes - u32::from(is_wrong)); job.tasks as usize],
            inputs: job.inputs,
            input_bytes: job.input_bytes,
            releases: if has_lock && lets_go { job.inputs } else { 0 },
            spans,
            hand_overs: if has_lock { 40 } else { 0 },
        })
    }
}

/// CPython's digest of the lengths that this page is asked for by itself, else something that no other length has.
fn digest(input_bytes: u32) -> String {
    let known = match input_bytes {
        64 => "2ff100b36c386c65a1afc462ad53e25479bec9498ed00aa5a04de584bc25301b",
        0x1_0000 => "83bc7d7f31ce72a1db0bb4f57e6f17317f99951b1c51f5c7cb3fcd6c76e9e306",
        0x100_0000 => "534da8e71e98738dd9a354a50e592c25436faaa2f521063ec982069498729da7",
        _ => return format!("{input_bytes:064x}"),
    };
    known.to_owned()
}
