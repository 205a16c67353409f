use super::pushes::PushFault;
use super::{Action, Colour, Demand, Illegal, Position, Rank, Square};
use crate::{Position as _, Seat, Turn};

impl Position {
    /// Checks an action in this order: the state of the game, the tower, the direction, the
    /// distance, the way, the target.
    ///
    /// The order is part of the contract: the rules page promises it, so that every program that
    /// checks actions names the same rule.
    pub(super) fn check_action(&self, action: Action) -> Result<(), Illegal> {
        let seat = self.to_move;
        match (self.turn(), self.demand, action) {
            (Turn::Over(outcome), ..) => Err(Illegal::GameOver {
                winner: outcome.winner.unwrap_or(seat),
                reason: outcome.reason,
            }),
            (_, Demand::Refill, Action::Refill(_)) => Ok(()),
            (_, Demand::Refill, Action::Move { .. }) => Err(Illegal::RefillDue { chooser: seat }),
            (_, _, Action::Refill(_)) => Err(Illegal::NoRefillNow),
            (Turn::Pass(_), Demand::Tower(colour), _) => Err(Illegal::Blocked {
                seat,
                colour,
                square: self.tower(seat, colour).square,
            }),
            (_, demand, Action::Move { from, to }) => {
                let colour = self.check_tower(demand, from)?;
                self.check_way(seat, colour, to)
            }
        }
    }

    fn check_tower(&self, demand: Demand, from: Square) -> Result<Colour, Illegal> {
        let seat = self.to_move;
        let standing = self.tower_on(from).map(|tower| (tower.seat, tower.colour));
        if let Demand::Tower(required) = demand {
            return if standing == Some((seat, required)) {
                Ok(required)
            } else {
                let square = self.tower(seat, required).square;
                Err(Illegal::WrongTower {
                    seat,
                    required,
                    square,
                    from,
                    standing,
                })
            };
        }
        match standing {
            Some((owner, colour)) if owner == seat => Ok(colour),
            Some((owner, colour)) => Err(Illegal::OpponentsTower {
                from,
                colour,
                owner,
            }),
            None => Err(Illegal::NoTower { from }),
        }
    }

    fn check_way(&self, seat: Seat, colour: Colour, to: Square) -> Result<(), Illegal> {
        let tower = self.tower(seat, colour);
        let (from, rank) = (tower.square, tower.rank);
        let (start, end) = (from.seen_by(seat), to.seen_by(seat));
        if start == end {
            return Err(Illegal::NoStep { square: from });
        }
        if end.row() < start.row() {
            return Err(Illegal::Backwards { seat, from, to });
        }
        if end.row() == start.row() {
            return Err(Illegal::Sideways { from, to });
        }
        let squares = end.row() - start.row();
        let sideways = end.column().abs_diff(start.column());
        if sideways != 0 && sideways != squares {
            return Err(Illegal::Crooked { from, to });
        }
        if squares > rank.range() {
            return Err(Illegal::TooFar {
                from,
                to,
                rank,
                squares,
            });
        }
        if let Some(at) = self.first_between(from, to, squares) {
            return Err(Illegal::PathBlocked { at });
        }
        match self.tower_on(to) {
            None => Ok(()),
            Some(_) if rank == Rank::Plain || squares > 1 => Err(Illegal::Occupied { to }),
            Some(_) if sideways == 0 => self.check_push(seat, colour),
            Some(other) if other.seat == seat => Err(Illegal::Occupied { to }),
            Some(_) => Err(Illegal::DiagonalPush { to, rank }),
        }
    }

    fn check_push(&self, seat: Seat, colour: Colour) -> Result<(), Illegal> {
        let rank = self.rank(seat, colour);
        match self.push_line(seat, colour) {
            Ok(_) | Err(PushFault::Nothing) => Ok(()),
            Err(PushFault::Own(at)) => Err(Illegal::OwnTower { seat, at }),
            Err(PushFault::NotLower(at, pushed)) => Err(Illegal::NotLower { at, pushed, rank }),
            Err(PushFault::TooMany(at)) => Err(Illegal::TooManyTowers { at, rank }),
            Err(PushFault::NoRoom(behind)) => Err(Illegal::NoRoomBehind { behind, rank }),
            Err(PushFault::HomeRow(at)) => Err(Illegal::PushOffBoard { at, rank }),
        }
    }

    /// The first occupied square strictly between two squares on a line, `squares` rows apart.
    fn first_between(&self, from: Square, to: Square, squares: u8) -> Option<Square> {
        (1..squares)
            .filter_map(|done| Square::on_the_way(from, to, done, squares))
            .find(|square| self.occupied().contains(*square))
    }
}
