use std::time::Duration;

/// How many answers are remembered.
const REMEMBERED: usize = 16;
/// What an answer is taken to need before any was accepted.
const FIRST_GUESS: Duration = Duration::from_millis(20);
/// The longest round trip that is reckoned with: a longer one is taken for an accident.
const LONGEST: Duration = Duration::from_secs(1);

/// How long the last answers took until the service had accepted them.
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

    /// What an answer has to reckon with.
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
