//! The thoughts of a seat, as they are stored with its action.

use std::time::Duration;

use dragontooth_games::record::{InvalidThinking, Thinking, ThinkingValue, ValueUnit};
use dragontooth_proto::store::v1::thinking::{Tag, Value};
use dragontooth_proto::store::v1::{self as wire};

use super::{DecodeError, micros};

pub(super) fn to_wire(thinking: &Thinking) -> wire::Thinking {
    wire::Thinking {
        value: thinking.value.map(value_to_wire),
        depth: thinking.depth,
        nodes: thinking.nodes,
        time_us: thinking.time().map(micros),
        line: thinking.line().to_vec(),
        tags: thinking
            .tags()
            .iter()
            .map(|tag| Tag {
                name: tag.name.clone(),
                value: tag.value.clone(),
            })
            .collect(),
    }
}

fn value_to_wire(value: ThinkingValue) -> Value {
    let millionths = value.millionths();
    match value.unit() {
        ValueUnit::WinProbability => {
            Value::WinProbability(millionths.try_into().expect("at most a million"))
        }
        ValueUnit::Points => Value::Points(millionths),
    }
}

pub(super) fn from_wire(stored: wire::Thinking) -> Result<Thinking, DecodeError> {
    read(stored).map_err(|_| DecodeError::Field("thinking"))
}

fn read(stored: wire::Thinking) -> Result<Thinking, InvalidThinking> {
    let value = stored.value.map(|value| match value {
        Value::WinProbability(millionths) => {
            ThinkingValue::from_millionths(ValueUnit::WinProbability, millionths.into())
        }
        Value::Points(millionths) => ThinkingValue::from_millionths(ValueUnit::Points, millionths),
    });
    let mut thinking = Thinking::new(value.transpose()?, stored.depth, stored.nodes);
    if let Some(micros) = stored.time_us {
        thinking.set_time(Duration::from_micros(micros))?;
    }
    for action in stored.line {
        thinking.push_line(action)?;
    }
    for tag in stored.tags {
        thinking.push_tag(tag.name, tag.value)?;
    }
    Ok(thinking)
}
