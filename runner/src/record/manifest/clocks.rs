use std::fmt;

use dragontooth_service_vocabulary::TimeControl;
use serde::{Deserialize, Serialize};

use crate::record::bot_table::quoted;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, try_from = "ClockKeys")]
pub(super) enum Clocks {
    PerAction { per_action_ms: u64 },
    Fischer { base_ms: u64, increment_ms: u64 },
    Delay { base_ms: u64, delay_ms: u64 },
}

/// The keys of a time control as they are read, so that errors name the key.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_field_names,
    reason = "they are the keys of the file, units last"
)]
struct ClockKeys {
    per_action_ms: Option<u64>,
    base_ms: Option<u64>,
    increment_ms: Option<u64>,
    delay_ms: Option<u64>,
}

/// The agreement on time of a bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum OwnClocks {
    Clocks(Clocks),
    Word(NoClock),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum NoClock {
    #[serde(rename = "none")]
    None,
}

impl TryFrom<ClockKeys> for Clocks {
    type Error = &'static str;

    fn try_from(keys: ClockKeys) -> Result<Self, Self::Error> {
        let ClockKeys {
            per_action_ms,
            base_ms,
            increment_ms,
            delay_ms,
        } = keys;
        match (per_action_ms, base_ms, increment_ms, delay_ms) {
            (Some(per_action_ms), None, None, None) => Ok(Self::PerAction { per_action_ms }),
            (None, Some(base_ms), Some(increment_ms), None) => Ok(Self::Fischer {
                base_ms,
                increment_ms,
            }),
            (None, Some(base_ms), None, Some(delay_ms)) => Ok(Self::Delay { base_ms, delay_ms }),
            _ => Err(
                "time_control has per_action_ms, or base_ms and one of increment_ms and delay_ms",
            ),
        }
    }
}

impl Clocks {
    pub(super) fn new(control: TimeControl) -> Self {
        let ms =
            |duration: std::time::Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        match control {
            TimeControl::PerAction { limit } => Self::PerAction {
                per_action_ms: ms(limit),
            },
            TimeControl::Fischer { base, increment } => Self::Fischer {
                base_ms: ms(base),
                increment_ms: ms(increment),
            },
            TimeControl::Delay { base, delay } => Self::Delay {
                base_ms: ms(base),
                delay_ms: ms(delay),
            },
        }
    }
}

impl fmt::Display for Clocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PerAction { per_action_ms } => write!(f, "{{ per_action_ms = {per_action_ms} }}"),
            Self::Fischer {
                base_ms,
                increment_ms,
            } => {
                write!(
                    f,
                    "{{ base_ms = {base_ms}, increment_ms = {increment_ms} }}"
                )
            }
            Self::Delay { base_ms, delay_ms } => {
                write!(f, "{{ base_ms = {base_ms}, delay_ms = {delay_ms} }}")
            }
        }
    }
}

impl fmt::Display for OwnClocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clocks(clocks) => clocks.fmt(f),
            Self::Word(NoClock::None) => f.write_str(&quoted("none")),
        }
    }
}
