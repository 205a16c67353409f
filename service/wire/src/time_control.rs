//! Time controls. A message without a kind is a seat without a clock.

use std::time::Duration;

use dragontooth_proto::v1::TimeControl as Wire;
use dragontooth_proto::v1::time_control::{Delay, Fischer, Kind, PerAction};
use dragontooth_service_vocabulary::{InvalidTimeControl, TimeControl};

use crate::duration::{self, InvalidDuration};

/// The error for a time control that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {fault}")]
pub struct InvalidField {
    /// The path of the field, from the time control: `time_control.fischer.base`.
    pub field: &'static str,
    /// The fault.
    pub fault: TimeControlFault,
}

/// The fault of a duration in a time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeControlFault {
    /// It is not a duration.
    #[error("it {0}")]
    Duration(InvalidDuration),
    /// It is out of its range.
    #[error(transparent)]
    Range(InvalidTimeControl),
}

/// The time control in the form of the API.
#[must_use]
pub fn to_proto(control: TimeControl) -> Wire {
    let some = |time| Some(duration::to_proto(time));
    let kind = match control {
        TimeControl::PerAction { limit } => Kind::PerAction(PerAction { limit: some(limit) }),
        TimeControl::Fischer { base, increment } => Kind::Fischer(Fischer {
            base: some(base),
            increment: some(increment),
        }),
        TimeControl::Delay { base, delay } => Kind::Delay(Delay {
            base: some(base),
            delay: some(delay),
        }),
    };
    Wire { kind: Some(kind) }
}

/// The time control of the API, in whole microseconds; `None` means no clock. A duration that is not set is zero.
///
/// # Errors
///
/// A duration is not one, or out of its range.
pub fn from_proto(control: Option<Wire>) -> Result<Option<TimeControl>, InvalidField> {
    let Some(kind) = control.and_then(|control| control.kind) else {
        return Ok(None);
    };
    let control = match kind {
        Kind::PerAction(agreed) => TimeControl::PerAction {
            limit: read(LIMIT, agreed.limit)?,
        },
        Kind::Fischer(agreed) => TimeControl::Fischer {
            base: read(FISCHER_BASE, agreed.base)?,
            increment: read(INCREMENT, agreed.increment)?,
        },
        Kind::Delay(agreed) => TimeControl::Delay {
            base: read(DELAY_BASE, agreed.base)?,
            delay: read(DELAY, agreed.delay)?,
        },
    };
    control.check().map(Some).map_err(|error| InvalidField {
        field: field_of(control, error.part),
        fault: TimeControlFault::Range(error),
    })
}

const LIMIT: &str = "time_control.per_action.limit";
const FISCHER_BASE: &str = "time_control.fischer.base";
const INCREMENT: &str = "time_control.fischer.increment";
const DELAY_BASE: &str = "time_control.delay.base";
const DELAY: &str = "time_control.delay.delay";

fn read(
    field: &'static str,
    value: Option<prost_types::Duration>,
) -> Result<Duration, InvalidField> {
    let value = value.map_or(Ok(Duration::ZERO), duration::whole_micros);
    value.map_err(|invalid| InvalidField {
        field,
        fault: TimeControlFault::Duration(invalid),
    })
}

fn field_of(control: TimeControl, part: &str) -> &'static str {
    match (control, part) {
        (TimeControl::PerAction { .. }, _) => LIMIT,
        (TimeControl::Fischer { .. }, "base") => FISCHER_BASE,
        (TimeControl::Fischer { .. }, _) => INCREMENT,
        (TimeControl::Delay { .. }, "base") => DELAY_BASE,
        (TimeControl::Delay { .. }, _) => DELAY,
    }
}
