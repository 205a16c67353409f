/// Lowers the priority of this thread, where threads have priorities of their own. It cannot be raised again.
pub(crate) fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "a thread in the background keeps its priority");
    }
}

/// The niceness of threads in the background. Threads that yield, as those that replay do, get about as little at this one beside
/// threads that never wait as those of the lowest priority, 19, that do not; yielding at that one, they would get a
/// tenth of it.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;
