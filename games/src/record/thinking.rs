use std::fmt;
use std::time::Duration;

/// The greatest size of the texts of a [`Thinking`]: the bytes of its line's actions and of its tags' names and
/// values, and [`BYTES_OF_TEXT`] more for each of them. With its numbers it then takes at most 1 KiB.
pub const MAX_THINKING_BYTES: usize = 960;

/// The bytes that each text of a [`Thinking`] counts in addition to its own.
pub const BYTES_OF_TEXT: usize = 4;

/// The greatest amount of a value in points, to either side.
pub const MAX_THINKING_POINTS: f64 = 1e6;

/// The greatest time of a [`Thinking`].
pub const MAX_TIME_SPENT: Duration = Duration::from_hours(30 * 24);

/// The greatest length of an action in a line, in bytes.
const MAX_LINE_ACTION_BYTES: usize = 128;

/// The greatest length of a tag's name, in bytes.
const MAX_TAG_NAME_BYTES: usize = 32;

/// The thoughts of a player about the decision that it answers with an action. Each part may be missing.
///
/// ```
/// use dragontooth_games::record::{Thinking, ThinkingValue};
///
/// let value = ThinkingValue::win_probability(0.612)?;
/// let mut thinking = Thinking::new(Some(value), Some(7), None);
/// thinking.push_line("d1d7")?;
/// assert_eq!(thinking.to_string(), "win 0.612, depth 7");
/// assert_eq!(thinking.line(), ["d1d7"]);
/// # Ok::<(), dragontooth_games::record::InvalidThinking>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thinking {
    /// The value of the decision, from the view of the seat that decides.
    pub value: Option<ThinkingValue>,
    /// The depth of the search, in plies.
    pub depth: Option<u32>,
    /// The number of positions looked at.
    pub nodes: Option<u64>,
    time: Option<Duration>,
    line: Vec<String>,
    tags: Vec<ThinkingTag>,
    text_bytes: usize,
}

/// A free remark of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThinkingTag {
    /// The name: 1 to 32 letters, digits, `_`, `-` and `.`, in ASCII. A thinking has each name once.
    pub name: String,
    /// The text, without control characters.
    pub value: String,
}

/// The value of a decision from the view of the seat that decides, in whole millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThinkingValue {
    unit: ValueUnit,
    millionths: i64,
}

/// The unit of a [`ThinkingValue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueUnit {
    /// The probability of winning the game, from 0 to 1. A drawn game counts half.
    WinProbability,
    /// Points: those that the game is expected to be worth, or those of the player's own evaluation.
    Points,
}

/// The error for a [`Thinking`] that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct InvalidThinking {
    /// The part: `win_probability`, `points`, `time`, `line` or `tags`.
    pub part: &'static str,
    /// The rule that it breaks.
    pub fault: ThinkingFault,
}

/// The rule that a part of a [`Thinking`] breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ThinkingFault {
    /// A number is out of its range, or is not a number.
    #[error("{number} is out of range: it must be from {least} to {greatest}")]
    Range {
        /// The number.
        number: String,
        /// The least allowed number.
        least: String,
        /// The greatest allowed number.
        greatest: String,
    },
    /// The texts are too long together.
    #[error(
        "its texts have more than {MAX_THINKING_BYTES} bytes, counting {BYTES_OF_TEXT} more for each"
    )]
    TooLong,
    /// A text is empty, or longer than one of its kind may be.
    #[error("a text of {bytes} bytes is not allowed: it has from 1 to {most}")]
    Length {
        /// Its length.
        bytes: usize,
        /// The greatest allowed length.
        most: usize,
    },
    /// A text has a character that it must not have.
    #[error("a text contains {0:?}, which is not allowed there")]
    Character(char),
    /// Two tags have the same name.
    #[error("there are two tags {0:?}")]
    Twice(String),
}

impl InvalidThinking {
    const fn new(part: &'static str, fault: ThinkingFault) -> Self {
        Self { part, fault }
    }
}

impl ThinkingValue {
    /// A probability of winning.
    ///
    /// # Errors
    ///
    /// It is not a number from 0 to 1.
    pub fn win_probability(probability: f64) -> Result<Self, InvalidThinking> {
        let millionths = millionths(probability, 0.0, 1.0);
        Ok(Self {
            unit: ValueUnit::WinProbability,
            millionths: millionths.map_err(|fault| InvalidThinking::new(WIN_PROBABILITY, fault))?,
        })
    }

    /// A number of points.
    ///
    /// # Errors
    ///
    /// It is not a number from −[`MAX_THINKING_POINTS`] to [`MAX_THINKING_POINTS`].
    pub fn points(points: f64) -> Result<Self, InvalidThinking> {
        let millionths = millionths(points, -MAX_THINKING_POINTS, MAX_THINKING_POINTS);
        Ok(Self {
            unit: ValueUnit::Points,
            millionths: millionths.map_err(|fault| InvalidThinking::new(POINTS, fault))?,
        })
    }

    /// The unit.
    #[must_use]
    pub const fn unit(self) -> ValueUnit {
        self.unit
    }

    /// The value in its unit.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "at most 10^12 millionths, which a double has exactly"
    )]
    pub fn get(self) -> f64 {
        self.millionths as f64 / 1e6
    }

    /// The value in whole millionths.
    #[must_use]
    pub const fn millionths(self) -> i64 {
        self.millionths
    }

    /// The value from the view of the other seat.
    #[must_use]
    pub const fn opposite(self) -> Self {
        let millionths = match self.unit {
            ValueUnit::WinProbability => 1_000_000 - self.millionths,
            ValueUnit::Points => -self.millionths,
        };
        Self {
            unit: self.unit,
            millionths,
        }
    }

    /// The same millionths of a unit, as they were stored.
    ///
    /// # Errors
    ///
    /// The value is out of the unit's range.
    pub fn from_millionths(unit: ValueUnit, millionths: i64) -> Result<Self, InvalidThinking> {
        let value = Self { unit, millionths };
        match unit {
            ValueUnit::WinProbability => Self::win_probability(value.get()),
            ValueUnit::Points => Self::points(value.get()),
        }
    }
}

const WIN_PROBABILITY: &str = "win_probability";
const POINTS: &str = "points";
const TIME: &str = "time";
const LINE: &str = "line";
const TAGS: &str = "tags";

#[expect(
    clippy::cast_possible_truncation,
    reason = "the number is within its range, and that within an i64"
)]
fn millionths(number: f64, least: f64, greatest: f64) -> Result<i64, ThinkingFault> {
    if (least..=greatest).contains(&number) {
        return Ok((number * 1e6).round() as i64);
    }
    Err(ThinkingFault::Range {
        number: number.to_string(),
        least: least.to_string(),
        greatest: greatest.to_string(),
    })
}

impl Thinking {
    /// Thoughts with these numbers alone.
    #[must_use]
    pub fn new(value: Option<ThinkingValue>, depth: Option<u32>, nodes: Option<u64>) -> Self {
        Self {
            value,
            depth,
            nodes,
            ..Self::default()
        }
    }

    /// The time spent on the decision, by the player's own clock, in whole microseconds.
    #[must_use]
    pub const fn time(&self) -> Option<Duration> {
        self.time
    }

    /// Sets the time; parts of a microsecond are cut off.
    ///
    /// # Errors
    ///
    /// It is longer than [`MAX_TIME_SPENT`].
    pub fn set_time(&mut self, time: Duration) -> Result<(), InvalidThinking> {
        let parts_of_micro = time.subsec_nanos() % 1_000;
        let time = time.saturating_sub(Duration::from_nanos(parts_of_micro.into()));
        if time > MAX_TIME_SPENT {
            let fault = ThinkingFault::Range {
                number: format!("{} ms", time.as_nanos().div_ceil(1_000_000)),
                least: "0 ms".to_owned(),
                greatest: format!("{} ms", MAX_TIME_SPENT.as_millis()),
            };
            return Err(InvalidThinking::new(TIME, fault));
        }
        self.time = Some(time);
        Ok(())
    }

    /// The actions that the player expects, its own first, in the game's notation. Nothing checks them by the rules.
    #[must_use]
    pub fn line(&self) -> &[String] {
        &self.line
    }

    /// Adds an action to the line: from 1 to 128 bytes without control characters and commas.
    ///
    /// # Errors
    ///
    /// The text is not such an action, or the texts become too long together.
    pub fn push_line(&mut self, action: impl Into<String>) -> Result<(), InvalidThinking> {
        let action = action.into();
        let invalid = |fault| InvalidThinking::new(LINE, fault);
        length(&action, MAX_LINE_ACTION_BYTES).map_err(invalid)?;
        characters(&action, |letter| !letter.is_control() && letter != ',').map_err(invalid)?;
        self.text_bytes = self.with_texts(&[&action]).map_err(invalid)?;
        self.line.push(action);
        Ok(())
    }

    /// The tags, in the order in which the player gave them.
    #[must_use]
    pub fn tags(&self) -> &[ThinkingTag] {
        &self.tags
    }

    /// Adds a tag.
    ///
    /// # Errors
    ///
    /// The name or the text is not that of a tag, another tag has the same name, or the texts become too long
    /// together.
    pub fn push_tag(
        &mut self,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Result<(), InvalidThinking> {
        let (name, value) = (name.into(), value.into());
        let invalid = |fault| InvalidThinking::new(TAGS, fault);
        length(&name, MAX_TAG_NAME_BYTES).map_err(invalid)?;
        let fits =
            |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
        characters(&name, fits).map_err(invalid)?;
        characters(&value, |letter| !letter.is_control()).map_err(invalid)?;
        if self.tags.iter().any(|tag| tag.name == name) {
            return Err(invalid(ThinkingFault::Twice(name)));
        }
        self.text_bytes = self.with_texts(&[&name, &value]).map_err(invalid)?;
        self.tags.push(ThinkingTag { name, value });
        Ok(())
    }

    /// Returns true if no part is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn with_texts(&self, texts: &[&str]) -> Result<usize, ThinkingFault> {
        let added: usize = texts.iter().map(|text| text.len() + BYTES_OF_TEXT).sum();
        let bytes = self.text_bytes + added;
        if bytes > MAX_THINKING_BYTES {
            return Err(ThinkingFault::TooLong);
        }
        Ok(bytes)
    }
}

fn length(text: &str, most: usize) -> Result<(), ThinkingFault> {
    let bytes = text.len();
    if (1..=most).contains(&bytes) {
        Ok(())
    } else {
        Err(ThinkingFault::Length { bytes, most })
    }
}

fn characters(text: &str, fits: impl Fn(char) -> bool) -> Result<(), ThinkingFault> {
    let misfit = text.chars().find(|letter| !fits(*letter));
    misfit.map_or(Ok(()), |letter| Err(ThinkingFault::Character(letter)))
}

/// Writes the numbers that are there, as in `win 0.612, depth 7, nodes 12345, time 0.25 s`.
impl fmt::Display for Thinking {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(value) = self.value {
            let unit = match value.unit {
                ValueUnit::WinProbability => "win",
                ValueUnit::Points => "points",
            };
            parts.push(format!("{unit} {}", value.get()));
        }
        parts.extend(self.depth.map(|depth| format!("depth {depth}")));
        parts.extend(self.nodes.map(|nodes| format!("nodes {nodes}")));
        parts.extend(
            self.time
                .map(|time| format!("time {} s", time.as_secs_f64())),
        );
        to.write_str(&parts.join(", "))
    }
}

impl Thinking {
    /// Reads the numbers that [`Display`](fmt::Display) writes into this thinking.
    ///
    /// # Errors
    ///
    /// A part that is not one of them, for people.
    pub(super) fn read_numbers(&mut self, text: &str) -> Result<(), String> {
        for part in text.split(", ") {
            let (name, number) = part
                .split_once(' ')
                .ok_or("expected a word and a number, as in depth 7")?;
            let wrong = |_| format!("{name} must be followed by a number");
            match name {
                "win" | "points" => {
                    let number: f64 = number
                        .parse()
                        .map_err(|_| format!("{name} must be followed by a number"))?;
                    let value = if name == "win" {
                        ThinkingValue::win_probability(number)
                    } else {
                        ThinkingValue::points(number)
                    };
                    self.value = Some(value.map_err(|error| error.to_string())?);
                }
                "depth" => self.depth = Some(number.parse().map_err(wrong)?),
                "nodes" => self.nodes = Some(number.parse().map_err(wrong)?),
                "time" => {
                    let seconds = number
                        .strip_suffix(" s")
                        .and_then(|number| number.parse().ok());
                    let time =
                        seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                    let time = time.ok_or("time must be followed by seconds, as in 0.25 s")?;
                    // A double of seconds may lie a little below its microseconds.
                    let micros = time.saturating_add(Duration::from_nanos(500));
                    self.set_time(micros).map_err(|error| error.to_string())?;
                }
                _ => return Err(format!("{name} is not a part of a thinking")),
            }
        }
        Ok(())
    }
}
