use std::sync::Arc;
use std::time::{Duration, SystemTime};

use dragontooth_service_store::{EventLog, StorageError};
use tokio::time::{Instant, sleep};
use tracing::debug;

use crate::metrics;
use crate::wall_clock::{Reading, WallClock};

/// Number of readings at the start, of which the quickest counts.
const FIRST_READINGS: usize = 8;

/// Interval at which the clock is compared with that of the log.
const INTERVAL: Duration = Duration::from_secs(2);

/// Starts the clock from that of the log; if it has none, from that of the system.
///
/// # Errors
///
/// The log's clock cannot be read.
pub(crate) async fn start_clock(
    log: &dyn EventLog,
    system_time: fn() -> SystemTime,
) -> Result<WallClock, StorageError> {
    let mut best = None::<Reading>;
    for _ in 0..FIRST_READINGS {
        let Some(reading) = read(log).await? else {
            return Ok(WallClock::start_at_system_time(system_time()));
        };
        if best.is_none_or(|best| reading.uncertainty() < best.uncertainty()) {
            best = Some(reading);
        }
    }
    Ok(best.map_or_else(WallClock::start, |best| WallClock::start_from(&best)))
}

/// Has the clock follow that of the log for as long as it is polled.
pub(crate) async fn follow(log: Arc<dyn EventLog>, clock: WallClock) {
    loop {
        sleep(INTERVAL).await;
        match read(&*log).await {
            Ok(Some(reading)) => metrics::clock_error(clock.follow(&reading)),
            Ok(None) => return std::future::pending().await,
            Err(error) => debug!(%error, "the time of the log cannot be read"),
        }
    }
}

async fn read(log: &dyn EventLog) -> Result<Option<Reading>, StorageError> {
    let begun = Instant::now();
    let time = log.time().await?;
    let ended = Instant::now();
    Ok(time.map(|time| Reading { begun, ended, time }))
}
