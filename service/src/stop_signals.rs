use std::fs;
use std::future::pending;
use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that stop a program: SIGTERM, SIGINT, and SIGHUP, by which a terminal that is
/// closed says so. Who starts a program so that it ignores SIGHUP, as `nohup` does, wants it to go on.
#[derive(Debug)]
pub struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Option<Signal>,
}

impl StopSignals {
    /// Listens for them from here on.
    ///
    /// # Errors
    ///
    /// The system does not let it.
    ///
    /// # Panics
    ///
    /// Outside of a runtime.
    pub fn listen() -> io::Result<Self> {
        let hangup = hangup_ends();
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: hangup.then(|| signal(SignalKind::hangup())).transpose()?,
        })
    }

    /// Ready at the next one.
    pub async fn next(&mut self) {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => pending().await,
            }
        };
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = hangup => {}
        }
    }
}

/// Returns true if SIGHUP is known not to be ignored. Listening for an ignored signal would stop ignoring it.
fn hangup_ends() -> bool {
    let status = fs::read_to_string("/proc/self/status");
    status.is_ok_and(|status| ignored(&status).is_some_and(|signals| signals & 1 == 0))
}

/// The signals that a process ignores, the first in the lowest bit, from its `/proc/self/status`.
fn ignored(status: &str) -> Option<u64> {
    let digits = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(digits.trim(), 16).ok()
}
