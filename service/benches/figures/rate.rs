use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::measure::measure_for;

/// A rate of operations, with their cost.
#[derive(Clone, Copy)]
pub(crate) struct Rate {
    pub(crate) per_second: f64,
    /// The processor's time for one in microseconds, of all that the process does: clients too.
    pub(crate) cpu_micros: f64,
}

impl Rate {
    /// Measures for `time` how fast `count` grows, after a quarter of it: the first are slower.
    #[expect(clippy::cast_precision_loss, reason = "a figure of three digits")]
    pub(crate) async fn measure(time: Duration, count: impl Fn() -> u64) -> Self {
        measure_for(time / 4).await;
        let (before, cpu, started) = (count(), cpu_time(), Instant::now());
        measure_for(time).await;
        let (done, cpu) = ((count() - before) as f64, cpu_time().saturating_sub(cpu));
        Self {
            per_second: done / started.elapsed().as_secs_f64(),
            cpu_micros: cpu.as_secs_f64() * 1e6 / done,
        }
    }
}

/// The time that the process has had of all processors.
fn cpu_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime))
        .expect("a time that was used is not negative")
}
