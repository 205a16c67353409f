use std::borrow::Cow;
use std::collections::BTreeMap;

use dragontooth_games::Seat;
use dragontooth_service_vocabulary::TimeControl;
use serde::{Deserialize, Serialize};

/// Version of the protocol.
pub const PROTOCOL: u32 = 1;

/// A message to an engine: a JSON object on a line of its own. An engine ignores unknown fields and
/// messages of unknown types.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ToEngine<'a> {
    /// The first message: the sender and the engine's options.
    Hello(HelloMessage<'a>),
    /// Asks for `readyok` once everything before is processed.
    IsReady,
    /// A match begins.
    NewMatch(NewMatchMessage<'a>),
    /// A game of a match begins.
    NewGame(NewGameMessage<'a>),
    /// A game of a match is over.
    GameOver(GameOverMessage<'a>),
    /// The position of a decision.
    Position(Box<PositionMessage<'a>>),
    /// Asks for the decision.
    Go(GoMessage<'a>),
    /// Withdraws a decision.
    Stop(StopMessage<'a>),
    /// A match is over.
    MatchOver(MatchOverMessage<'a>),
    /// A line of the engine was refused.
    Refused(RefusedMessage<'a>),
    /// Asks the engine to exit.
    Quit,
}

/// The message `hello`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HelloMessage<'a> {
    /// The version of the protocol.
    pub protocol: u32,
    /// Name and version of the sender.
    pub bridge: Cow<'a, str>,
    /// Options for the engine.
    pub options: Cow<'a, BTreeMap<String, String>>,
    /// Seed that the engine may use in addition to the seed of each decision.
    pub seed: u64,
}

/// The message `newmatch`: a match begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewMatchMessage<'a> {
    /// The match's id.
    #[serde(rename = "match")]
    pub match_id: Cow<'a, str>,
    /// Its title; may be empty.
    pub title: Cow<'a, str>,
    /// The game's name in the catalogue.
    pub game: Cow<'a, str>,
    /// The variant's name.
    pub variant: Cow<'a, str>,
    /// The points that win the match.
    pub target: u32,
    /// The engine's seat.
    pub seat: SeatName,
    /// The time control of each seat; `None` means no clock.
    pub time_controls: BySeat<Option<ClockTerms>>,
}

/// The message `newgame`: a game of a match begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewGameMessage<'a> {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: Cow<'a, str>,
    /// The number of the game, from 1.
    pub game_number: u32,
    /// The opening position.
    pub position: Cow<'a, str>,
}

/// The message `gameover`: a game of a match is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameOverMessage<'a> {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: Cow<'a, str>,
    /// The number of the game, from 1.
    pub game_number: u32,
    /// The winner; `None` if the game is drawn.
    pub winner: Option<SeatName>,
    /// The points of the game.
    pub points: u32,
    /// The points of the match, this game included.
    pub score: BySeat<u32>,
    /// The steps since the last message with steps; `None` if there are more than
    /// [`STEPS_MAX`](super::STEPS_MAX).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Cow<'a, [HistoryStep<'a>]>>,
}

/// The position of a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PositionMessage<'a> {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: Cow<'a, str>,
    /// Id of the decision; the answer repeats it.
    pub decision: u64,
    /// The number of the game, from 1.
    pub game_number: u32,
    /// Number of actions played in the match so far, by both seats.
    pub ply: u32,
    /// The position, in the game's notation.
    pub position: Cow<'a, str>,
    /// The points so far.
    pub score: BySeat<u32>,
    /// The roll to play, in games with dice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roll: Option<Cow<'a, str>>,
    /// The steps of the game since the last message with steps; `None` if they are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Cow<'a, [HistoryStep<'a>]>>,
    /// The legal actions, if the engine asked for them in its hello.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal: Option<Cow<'a, [String]>>,
    /// The legal actions that are offers and not moves of the game, such as to resign it, under the same
    /// condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offers: Option<Cow<'a, [String]>>,
}

/// Asks for the decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoMessage<'a> {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: Cow<'a, str>,
    /// The decision.
    pub decision: u64,
    /// Seed for the random choices of the decision, below 2^53.
    pub seed: u64,
    /// Time for the decision, in milliseconds; `None` means no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// Time until the clock runs out, in milliseconds; `None` means no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<u64>,
    /// The clocks by seat, in milliseconds; `None` for a seat, or for the match, without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks_ms: Option<BySeat<Option<u64>>>,
}

/// The message `stop`: withdraws a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopMessage<'a> {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: Cow<'a, str>,
    /// The decision.
    pub decision: u64,
}

/// The message `matchover`: a match is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchOverMessage<'a> {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: Cow<'a, str>,
    /// The winner; `None` if there is none or it is not known.
    pub winner: Option<SeatName>,
    /// The reason for the end; `unknown` if it is not known.
    pub termination: Cow<'a, str>,
    /// The points, if they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<BySeat<u32>>,
}

/// The message `refused`: a line of the engine was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedMessage<'a> {
    /// The reason.
    pub reason: Cow<'a, str>,
    /// The line, shortened.
    pub line: Cow<'a, str>,
    /// The part of the line's thoughts for which they were left out; the rest of the line counts. `None` if
    /// nothing of the line counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<Cow<'a, str>>,
}

/// A value for each seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BySeat<T> {
    /// The value of the first seat.
    pub first: T,
    /// The value of the second seat.
    pub second: T,
}

impl<T> From<[T; 2]> for BySeat<T> {
    fn from([first, second]: [T; 2]) -> Self {
        Self { first, second }
    }
}

/// A seat, as the protocol names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SeatName {
    /// The first.
    First,
    /// The second.
    Second,
}

impl From<Seat> for SeatName {
    fn from(seat: Seat) -> Self {
        match seat {
            Seat::First => Self::First,
            Seat::Second => Self::Second,
        }
    }
}

/// A time control, as the protocol writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ClockTerms {
    /// A limit for every action.
    PerAction {
        /// The limit.
        per_action_ms: u64,
    },
    /// A stock and an increment after every action (Fischer).
    Fischer {
        /// The stock.
        base_ms: u64,
        /// The increment.
        increment_ms: u64,
    },
    /// A stock that runs only after a delay at every action.
    Delay {
        /// The stock.
        base_ms: u64,
        /// The delay.
        delay_ms: u64,
    },
}

impl From<TimeControl> for ClockTerms {
    fn from(control: TimeControl) -> Self {
        let ms = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
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

/// A step of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum HistoryStep<'a> {
    /// A seat played an action.
    Action {
        /// The seat.
        seat: SeatName,
        /// The action.
        action: Cow<'a, str>,
    },
    /// A seat had no legal action.
    Pass {
        /// The seat.
        pass: SeatName,
    },
    /// A roll of the dice.
    Roll {
        /// The roll.
        roll: Cow<'a, str>,
    },
}

impl ToEngine<'_> {
    /// Appends the message as a line, with the line feed.
    pub fn write(&self, lines: &mut Vec<u8>) {
        write_line(self, lines);
    }

    /// Reads a line; for programs that are engines.
    ///
    /// # Errors
    ///
    /// The line is not a message of this version.
    pub fn read(line: &[u8]) -> Result<ToEngine<'static>, serde_json::Error> {
        serde_json::from_slice(line)
    }
}

/// Appends a message as a line, with the line feed: the JSON itself contains none.
pub(super) fn write_line(message: &impl Serialize, lines: &mut Vec<u8>) {
    serde_json::to_writer(&mut *lines, message)
        .expect("texts, numbers and lists of them can all be written to memory");
    lines.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines are those of `docs/stdio.md`.
    #[test]
    fn lines_are_as_documented() {
        let place = PositionMessage {
            match_id: "m".into(),
            decision: 5,
            game_number: 1,
            ply: 1,
            position: "p".into(),
            score: [0, 3].into(),
            roll: Some("31".into()),
            steps: Some(
                vec![
                    HistoryStep::Action {
                        seat: SeatName::First,
                        action: "a1a2".into(),
                    },
                    HistoryStep::Pass {
                        pass: SeatName::Second,
                    },
                    HistoryStep::Roll { roll: "31".into() },
                ]
                .into(),
            ),
            legal: None,
            offers: None,
        };
        let go = GoMessage {
            match_id: "m".into(),
            decision: 5,
            seed: 7,
            time_ms: Some(10),
            left_ms: Some(20),
            clocks_ms: Some([Some(20), Some(30)].into()),
        };
        let cases = [
            (
                ToEngine::Position(Box::new(place)),
                r#"{"type":"position","match":"m","decision":5,"game_number":1,"ply":1,"position":"p","score":{"first":0,"second":3},"roll":"31","steps":[{"seat":"first","action":"a1a2"},{"pass":"second"},{"roll":"31"}]}"#,
            ),
            (
                ToEngine::Go(go),
                r#"{"type":"go","match":"m","decision":5,"seed":7,"time_ms":10,"left_ms":20,"clocks_ms":{"first":20,"second":30}}"#,
            ),
            (ToEngine::IsReady, r#"{"type":"isready"}"#),
            (ToEngine::Quit, r#"{"type":"quit"}"#),
        ];
        for (message, line) in cases {
            let mut lines = Vec::new();
            message.write(&mut lines);
            assert_eq!(String::from_utf8(lines).unwrap(), format!("{line}\n"));
            assert_eq!(ToEngine::read(line.as_bytes()).unwrap(), message);
        }
    }
}
