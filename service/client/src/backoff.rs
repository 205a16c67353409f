use std::time::Duration;

use uuid::Uuid;

/// Exponential backoff with a cap. The pauses are jittered, so that many clients do not reconnect
/// at the same moment.
#[derive(Clone, Debug)]
pub struct Backoff {
    next: Duration,
}

impl Backoff {
    /// Longest first pause.
    pub const FIRST: Duration = Duration::from_millis(100);
    /// Longest pause.
    pub const CAP: Duration = Duration::from_secs(10);

    /// Creates a backoff at its shortest pause.
    #[must_use]
    pub const fn new() -> Self {
        Self { next: Self::FIRST }
    }

    /// Starts again from the shortest pause, after a success.
    pub const fn reset(&mut self) {
        self.next = Self::FIRST;
    }

    /// Returns the pause after another failure, between half and all of the longest one allowed now. If `asked` is longer than half, it
    /// takes the place of the half, up to [`Self::CAP`].
    #[must_use]
    pub fn pause(&mut self, asked: Option<Duration>) -> Duration {
        let (_, random) = Uuid::new_v4().as_u64_pair();
        self.pause_drawn(asked, random)
    }

    fn pause_drawn(&mut self, asked: Option<Duration>, random: u64) -> Duration {
        const PARTS: u32 = 1024;
        let longest = self.next;
        self.next = (longest * 2).min(Self::CAP);
        let part = u32::try_from(random % u64::from(PARTS)).expect("the remainder is below 1024");
        let jitter = longest / 2 * part / PARTS;
        let asked = asked.unwrap_or_default().min(Self::CAP);
        asked.max(longest / 2) + jitter
    }
}

impl Default for Backoff {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_up_to_the_cap_and_starts_again() {
        let mut backoff = Backoff::new();
        let pauses: Vec<u128> = (0..9)
            .map(|_| backoff.pause_drawn(None, 0).as_millis())
            .collect();
        assert_eq!(pauses, [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
        backoff.reset();
        assert_eq!(backoff.pause_drawn(None, 0).as_millis(), 50);
    }

    #[test]
    fn stays_between_half_and_all() {
        for random in [0, 1, 511, 1023, u64::MAX] {
            let pause = Backoff::new().pause_drawn(None, random);
            assert!(
                pause >= Backoff::FIRST / 2 && pause <= Backoff::FIRST,
                "{pause:?}"
            );
        }
    }

    #[test]
    fn waits_as_long_as_it_is_asked_to_but_not_for_ever() {
        let mut backoff = Backoff::new();
        let asked = Duration::from_secs(2);
        assert_eq!(backoff.pause_drawn(Some(asked), 0), asked);
        assert_eq!(backoff.pause_drawn(Some(Duration::MAX), 0), Backoff::CAP);
        let pauses: Vec<u64> = (0..6)
            .map(|_| backoff.pause_drawn(Some(asked), 0).as_secs())
            .collect();
        assert_eq!(pauses, [2, 2, 2, 2, 3, 5]);
    }
}
