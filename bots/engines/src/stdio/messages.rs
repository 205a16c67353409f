use std::borrow::Cow;
use std::collections::BTreeMap;

use dragontooth_games::Seat;
use dragontooth_games::record::RecordStep;
use dragontooth_service_client::TimeControl;
use serde::{Deserialize, Serialize};

use super::line;

/// The version of the protocol.
pub const PROTOCOL: u32 = 1;

/// A message to an engine, an object on a line of its own. An engine ignores fields that it does not
/// know, and messages of other types.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ToEngine<'a> {
    /// The first message: who speaks, and what was set on the engine.
    Hello(Hello<'a>),
    /// Asks whether all that was said is done; the answer is `readyok`.
    IsReady,
    /// A match begins.
    NewMatch(NewMatch<'a>),
    /// A game of a match begins.
    NewGame(NewGame<'a>),
    /// A game of a match is over.
    GameOver(GameOver<'a>),
    /// What is to be decided.
    Position(Box<Place<'a>>),
    /// Decide.
    Go(Go<'a>),
    /// The decision is not wanted any more.
    Stop(Stop<'a>),
    /// A match is over.
    MatchOver(MatchOver<'a>),
    /// A line of the engine was not taken.
    Refused(Refused<'a>),
    /// End.
    Quit,
}

/// The first message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello<'a> {
    /// The version of the protocol.
    pub protocol: u32,
    /// Who speaks: a program and its version.
    pub bridge: Cow<'a, str>,
    /// What was set on the engine.
    pub options: Cow<'a, BTreeMap<String, String>>,
    /// What the engine's random choices may follow from besides those of a decision.
    pub seed: u64,
}

/// A match begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewMatch<'a> {
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
    /// The agreement on time of each seat; none for no clock.
    pub time_controls: Both<Option<Clock>>,
}

/// A game of a match begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewGame<'a> {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: Cow<'a, str>,
    /// The number of the game, from 1.
    pub game_number: u32,
    /// The position that opens it.
    pub position: Cow<'a, str>,
}

/// A game of a match is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameOver<'a> {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: Cow<'a, str>,
    /// The number of the game, from 1.
    pub game_number: u32,
    /// The winner; none for a drawn game.
    pub winner: Option<SeatName>,
    /// The points that it was worth.
    pub points: u32,
    /// The points of the match with it.
    pub score: Both<u32>,
    /// What happened in it since the last message that tells; none if it is too much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Cow<'a, [Step<'a>]>>,
}

/// What is to be decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place<'a> {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: Cow<'a, str>,
    /// The decision's number, which the answer names.
    pub decision: u64,
    /// The number of the game, from 1.
    pub game_number: u32,
    /// The actions that were played in the match before, by both seats.
    pub ply: u32,
    /// The position, in the game's notation.
    pub position: Cow<'a, str>,
    /// The points so far.
    pub score: Both<u32>,
    /// What chance gave for the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roll: Option<Cow<'a, str>>,
    /// What happened in the game since the last message that tells; none if nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Cow<'a, [Step<'a>]>>,
    /// The legal actions; none unless the engine wants them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal: Option<Cow<'a, [String]>>,
    /// What may be played besides without being a move of the game; none unless the engine wants the
    /// legal actions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offers: Option<Cow<'a, [String]>>,
}

/// Decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Go<'a> {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: Cow<'a, str>,
    /// The decision.
    pub decision: u64,
    /// What the random choices of the decision follow from, below 2^53.
    pub seed: u64,
    /// The time that the decision should take at most, in milliseconds; none for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// The time after which the clock has run out, in milliseconds; none for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<u64>,
    /// The clocks by seat, in milliseconds, none for a seat without; none in a match without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks_ms: Option<Both<Option<u64>>>,
}

/// A decision is not wanted any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop<'a> {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: Cow<'a, str>,
    /// The decision.
    pub decision: u64,
}

/// A match is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchOver<'a> {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: Cow<'a, str>,
    /// The winner; none if there is none or nobody knows.
    pub winner: Option<SeatName>,
    /// Why it ended; `unknown` if nobody knows.
    pub termination: Cow<'a, str>,
    /// The points; none if nobody knows.
    pub score: Option<Both<u32>>,
}

/// A line was not taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused<'a> {
    /// Why.
    pub reason: Cow<'a, str>,
    /// The line, shortened.
    pub line: Cow<'a, str>,
}

/// Something of both seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Both<T> {
    /// That of seat first.
    pub first: T,
    /// That of seat second.
    pub second: T,
}

impl<T> From<[T; 2]> for Both<T> {
    fn from([first, second]: [T; 2]) -> Self {
        Self { first, second }
    }
}

/// A seat.
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

/// An agreement on time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Clock {
    /// So long for every action.
    PerAction {
        /// The limit.
        per_action_ms: u64,
    },
    /// A stock, and so much more after every action.
    Fischer {
        /// The stock.
        base_ms: u64,
        /// What comes to it after an action.
        increment_ms: u64,
    },
    /// A stock, which is used only after so long.
    Delay {
        /// The stock.
        base_ms: u64,
        /// What every action may take besides.
        delay_ms: u64,
    },
}

impl From<TimeControl> for Clock {
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

/// Something that happened in a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Step<'a> {
    /// A seat played an action.
    Action {
        /// The seat.
        seat: SeatName,
        /// The action.
        action: Cow<'a, str>,
    },
    /// A seat could not act and its turn passed.
    Pass {
        /// The seat.
        pass: SeatName,
    },
    /// Chance gave a roll.
    Roll {
        /// The roll.
        roll: Cow<'a, str>,
    },
}

impl<'a> From<&'a RecordStep> for Step<'a> {
    fn from(step: &'a RecordStep) -> Self {
        match step {
            RecordStep::Action { seat, action } => Self::Action {
                seat: (*seat).into(),
                action: action.into(),
            },
            RecordStep::Pass { seat } => Self::Pass {
                pass: (*seat).into(),
            },
            RecordStep::Roll { roll } => Self::Roll { roll: roll.into() },
        }
    }
}

impl ToEngine<'_> {
    /// Writes the message as a line with its end.
    pub fn write(&self, lines: &mut Vec<u8>) {
        line::write(self, lines);
    }

    /// Reads a line, for a program that is an engine.
    ///
    /// # Errors
    ///
    /// It is no message of this version.
    pub fn read(line: &[u8]) -> Result<ToEngine<'static>, serde_json::Error> {
        serde_json::from_slice(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `docs/stdio.md` has them.
    #[test]
    fn lines_are_as_they_are_promised() {
        let place = Place {
            match_id: "m".into(),
            decision: 5,
            game_number: 1,
            ply: 1,
            position: "p".into(),
            score: [0, 3].into(),
            roll: Some("31".into()),
            steps: Some(
                vec![
                    Step::Action {
                        seat: SeatName::First,
                        action: "a1a2".into(),
                    },
                    Step::Pass {
                        pass: SeatName::Second,
                    },
                    Step::Roll { roll: "31".into() },
                ]
                .into(),
            ),
            legal: None,
            offers: None,
        };
        let go = Go {
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
