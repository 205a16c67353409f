use std::fmt;
use std::str::FromStr;

use super::{Kind, ParsePointError, Point};

/// An action of a player at one decision. Each of the two actions of a turn is its own decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// A unit captures an enemy unit, which leaves the board: `d3xc3`.
    Capture {
        /// The point the unit leaves.
        from: Point,
        /// The point it enters.
        to: Point,
    },
    /// A unit goes on top of another unit of its side: `e3+e4`.
    Stack {
        /// The point the unit leaves.
        from: Point,
        /// The point of the other unit.
        to: Point,
    },
    /// The player does not use the second action of the turn: `-`.
    Pass,
    /// A piece is placed on an empty point before the game: `z@d4`.
    Place {
        /// The kind of the piece.
        kind: Kind,
        /// Its point.
        at: Point,
    },
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Capture { from, to } => write!(f, "{from}x{to}"),
            Self::Stack { from, to } => write!(f, "{from}+{to}"),
            Self::Pass => f.write_str("-"),
            Self::Place { kind, at } => write!(f, "{}@{at}", kind.letter()),
        }
    }
}

/// The error of parsing a text that is not an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseActionError {
    /// None of the four forms.
    #[error(
        "expected a capture such as d3xc3, a stacking such as e3+e4, \
         a placement such as z@d4, or a pass, -"
    )]
    NoAction,
    /// The part before the `x` or `+` is not a point.
    #[error("the from-point: {0}")]
    From(ParsePointError),
    /// The part after the `x` or `+` is not a point.
    #[error("the to-point: {0}")]
    To(ParsePointError),
    /// The part before the `@` is not a kind.
    #[error("the kind of the placed piece must be z, r or t")]
    Kind,
    /// The part after the `@` is not a point.
    #[error("the point of the placement: {0}")]
    At(ParsePointError),
}

impl FromStr for Action {
    type Err = ParseActionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "-" {
            return Ok(Self::Pass);
        }
        let mark = text.find(['x', '+', '@']);
        let (before, rest) = mark
            .map(|mark| text.split_at(mark))
            .ok_or(ParseActionError::NoAction)?;
        if let Some(at) = rest.strip_prefix('@') {
            return Ok(Self::Place {
                kind: read_kind(before).ok_or(ParseActionError::Kind)?,
                at: at.parse().map_err(ParseActionError::At)?,
            });
        }
        let from = before.parse().map_err(ParseActionError::From)?;
        let to = rest[1..].parse().map_err(ParseActionError::To)?;
        Ok(if rest.starts_with('x') {
            Self::Capture { from, to }
        } else {
            Self::Stack { from, to }
        })
    }
}

fn read_kind(text: &str) -> Option<Kind> {
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => Kind::from_letter(letter),
        _ => None,
    }
}
