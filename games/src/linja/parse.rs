use std::str::FromStr;

use super::counts::Counts;
use super::notation::{EXTRA_TURN, FIRST_MOVE, SECOND_MOVE, side_letter};
use super::{
    PIECES, POSITION_BYTES_MAX, ParsePositionError, Position, ROW_CAPACITY, STEPS_MAX,
    TurnStateFault,
};
use crate::Seat;

impl FromStr for Position {
    type Err = ParsePositionError;

    /// Parses a position. There is one way to write each position, and only that one is accepted.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() > POSITION_BYTES_MAX {
            return Err(ParsePositionError::TooLong);
        }
        let mut fields = text.split(' ');
        let (Some(pieces), Some(side), Some(state), None) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            return Err(ParsePositionError::FieldCount {
                found: text.split(' ').count(),
            });
        };
        let (red, black) = read_pieces(pieces)?;
        let to_move = Seat::BOTH
            .into_iter()
            .find(|seat| side.chars().eq([side_letter(*seat)]))
            .ok_or(ParsePositionError::Side)?;
        let (steps, extra) = read_state(state).map_err(ParsePositionError::State)?;
        let position = Self {
            pieces: [Counts::new(red), Counts::new(black).turned()],
            to_move,
            steps,
            extra,
        };
        if position.movable() == 0 && steps != 0 && !position.is_separated() {
            let seat = to_move;
            return Err(ParsePositionError::State(TurnStateFault::Lapsed {
                seat,
                steps,
            }));
        }
        Ok(position)
    }
}

/// Reads the counts of Red and Black on the rows 0 to 7.
fn read_pieces(text: &str) -> Result<([u8; 8], [u8; 8]), ParsePositionError> {
    let mut sides = text.split('/');
    let (Some(red), Some(black), None) = (sides.next(), sides.next(), sides.next()) else {
        return Err(ParsePositionError::SideCount {
            found: text.split('/').count(),
        });
    };
    let red = read_counts(Seat::First, red)?;
    let black = read_counts(Seat::Second, black)?;
    for row in 1..7 {
        let found = red[row] + black[row];
        if found > ROW_CAPACITY {
            return Err(ParsePositionError::Overfull { row, found });
        }
    }
    Ok((red, black))
}

fn read_counts(seat: Seat, text: &str) -> Result<[u8; 8], ParsePositionError> {
    let found = text.split(',').count();
    if found != 8 {
        return Err(ParsePositionError::RowCount { seat, found });
    }
    let mut counts = [0; 8];
    for (row, (count, text)) in counts.iter_mut().zip(text.split(',')).enumerate() {
        *count = read_count(text).ok_or(ParsePositionError::Count { seat, row })?;
    }
    let found = counts.iter().copied().map(u32::from).sum();
    if found == u32::from(PIECES) {
        Ok(counts)
    } else {
        Err(ParsePositionError::PieceCount { seat, found })
    }
}

/// Reads a number of pieces without a leading zero.
fn read_count(text: &str) -> Option<u8> {
    let count = match text.as_bytes() {
        [digit @ b'0'..=b'9'] => digit - b'0',
        [b'1', digit @ b'0'..=b'9'] => 10 + (digit - b'0'),
        _ => return None,
    };
    (count <= PIECES).then_some(count)
}

/// Reads the steps of the second move, 0 before the first, and true in an extra turn.
fn read_state(text: &str) -> Result<(u8, bool), TurnStateFault> {
    let (state, extra) = match text.strip_suffix(EXTRA_TURN) {
        Some(state) => (state, true),
        None => (text, false),
    };
    if state.chars().eq([FIRST_MOVE]) {
        return Ok((0, extra));
    }
    let steps = state
        .strip_prefix(SECOND_MOVE)
        .ok_or(TurnStateFault::Unknown)?;
    match steps.as_bytes() {
        [digit @ b'1'..=b'9'] if digit - b'0' <= STEPS_MAX => Ok((digit - b'0', extra)),
        _ => Err(TurnStateFault::Steps),
    }
}
