//! Hashes inputs: alone or with threads of the pool, free or under an interpreter lock that long hashes let go of.
//!
//! Not here: SHA-256, and from which length on the lock is let go of (`workloads`). Not here either: files. A worker of a
//! browser has none, so a read is a copy out of memory, which is what the read of a cached file is; like every read it
//! lets go of the lock.

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Host, InterpreterLock, pool};
use crate::wire::{HashJob, HashesSeen, JobOutcome, Runtime, Sabotage, WorkSpan};
use crate::workloads::sha256::{digest_of_text, hexadecimal, releases_lock, window};

/// Hashes all inputs.
pub fn perform(job: &HashJob, host: Host) -> JobOutcome {
    let lock = InterpreterLock::new(job.switch_interval_us);
    let is_free = job.runtime == Runtime::FreeThreaded || job.sabotage == Some(Sabotage::NoInterpreterLock);
    let hashing = Hashing {
        job,
        host,
        text: window(job.input_bytes as usize),
        lock: (!is_free).then_some(&lock),
        next: AtomicU32::new(0),
        releases: AtomicU32::new(0),
        done: Mutex::default(),
    };
    let start = host.now();
    if job.workers > 1 {
        pool::run(job.workers, &|worker| hashing.work(worker), &mut || ());
    } else {
        hashing.work(0);
    }
    let elapsed_ms = host.now() - start;
    let releases = hashing.releases.into_inner();
    let done = hashing.done.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Into the order of the tasks by their places: sorting would bring a whole sorting algorithm into the module.
    let mut in_order: Vec<Option<Done>> = (0..job.tasks).map(|_| None).collect();
    for task in done {
        if let Some(place) = in_order.get_mut(task.span.task as usize) {
            *place = Some(task);
        }
    }
    let in_order = in_order.into_iter().flatten();
    let (digests, spans) = in_order.map(|task| (hexadecimal(&task.digest), task.span)).unzip();
    JobOutcome::Hashed(HashesSeen {
        elapsed_ms,
        digests,
        inputs: job.inputs,
        input_bytes: job.input_bytes,
        releases,
        spans,
        hand_overs: lock.hand_overs(),
    })
}

/// A task that is done.
struct Done {
    digest: [u8; 32],
    span: WorkSpan,
}

/// What the threads share.
struct Hashing<'job> {
    job: &'job HashJob,
    host: Host,
    text: Vec<u8>,
    lock: Option<&'job InterpreterLock>,
    next: AtomicU32,
    releases: AtomicU32,
    done: Mutex<Vec<Done>>,
}

impl Hashing<'_> {
    /// One thread: takes the next task as long as there is one, and holds the lock but for what lets go of it.
    fn work(&self, worker: u32) {
        if let Some(lock) = self.lock {
            lock.take(worker);
        }
        loop {
            let task = self.next.fetch_add(1, Ordering::Relaxed);
            if task >= self.job.tasks {
                break;
            }
            let start_ms = self.host.now();
            let Some(digest) = self.task(task, worker) else {
                continue;
            };
            let span = WorkSpan {
                worker,
                task,
                start_ms,
                end_ms: self.host.now(),
            };
            let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
            done.push(Done { digest, span });
        }
        if let Some(lock) = self.lock {
            lock.release(worker);
        }
    }

    /// The digest of the task's inputs, one that differs from the first where there is one; none without inputs.
    fn task(&self, task: u32, worker: u32) -> Option<[u8; 32]> {
        let mut file = vec![0; if self.job.reads { self.text.len() } else { 0 }];
        let mut first = None;
        let mut odd = None;
        for _ in 0..self.job.share(task) {
            let digest = if self.job.reads {
                self.without_lock(worker, || file.copy_from_slice(black_box(&self.text)));
                self.hash(worker, &file)
            } else {
                self.hash(worker, &self.text)
            };
            if *first.get_or_insert(digest) != digest {
                odd = Some(digest);
            }
            if let Some(lock) = self.lock {
                lock.check_point(worker);
            }
        }
        odd.or(first)
    }

    fn hash(&self, worker: u32, text: &[u8]) -> [u8; 32] {
        let whole = self.job.input_bytes as usize;
        // Only several workers get it wrong, so that one worker shows what is right.
        let is_wrong = self.job.sabotage == Some(Sabotage::WrongTotals) && self.job.workers > 1;
        let n_bytes = whole - usize::from(is_wrong);
        let digest = || digest_of_text(black_box(text), n_bytes);
        let keeps = self.job.sabotage == Some(Sabotage::HashThatKeepsTheLock);
        if keeps || self.lock.is_none() || !releases_lock(whole) {
            return digest();
        }
        self.releases.fetch_add(1, Ordering::Relaxed);
        self.without_lock(worker, digest)
    }

    fn without_lock<T>(&self, worker: u32, work: impl FnOnce() -> T) -> T {
        let Some(lock) = self.lock else {
            return work();
        };
        lock.release(worker);
        let result = work();
        lock.take(worker);
        result
    }
}
