use std::str::FromStr;

use super::notation::{FREE_CHOICE, REFILL, TOOTH, side_letter, tower_from_letter};
use super::square::Spot;
use super::{
    Colour, Demand, POSITION_BYTES_MAX, ParsePositionError, Position, PromotedFault, RefillFault,
    RowFault, Square,
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
        let (Some(placement), Some(side), Some(required), promoted, None) = (
            fields.next(),
            fields.next(),
            fields.next(),
            fields.next(),
            fields.next(),
        ) else {
            return Err(ParsePositionError::FieldCount {
                found: text.split(' ').count(),
            });
        };
        let placement = Placement::read(placement)?;
        let to_move = read_side(side)?;
        let demand = read_demand(required)?;
        let mut position = placement.position(to_move, demand)?;
        position.check_demand()?;
        if let Some(promoted) = promoted {
            position
                .read_promoted(promoted)
                .map_err(ParsePositionError::Promoted)?;
        }
        Ok(position)
    }
}

impl Position {
    /// Checks that the demand can be met.
    fn check_demand(&self) -> Result<(), ParsePositionError> {
        let seat = self.to_move;
        match self.demand {
            Demand::Tower(_) => Ok(()),
            Demand::Any => {
                let any_moves = Colour::ALL
                    .into_iter()
                    .any(|colour| self.can_move(seat, colour));
                if self.won || any_moves {
                    Ok(())
                } else {
                    Err(ParsePositionError::NothingToChoose { seat })
                }
            }
            Demand::Refill => {
                let fault = |fault| Err(ParsePositionError::Refill { seat, fault });
                match self.tower_at_goal() {
                    Some(tower) if tower.seat != seat => fault(RefillFault::OpponentWon),
                    Some(tower) if tower.rank.teeth() == 0 => fault(RefillFault::NoToothForWin),
                    None if self.teeth[seat.index()] == 0 => fault(RefillFault::NoTooth),
                    Some(_) | None => Ok(()),
                }
            }
        }
    }

    fn read_promoted(&mut self, text: &str) -> Result<(), PromotedFault> {
        self.promoted = only_char(text)
            .and_then(tower_from_letter)
            .ok_or(PromotedFault::NoTower)?;
        self.promoted_in_notation()
            .map(|_| ())
            .ok_or(PromotedFault::Redundant)
    }
}

/// The first field: the towers read so far, by seat and colour.
#[derive(Default)]
struct Placement {
    spots: [[Option<Spot>; 8]; 2],
    teeth: [u16; 2],
}

impl Placement {
    fn read(text: &str) -> Result<Self, ParsePositionError> {
        let found = text.split('/').count();
        if found != 8 {
            return Err(ParsePositionError::RankCount { found });
        }
        let mut placement = Self::default();
        for (row, text) in (0..8).rev().zip(text.split('/')) {
            placement.read_row(row, text)?;
        }
        Ok(placement)
    }

    fn read_row(&mut self, row: u8, text: &str) -> Result<(), ParsePositionError> {
        let in_row = |fault| ParsePositionError::Row {
            rank: row + 1,
            fault,
        };
        let mut file = 0;
        let mut last = None;
        for letter in text.chars() {
            if let Some(tower) = tower_from_letter(letter) {
                let at = u8::try_from(file)
                    .ok()
                    .and_then(|file| Square::new(file, row));
                if let Some(square) = at {
                    self.put(tower, square)?;
                }
                file += 1;
            } else if letter == TOOTH {
                let tower = last
                    .and_then(tower_from_letter)
                    .ok_or(in_row(RowFault::LonePlus))?;
                self.add_tooth(tower).map_err(in_row)?;
                continue;
            } else if let Some(empty @ 1..=8) = letter.to_digit(10) {
                if last.is_some_and(|letter: char| letter.is_ascii_digit()) {
                    return Err(in_row(RowFault::SplitNumber));
                }
                file += empty as usize;
            } else {
                return Err(in_row(RowFault::Character(letter)));
            }
            last = Some(letter);
        }
        if file == 8 {
            Ok(())
        } else {
            Err(in_row(RowFault::Length { found: file }))
        }
    }

    fn put(
        &mut self,
        (seat, colour): (Seat, Colour),
        at: Square,
    ) -> Result<(), ParsePositionError> {
        let place = &mut self.spots[seat.index()][colour.index()];
        if place.is_some() {
            return Err(ParsePositionError::TwoTowers { seat, colour });
        }
        *place = Some(at.seen_by(seat));
        Ok(())
    }

    fn add_tooth(&mut self, (seat, colour): (Seat, Colour)) -> Result<(), RowFault> {
        let teeth = &mut self.teeth[seat.index()];
        let shift = 2 * colour.index();
        if *teeth >> shift & 3 == 3 {
            return Err(RowFault::TooManyTeeth);
        }
        *teeth += 1 << shift;
        Ok(())
    }

    fn position(self, to_move: Seat, demand: Demand) -> Result<Position, ParsePositionError> {
        let mut spots = [[Spot::home(0); 8]; 2];
        for seat in Seat::BOTH {
            for colour in Colour::ALL {
                spots[seat.index()][colour.index()] = self.spots[seat.index()][colour.index()]
                    .ok_or(ParsePositionError::MissingTower { seat, colour })?;
            }
        }
        let found = spots
            .as_flattened()
            .iter()
            .filter(|spot| spot.is_goal())
            .count();
        if found > 1 {
            return Err(ParsePositionError::ManyWinners { found });
        }
        Ok(Position::new(spots, self.teeth, to_move, demand))
    }
}

fn read_side(text: &str) -> Result<Seat, ParsePositionError> {
    Seat::BOTH
        .into_iter()
        .find(|seat| only_char(text) == Some(side_letter(*seat)))
        .ok_or(ParsePositionError::Side)
}

fn read_demand(text: &str) -> Result<Demand, ParsePositionError> {
    match only_char(text) {
        Some(FREE_CHOICE) => Ok(Demand::Any),
        Some(REFILL) => Ok(Demand::Refill),
        Some(letter) => Colour::from_letter(letter)
            .map(Demand::Tower)
            .ok_or(ParsePositionError::Required),
        None => Err(ParsePositionError::Required),
    }
}

fn only_char(text: &str) -> Option<char> {
    let mut chars = text.chars();
    let first = chars.next()?;
    chars.next().is_none().then_some(first)
}
