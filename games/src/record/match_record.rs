use std::collections::BTreeMap;

use super::Thinking;
use crate::{GameOutcome, Seat};

/// A match as it was played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchRecord {
    /// The game's name in the catalogue.
    pub game: String,
    /// The variant's name.
    pub variant: String,
    /// The number of points that wins the match.
    pub target: u32,
    /// The names of the players, seat first's first.
    pub players: [String; 2],
    /// The title. May be empty.
    pub title: String,
    /// The day on which it began, as `2026-11-21`. `None` if unknown.
    pub date: Option<String>,
    /// The entries of its opening, which led to the start of the first game, in canonical notation: see
    /// [`open_with`](crate::match_play::Match::open_with). Usually empty.
    pub opening: Vec<String>,
    /// Its games, in order.
    pub games: Vec<GameRecord>,
}

/// A game as it was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The opening position.
    pub start: String,
    /// The steps, in order.
    pub steps: Vec<RecordStep>,
    /// The thoughts of the players about their actions, by the index of the action in `steps`, from 0.
    pub thinking: BTreeMap<usize, Thinking>,
    /// The outcome, by the seats of the match. `None` if the game was not played to its end.
    pub outcome: Option<RecordOutcome>,
}

/// A step of a game. Seats are those of the match.
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
    /// A roll was drawn.
    Roll {
        /// The roll in canonical notation.
        roll: String,
    },
}

/// The outcome of a game in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordOutcome {
    /// The winner. `None` if the game was drawn.
    pub winner: Option<Seat>,
    /// The number of points it was worth.
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
