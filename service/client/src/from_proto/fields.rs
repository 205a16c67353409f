use std::time::{Duration, SystemTime};

use dragontooth_games::Seat;
use dragontooth_service_vocabulary::{InvalidText, MatchId, PlayerId, Sequence, Timestamp};
use dragontooth_service_wire::{UnknownNumber, duration, seat, timestamp};

use crate::{DecisionId, PageToken, system_time};

/// An answer of the service that this client cannot read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the service's answer cannot be read: the field {field} {fault}")]
pub struct InvalidResponse {
    /// The path of the field.
    pub field: String,
    /// What is wrong with it.
    pub fault: FieldFault,
}

/// What is wrong with a field of an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldFault {
    /// It must be there.
    #[error("is missing")]
    Missing,
    /// Its enum has no such number.
    #[error("has the unknown number {0}")]
    UnknownNumber(i32),
    /// It is a span or a point of time that cannot be.
    #[error("is no possible time")]
    Time,
    /// It is no id.
    #[error("is no id: {0}")]
    Id(String),
    /// It is not a text of its kind.
    #[error("cannot be read: {0}")]
    Text(InvalidText),
    /// It has too few or too many elements.
    #[error("has {0} elements")]
    Count(usize),
    /// It is not what has to come at this point.
    #[error("comes out of order")]
    Order,
}

impl InvalidResponse {
    pub(crate) fn new(field: impl Into<String>, fault: FieldFault) -> Self {
        Self {
            field: field.into(),
            fault,
        }
    }

    pub(crate) fn missing(field: &str) -> Self {
        Self::new(field, FieldFault::Missing)
    }

    fn within(self, parent: &str) -> Self {
        Self {
            field: format!("{parent}.{}", self.field),
            fault: self.fault,
        }
    }
}

/// A field on its way from the wire: what is said about it when it is wrong.
pub(crate) trait Field<T> {
    /// Names the message in which the field stands.
    fn within(self, parent: &str) -> Result<T, InvalidResponse>;
}

impl<T> Field<T> for Result<T, InvalidResponse> {
    fn within(self, parent: &str) -> Self {
        self.map_err(|error| error.within(parent))
    }
}

/// A seat, or none.
pub(crate) fn seat(number: i32, field: &str) -> Result<Option<Seat>, InvalidResponse> {
    number_of(seat::from_proto(number), field)
}

/// A value of an enum, or `None` if the field is not set.
pub(crate) fn number_of<T>(
    read: Result<Option<T>, UnknownNumber>,
    field: &str,
) -> Result<Option<T>, InvalidResponse> {
    read.map_err(|UnknownNumber(number)| {
        InvalidResponse::new(field, FieldFault::UnknownNumber(number))
    })
}

/// A value of an enum, which must be set.
pub(super) fn some_number_of<T>(
    read: Result<Option<T>, UnknownNumber>,
    field: &str,
) -> Result<T, InvalidResponse> {
    number_of(read, field)?.ok_or_else(|| InvalidResponse::missing(field))
}

/// A seat that must be there.
pub(super) fn some_seat(number: i32, field: &str) -> Result<Seat, InvalidResponse> {
    seat(number, field)?.ok_or_else(|| InvalidResponse::missing(field))
}

/// A player that must be there.
pub(crate) fn player_id(text: &str) -> Result<PlayerId, InvalidResponse> {
    id("player_id", text)
}

/// Where the next part of a list begins.
pub(crate) fn page_token(text: String) -> Option<PageToken> {
    filled(text).map(PageToken)
}

pub(super) fn match_id(text: &str) -> Result<MatchId, InvalidResponse> {
    id("match_id", text)
}

/// A player, or none.
pub(super) fn player(text: &str, field: &str) -> Result<Option<PlayerId>, InvalidResponse> {
    if text.is_empty() {
        Ok(None)
    } else {
        id(field, text).map(Some)
    }
}

pub(super) fn id<T>(field: &str, text: &str) -> Result<T, InvalidResponse>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    text.parse()
        .map_err(|error: T::Err| InvalidResponse::new(field, FieldFault::Id(error.to_string())))
}

/// A decision, or none.
pub(super) fn decision_id(number: u64) -> Option<DecisionId> {
    (number != 0).then(|| DecisionId::after(Sequence(number)))
}

pub(super) fn duration(
    value: prost_types::Duration,
    field: &str,
) -> Result<Duration, InvalidResponse> {
    duration::from_proto(value).map_err(|_| InvalidResponse::new(field, FieldFault::Time))
}

pub(super) fn some_duration(
    value: Option<prost_types::Duration>,
    field: &str,
) -> Result<Duration, InvalidResponse> {
    duration(value.ok_or_else(|| InvalidResponse::missing(field))?, field)
}

/// A point of time, or none.
pub(super) fn maybe_time(
    value: Option<prost_types::Timestamp>,
    field: &str,
) -> Result<Option<SystemTime>, InvalidResponse> {
    Ok(maybe_timestamp(value, field)?.map(system_time))
}

/// A point of time that must be there.
pub(crate) fn time(
    value: Option<prost_types::Timestamp>,
    field: &str,
) -> Result<SystemTime, InvalidResponse> {
    maybe_time(value, field)?.ok_or_else(|| InvalidResponse::missing(field))
}

/// The time of an event, which must be there.
pub(super) fn timestamp(
    value: Option<prost_types::Timestamp>,
    field: &str,
) -> Result<Timestamp, InvalidResponse> {
    maybe_timestamp(value, field)?.ok_or_else(|| InvalidResponse::missing(field))
}

/// The time of an event, if it is there.
pub(super) fn maybe_timestamp(
    value: Option<prost_types::Timestamp>,
    field: &str,
) -> Result<Option<Timestamp>, InvalidResponse> {
    let read = |value| {
        timestamp::from_proto(value).map_err(|_| InvalidResponse::new(field, FieldFault::Time))
    };
    value.map(read).transpose()
}

/// A text with the rules of its kind.
pub(super) fn text<T>(field: &str, text: &str) -> Result<T, InvalidResponse>
where
    T: std::str::FromStr<Err = InvalidText>,
{
    text.parse()
        .map_err(|error| InvalidResponse::new(field, FieldFault::Text(error)))
}

/// A text, or none if it is empty.
pub(crate) fn filled(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}
