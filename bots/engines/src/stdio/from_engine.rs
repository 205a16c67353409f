use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::engine_thinking::without_non_numbers;
use super::messages::{PROTOCOL, write_line};
use super::{EngineThinking, EngineThinkingFault, shortened};

/// Largest length of an engine's line in bytes, without the line feed.
pub const LINE_BYTES_MAX: usize = 1 << 16;
/// Largest number of matches that an engine may offer to play at the same time.
pub const MATCHES_OF_ENGINE_MAX: u32 = 1024;
/// Largest length of a name that an engine gives, in bytes.
const NAME_BYTES_MAX: usize = 64;
/// Largest number of games that an engine names.
const GAMES_MAX: usize = 64;

/// A message of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromEngine {
    /// The answer to `hello`.
    Hello(EngineHello),
    /// The answer to `isready`: everything before it is processed.
    ReadyOk,
    /// A decision.
    BestAction {
        /// The decision that it answers.
        to: AnswerTo,
        /// The action, in the game's notation.
        action: String,
        /// Its thoughts, or what is wrong with them.
        thinking: Option<Box<SentThinking>>,
    },
    /// Resigns the match.
    Resign(AnswerTo),
    /// A line for the log.
    Info(String),
    /// Thoughts while it decides. Those with the action count instead, if there are any.
    Thinking {
        /// The decision that they are about.
        to: AnswerTo,
        /// The thoughts, or what is wrong with them.
        thinking: Box<SentThinking>,
        /// The text that came with them, for the log.
        text: Option<String>,
    },
}

/// The thoughts in a message, or what is wrong with them.
pub type SentThinking = Result<EngineThinking, EngineThinkingFault>;

/// An engine's description of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineHello {
    /// Version of the protocol that it speaks.
    pub protocol: u32,
    /// Its name.
    pub name: String,
    /// Its version; may be empty.
    pub version: String,
    /// Its author; may be empty.
    pub author: String,
    /// The games that it plays.
    pub games: Vec<String>,
    /// Number of matches that it plays at the same time.
    pub matches: u32,
    /// True if it wants the legal actions with each position.
    pub legal: bool,
}

/// The match and the decision that an answer belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerTo {
    /// The match.
    pub match_id: String,
    /// The decision.
    pub decision: u64,
}

/// A line of an engine that is not one of its messages.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnreadableMessage {
    /// It is not a JSON object, or a field is of the wrong kind.
    #[error("the line is not a message: {0}")]
    Json(String),
    /// It is a hello with a field of the wrong kind.
    #[error("the hello cannot be read: {0}")]
    Hello(String),
    /// The type of the message is unknown.
    #[error(
        "unknown message type {0:?}; an engine sends hello, readyok, bestaction, resign and info"
    )]
    Type(String),
    /// A field is missing.
    #[error("{message} needs {field:?}")]
    Missing {
        /// The message.
        message: &'static str,
        /// The field.
        field: &'static str,
    },
    /// A field is out of range.
    #[error("{field:?} must be {want}")]
    Range {
        /// The field.
        field: &'static str,
        /// The values that are allowed.
        want: String,
    },
}

impl UnreadableMessage {
    /// Returns true if the line was meant to be a hello.
    pub(super) fn is_of_hello(&self) -> bool {
        match self {
            Self::Missing { message, .. } => *message == "hello",
            Self::Hello(_) | Self::Range { .. } => true,
            Self::Json(_) | Self::Type(_) => false,
        }
    }
}

/// The fields of all messages.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Fields {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    match_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    games: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    legal: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
}

fn is_decision_null(line: &[u8]) -> bool {
    let message = serde_json::from_slice::<Value>(line).unwrap_or_default();
    message.get("decision").is_some_and(Value::is_null)
}

/// The type alone, for a line whose other fields cannot be read.
#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    kind: String,
}

impl FromEngine {
    /// Reads a line. Unknown fields are ignored.
    ///
    /// # Errors
    ///
    /// The line is not a message.
    pub fn read(line: &[u8]) -> Result<Self, UnreadableMessage> {
        match line.trim_ascii_start().first() {
            Some(b'{') => {}
            Some(_) => {
                return Err(UnreadableMessage::Json(
                    "it is not a JSON object".to_owned(),
                ));
            }
            None => return Err(UnreadableMessage::Json("it is empty".to_owned())),
        }
        let read = |line: &[u8]| serde_json::from_slice::<Fields>(line);
        let fields = read(line).or_else(|error| {
            let mended = without_non_numbers(line).ok_or_else(|| unreadable(line, &error))?;
            let fields = read(&mended).map_err(|_| unreadable(line, &error))?;
            if is_decision_null(&mended) {
                let why = "\"decision\" must be a whole number";
                return Err(UnreadableMessage::Json(why.to_owned()));
            }
            Ok(fields)
        })?;
        match fields.kind.as_deref() {
            Some("bestaction") => {
                let thinking = fields.thinking.as_ref();
                let thinking = thinking.map(|thinking| Box::new(EngineThinking::read(thinking)));
                let (to, action) = fields.answer("bestaction")?;
                let action = need(action, "bestaction", "action")?;
                Ok(Self::BestAction {
                    to,
                    action,
                    thinking,
                })
            }
            Some("resign") => Ok(Self::Resign(fields.answer("resign")?.0)),
            Some("readyok") => Ok(Self::ReadyOk),
            Some("info") => match fields.thinking {
                None => Ok(Self::Info(need(fields.text, "info", "text")?)),
                Some(thinking) => Ok(Self::Thinking {
                    to: AnswerTo {
                        match_id: need(fields.match_id, "info with thinking", "match")?,
                        decision: need(fields.decision, "info with thinking", "decision")?,
                    },
                    thinking: Box::new(EngineThinking::read(&thinking)),
                    text: fields.text,
                }),
            },
            Some("hello") => fields.hello().map(Self::Hello),
            Some(other) => Err(UnreadableMessage::Type(shortened(other.as_bytes()))),
            None => Err(UnreadableMessage::Missing {
                message: "a message",
                field: "type",
            }),
        }
    }

    /// Appends the message as a line, with the line feed; for programs that are engines.
    pub fn write(&self, lines: &mut Vec<u8>) {
        let kind = |kind: &str| Fields {
            kind: Some(kind.to_owned()),
            ..Fields::default()
        };
        let answer = |name: &str, to: &AnswerTo| Fields {
            match_id: Some(to.match_id.clone()),
            decision: Some(to.decision),
            ..kind(name)
        };
        let fields = match self {
            Self::ReadyOk => kind("readyok"),
            Self::BestAction {
                to,
                action,
                thinking,
            } => Fields {
                action: Some(action.clone()),
                thinking: thinking.as_deref().and_then(written),
                ..answer("bestaction", to)
            },
            Self::Thinking { to, thinking, text } => Fields {
                text: text.clone(),
                thinking: written(thinking),
                ..answer("info", to)
            },
            Self::Resign(to) => answer("resign", to),
            Self::Info(text) => Fields {
                text: Some(text.clone()),
                ..kind("info")
            },
            Self::Hello(hello) => Fields {
                protocol: Some(hello.protocol),
                name: Some(hello.name.clone()),
                version: Some(hello.version.clone()),
                author: Some(hello.author.clone()),
                games: Some(hello.games.clone()),
                matches: Some(hello.matches),
                legal: Some(hello.legal),
                ..kind("hello")
            },
        };
        write_line(&fields, lines);
    }
}

/// The thoughts of a message; `None` if they are wrong.
fn written(thinking: &SentThinking) -> Option<Value> {
    thinking.as_ref().ok().map(EngineThinking::write)
}

impl Fields {
    fn answer(
        self,
        message: &'static str,
    ) -> Result<(AnswerTo, Option<String>), UnreadableMessage> {
        let to = AnswerTo {
            match_id: need(self.match_id, message, "match")?,
            decision: need(self.decision, message, "decision")?,
        };
        Ok((to, self.action))
    }

    fn hello(self) -> Result<EngineHello, UnreadableMessage> {
        let protocol = need(self.protocol, "hello", "protocol")?;
        if !(1..=PROTOCOL).contains(&protocol) {
            let want = format!("a version from 1 to {PROTOCOL}");
            return Err(range("protocol", want));
        }
        let games = need(self.games, "hello", "games")?;
        if games.is_empty() || games.len() > GAMES_MAX {
            let want = format!("a list of 1 to {GAMES_MAX} games");
            return Err(range("games", want));
        }
        let games = games.into_iter().map(|game| name("games", game));
        let games: Vec<String> = games.collect::<Result<_, _>>()?;
        let matches = self.matches.unwrap_or(1);
        if !(1..=MATCHES_OF_ENGINE_MAX).contains(&matches) {
            let want = format!("a number from 1 to {MATCHES_OF_ENGINE_MAX}");
            return Err(range("matches", want));
        }
        Ok(EngineHello {
            protocol,
            name: name("name", need(self.name, "hello", "name")?)?,
            version: name("version", self.version.unwrap_or_default())?,
            author: name("author", self.author.unwrap_or_default())?,
            games,
            matches,
            legal: self.legal.unwrap_or(false),
        })
    }
}

fn unreadable(line: &[u8], error: &serde_json::Error) -> UnreadableMessage {
    let why = shortened(error.to_string().as_bytes());
    match serde_json::from_slice(line) {
        Ok(Kind { kind }) if kind == "hello" => UnreadableMessage::Hello(why),
        Ok(_) | Err(_) => UnreadableMessage::Json(why),
    }
}

fn need<T>(
    value: Option<T>,
    message: &'static str,
    field: &'static str,
) -> Result<T, UnreadableMessage> {
    value.ok_or(UnreadableMessage::Missing { message, field })
}

fn range(field: &'static str, want: String) -> UnreadableMessage {
    UnreadableMessage::Range { field, want }
}

fn name(field: &'static str, text: String) -> Result<String, UnreadableMessage> {
    if text.len() > NAME_BYTES_MAX || text.contains(char::is_control) {
        let want = format!("at most {NAME_BYTES_MAX} bytes without control characters");
        return Err(range(field, want));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_message() {
        let hello = r#"{"type":"hello","protocol":1,"name":"a","games":["linja"],"new":[{}]}"#;
        let expected = EngineHello {
            protocol: 1,
            name: "a".to_owned(),
            version: String::new(),
            author: String::new(),
            games: vec!["linja".to_owned()],
            matches: 1,
            legal: false,
        };
        let to = AnswerTo {
            match_id: "m".to_owned(),
            decision: 5,
        };
        let best = FromEngine::BestAction {
            to: to.clone(),
            action: "a1a2".to_owned(),
            thinking: None,
        };
        for (line, message) in [
            (hello, FromEngine::Hello(expected)),
            (r#" {"type":"readyok"} "#, FromEngine::ReadyOk),
            (
                r#"{"action":"a1a2","type":"bestaction","match":"m","decision":5}"#,
                best,
            ),
            (
                r#"{"type":"resign","match":"m","decision":5}"#,
                FromEngine::Resign(to),
            ),
            (
                r#"{"type":"info","text":"x"}"#,
                FromEngine::Info("x".to_owned()),
            ),
        ] {
            assert_eq!(FromEngine::read(line.as_bytes()).unwrap(), message);
            let mut lines = Vec::new();
            message.write(&mut lines);
            assert_eq!(FromEngine::read(&lines).unwrap(), message);
        }
    }

    #[test]
    fn names_the_error_of_a_line() {
        for (line, expected) in [
            ("", "empty"),
            ("info depth 3", "not a JSON object"),
            ("[1]", "not a JSON object"),
            ("{", "not a message"),
            ("{}", r#"a message needs "type""#),
            (
                r#"{"type":"bestmove"}"#,
                r#"unknown message type "bestmove""#,
            ),
            (r#"{"type":"info"}"#, r#"info needs "text""#),
            (
                r#"{"type":"bestaction","match":"m","decision":NaN,"action":"a"}"#,
                r#""decision" must be a whole number"#,
            ),
            (r#"{"type":"bestaction"}"#, r#"bestaction needs "match""#),
            (
                r#"{"type":"bestaction","match":"m","decision":1}"#,
                r#"needs "action""#,
            ),
            (
                r#"{"type":"resign","match":"m","decision":-1}"#,
                "not a message",
            ),
            (r#"{"type":"hello","protocol":1}"#, r#"hello needs "games""#),
            (
                r#"{"type":"hello","protocol":0,"name":"a","games":["x"]}"#,
                "from 1 to 1",
            ),
            (
                r#"{"type":"hello","protocol":1,"name":"a","games":[]}"#,
                r#""games" must be"#,
            ),
            (
                r#"{"type":"hello","protocol":1,"name":"a","games":["x"],"matches":0}"#,
                r#""matches" must be"#,
            ),
            (
                r#"{"type":"hello","protocol":1,"name":"a","games":"linja"}"#,
                "the hello cannot be read: invalid type",
            ),
            (
                r#"{"type":"hello","protocol":1,"name":"a","games":["\u001b[2J"]}"#,
                r#""games" must be"#,
            ),
            (
                r#"{"type":"hello","protocol":1,"name":"a\n","games":["x"]}"#,
                r#""name" must be"#,
            ),
        ] {
            let error = FromEngine::read(line.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(expected), "{line}: {error}");
        }
        assert!(FromEngine::read(b"{\"type\":\"\xff\"}").is_err());
    }
}
