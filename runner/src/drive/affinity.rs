//! The processors that the runner may use, and threads that keep to one of them.

use std::io;

/// A processor that the runner may use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Processor(usize);

/// This thread keeps to a processor, as do the threads and processes that it starts, until this is dropped.
#[derive(Debug)]
pub(super) struct Pinned {
    #[cfg(target_os = "linux")]
    before: rustix::thread::CpuSet,
}

/// The processors that the runner may use, in the order of their numbers.
///
/// # Errors
///
/// The system does not tell, or has no way to keep a thread on one.
#[cfg(target_os = "linux")]
pub(super) fn processors() -> io::Result<Vec<Processor>> {
    let allowed = rustix::thread::sched_getaffinity(None)?;
    let numbers = 0..rustix::thread::CpuSet::MAX_CPU;
    Ok(numbers
        .filter(|number| allowed.is_set(*number))
        .map(Processor)
        .collect())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn processors() -> io::Result<Vec<Processor>> {
    Err(io::ErrorKind::Unsupported.into())
}

impl Processor {
    /// Has this thread keep to the processor. It does not if the system refuses, such as for a processor that was
    /// switched off meanwhile.
    #[cfg(target_os = "linux")]
    pub(super) fn pin(self) -> Option<Pinned> {
        let before = rustix::thread::sched_getaffinity(None).ok()?;
        let mut own = rustix::thread::CpuSet::new();
        own.set(self.0);
        rustix::thread::sched_setaffinity(None, &own).ok()?;
        Some(Pinned { before })
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn pin(self) -> Option<Pinned> {
        let Self(_) = self;
        None
    }
}

#[cfg(target_os = "linux")]
impl Drop for Pinned {
    fn drop(&mut self) {
        // What was allowed before is allowed still, or the thread stays where it is.
        let _ = rustix::thread::sched_setaffinity(None, &self.before);
    }
}
