use std::time::Duration;

use dragontooth_service_vocabulary::Timestamp;

/// The parts of a token that a bucket counts in: with them a rate of whole tokens a second gains a
/// whole number of parts a microsecond, so that nothing is ever rounded.
const PARTS: u64 = 1_000_000;

/// A rate: a steady number per second, and a burst after a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    per_second: u32,
    burst: u32,
}

impl Rate {
    /// `None` for zero a second, which means no limit. The burst is at least 1.
    pub(crate) fn new(per_second: u32, burst: u32) -> Option<Self> {
        (per_second > 0).then_some(Self {
            per_second,
            burst: burst.max(1),
        })
    }

    pub(crate) const fn per_second(self) -> u32 {
        self.per_second
    }

    pub(crate) const fn burst(self) -> u32 {
        self.burst
    }

    fn capacity(self) -> u64 {
        u64::from(self.burst) * PARTS
    }
}

/// Tokens that come in steadily up to a burst, and are spent one at a time.
///
/// It has no clock: each call brings the time. A time before that of the last call counts as that.
///
/// The crate `governor` (0.10) does not replace it. It keeps a whole number of nanoseconds per token, so that at 7
/// tokens a second the wait it gives is too short by up to a microsecond after a burst of 1,000, and above 10⁹ a
/// second the interval is zero; `RetryInfo` is exact here. It also cannot report a budget without spending from
/// it, and it reads its own clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TokenBucket {
    parts: u64,
    at: Timestamp,
}

impl TokenBucket {
    /// A full bucket.
    pub(crate) fn full(rate: Rate, now: Timestamp) -> Self {
        Self {
            parts: rate.capacity(),
            at: now,
        }
    }

    /// Takes a token.
    ///
    /// # Errors
    ///
    /// No token is left; the time until the next one, at least a microsecond.
    pub(crate) fn spend(&mut self, rate: Rate, now: Timestamp) -> Result<(), Duration> {
        self.fill(rate, now);
        match self.parts.checked_sub(PARTS) {
            Some(left) => {
                self.parts = left;
                Ok(())
            }
            None => Err(time_to_gain(PARTS - self.parts, rate)),
        }
    }

    /// Takes all but one of `cost` tokens, of which one has been taken before; no more than a full bucket holds.
    ///
    /// # Errors
    ///
    /// They are not there; the time until all of `cost` are.
    pub(crate) fn spend_rest(
        &mut self,
        rate: Rate,
        cost: u32,
        now: Timestamp,
    ) -> Result<(), Duration> {
        self.fill(rate, now);
        let rest = u64::from(cost.clamp(1, rate.burst) - 1) * PARTS;
        match self.parts.checked_sub(rest) {
            Some(left) => {
                self.parts = left;
                Ok(())
            }
            None => Err(time_to_gain(rest + PARTS - self.parts, rate)),
        }
    }

    /// Takes `cost` tokens of those above half of a burst, and no more than these can be.
    ///
    /// # Errors
    ///
    /// They are not there; the time until they are.
    pub(crate) fn spend_spare(
        &mut self,
        rate: Rate,
        cost: u32,
        now: Timestamp,
    ) -> Result<(), Duration> {
        self.fill(rate, now);
        let kept = u64::from(rate.burst / 2) * PARTS;
        let cost = (u64::from(cost) * PARTS).min(rate.capacity() - kept);
        if self.parts < kept + cost {
            return Err(time_to_gain(kept + cost - self.parts, rate));
        }
        self.parts -= cost;
        Ok(())
    }

    /// The whole tokens that it holds.
    pub(crate) fn tokens(&self, rate: Rate, now: Timestamp) -> u64 {
        self.filled(rate, now).parts / PARTS
    }

    /// The time until it is full.
    pub(crate) fn time_to_full(&self, rate: Rate, now: Timestamp) -> Duration {
        let parts = self.filled(rate, now).parts;
        time_to_gain(rate.capacity() - parts, rate)
    }

    fn filled(mut self, rate: Rate, now: Timestamp) -> Self {
        self.fill(rate, now);
        self
    }

    fn fill(&mut self, rate: Rate, now: Timestamp) {
        let micros = now.micros().saturating_sub(self.at.micros());
        let gained = micros.saturating_mul(u64::from(rate.per_second));
        self.parts = self.parts.saturating_add(gained).min(rate.capacity());
        self.at = self.at.max(now);
    }
}

fn time_to_gain(parts: u64, rate: Rate) -> Duration {
    Duration::from_micros(parts.div_ceil(u64::from(rate.per_second)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same rule in another form: since any earlier grant, that one included, at most a burst and
    /// the tokens that came in since may have been granted.
    struct Reference {
        rate: Rate,
        granted: Vec<u64>,
    }

    impl Reference {
        fn would_grant(&self, now: u64) -> bool {
            let million = u128::from(PARTS);
            let burst = u128::from(self.rate.burst()) * million;
            self.granted.iter().enumerate().all(|(index, since)| {
                let granted = (self.granted.len() - index + 1) as u128;
                let came_in = u128::from(self.rate.per_second()) * u128::from(now - since);
                granted * million <= burst + came_in
            })
        }

        fn spend(&mut self, now: u64) -> bool {
            let granted = self.would_grant(now);
            if granted {
                self.granted.push(now);
            }
            granted
        }
    }

    fn rates() -> impl Strategy<Value = Rate> {
        let per_second = prop_oneof![1..10_u32, 1..2000_u32, 1..=u32::MAX];
        (per_second, 1..12_u32).prop_map(|(rate, burst)| Rate::new(rate, burst).unwrap())
    }

    /// Pauses of all sizes: within a token's time, about it, and beyond.
    fn pauses(rate: Rate) -> impl Strategy<Value = Vec<u64>> {
        let token = PARTS / u64::from(rate.per_second());
        let pause = prop_oneof![
            Just(0),
            0..3_u64,
            token.saturating_sub(2)..token + 3,
            0..token * 5 + 2,
        ];
        proptest::collection::vec(pause, 1..120)
    }

    proptest! {
        #[test]
        fn grants_what_the_reference_grants(
            (rate, pauses) in rates().prop_flat_map(|rate| (Just(rate), pauses(rate))),
            start in 0..1_u64 << 40,
        ) {
            let mut now = start;
            let mut bucket = TokenBucket::full(rate, Timestamp::from_micros(now));
            let mut reference = Reference { rate, granted: Vec::new() };
            for pause in pauses {
                now += pause;
                let time = Timestamp::from_micros(now);
                let before = bucket.tokens(rate, time);
                let spent = bucket.spend(rate, time);
                prop_assert_eq!(spent.is_ok(), before > 0);
                prop_assert_eq!(spent.is_ok(), reference.spend(now));
                if let Err(wait) = spent {
                    let wait = u64::try_from(wait.as_micros()).unwrap();
                    prop_assert!(reference.would_grant(now + wait), "it waits too briefly");
                    prop_assert!(!reference.would_grant(now + wait - 1), "it waits too long");
                }
            }
        }

        /// After the time that a refusal names, and not before, the whole cost can be paid: one token and the rest.
        #[test]
        fn the_wait_for_the_rest_is_exact(
            rate in rates(),
            cost in 1..20_u32,
            spent in 0..12_u32,
            pause in 0..2_000_000_u64,
        ) {
            let mut bucket = TokenBucket::full(rate, Timestamp::default());
            for _ in 0..spent {
                let _ = bucket.spend(rate, Timestamp::default());
            }
            let now = Timestamp::from_micros(pause);
            let cost = cost.min(rate.burst());
            let before = bucket.tokens(rate, now);
            let pays = |mut bucket: TokenBucket, time: Timestamp| {
                bucket.spend(rate, time).is_ok() && bucket.spend_rest(rate, cost, time).is_ok()
            };
            prop_assert_eq!(pays(bucket, now), before >= u64::from(cost));
            if bucket.spend(rate, now).is_ok()
                && let Err(wait) = bucket.spend_rest(rate, cost, now)
            {
                let enough = now.after(wait);
                let too_early = Timestamp::from_micros(enough.micros() - 1);
                prop_assert!(pays(bucket, enough), "it waits too briefly");
                prop_assert!(!pays(bucket, too_early), "it waits too long");
            }
        }

        #[test]
        fn is_full_when_it_says(
            (rate, pauses) in rates().prop_flat_map(|rate| (Just(rate), pauses(rate))),
        ) {
            let mut now = 0;
            let mut bucket = TokenBucket::full(rate, Timestamp::default());
            for pause in pauses {
                now += pause;
                let _ = bucket.spend(rate, Timestamp::from_micros(now));
                let rest = bucket.time_to_full(rate, Timestamp::from_micros(now));
                let full = Timestamp::from_micros(now).after(rest);
                prop_assert_eq!(bucket.tokens(rate, full), u64::from(rate.burst()));
                prop_assert_eq!(bucket.time_to_full(rate, full), Duration::ZERO);
                if let Some(earlier) = full.micros().checked_sub(1).filter(|time| *time >= now) {
                    let tokens = bucket.tokens(rate, Timestamp::from_micros(earlier));
                    prop_assert!(tokens < u64::from(rate.burst()));
                }
            }
        }

        #[test]
        fn no_time_breaks_it(rate in rates(), times in proptest::collection::vec(any::<u64>(), 1..40)) {
            let mut bucket = TokenBucket::full(rate, Timestamp::from_micros(times[0]));
            for time in times {
                let _ = bucket.spend(rate, Timestamp::from_micros(time));
                prop_assert!(bucket.tokens(rate, Timestamp::default()) <= u64::from(rate.burst()));
            }
        }
    }

    #[test]
    fn a_time_that_goes_back_brings_nothing() {
        let rate = Rate::new(1, 1).unwrap();
        let late = Timestamp::from_micros(50_000_000);
        let mut bucket = TokenBucket::full(rate, late);
        bucket.spend(rate, late).unwrap();
        let early = Timestamp::from_micros(1);
        assert_eq!(bucket.spend(rate, early), Err(Duration::from_secs(1)));
        assert_eq!(bucket.spend(rate, late), Err(Duration::from_secs(1)));
    }

    #[test]
    fn what_costs_more_than_a_burst_costs_a_burst() {
        let rate = Rate::new(1, 3).unwrap();
        let mut bucket = TokenBucket::full(rate, Timestamp::default());
        bucket.spend(rate, Timestamp::default()).unwrap();
        bucket.spend_rest(rate, 1000, Timestamp::default()).unwrap();
        assert_eq!(bucket.tokens(rate, Timestamp::default()), 0);
    }

    #[test]
    fn spare_tokens_are_those_above_half_of_a_burst() {
        let rate = Rate::new(1, 10).unwrap();
        let at = |seconds| Timestamp::from_micros(seconds * PARTS);
        let mut bucket = TokenBucket::full(rate, at(0));
        assert_eq!(bucket.spend_spare(rate, 3, at(0)), Ok(()));
        let wait = Duration::from_secs(1);
        assert_eq!(bucket.spend_spare(rate, 3, at(0)), Err(wait));
        assert_eq!(bucket.spend_spare(rate, 3, at(1)), Ok(()));
        assert_eq!(bucket.tokens(rate, at(1)), 5);
        // What costs more takes all of them.
        assert_eq!(bucket.spend_spare(rate, 1000, at(6)), Ok(()));
        assert_eq!(bucket.tokens(rate, at(6)), 5);
        let least = Rate::new(1, 1).unwrap();
        let mut bucket = TokenBucket::full(least, at(0));
        assert_eq!(bucket.spend_spare(least, 1, at(0)), Ok(()));
    }

    #[test]
    fn zero_a_second_is_no_limit() {
        assert_eq!(Rate::new(0, 5), None);
        assert_eq!(Rate::new(5, 0).unwrap().burst(), 1);
    }
}
