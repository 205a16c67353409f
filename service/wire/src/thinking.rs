//! The thoughts that come with an action.

use dragontooth_games::record::{
    InvalidThinking, Thinking, ThinkingFault, ThinkingValue, ValueUnit,
};
use dragontooth_proto::v1::Thinking as Wire;
use dragontooth_proto::v1::thinking::{Tag, Value};

use crate::duration::{self, InvalidDuration};

/// The error for thoughts that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {fault}")]
pub struct UnreadableThinking {
    /// The path of the field: `thinking.win_probability`.
    pub field: &'static str,
    /// The fault.
    pub fault: UnreadablePart,
}

/// The fault of a part of thoughts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnreadablePart {
    /// The time is not a duration.
    #[error("it {0}")]
    Duration(InvalidDuration),
    /// It breaks a rule.
    #[error(transparent)]
    Rule(ThinkingFault),
}

impl From<InvalidThinking> for UnreadableThinking {
    fn from(invalid: InvalidThinking) -> Self {
        let field = match invalid.part {
            "win_probability" => "thinking.win_probability",
            "points" => "thinking.points",
            "time" => TIME,
            "line" => "thinking.line",
            "tags" => "thinking.tags",
            _ => "thinking",
        };
        Self {
            field,
            fault: UnreadablePart::Rule(invalid.fault),
        }
    }
}

const TIME: &str = "thinking.time";

/// The thoughts in the form of the API, without a seat.
#[must_use]
pub fn to_proto(thinking: &Thinking) -> Wire {
    let value = thinking.value.map(|value| match value.unit() {
        ValueUnit::WinProbability => Value::WinProbability(value.get()),
        ValueUnit::Points => Value::Points(value.get()),
    });
    let tags = thinking.tags().iter().map(|tag| Tag {
        name: tag.name.clone(),
        value: tag.value.clone(),
    });
    Wire {
        seat: 0,
        value,
        depth: thinking.depth,
        nodes: thinking.nodes,
        time: thinking.time().map(duration::to_proto),
        line: thinking.line().to_vec(),
        tags: tags.collect(),
    }
}

/// The thoughts of the API; the seat is for the caller to read.
///
/// # Errors
///
/// The first part that cannot be read.
pub fn from_proto(wire: Wire) -> Result<Thinking, UnreadableThinking> {
    let value = wire.value.map(|value| match value {
        Value::WinProbability(probability) => ThinkingValue::win_probability(probability),
        Value::Points(points) => ThinkingValue::points(points),
    });
    let mut thinking = Thinking::new(value.transpose()?, wire.depth, wire.nodes);
    if let Some(time) = wire.time {
        let time = duration::whole_micros(time).map_err(|invalid| UnreadableThinking {
            field: TIME,
            fault: UnreadablePart::Duration(invalid),
        })?;
        thinking.set_time(time)?;
    }
    for action in wire.line {
        thinking.push_line(action)?;
    }
    for tag in wire.tags {
        thinking.push_tag(tag.name, tag.value)?;
    }
    Ok(thinking)
}
