use super::square::Spot;
use super::{Colour, Position, Rank, Square};
use crate::Seat;

/// Maximum number of towers in a push.
const LINE_MAX: usize = Rank::Triple.pushes() as usize;

/// The spots where the towers of a push land, from the pushing side's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Push {
    /// The spot of the pushing tower.
    pub(super) pusher: Spot,
    /// The spot of the farthest pushed tower.
    pub(super) farthest: Spot,
}

/// The reason why a tower cannot push. Squares are those of the towers in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PushFault {
    /// There is no tower ahead.
    Nothing,
    /// The tower ahead belongs to the same side.
    Own(Square),
    /// A tower in the line is not of lower rank.
    NotLower(Square, Rank),
    /// The line is too long for the tower's rank.
    TooMany(Square),
    /// A tower of the pushing side is behind the line.
    NoRoom(Square),
    /// The line reaches the opponent's home row.
    HomeRow(Square),
}

impl Position {
    #[inline]
    pub(super) fn can_push(&self, seat: Seat, colour: Colour) -> bool {
        self.rank(seat, colour) != Rank::Plain && self.push_line(seat, colour).is_ok()
    }

    /// The number of towers that a seat's tower would push: the unbroken line ahead of it, with an
    /// empty square behind.
    pub(super) fn push_line(&self, seat: Seat, colour: Colour) -> Result<u8, PushFault> {
        let rank = self.rank(seat, colour);
        let mut spot = self.spot(seat, colour);
        let mut length = 0;
        loop {
            let square = spot.square(seat);
            spot = spot.ahead().ok_or(PushFault::HomeRow(square))?;
            let square = spot.square(seat);
            if self.occupied[seat.index()] & spot.bit() == 0 {
                return if length == 0 {
                    Err(PushFault::Nothing)
                } else {
                    Ok(length)
                };
            }
            let Some(ahead) = self.colour_on(seat.other(), spot.turned()) else {
                let own_in_front = length == 0;
                let fault = if own_in_front {
                    PushFault::Own
                } else {
                    PushFault::NoRoom
                };
                return Err(fault(square));
            };
            if length == rank.pushes() {
                return Err(PushFault::TooMany(square));
            }
            let rank_ahead = self.rank(seat.other(), ahead);
            if rank_ahead >= rank {
                return Err(PushFault::NotLower(square, rank_ahead));
            }
            length += 1;
        }
    }

    /// Pushes with a seat's tower: the line ahead goes back one square and the tower follows.
    /// Returns `None` and changes nothing if it cannot push.
    pub(super) fn push_ahead(&mut self, seat: Seat, colour: Colour) -> Option<Push> {
        let length = usize::from(self.push_line(seat, colour).ok()?);
        let mut line = [self.spot(seat, colour); LINE_MAX + 2];
        for index in 0..=length {
            line[index + 1] = line[index].ahead()?;
        }
        // The farthest tower goes first, so that each lands on an empty square.
        for index in (1..=length).rev() {
            let pushed = self.colour_on(seat.other(), line[index].turned())?;
            self.shift(seat.other(), pushed, line[index + 1].turned());
        }
        self.shift(seat, colour, line[1]);
        Some(Push {
            pusher: line[1],
            farthest: line[length + 1],
        })
    }
}
