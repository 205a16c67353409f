use std::time::Duration;

use dragontooth_service_vocabulary::{MAX_THINKING_TIME, TimeControl, Timestamp};
use dragontooth_service_wire::duration::{self, InvalidDuration};
use dragontooth_service_wire::timestamp::{self, InvalidTimestamp};
use dragontooth_service_wire::{absences, clocks, time_control};
use proptest::prelude::*;

#[test]
fn a_span_out_of_range_is_refused() {
    let span = |seconds, nanos| prost_types::Duration { seconds, nanos };
    for (wire, fault) in [
        (span(-1, 0), InvalidDuration::Negative),
        (span(i64::MIN, 0), InvalidDuration::Negative),
        (span(1, -1), InvalidDuration::Negative),
        (span(0, 1_000_000_000), InvalidDuration::Nanos),
    ] {
        assert_eq!(duration::from_proto(wire), Err(fault));
        assert_eq!(duration::whole_micros(wire), Err(fault));
    }
    let part = span(1, 1_999);
    assert_eq!(
        duration::whole_micros(part),
        Ok(Duration::from_micros(1_000_001))
    );
    let longest = span(i64::MAX, 999_999_999);
    assert_eq!(
        duration::whole_micros(longest),
        Ok(Duration::new(i64::MAX.unsigned_abs(), 999_999_000))
    );
    assert_eq!(
        duration::to_proto(Duration::MAX),
        span(i64::MAX, 999_999_999)
    );
}

#[test]
fn a_time_out_of_range_is_refused() {
    for (seconds, nanos) in [(-1, 0), (0, -1), (0, 1_000_000_000), (i64::MAX, 0)] {
        let wire = prost_types::Timestamp { seconds, nanos };
        assert_eq!(timestamp::from_proto(wire), Err(InvalidTimestamp));
    }
}

proptest! {
    #[test]
    fn times_are_read_as_they_are_written(micros: u64, seconds in 0..=i64::MAX as u64, nanos in 0..1_000_000_000_u32) {
        let time = Timestamp::from_micros(micros);
        prop_assert_eq!(timestamp::from_proto(timestamp::to_proto(time)), Ok(time));
        let span = Duration::new(seconds, nanos);
        prop_assert_eq!(duration::from_proto(duration::to_proto(span)), Ok(span));
    }

    #[test]
    fn time_controls_are_read_as_they_are_written(control in controls()) {
        let wire = time_control::to_proto(control);
        prop_assert_eq!(time_control::from_proto(Some(wire)), Ok(Some(control)));
    }

    #[test]
    fn clocks_and_absences_are_read_as_they_are_written(
        left in prop::array::uniform2(prop::option::of(any::<u64>())),
    ) {
        let remaining = left.map(|left| left.map(Duration::from_micros));
        prop_assert_eq!(clocks::from_proto(&clocks::to_proto(remaining)), Ok(remaining));
        let forfeits = left.map(|left| left.map(Timestamp::from_micros));
        prop_assert_eq!(absences::from_proto(&absences::to_proto(forfeits)), Ok(forfeits));
    }
}

fn controls() -> impl Strategy<Value = TimeControl> {
    let longest = u64::try_from(MAX_THINKING_TIME.as_micros()).unwrap_or(u64::MAX);
    let some = || (1..=longest).prop_map(Duration::from_micros);
    prop_oneof![
        some().prop_map(|limit| TimeControl::PerAction { limit }),
        (some(), prop_oneof![Just(Duration::ZERO), some()])
            .prop_map(|(base, increment)| TimeControl::Fischer { base, increment }),
        (some(), some()).prop_map(|(base, delay)| TimeControl::Delay { base, delay }),
    ]
}
