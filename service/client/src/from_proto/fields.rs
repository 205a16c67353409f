use std::time::{Duration, SystemTime};

use dragontooth_games::Seat;
use dragontooth_service_vocabulary::{InvalidText, MatchId, PlayerId, Sequence, Timestamp};
use dragontooth_service_wire::{UnknownNumber, duration, seat, timestamp};

use crate::{DecisionId, FieldFault, InvalidResponse, PageToken, system_time};

/// Adds the path of a field to an error.
pub(crate) trait Field<T> {
    /// Prefixes the message that contains the field.
    fn within(self, parent: &str) -> Result<T, InvalidResponse>;
}

impl<T> Field<T> for Result<T, InvalidResponse> {
    fn within(self, parent: &str) -> Self {
        self.map_err(|error| error.within(parent))
    }
}

/// Converts an optional seat.
pub(crate) fn seat(number: i32, field: &str) -> Result<Option<Seat>, InvalidResponse> {
    number_of(seat::from_proto(number), field)
}

/// Converts an enum; `None` if the field is not set.
pub(crate) fn number_of<T>(
    read: Result<Option<T>, UnknownNumber>,
    field: &str,
) -> Result<Option<T>, InvalidResponse> {
    read.map_err(|UnknownNumber(number)| {
        InvalidResponse::new(field, FieldFault::UnknownNumber(number))
    })
}

/// Converts a required enum.
pub(super) fn some_number_of<T>(
    read: Result<Option<T>, UnknownNumber>,
    field: &str,
) -> Result<T, InvalidResponse> {
    number_of(read, field)?.ok_or_else(|| InvalidResponse::missing(field))
}

/// Converts a required seat.
pub(super) fn some_seat(number: i32, field: &str) -> Result<Seat, InvalidResponse> {
    seat(number, field)?.ok_or_else(|| InvalidResponse::missing(field))
}

/// Converts a required player.
pub(crate) fn player_id(text: &str) -> Result<PlayerId, InvalidResponse> {
    id("player_id", text)
}

/// Converts the start of the next page.
pub(crate) fn page_token(text: String) -> Option<PageToken> {
    filled(text).map(PageToken)
}

pub(crate) fn match_id(text: &str) -> Result<MatchId, InvalidResponse> {
    id("match_id", text)
}

/// Converts an optional player.
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

/// Converts an optional decision.
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

/// Converts an optional timestamp.
pub(super) fn maybe_time(
    value: Option<prost_types::Timestamp>,
    field: &str,
) -> Result<Option<SystemTime>, InvalidResponse> {
    Ok(maybe_timestamp(value, field)?.map(system_time))
}

/// Converts a required timestamp.
pub(crate) fn time(
    value: Option<prost_types::Timestamp>,
    field: &str,
) -> Result<SystemTime, InvalidResponse> {
    maybe_time(value, field)?.ok_or_else(|| InvalidResponse::missing(field))
}

/// Converts the required time of an event.
pub(super) fn timestamp(
    value: Option<prost_types::Timestamp>,
    field: &str,
) -> Result<Timestamp, InvalidResponse> {
    maybe_timestamp(value, field)?.ok_or_else(|| InvalidResponse::missing(field))
}

/// Converts the optional time of an event.
pub(super) fn maybe_timestamp(
    value: Option<prost_types::Timestamp>,
    field: &str,
) -> Result<Option<Timestamp>, InvalidResponse> {
    let read = |value| {
        timestamp::from_proto(value).map_err(|_| InvalidResponse::new(field, FieldFault::Time))
    };
    value.map(read).transpose()
}

/// Parses a text with the rules of its type.
pub(super) fn text<T>(field: &str, text: &str) -> Result<T, InvalidResponse>
where
    T: std::str::FromStr<Err = InvalidText>,
{
    text.parse()
        .map_err(|error| InvalidResponse::new(field, FieldFault::Text(error)))
}

/// Converts a text; `None` if it is empty.
pub(crate) fn filled(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}
