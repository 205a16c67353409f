use std::str::FromStr;

use super::play::STOPS_MAX;
use super::{Action, BAR, Move, OFF, PARTS_MAX, Play, Resignation, Stop};

/// A bound on the bytes of an action in any notation that is read.
pub const ACTION_BYTES_MAX: usize = 128;

/// Why a text is no action.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseActionError {
    /// The text is longer than any action.
    #[error("an action has at most {ACTION_BYTES_MAX} bytes")]
    TooLong,
    /// There is nothing.
    #[error(
        "an action is expected: roll, double, take, drop, resign 1, accept, decline, or moves \
         such as 24/18 13/11*"
    )]
    Empty,
    /// A resignation is not of 1, 2 or 3.
    #[error("a resignation is resign 1, resign 2 or resign 3")]
    Resignation,
    /// A part of a play is no move.
    #[error(
        "{part:?} is no move: two places or more with / between them are expected, such as 24/18*"
    )]
    NoMove {
        /// The part.
        part: String,
    },
    /// A place is neither a point nor the bar nor off.
    #[error("{place:?} in {part:?} is no place: a point from 1 to 24, bar or off is expected")]
    Place {
        /// The place.
        place: String,
        /// The part in which it stands.
        part: String,
    },
    /// A checker can neither start from off nor end on the bar nor stop on either.
    #[error("in {part:?} a checker starts from off, or does not start from the bar")]
    Ends {
        /// The part in which it does.
        part: String,
    },
    /// A hit is marked where there can be none.
    #[error("in {part:?} a hit is marked where a checker starts or is borne off")]
    HitMark {
        /// The part.
        part: String,
    },
    /// The number of times is not from 1 to 4.
    #[error("in {part:?} the number of times is not a digit from 1 to 4 in brackets at the end")]
    Times {
        /// The part.
        part: String,
    },
    /// There are more moves than a double has.
    #[error("a play has at most {PARTS_MAX} moves")]
    TooManyMoves,
    /// A move names more places than a checker can come to.
    #[error("{part:?} names more than {STOPS_MAX} stops")]
    TooManyStops {
        /// The part.
        part: String,
    },
}

impl FromStr for Action {
    type Err = ParseActionError;

    /// Reads the word of a decision, or moves in any order, joined or split. `bar` and `off` may be
    /// written 25 and 0, all letters large or small; marks of hits may be missing.
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

/// A move and how often it is made.
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

/// A place and whether a hit is marked there.
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
