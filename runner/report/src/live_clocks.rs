use std::time::{Duration, SystemTime};

use dragontooth_games::Seat;
use dragontooth_service_vocabulary::TimeControl;

/// Time left below which a clock shows tenths of a second.
const TENTHS_BELOW: Duration = Duration::from_secs(10);

/// The clocks of a match under way, as they were at its last step.
#[derive(Clone, Copy, Debug)]
pub(super) struct LiveClocks {
    controls: [Option<TimeControl>; 2],
    /// Time at the start of the pending decision, by seat.
    left: [Duration; 2],
    /// Time of the last step.
    stepped: SystemTime,
}

/// A clock as the page shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LiveClock {
    /// Time left when it started, or while it stands still.
    pub(super) left: Duration,
    /// The time since which it runs; `None` means that it stands still.
    pub(super) since: Option<SystemTime>,
}

impl LiveClocks {
    /// The clocks at the start of a match.
    pub(super) fn new(controls: [Option<TimeControl>; 2], now: SystemTime) -> Self {
        let left = controls.map(|control| match control {
            Some(TimeControl::PerAction { limit }) => limit,
            Some(TimeControl::Fischer { base, .. } | TimeControl::Delay { base, .. }) => base,
            None => Duration::ZERO,
        });
        Self {
            controls,
            left,
            stepped: now,
        }
    }

    /// A seat has this time left after its action.
    pub(super) const fn set(&mut self, seat: Seat, left: Duration) {
        self.left[seat.index()] = left;
    }

    /// Something happened in the match.
    pub(super) const fn step(&mut self, now: SystemTime) {
        self.stepped = now;
    }

    /// The clock of a seat, which runs if the seat is the one to decide; `None` without a clock.
    pub(super) fn of(&self, seat: Seat, to_decide: Option<Seat>) -> Option<LiveClock> {
        let delay = match self.controls[seat.index()]? {
            TimeControl::Delay { delay, .. } => delay,
            TimeControl::PerAction { .. } | TimeControl::Fischer { .. } => Duration::ZERO,
        };
        let runs = to_decide == Some(seat);
        Some(LiveClock {
            left: self.left[seat.index()],
            since: runs.then(|| self.stepped.checked_add(delay)).flatten(),
        })
    }
}

/// The time on a clock: `1:05:09`, `5:09`, and tenths of a second in the last ten, rounded down.
pub(super) fn clock_text(left: Duration) -> String {
    let seconds = left.as_secs();
    if left < TENTHS_BELOW {
        return format!("{seconds}.{}", left.subsec_millis() / 100);
    }
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let seconds = seconds % 60;
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_of_the_seat_to_decide_runs() {
        let seconds = Duration::from_secs;
        let delay = TimeControl::Delay {
            base: seconds(60),
            delay: seconds(5),
        };
        let begun = SystemTime::UNIX_EPOCH + seconds(1000);
        let mut clocks = LiveClocks::new([Some(delay), None], begun);
        let of = |clocks: &LiveClocks, to_decide| Seat::BOTH.map(|seat| clocks.of(seat, to_decide));
        let still = Some(LiveClock {
            left: seconds(60),
            since: None,
        });
        assert_eq!(of(&clocks, None), [still, None]);
        assert_eq!(of(&clocks, Some(Seat::Second)), [still, None]);
        clocks.set(Seat::First, seconds(50));
        clocks.step(begun + seconds(20));
        // The delay of the decision is not deducted.
        let runs = LiveClock {
            left: seconds(50),
            since: Some(begun + seconds(25)),
        };
        assert_eq!(of(&clocks, Some(Seat::First)), [Some(runs), None]);
    }

    #[test]
    fn clocks_read_as_on_the_page_of_the_service() {
        for (millis, text) in [
            (0, "0.0"),
            (9_999, "9.9"),
            (10_000, "0:10"),
            (309_900, "5:09"),
            (3_909_000, "1:05:09"),
        ] {
            assert_eq!(clock_text(Duration::from_millis(millis)), text);
        }
    }
}
