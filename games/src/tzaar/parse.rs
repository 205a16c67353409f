use std::str::FromStr;

use super::notation::{FILE_END, FREE, due_letter, side_letter};
use super::{
    Due, Kind, PIECES, POSITION_BYTES_MAX, ParsePositionError, PhaseFault, Point, Position, Unit,
};
use crate::Seat;

impl FromStr for Position {
    type Err = ParsePositionError;

    /// Parses a position. There is one way to write each position, and only that one is accepted.
    ///
    /// Checks that the numbers of pieces are possible and that the action that is due fits them.
    /// Does not check that some game leads to the position.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() > POSITION_BYTES_MAX {
            return Err(ParsePositionError::TooLong);
        }
        let mut fields = text.split(' ');
        let (Some(units), Some(side), Some(due), None) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            return Err(ParsePositionError::FieldCount {
                found: text.split(' ').count(),
            });
        };
        let mut position = Self::empty();
        read_units(units, &mut position)?;
        position.check_pieces()?;
        position.to_move = Seat::BOTH
            .into_iter()
            .find(|seat| side.chars().eq([side_letter(*seat)]))
            .ok_or(ParsePositionError::Side)?;
        position.due = [Due::Placement, Due::Opening, Due::First, Due::Second]
            .into_iter()
            .find(|letter| due.chars().eq([due_letter(*letter)]))
            .ok_or(ParsePositionError::Action(PhaseFault::Unknown))?;
        position.check_due().map_err(ParsePositionError::Action)?;
        Ok(position)
    }
}

fn read_units(text: &str, position: &mut Position) -> Result<(), ParsePositionError> {
    let found = text.split(FILE_END).count();
    if found != 9 {
        return Err(ParsePositionError::FileCount { found });
    }
    for (file, text) in (0..).zip(text.split(FILE_END)) {
        read_file(file, text, position)?;
    }
    Ok(())
}

fn read_file(file: u8, text: &str, position: &mut Position) -> Result<(), ParsePositionError> {
    let points = || Point::all().filter(|point| point.file() == file);
    let name = char::from(b'a' + file);
    let mut free_points = points();
    let mut found = 0;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        found += 1;
        rest = &rest[letter.len_utf8()..];
        let unit = if letter == FREE {
            None
        } else {
            let (unit, after) = read_unit(name, letter, rest)?;
            rest = after;
            Some(unit)
        };
        if let (Some(at), Some(unit)) = (free_points.next(), unit) {
            position.put(at, unit);
        }
    }
    let expected = points().count();
    if found == expected {
        Ok(())
    } else {
        Err(ParsePositionError::PointCount {
            file: name,
            expected,
            found,
        })
    }
}

/// Reads the unit that starts with this letter, and returns the text after its height.
fn read_unit(file: char, letter: char, rest: &str) -> Result<(Unit, &str), ParsePositionError> {
    let kind = Kind::from_letter(letter.to_ascii_lowercase()).ok_or(ParsePositionError::Unit {
        file,
        found: letter,
    })?;
    let seat = if letter.is_ascii_uppercase() {
        Seat::First
    } else {
        Seat::Second
    };
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (digits, rest) = rest.split_at(digits);
    let height = match digits {
        "" => 1,
        digits if digits.starts_with('0') => return Err(ParsePositionError::Height { file }),
        digits => digits
            .parse()
            .ok()
            .filter(|height| (2..=PIECES).contains(height))
            .ok_or(ParsePositionError::Height { file })?,
    };
    Ok((Unit { seat, kind, height }, rest))
}

impl Position {
    /// Checks that neither side has too many pieces.
    fn check_pieces(&self) -> Result<(), ParsePositionError> {
        for seat in Seat::BOTH {
            for kind in Kind::ALL {
                let found = self.units_of(seat, kind).len();
                if found > usize::from(kind.pieces()) {
                    return Err(ParsePositionError::TooManyOfKind { seat, kind, found });
                }
            }
            let found = self.pieces(seat);
            if found > u32::from(PIECES) {
                return Err(ParsePositionError::TooManyPieces { seat, found });
            }
        }
        Ok(())
    }

    /// Checks that the action that is due fits the units.
    fn check_due(&self) -> Result<(), PhaseFault> {
        match self.due {
            Due::Placement => self.check_placements(),
            Due::Opening => self.check_opening(),
            Due::First | Due::Second => Seat::BOTH
                .into_iter()
                .try_for_each(|seat| self.check_captured_pieces(seat)),
        }
    }

    fn check_placements(&self) -> Result<(), PhaseFault> {
        if self.stacks != 0 {
            return Err(PhaseFault::StackPlaced);
        }
        if self.is_full() {
            return Err(PhaseFault::AllPlaced);
        }
        let seat = self.to_move;
        let [white, black] = Seat::BOTH.map(|seat| self.pieces(seat));
        let ahead = match seat {
            Seat::First => 0,
            Seat::Second => 1,
        };
        if white == black + ahead {
            Ok(())
        } else {
            Err(PhaseFault::PlacementTurn { seat, white, black })
        }
    }

    fn check_opening(&self) -> Result<(), PhaseFault> {
        if self.to_move != Seat::First {
            return Err(PhaseFault::OpeningSide);
        }
        if !self.is_full() {
            return Err(PhaseFault::OpeningBoard);
        }
        Ok(())
    }

    /// Checks that a side has lost a piece for every capture that the other side must have made.
    fn check_captured_pieces(&self, seat: Seat) -> Result<(), PhaseFault> {
        let captures = match (seat.other(), self.to_move, self.due == Due::Second) {
            (Seat::First, Seat::First, true) => 2,
            (Seat::First, _, _) | (Seat::Second, Seat::First, _) => 1,
            (Seat::Second, Seat::Second, second) => u32::from(second),
        };
        let found = self.pieces(seat);
        if found + captures > u32::from(PIECES) {
            return Err(PhaseFault::Uncaptured {
                seat,
                captures,
                found,
            });
        }
        Ok(())
    }
}
