use dragontooth_games::Seat;
use dragontooth_games::linja::{POINTS_BY_ROW, Position, ROW_CAPACITY};

/// The pieces of the seat that decides and of its opponent, each by the rows as it sees them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides {
    pub(super) own: [u8; 8],
    pub(super) other: [u8; 8],
}

impl Sides {
    pub(super) fn of(position: &Position, seat: Seat) -> Self {
        Self {
            own: position.advance(seat),
            other: position.advance(seat.other()),
        }
    }

    /// The same seen by the opponent.
    pub(super) const fn turned(self) -> Self {
        Self {
            own: self.other,
            other: self.own,
        }
    }

    /// The pieces of both sides on a row, 0 to 7, as the seat sees it.
    pub(super) fn all(&self, row: usize) -> u8 {
        self.own[row] + self.other[7 - row]
    }

    /// The steps until every own piece is on the target row.
    pub(super) fn steps_left(&self) -> i32 {
        let rows = self.own.into_iter().zip(0..);
        rows.map(|(count, row)| i32::from(count) * (7 - row)).sum()
    }

    /// The steps until every own piece is beyond the last of the opponent's.
    pub(super) fn steps_to_pass(&self) -> i32 {
        let free = 8 - signed(last(self.other));
        let rows = self.own.into_iter().zip(0..);
        rows.map(|(count, row)| i32::from(count) * (free - row).max(0))
            .sum()
    }

    /// The current score of the own pieces.
    pub(super) fn score(&self) -> i32 {
        let rows = self.own.into_iter().zip(POINTS_BY_ROW);
        rows.map(|(count, points)| i32::from(count) * points.cast_signed())
            .sum()
    }

    /// The most steps that a first move earns for the second.
    pub(super) fn steps_to_earn(&self) -> usize {
        let earned = |row: usize| match row + 1 {
            7 => 1,
            next if self.all(next) < ROW_CAPACITY => self.all(next),
            _ => 0,
        };
        let starts = (0..7).filter(|row| self.own[*row] > 0);
        starts.map(earned).max().unwrap_or(0).into()
    }
}

/// The row of the last piece of a side, as it sees the rows.
pub(super) fn last(pieces: [u8; 8]) -> usize {
    pieces.iter().position(|count| *count > 0).unwrap_or(7)
}

fn signed(row: usize) -> i32 {
    i32::try_from(row).unwrap_or(i32::MAX)
}
