//! Hashes one big buffer again and again on this worker. Not here: threads and the lock that hashing lets go of.

use super::Host;
use crate::wire::JobOutcome;
use crate::workloads::sha256;

/// The buffer holds 0, 1, … 250, 0, 1, …: no run of equal bytes, the same on every machine.
pub fn perform(kibibytes: u32, repeats: u32, host: Host) -> JobOutcome {
    let bytes: Vec<u8> = (0..=250_u8).cycle().take(kibibytes as usize * 1024).collect();
    let mut digest = [0; 32];
    let elapsed_ms = (0..repeats)
        .map(|_| {
            let start = host.now();
            digest = sha256::digest(std::hint::black_box(&bytes));
            host.now() - start
        })
        .collect();
    JobOutcome::Digested {
        elapsed_ms,
        digest: sha256::hexadecimal(&digest),
    }
}
