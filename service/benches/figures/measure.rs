use std::time::Duration;

use super::scale::Scale;

impl Scale {
    /// A time, at least 50 ms.
    pub(crate) fn time(self, usual: Duration) -> Duration {
        let micros = usize::try_from(usual.as_micros()).expect("a bench takes no such time");
        let micros = u64::try_from(self.count(micros)).expect("a count has at most 64 bits");
        Duration::from_micros(micros).max(Duration::from_millis(50))
    }
}

/// Waits while the measured load continues.
pub(crate) async fn measure_for(time: Duration) {
    tokio::time::sleep(time).await;
}
