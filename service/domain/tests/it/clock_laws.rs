use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_domain::Clocks;
use dragontooth_service_vocabulary::{MAX_THINKING_TIME, MatchEvent, NewMatch, TimeControl};
use proptest::prelude::*;

use crate::people::new_match;
use crate::table::Table;

#[test]
fn a_match_starts_with_what_was_agreed() {
    let (base, extra) = (Duration::from_secs(9), Duration::from_secs(4));
    for (control, remaining, allowance) in [
        (None, None, None),
        (per_action(base), Some(base), Some(base)),
        (fischer(base, extra), Some(base), Some(base)),
        (delay(base, extra), Some(base), Some(base + extra)),
    ] {
        let clocks = Clocks::new([control; 2]);
        for seat in Seat::BOTH {
            assert_eq!(clocks.remaining(seat), remaining);
            assert_eq!(clocks.allowance(seat), allowance);
        }
    }
}

#[test]
fn each_seat_starts_with_what_was_agreed_with_it() {
    let (base, extra) = (Duration::from_secs(9), Duration::from_secs(4));
    let clocks = Clocks::new([delay(base, extra), None]);
    assert_eq!(clocks.remaining(Seat::First), Some(base));
    assert_eq!(clocks.allowance(Seat::First), Some(base + extra));
    assert_eq!(clocks.remaining(Seat::Second), None);
    assert_eq!(clocks.allowance(Seat::Second), None);
    let clocks = Clocks::new([per_action(extra), fischer(base, extra)]);
    for (seat, after) in [(Seat::First, extra), (Seat::Second, base + extra)] {
        assert_eq!(clocks.remaining_after(seat, Duration::ZERO), Some(after));
    }
}

#[test]
fn what_is_left_follows_from_what_was_used() {
    let (base, extra) = (9_000, 4_000);
    let ms = Duration::from_millis;
    for (control, elapsed, left) in [
        (None, 1_000_000, None),
        (per_action(ms(base)), 0, Some(base)),
        (per_action(ms(base)), base, Some(base)),
        (per_action(ms(base)), base + 1, None),
        (fischer(ms(base), ms(extra)), 0, Some(base + extra)),
        (
            fischer(ms(base), ms(extra)),
            1_000,
            Some(base + extra - 1_000),
        ),
        (fischer(ms(base), ms(extra)), base, Some(extra)),
        (fischer(ms(base), ms(extra)), base + 1, None),
        (delay(ms(base), ms(extra)), 0, Some(base)),
        (delay(ms(base), ms(extra)), extra, Some(base)),
        (delay(ms(base), ms(extra)), extra + 1, Some(base - 1)),
        (delay(ms(base), ms(extra)), base + extra, Some(0)),
        (delay(ms(base), ms(extra)), base + extra + 1, None),
    ] {
        let clocks = Clocks::new([control; 2]);
        let after = clocks.remaining_after(Seat::First, ms(elapsed));
        assert_eq!(after, left.map(ms), "{control:?} {elapsed}");
    }
}

/// Such a time control is never agreed, but a clock must not break on it.
#[test]
fn no_duration_is_too_long_for_the_arithmetic() {
    let max = Duration::MAX;
    for control in [per_action(max), fischer(max, max), delay(max, max)] {
        let clocks = Clocks::new([control; 2]);
        assert_eq!(clocks.allowance(Seat::First), Some(max));
        for elapsed in [Duration::ZERO, max] {
            assert!(clocks.remaining_after(Seat::Second, elapsed).is_some());
        }
    }
}

/// The stock of a Fischer clock has no upper end, but it must fit the stored form: microseconds in
/// 64 bits.
#[test]
fn a_stock_that_grows_with_every_action_can_be_stored() {
    let longest = fischer(MAX_THINKING_TIME, MAX_THINKING_TIME);
    let actions = 1_000_000;
    let Some(TimeControl::Fischer { base, increment }) = longest else {
        panic!("the time control is Fischer's");
    };
    let stock = base + increment * actions;
    assert!(u64::try_from(stock.as_micros()).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The time that a seat has left is what its control allows for its actions, less what it used,
    /// whatever the other seat's control is.
    #[test]
    fn clocks_add_up(
        agreed in [maybe_controls(), maybe_controls()],
        parts in prop::collection::vec(0..=1_000_u32, 1..50),
        lag_us in 0..100_000_u64,
    ) {
        let mut table = Table::started(&NewMatch { target: 15, time_controls: agreed, ..new_match() });
        table.lag = Duration::from_micros(lag_us);
        let mut used = [Vec::new(), Vec::new()];
        for part in parts {
            let Some(due) = table.state.due() else { break };
            // Without a clock it may take as long as it likes.
            let allowance = table.state.clocks().allowance(due.seat);
            prop_assert_eq!(allowance.is_none(), agreed[due.seat.index()].is_none());
            prop_assert_eq!(table.state.deadline(), allowance.map(|time| due.since.after(time)));
            let elapsed = share(allowance.unwrap_or(MAX_THINKING_TIME), part);
            table.now = due.since.after(elapsed);
            let mut actions = table.state.play().legal_actions();
            let events = table.play(&actions.swap_remove(part as usize % actions.len()));
            used[due.seat.index()].push(elapsed);

            let expected = Seat::BOTH.map(|seat| left(agreed[seat.index()], &used[seat.index()]));
            let MatchEvent::ActionPlayed { remaining, .. } = &events[0] else {
                panic!("{events:?}");
            };
            prop_assert_eq!(*remaining, expected[due.seat.index()]);
            let clocks = table.state.clocks();
            prop_assert_eq!(Seat::BOTH.map(|seat| clocks.remaining(seat)), expected);
        }
    }
}

/// What is left after decisions that took so long: never less than nothing; none without a clock.
fn left(control: Option<TimeControl>, used: &[Duration]) -> Option<Duration> {
    let decisions = u32::try_from(used.len()).unwrap();
    let (stock, taken) = match control? {
        TimeControl::PerAction { limit } => (limit, Duration::ZERO),
        TimeControl::Fischer { base, increment } => {
            (base + increment * decisions, used.iter().sum())
        }
        TimeControl::Delay { base, delay } => {
            let beyond = |used: &Duration| used.saturating_sub(delay);
            (base, used.iter().map(beyond).sum())
        }
    };
    Some(stock.checked_sub(taken).unwrap())
}

/// So many thousandths of a duration, in whole microseconds.
fn share(duration: Duration, thousandths: u32) -> Duration {
    let micros = duration.as_micros() * u128::from(thousandths) / 1_000;
    Duration::from_micros(u64::try_from(micros).unwrap())
}

fn controls() -> impl Strategy<Value = Option<TimeControl>> {
    let longest = u64::try_from(MAX_THINKING_TIME.as_micros()).unwrap();
    let micros = prop_oneof![1..=10_u64, 1..=60_000_000_u64, 1..=longest];
    let micros = micros.prop_map(Duration::from_micros);
    (micros.clone(), micros, 0..4_u8).prop_map(|(base, extra, kind)| match kind {
        0 => per_action(base),
        1 => fischer(base, extra),
        2 => fischer(base, Duration::ZERO),
        _ => delay(base, extra),
    })
}

fn maybe_controls() -> impl Strategy<Value = Option<TimeControl>> {
    prop_oneof![1 => Just(None), 4 => controls()]
}

#[expect(clippy::unnecessary_wraps, reason = "the clocks take options")]
fn per_action(limit: Duration) -> Option<TimeControl> {
    Some(TimeControl::PerAction { limit })
}

#[expect(clippy::unnecessary_wraps, reason = "the clocks take options")]
fn fischer(base: Duration, increment: Duration) -> Option<TimeControl> {
    Some(TimeControl::Fischer { base, increment })
}

#[expect(clippy::unnecessary_wraps, reason = "the clocks take options")]
fn delay(base: Duration, delay: Duration) -> Option<TimeControl> {
    Some(TimeControl::Delay { base, delay })
}
