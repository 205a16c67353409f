use std::str::FromStr;

use super::play::STOPS_MAX;
use super::{Action, BAR, Move, OFF, PARTS_MAX, Play, Resignation, Stop};

/// Maximum length in bytes of an action, in any notation that is parsed.
pub const ACTION_BYTES_MAX: usize = 128;

/// The reason why a text is not an action.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseActionError {
    /// The text is longer than any action.
    #[error("longer than {ACTION_BYTES_MAX} bytes")]
    TooLong,
    /// The text is empty.
    #[error(
        "expected roll, double, take, drop, resign 1, accept, decline, or moves such as 24/18 13/11*"
    )]
    Empty,
    /// A resignation is not 1, 2 or 3.
    #[error("expected resign 1, resign 2 or resign 3")]
    Resignation,
    /// A part of a play is not a move.
    #[error("{part:?} is not a move: expected places joined by /, such as 24/18*")]
    NoMove {
        /// The part.
        part: String,
    },
    /// A place is neither a point nor the bar nor off.
    #[error("{place:?} in {part:?} is not a place: expected a point from 1 to 24, bar or off")]
    Place {
        /// The place.
        place: String,
        /// The part that contains it.
        part: String,
    },
    /// A checker cannot start from off, end on the bar, or stop on either.
    #[error("in {part:?} off is not at the end, or bar is not at the start")]
    Ends {
        /// The part.
        part: String,
    },
    /// A hit is marked where there cannot be one.
    #[error("in {part:?} a hit is marked where a checker starts or is borne off")]
    HitMark {
        /// The part.
        part: String,
    },
    /// The repeat count is not from 1 to 4.
    #[error("in {part:?} expected a count from (1) to (4) at the end")]
    Times {
        /// The part.
        part: String,
    },
    /// The play has more moves than a double gives.
    #[error("more than {PARTS_MAX} moves in a play")]
    TooManyMoves,
    /// A move names more stops than a checker can make.
    #[error("{part:?} has more than {STOPS_MAX} stops")]
    TooManyStops {
        /// The part.
        part: String,
    },
}

impl FromStr for Action {
    type Err = ParseActionError;

    /// Parses the word of a decision, or moves in any order, joined or split. `bar` and `off` may
    /// be written 25 and 0, letters may be upper or lower case, and hit marks may be missing.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() > ACTION_BYTES_MAX {
            return Err(ParseActionError::TooLong);
        }
        let text = text.to_ascii_lowercase();
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        match words[..] {
            [] => Err(ParseActionError::Empty),
            ["roll"] => Ok(Self::Roll),
            ["double"] => Ok(Self::Double),
            ["take"] => Ok(Self::Take),
            ["drop"] => Ok(Self::Drop),
            ["accept"] => Ok(Self::Accept),
            ["decline"] => Ok(Self::Decline),
            ["resign", times] => read_resignation(times).map(Self::Resign),
            ["resign", ..] => Err(ParseActionError::Resignation),
            [..] => read_play(&words).map(Self::Play),
        }
    }
}

fn read_resignation(times: &str) -> Result<Resignation, ParseActionError> {
    match times {
        "1" => Ok(Resignation::Single),
        "2" => Ok(Resignation::Gammon),
        "3" => Ok(Resignation::Backgammon),
        _ => Err(ParseActionError::Resignation),
    }
}

fn read_play(parts: &[&str]) -> Result<Play, ParseActionError> {
    let mut moves = Vec::new();
    for part in parts {
        let (way, times) = read_part(part)?;
        for _ in 0..times {
            moves.push(way);
        }
    }
    Play::new(&moves).ok_or(ParseActionError::TooManyMoves)
}

/// Reads a move and its repeat count.
fn read_part(part: &str) -> Result<(Move, usize), ParseActionError> {
    let (way, times) = match part.split_once('(') {
        None => (part, 1),
        Some((way, times)) => {
            let times = ["1)", "2)", "3)", "4)"]
                .iter()
                .position(|text| *text == times);
            let times = times.ok_or_else(|| ParseActionError::Times {
                part: part.to_owned(),
            })?;
            (way, times + 1)
        }
    };
    let mut places = Vec::new();
    for text in way.split('/') {
        places.push(read_place(text, part)?);
        if places.len() > STOPS_MAX + 2 {
            return Err(ParseActionError::TooManyStops {
                part: part.to_owned(),
            });
        }
    }
    let [(from, false), stops @ .., (to, hits)] = &places[..] else {
        return Err(match places[..] {
            [(_, true), _, ..] => ParseActionError::HitMark {
                part: part.to_owned(),
            },
            _ => ParseActionError::NoMove {
                part: part.to_owned(),
            },
        });
    };
    let is_point = |place: u8| place != OFF && place != BAR;
    if *from == OFF || *to == BAR || !stops.iter().all(|(stop, _)| is_point(*stop)) {
        return Err(ParseActionError::Ends {
            part: part.to_owned(),
        });
    }
    if *hits && *to == OFF {
        return Err(ParseActionError::HitMark {
            part: part.to_owned(),
        });
    }
    let mut way = Move::new(*from, *to, *hits);
    for (index, (point, hits)) in stops.iter().enumerate() {
        way = way.with_stop(
            index,
            Stop {
                point: *point,
                hits: *hits,
            },
        );
    }
    Ok((way, times))
}

/// Reads a place and its hit mark.
fn read_place(text: &str, part: &str) -> Result<(u8, bool), ParseActionError> {
    let (name, hits) = match text.strip_suffix('*') {
        Some(name) => (name, true),
        None => (text, false),
    };
    let place = match name.as_bytes() {
        b"bar" => Some(BAR),
        b"off" => Some(OFF),
        [digit @ b'0'..=b'9'] => Some(digit - b'0'),
        [tens @ b'1'..=b'2', digit @ b'0'..=b'9'] => Some(10 * (tens - b'0') + (digit - b'0')),
        _ => None,
    };
    match place {
        Some(place) if place <= BAR => Ok((place, hits)),
        _ => Err(ParseActionError::Place {
            place: name.to_owned(),
            part: part.to_owned(),
        }),
    }
}
