use std::time::Duration;

/// Number of answers that are remembered.
const REMEMBERED: usize = 16;
/// Assumed round trip before the first answer is accepted.
const FIRST_GUESS: Duration = Duration::from_millis(20);
/// Upper bound of a round trip: a longer one counts as an outlier.
const LONGEST: Duration = Duration::from_secs(1);

/// The times from sending to acceptance of the last answers.
#[derive(Clone, Debug)]
pub(super) struct RoundTrips {
    last: [Duration; REMEMBERED],
    next: usize,
}

impl RoundTrips {
    pub(super) const fn new() -> Self {
        Self {
            last: [FIRST_GUESS; REMEMBERED],
            next: 0,
        }
    }

    pub(super) fn add(&mut self, took: Duration) {
        self.last[self.next] = took.min(LONGEST);
        self.next = (self.next + 1) % REMEMBERED;
    }

    /// The longest of them.
    pub(super) fn longest(&self) -> Duration {
        self.last.into_iter().max().unwrap_or(FIRST_GUESS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_the_longest_of_the_last_ones() {
        let mut trips = RoundTrips::new();
        assert_eq!(trips.longest(), FIRST_GUESS);
        trips.add(Duration::from_mins(5));
        assert_eq!(trips.longest(), LONGEST);
        for _ in 0..REMEMBERED {
            trips.add(Duration::from_millis(3));
        }
        assert_eq!(trips.longest(), Duration::from_millis(3));
    }
}
