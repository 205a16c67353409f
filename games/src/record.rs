//! Matches as records: what was played, in notation, and the formats of other programs.

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

/// The records of another program.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its name, lower case: `mat`.
    pub name: &'static str,
    /// What it is and which programs read it, in one sentence.
    pub summary: &'static str,
    /// Writes a record.
    pub write: Writer,
    /// Reads a record, if that is possible.
    pub read: Option<Reader>,
}

/// A function that writes a record as a text.
pub type Writer = fn(&MatchRecord) -> Result<String, WriteError>;

/// A function that reads a record from a text.
pub type Reader = fn(&str) -> Result<MatchRecord, ReadError>;

/// Why a record cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// It is none of a match of the game, or what happened in it is against the rules.
    #[error("game {game}: {why}")]
    Inconsistent {
        /// The number of the game, from 1.
        game: usize,
        /// What is wrong.
        why: String,
    },
    /// The format cannot say what happened.
    #[error("the format cannot say this: {0}")]
    Unsayable(String),
}

/// Why a text is no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct ReadError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}
