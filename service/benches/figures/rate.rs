use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::load::PLAYER_THREADS;
use crate::measure::measure_for;

/// The unit of the times of threads: that of Linux on every machine.
const TICKS_PER_SECOND: u32 = 100;

/// A rate of operations, with their cost.
#[derive(Clone, Copy)]
pub(crate) struct Rate {
    pub(crate) per_second: f64,
    /// The processor's time for one in microseconds, without that of [`PLAYER_THREADS`].
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

/// The time that the process has had of all processors, without that of the players' threads.
fn cpu_time() -> Duration {
    let all = Duration::try_from(clock_gettime(ClockId::ProcessCPUTime))
        .expect("a time that was used is not negative");
    let tasks = fs::read_dir("/proc/self/task").expect("a system with /proc");
    let of_players = tasks.filter_map(|task| player_time(&task.ok()?.path()));
    all.saturating_sub(of_players.sum())
}

/// The time of a thread of players; `None` for another thread, or for one that has ended.
fn player_time(task: &Path) -> Option<Duration> {
    let stat = fs::read_to_string(task.join("stat")).ok()?;
    let (before, rest) = stat.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    if name != PLAYER_THREADS {
        return None;
    }
    // Time as user and in the system are the 14th and 15th field, and these the third and all after it.
    let mut ticks = rest
        .split_ascii_whitespace()
        .skip(11)
        .map(str::parse::<u64>);
    let ticks = ticks.next()?.ok()? + ticks.next()?.ok()?;
    Some(Duration::from_secs(1) * u32::try_from(ticks).ok()? / TICKS_PER_SECOND)
}
