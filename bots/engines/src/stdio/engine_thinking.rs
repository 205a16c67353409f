use std::fmt;
use std::time::Duration;

use dragontooth_games::record::{InvalidThinking, Thinking, ThinkingValue, ValueUnit};
use dragontooth_games::{ParseSeatError, Seat};
use serde_json::{Map, Value, json};

/// The thoughts of an engine about a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineThinking {
    /// The seat from whose view the value is; `None` means that of the engine.
    pub seat: Option<Seat>,
    /// The thoughts.
    pub thinking: Thinking,
}

/// The part of an engine's thoughts that breaks a rule. They are left out, and the action counts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {why}")]
pub struct EngineThinkingFault {
    /// The field: `thinking.win_probability`.
    pub field: &'static str,
    /// The fault.
    pub why: String,
}

impl EngineThinkingFault {
    fn new(field: &'static str, why: &dyn fmt::Display) -> Self {
        Self {
            field,
            why: why.to_string(),
        }
    }
}

impl From<InvalidThinking> for EngineThinkingFault {
    fn from(invalid: InvalidThinking) -> Self {
        let field = match invalid.part {
            "win_probability" => WIN_PROBABILITY,
            "points" => POINTS,
            "time" => TIME,
            "line" => LINE,
            _ => TAGS,
        };
        Self::new(field, &invalid.fault)
    }
}

const SEAT: &str = "thinking.seat";
const WIN_PROBABILITY: &str = "thinking.win_probability";
const POINTS: &str = "thinking.points";
const DEPTH: &str = "thinking.depth";
const NODES: &str = "thinking.nodes";
const TIME: &str = "thinking.time_ms";
const LINE: &str = "thinking.line";
const TAGS: &str = "thinking.tags";

impl EngineThinking {
    /// Reads the field `thinking` of a message. Unknown parts are ignored.
    pub(super) fn read(value: &Value) -> Result<Self, EngineThinkingFault> {
        let Value::Object(parts) = value else {
            return Err(EngineThinkingFault::new("thinking", &"it is not an object"));
        };
        let part = |name: &str| parts.get(name);
        let depth = part("depth").map(|depth| whole(DEPTH, depth)).transpose()?;
        let depth = depth.map(u32::try_from).transpose();
        let depth = depth.map_err(|error| EngineThinkingFault::new(DEPTH, &error))?;
        let nodes = part("nodes").map(|nodes| whole(NODES, nodes)).transpose()?;
        let mut thinking = Thinking::new(value_of(parts)?, depth, nodes);
        if let Some(time) = part("time_ms") {
            thinking.set_time(Duration::from_millis(whole(TIME, time)?))?;
        }
        if let Some(line) = part("line") {
            let actions = line
                .as_array()
                .ok_or_else(|| EngineThinkingFault::new(LINE, &"it is not a list"))?;
            for action in actions {
                thinking.push_line(text(LINE, action)?)?;
            }
        }
        if let Some(tags) = part("tags") {
            let tags = tags
                .as_object()
                .ok_or_else(|| EngineThinkingFault::new(TAGS, &"it is not an object"))?;
            for (name, value) in tags {
                thinking.push_tag(name, text(TAGS, value)?)?;
            }
        }
        let seat = part("seat").map(|seat| {
            let seat: Result<Seat, ParseSeatError> = text(SEAT, seat)?.parse();
            seat.map_err(|error| EngineThinkingFault::new(SEAT, &error))
        });
        Ok(Self {
            seat: seat.transpose()?,
            thinking,
        })
    }

    /// The field `thinking` of a message.
    pub(super) fn write(&self) -> Value {
        let thinking = &self.thinking;
        let mut parts = Map::new();
        let mut add = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                parts.insert(name.to_owned(), value);
            }
        };
        add("seat", self.seat.map(|seat| json!(seat.to_string())));
        if let Some(value) = thinking.value {
            let name = match value.unit() {
                ValueUnit::WinProbability => "win_probability",
                ValueUnit::Points => "points",
            };
            add(name, Some(json!(value.get())));
        }
        add("depth", thinking.depth.map(|depth| json!(depth)));
        add("nodes", thinking.nodes.map(|nodes| json!(nodes)));
        let time_ms = thinking.time().map(|time| time.as_millis());
        add("time_ms", time_ms.map(|time| json!(time)));
        let line = Some(thinking.line()).filter(|line| !line.is_empty());
        add("line", line.map(|line| json!(line)));
        let tags = thinking.tags().iter();
        let tags: Map<_, _> = tags
            .map(|tag| (tag.name.clone(), json!(tag.value)))
            .collect();
        add("tags", (!tags.is_empty()).then_some(Value::Object(tags)));
        Value::Object(parts)
    }

    /// The thoughts, if they are from the view of this seat.
    pub(super) fn of(self, seat: Seat) -> Result<Thinking, EngineThinkingFault> {
        match self.seat {
            Some(view) if view != seat => {
                let why =
                    format!("the {seat} seat is deciding, but the value is given for the {view}");
                Err(EngineThinkingFault::new(SEAT, &why))
            }
            Some(_) | None => Ok(self.thinking),
        }
    }
}

fn value_of(parts: &Map<String, Value>) -> Result<Option<ThinkingValue>, EngineThinkingFault> {
    let number = |field, value: &Value| {
        let number = value.as_f64();
        number.ok_or_else(|| EngineThinkingFault::new(field, &"it is not a number"))
    };
    match (parts.get("win_probability"), parts.get("points")) {
        (None, None) => Ok(None),
        (Some(_), Some(_)) => {
            let why = "give win_probability or points, not both";
            Err(EngineThinkingFault::new(POINTS, &why))
        }
        (Some(probability), None) => {
            let probability = number(WIN_PROBABILITY, probability)?;
            Ok(Some(ThinkingValue::win_probability(probability)?))
        }
        (None, Some(points)) => Ok(Some(ThinkingValue::points(number(POINTS, points)?)?)),
    }
}

fn whole(field: &'static str, value: &Value) -> Result<u64, EngineThinkingFault> {
    let number = value.as_u64();
    number.ok_or_else(|| EngineThinkingFault::new(field, &"it must be a whole number, 0 or more"))
}

fn text<'a>(field: &'static str, value: &'a Value) -> Result<&'a str, EngineThinkingFault> {
    let text = value.as_str();
    text.ok_or_else(|| EngineThinkingFault::new(field, &"it is not a text"))
}

/// The words for numbers that JSON does not have, in lower case, as common libraries write them.
const NOT_NUMBERS: [&[u8]; 3] = [b"nan", b"inf", b"infinity"];

/// Returns the line with `null` in place of each NaN, infinity and number beyond those of a double outside its texts;
/// `None` if there is none. Python's `json` and C's `printf` write them, and one in the thoughts must not cost the
/// engine its action.
pub(super) fn without_non_numbers(line: &[u8]) -> Option<Vec<u8>> {
    let mut changed = Vec::with_capacity(line.len());
    let mut is_changed = false;
    let mut rest = line;
    while let Some((first, after)) = rest.split_first() {
        let is_number = matches!(rest, [b'0'..=b'9', ..] | [b'-', b'0'..=b'9', ..]);
        let length = match first {
            b'"' => text_length(rest),
            _ if is_number => 1 + after.iter().take_while(|byte| is_of_number(**byte)).count(),
            b'-' | b'a'..=b'z' | b'A'..=b'Z' => {
                let is_letter = |byte: &&u8| byte.is_ascii_alphabetic();
                1 + after.iter().take_while(is_letter).count()
            }
            _ => 1,
        };
        let (part, others) = rest.split_at(length);
        let word = part.strip_prefix(b"-").unwrap_or(part);
        let is_beyond = is_number && is_infinite(part);
        if is_beyond || NOT_NUMBERS.contains(&&*word.to_ascii_lowercase()) {
            changed.extend_from_slice(b"null");
            is_changed = true;
        } else {
            changed.extend_from_slice(part);
        }
        rest = others;
    }
    is_changed.then_some(changed)
}

const fn is_of_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')
}

/// Returns true if a number is beyond those of a double, such as `1e999`.
fn is_infinite(number: &[u8]) -> bool {
    let number = str::from_utf8(number).ok();
    let number: Option<f64> = number.and_then(|number| number.parse().ok());
    number.is_some_and(f64::is_infinite)
}

/// The length of the text that begins with a quotation mark, up to its end or that of the line.
fn text_length(line: &[u8]) -> usize {
    let mut is_escaped = false;
    for (index, byte) in line.iter().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return index + 1,
            _ => {}
        }
    }
    line.len()
}
