use std::future::Future;
use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// Completes at SIGTERM or SIGINT.
pub(super) fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
