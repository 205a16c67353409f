//! The processes of a program: it and whatever it has started.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::Child;
use tokio::time::timeout;

/// Ends a program that leads a group of processes: asks it to end, and when `grace` has passed
/// ends it. The whole group ends.
pub(super) async fn end(child: &mut Child, grace: Duration) {
    let Some(group) = leader(child) else {
        return;
    };
    // It may have ended by itself.
    let _ = kill_process_group(group, Signal::TERM);
    let _ = timeout(grace, child.wait()).await;
    kill(group);
    let _ = child.wait().await;
}

/// The group that the program leads; none if it has ended and been waited for.
pub(super) fn leader(child: &Child) -> Option<Pid> {
    child
        .id()
        .and_then(|id| i32::try_from(id).ok())
        .and_then(Pid::from_raw)
}

/// Ends all that is left of a group at once.
pub(super) fn kill(group: Pid) {
    // There may be nothing left.
    let _ = kill_process_group(group, Signal::KILL);
}
