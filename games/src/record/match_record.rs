use crate::{GameOutcome, Seat};

/// A match as it was played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchRecord {
    /// The game's name in the catalogue.
    pub game: String,
    /// The variant's name.
    pub variant: String,
    /// The points that end the match.
    pub target: u32,
    /// The names of the players, seat first's first.
    pub players: [String; 2],
    /// The title; may be empty.
    pub title: String,
    /// The day on which it began, as `2026-11-21`; none if it is not known.
    pub date: Option<String>,
    /// Its games, in order.
    pub games: Vec<GameRecord>,
}

/// A game as it was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The position that opened it.
    pub start: String,
    /// What happened, in order.
    pub steps: Vec<RecordStep>,
    /// How it ended, by the seats of the match; none if it was not played to its end.
    pub outcome: Option<RecordOutcome>,
}

/// A step of a game. Its seat is that of the match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordStep {
    /// A seat played an action.
    Action {
        /// The seat.
        seat: Seat,
        /// The action in canonical notation.
        action: String,
    },
    /// A seat could not act.
    Pass {
        /// The seat.
        seat: Seat,
    },
    /// Chance gave a roll.
    Roll {
        /// The roll in canonical notation.
        roll: String,
    },
}

/// How a game of a record ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordOutcome {
    /// The winner; none if the game was drawn.
    pub winner: Option<Seat>,
    /// The points that it was worth.
    pub points: u32,
}

impl From<GameOutcome> for RecordOutcome {
    fn from(outcome: GameOutcome) -> Self {
        Self {
            winner: outcome.winner,
            points: outcome.points,
        }
    }
}
