use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Least time for which an observation counts. A longer one would outlive an adjustment of a clock.
const WINDOW: Duration = Duration::from_mins(1);

/// An estimate of the service's clock, from the times in its messages.
///
/// A time that arrives now was sent a little earlier, so the service's clock is ahead of it. The observation
/// that puts the clock furthest ahead is therefore the best.
#[derive(Clone, Debug)]
pub(super) struct ServerClock {
    started: Instant,
    started_wall: SystemTime,
    /// Lead of the service's clock over the local one, in nanoseconds.
    best: Option<i128>,
    best_before: Option<i128>,
    window_start: Instant,
}

impl ServerClock {
    pub(super) const fn new(now: Instant, wall: SystemTime) -> Self {
        Self {
            started: now,
            started_wall: wall,
            best: None,
            best_before: None,
            window_start: now,
        }
    }

    /// Notes that the service's clock shows at least `server` now.
    pub(super) fn observe(&mut self, server: SystemTime, now: Instant) {
        if now.saturating_duration_since(self.window_start) > WINDOW {
            self.best_before = self.best.take();
            self.window_start = now;
        }
        let ahead = nanoseconds(server) - self.local(now);
        self.best = self.best.max(Some(ahead));
    }

    /// Returns the time until `deadline` by the service's clock, or zero if it has passed. Before the first
    /// observation, the local clock is used instead.
    pub(super) fn until(&self, deadline: SystemTime, now: Instant) -> Duration {
        let ahead = self.best.max(self.best_before).unwrap_or(0);
        let left = nanoseconds(deadline) - (self.local(now) + ahead);
        u64::try_from(left.max(0)).map_or(Duration::MAX, Duration::from_nanos)
    }

    /// Returns the time until `deadline` of a seat that has `whole` for its decision. Before the first observation, a
    /// deadline that seems to have passed shows that the local clock is ahead: a service sends no decision that is too late.
    pub(super) fn left(&self, deadline: SystemTime, whole: Duration, now: Instant) -> Duration {
        let left = self.until(deadline, now);
        let is_unknown = self.best.is_none() && self.best_before.is_none();
        if is_unknown && left.is_zero() {
            whole
        } else {
            left.min(whole)
        }
    }

    fn local(&self, now: Instant) -> i128 {
        let since = now.saturating_duration_since(self.started).as_nanos();
        nanoseconds(self.started_wall) + i128::try_from(since).unwrap_or(i128::MAX / 4)
    }
}

/// Nanoseconds since 1970.
fn nanoseconds(time: SystemTime) -> i128 {
    let small = |span: Duration| i128::try_from(span.as_nanos()).unwrap_or(i128::MAX / 4);
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => small(after),
        Err(error) => -small(error.duration()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn trusts_the_local_clock_until_it_knows_better() {
        let (now, wall) = (Instant::now(), SystemTime::now());
        let clock = ServerClock::new(now, wall);
        assert_eq!(clock.until(wall + 100 * MS, now + 30 * MS), 70 * MS);
        assert_eq!(clock.until(wall, now + 30 * MS), Duration::ZERO);
    }

    #[test]
    fn takes_the_observation_with_the_least_delay() {
        let (now, wall) = (Instant::now(), SystemTime::now());
        let mut clock = ServerClock::new(now, wall);
        // The service's clock is 5 s behind; its messages travel 40 ms, 2 ms and 300 ms.
        let behind = Duration::from_secs(5);
        for (sent, travelled) in [(0, 40), (100, 2), (200, 300)] {
            clock.observe(wall + sent * MS - behind, now + (sent + travelled) * MS);
        }
        let left = clock.until(wall + 1000 * MS - behind, now + 600 * MS);
        assert_eq!(left, 402 * MS);
    }

    #[test]
    fn forgets_old_observations() {
        let (now, wall) = (Instant::now(), SystemTime::now());
        let mut clock = ServerClock::new(now, wall);
        clock.observe(wall + Duration::from_secs(9), now);
        for minute in 1..=3 {
            let later = Duration::from_mins(minute) + u32::try_from(minute).unwrap() * MS;
            clock.observe(wall + later, now + later);
        }
        let later = Duration::from_mins(4);
        assert_eq!(clock.until(wall + later + MS, now + later), MS);
    }

    #[test]
    fn leaves_no_more_than_the_whole_clock_and_not_nothing_unless_it_knows() {
        let (now, wall) = (Instant::now(), SystemTime::now());
        let mut clock = ServerClock::new(now, wall);
        let whole = 100 * MS;
        let hour = Duration::from_hours(1);
        // The local clock is an hour behind, right, and an hour ahead.
        assert_eq!(clock.left(wall + hour, whole, now), whole);
        assert_eq!(clock.left(wall + 70 * MS, whole, now), 70 * MS);
        assert_eq!(clock.left(wall - hour, whole, now), whole);
        clock.observe(wall, now);
        assert_eq!(clock.left(wall - MS, whole, now), Duration::ZERO);
        assert_eq!(clock.left(wall + hour, whole, now), whole);
    }

    #[test]
    fn accepts_any_time() {
        let (now, wall) = (Instant::now(), SystemTime::now());
        let mut clock = ServerClock::new(now, wall);
        let far = UNIX_EPOCH + Duration::from_secs(i64::MAX as u64);
        assert_eq!(clock.until(far, now), Duration::MAX);
        clock.observe(far, now);
        assert_eq!(clock.until(wall, now), Duration::ZERO);
    }
}
