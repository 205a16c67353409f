//! The times at which seats lose a match because their players are away. A seat whose player is there has
//! no entry.

use dragontooth_games::Seat;
use dragontooth_proto::v1;
use dragontooth_service_vocabulary::Timestamp;

use crate::timestamp::{self, InvalidTimestamp};
use crate::{UnknownNumber, seat};

/// The error for absences that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAbsences {
    /// An absence is not of a seat; the number is that of the field.
    #[error("{0}")]
    Seat(UnknownNumber),
    /// An absence without a seat.
    #[error("the field seat is missing")]
    Missing,
    /// The time of an absence is not a time.
    #[error("the time {0}")]
    Forfeit(InvalidTimestamp),
}

/// The absences in the form of the API, from the time of the forfeit by [`Seat::index`].
#[must_use]
pub fn to_proto(forfeits: [Option<Timestamp>; 2]) -> Vec<v1::Absence> {
    let absence = |place: Seat| {
        let time = forfeits[place.index()]?;
        Some(v1::Absence {
            seat: seat::to_proto(place),
            forfeit_time: Some(timestamp::to_proto(time)),
        })
    };
    Seat::BOTH.into_iter().filter_map(absence).collect()
}

/// The time of the forfeit by [`Seat::index`].
///
/// # Errors
///
/// An absence has no seat, or its time is not one.
pub fn from_proto(absences: &[v1::Absence]) -> Result<[Option<Timestamp>; 2], InvalidAbsences> {
    let mut forfeits = [None; 2];
    for absence in absences {
        let place = seat::from_proto(absence.seat).map_err(InvalidAbsences::Seat)?;
        let place = place.ok_or(InvalidAbsences::Missing)?;
        let time = absence.forfeit_time.map(timestamp::from_proto).transpose();
        forfeits[place.index()] = time.map_err(InvalidAbsences::Forfeit)?;
    }
    Ok(forfeits)
}
