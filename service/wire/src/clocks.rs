//! The times that seats have left. A seat without a clock has no entry.

use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_proto::v1;

use crate::duration::{self, InvalidDuration};
use crate::{UnknownNumber, seat};

/// The error for clocks that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidClocks {
    /// A clock is not of a seat; the number is that of the field.
    #[error("{0}")]
    Seat(UnknownNumber),
    /// A clock without a seat or without a time.
    #[error("the field {0} is missing")]
    Missing(&'static str),
    /// The time of a clock is not a duration.
    #[error("the time {0}")]
    Remaining(InvalidDuration),
    /// A seat has two clocks.
    #[error("the {0} seat has two clocks")]
    Twice(Seat),
}

/// The clocks in the form of the API, from the time left by [`Seat::index`].
#[must_use]
pub fn to_proto(remaining: [Option<Duration>; 2]) -> Vec<v1::Clock> {
    let clock = |place: Seat| {
        let remaining = remaining[place.index()]?;
        Some(v1::Clock {
            seat: seat::to_proto(place),
            remaining: Some(duration::to_proto(remaining)),
        })
    };
    Seat::BOTH.into_iter().filter_map(clock).collect()
}

/// The time left by [`Seat::index`].
///
/// # Errors
///
/// A clock has no seat or no time, its time is not a duration, or a seat has two.
pub fn from_proto(clocks: &[v1::Clock]) -> Result<[Option<Duration>; 2], InvalidClocks> {
    let mut remaining = [None; 2];
    for clock in clocks {
        let place = seat::from_proto(clock.seat).map_err(InvalidClocks::Seat)?;
        let place = place.ok_or(InvalidClocks::Missing("seat"))?;
        let left = clock
            .remaining
            .ok_or(InvalidClocks::Missing("remaining"))
            .and_then(|left| duration::from_proto(left).map_err(InvalidClocks::Remaining))?;
        if remaining[place.index()].replace(left).is_some() {
            return Err(InvalidClocks::Twice(place));
        }
    }
    Ok(remaining)
}
