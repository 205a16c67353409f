use std::sync::mpsc;
use std::time::Duration;

/// The smallest step of tokio's timers.
pub(crate) const TICK: Duration = Duration::from_millis(1);

/// The time of the runtime, which stands still between two calls of [`StillClock::pass`]; so a service in this
/// process has all the time that it needs. Of a runtime with one thread.
#[derive(Debug)]
pub(crate) struct StillClock {
    /// A paused clock runs ahead while the runtime only waits, except during a blocking call: this one lasts until
    /// the other end of its channel is dropped.
    _held: mpsc::Sender<()>,
}

impl StillClock {
    /// Stops the time.
    pub(crate) fn new() -> Self {
        tokio::time::pause();
        let (sender, dropped) = mpsc::channel();
        tokio::task::spawn_blocking(move || dropped.recv());
        Self { _held: sender }
    }

    /// Lets this much time pass.
    pub(crate) async fn pass(&self, time: Duration) {
        tokio::time::advance(time).await;
    }

    /// Lets all but a tick of `time` pass.
    pub(crate) async fn pass_almost(&self, time: Duration) {
        self.pass(time.saturating_sub(TICK)).await;
    }

    /// Lets the rest pass after [`StillClock::pass_almost`], and the tick by which a timer may be late.
    pub(crate) async fn pass_the_rest(&self) {
        self.pass(TICK * 2).await;
    }
}

impl Drop for StillClock {
    /// Lets the time run as it does.
    fn drop(&mut self) {
        tokio::time::resume();
    }
}
