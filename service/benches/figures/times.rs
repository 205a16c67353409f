use std::time::Duration;

/// The times of calls, sorted.
pub(crate) struct Times(Vec<Duration>);

/// The head of the lines that [`Times::row`] gives.
pub(crate) const HEAD: &str = "   calls     p50     p99   p99.9      max";

impl Times {
    pub(crate) fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    /// The time in milliseconds that so many thousandths of the calls do not exceed.
    pub(crate) fn millis(&self, per_mille: usize) -> f64 {
        let place = (self.0.len() * per_mille / 1000).min(self.0.len() - 1);
        self.0[place].as_secs_f64() * 1000.0
    }

    pub(crate) fn row(&self) -> String {
        format!(
            "{:>8} {:>7.2} {:>7.2} {:>7.2} {:>8.2}",
            self.0.len(),
            self.millis(500),
            self.millis(990),
            self.millis(999),
            self.millis(1000)
        )
    }
}
