use serde::{Deserialize, Serialize};

use super::line;
use super::messages::PROTOCOL;
use super::{MATCHES_OF_ENGINE_MAX, shortened};

/// The most bytes of a line of an engine, without its end.
pub const LINE_BYTES_MAX: usize = 1 << 16;
/// The most bytes of a name that an engine gives.
const NAME_BYTES_MAX: usize = 64;
/// The most games that an engine names.
const GAMES_MAX: usize = 64;

/// A message of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromEngine {
    /// Who it is, in answer to `hello`.
    Hello(EngineHello),
    /// All that was said is done.
    ReadyOk,
    /// It has decided.
    BestAction {
        /// What it answers.
        to: AnswerTo,
        /// The action, in the game's notation.
        action: String,
    },
    /// It gives up the match.
    Resign(AnswerTo),
    /// Something to be noted.
    Info(String),
}

/// Who an engine is and what it can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineHello {
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// Its name.
    pub name: String,
    /// Its version; may be empty.
    pub version: String,
    /// Who made it; may be empty.
    pub author: String,
    /// The games that it plays.
    pub games: Vec<String>,
    /// How many matches it plays at the same time.
    pub matches: u32,
    /// Whether it wants to be told the legal actions.
    pub legal: bool,
}

/// What an engine answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerTo {
    /// The match.
    pub match_id: String,
    /// The decision.
    pub decision: u64,
}

/// Why a line is no message of an engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It is no JSON object, or a field is of the wrong kind.
    #[error("the line is no message: {0}")]
    Json(String),
    /// It is a hello with a field of the wrong kind.
    #[error("the hello cannot be read: {0}")]
    Hello(String),
    /// There is no such type.
    #[error(
        "there is no message {0:?} of an engine; there are hello, readyok, bestaction, resign and info"
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
        /// What it must be.
        want: String,
    },
}

impl Unreadable {
    /// Whether it was meant to be a hello.
    pub(super) fn is_of_hello(&self) -> bool {
        match self {
            Self::Missing { message, .. } => *message == "hello",
            Self::Hello(_) | Self::Range { .. } => true,
            Self::Json(_) | Self::Type(_) => false,
        }
    }
}

/// All fields that any message has.
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
}

/// The type alone, where something else cannot be read.
#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    kind: String,
}

impl FromEngine {
    /// Reads a line. Fields that are not known are ignored.
    ///
    /// # Errors
    ///
    /// It is no message, and why.
    pub fn read(line: &[u8]) -> Result<Self, Unreadable> {
        match line.trim_ascii_start().first() {
            Some(b'{') => {}
            Some(_) => return Err(Unreadable::Json("it is no JSON object".to_owned())),
            None => return Err(Unreadable::Json("it is empty".to_owned())),
        }
        let fields: Fields =
            serde_json::from_slice(line).map_err(|error| unreadable(line, &error))?;
        match fields.kind.as_deref() {
            Some("bestaction") => {
                let (to, action) = fields.answer("bestaction")?;
                let action = need(action, "bestaction", "action")?;
                Ok(Self::BestAction { to, action })
            }
            Some("resign") => Ok(Self::Resign(fields.answer("resign")?.0)),
            Some("readyok") => Ok(Self::ReadyOk),
            Some("info") => Ok(Self::Info(fields.text.unwrap_or_default())),
            Some("hello") => fields.hello().map(Self::Hello),
            Some(other) => Err(Unreadable::Type(shortened(other.as_bytes()))),
            None => Err(Unreadable::Missing {
                message: "a message",
                field: "type",
            }),
        }
    }

    /// Writes the message as a line with its end, for a program that is an engine.
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
            Self::BestAction { to, action } => Fields {
                action: Some(action.clone()),
                ..answer("bestaction", to)
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
        line::write(&fields, lines);
    }
}

impl Fields {
    fn answer(self, message: &'static str) -> Result<(AnswerTo, Option<String>), Unreadable> {
        let to = AnswerTo {
            match_id: need(self.match_id, message, "match")?,
            decision: need(self.decision, message, "decision")?,
        };
        Ok((to, self.action))
    }

    fn hello(self) -> Result<EngineHello, Unreadable> {
        let protocol = need(self.protocol, "hello", "protocol")?;
        if !(1..=PROTOCOL).contains(&protocol) {
            let want = format!("a version that is spoken here, from 1 to {PROTOCOL}");
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

fn unreadable(line: &[u8], error: &serde_json::Error) -> Unreadable {
    let why = shortened(error.to_string().as_bytes());
    match serde_json::from_slice(line) {
        Ok(Kind { kind }) if kind == "hello" => Unreadable::Hello(why),
        Ok(_) | Err(_) => Unreadable::Json(why),
    }
}

fn need<T>(value: Option<T>, message: &'static str, field: &'static str) -> Result<T, Unreadable> {
    value.ok_or(Unreadable::Missing { message, field })
}

fn range(field: &'static str, want: String) -> Unreadable {
    Unreadable::Range { field, want }
}

fn name(field: &'static str, text: String) -> Result<String, Unreadable> {
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
    fn says_what_is_wrong() {
        for (line, told) in [
            ("", "empty"),
            ("info depth 3", "no JSON object"),
            ("[1]", "no JSON object"),
            ("{", "no message"),
            ("{}", r#"a message needs "type""#),
            (r#"{"type":"bestmove"}"#, r#"no message "bestmove""#),
            (r#"{"type":"bestaction"}"#, r#"bestaction needs "match""#),
            (
                r#"{"type":"bestaction","match":"m","decision":1}"#,
                r#"needs "action""#,
            ),
            (
                r#"{"type":"resign","match":"m","decision":-1}"#,
                "no message",
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
            assert!(error.contains(told), "{line}: {error}");
        }
        assert!(FromEngine::read(b"{\"type\":\"\xff\"}").is_err());
    }
}
