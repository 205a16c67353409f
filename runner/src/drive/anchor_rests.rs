use std::collections::HashMap;
use std::time::Duration;

use dragontooth_runner_tournament::Name;
use tokio::time::Instant;

/// The first rest of an anchor. Each further one is twice as long, so that an anchor that stays broken costs the arena a
/// few matches a day.
const REST: Duration = Duration::from_mins(10);
/// The most times that a rest is doubled: to some 21 hours.
const MAX_DOUBLINGS: u32 = 7;

/// The anchors with faults since the runner was started. One that has too many in a row is not paired for a while: it would
/// lose to everybody, and its rating is frozen, so that theirs would rise.
#[derive(Debug, Default)]
pub(super) struct AnchorRests(HashMap<Name, Faults>);

#[derive(Debug, Default)]
struct Faults {
    in_a_row: u32,
    rests: u32,
    until: Option<Instant>,
}

impl AnchorRests {
    /// Notes a fault of an anchor in a match that is over. Returns the rest that it begins `now`, if there were `most` faults
    /// in a row.
    pub(super) fn fault(&mut self, anchor: &Name, most: u32, now: Instant) -> Option<Duration> {
        let faults = self.0.entry(anchor.clone()).or_default();
        faults.in_a_row += 1;
        // Matches that were under way tell nothing new.
        if faults.in_a_row < most || faults.until.is_some_and(|until| until > now) {
            return None;
        }
        let rest = REST * (1 << faults.rests.min(MAX_DOUBLINGS));
        faults.rests += 1;
        faults.until = Some(now + rest);
        Some(rest)
    }

    /// Notes a match that the anchor played without a fault.
    pub(super) fn played(&mut self, anchor: &Name) {
        self.0.remove(anchor);
    }

    /// Returns true while an anchor rests.
    pub(super) fn is_resting(&self, anchor: &Name, now: Instant) -> bool {
        let faults = self.0.get(anchor);
        faults.is_some_and(|faults| faults.until.is_some_and(|until| until > now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_rests_after_faults_in_a_row_and_longer_each_time() {
        let [anchor, other] = ["zero", "other"].map(|name| Name::new(name).unwrap());
        let mut rests = AnchorRests::default();
        let mut now = Instant::now();
        let minutes = Duration::from_mins;
        assert_eq!(rests.fault(&anchor, 2, now), None);
        rests.played(&anchor);
        assert_eq!(rests.fault(&anchor, 2, now), None);
        assert_eq!(rests.fault(&anchor, 2, now), Some(minutes(10)));
        assert_eq!(rests.fault(&anchor, 2, now), None, "it rests already");
        assert!(rests.is_resting(&anchor, now + minutes(9)));
        assert!(!rests.is_resting(&other, now));
        for expected in [20, 40, 80, 160, 320, 640, 1280, 1280] {
            now += minutes(1280);
            assert!(!rests.is_resting(&anchor, now));
            assert_eq!(rests.fault(&anchor, 2, now), Some(minutes(expected)));
        }
        rests.played(&anchor);
        assert!(!rests.is_resting(&anchor, now));
    }
}
