use std::fmt;

use dragontooth_games::Seat;
use dragontooth_games::backgammon::{BAR, Due, OFF, Position};

/// A position as the board line of the First Internet Backgammon Server for one player:
/// "style 3" of its help page on boards, `board:You:opponent:…` with 52 fields.
///
/// It is written from the view of the seat that is asked: it is `You`, plays the positive checkers
/// (colour 1) and moves from the 24 point down (direction −1), so that its points are numbered as
/// it counts.
#[derive(Clone, Copy, Debug)]
pub struct FibsBoard<'a> {
    position: &'a Position,
    asked: Seat,
    swaps_points: bool,
}

/// The length in the line of a money game.
const UNLIMITED: u16 = 9999;

impl<'a> FibsBoard<'a> {
    /// The position from the view of this seat.
    #[must_use]
    pub const fn new(position: &'a Position, asked: Seat) -> Self {
        Self {
            position,
            asked,
            swaps_points: false,
        }
    }

    /// The same with the points of both players in each other's place, for a program that reads them so.
    #[must_use]
    pub const fn with_points_swapped(mut self, swaps_points: bool) -> Self {
        self.swaps_points = swaps_points;
        self
    }

    /// Returns true if the cube lets a seat double. In the Crawford game it does too: a line on which neither
    /// side may double would be read as a double that waits for its answer.
    fn may_double(&self, seat: Seat) -> bool {
        let owner = self.position.cube().owner();
        owner.is_none_or(|owner| owner == seat)
    }
}

impl fmt::Display for FibsBoard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (position, asked) = (self.position, self.asked);
        let (board, other) = (position.board(), asked.other());
        let length = position.match_length().map_or(UNLIMITED, u16::from);
        let [mut own_points, mut other_points] = [asked, other].map(|seat| position.points(seat));
        if self.swaps_points {
            (own_points, other_points) = (other_points, own_points);
        }
        write!(f, "board:You:opponent:{length}:{own_points}:{other_points}")?;
        // The opponent's bar, the points, the own bar.
        for place in 0..=BAR {
            let own = if place == OFF {
                0
            } else {
                board.at(asked, place)
            };
            let others = if place == BAR {
                0
            } else {
                board.at(other, BAR - place)
            };
            write!(f, ":{}", i16::from(own) - i16::from(others))?;
        }
        let is_turn = position.mover() == Some(asked);
        let (dice, steps) = match position.due() {
            Due::Moves(dice) => ([dice.first(), dice.second()], dice.steps_max()),
            Due::OpeningRoll
            | Due::Roll
            | Due::RollOrDouble
            | Due::TakeOrDrop
            | Due::Answer(_)
            | Due::Nothing => ([0, 0], 0),
        };
        let [own_dice, other_dice] = if is_turn {
            [dice, [0, 0]]
        } else {
            [[0, 0], dice]
        };
        let turn = if is_turn { 1 } else { -1 };
        write!(f, ":{turn}")?;
        for die in own_dice.into_iter().chain(other_dice) {
            write!(f, ":{die}")?;
        }
        let flag = u8::from;
        write!(
            f,
            ":{cube}:{own_may}:{other_may}:{doubled}:1:-1:0:25",
            cube = position.cube().value(),
            own_may = flag(self.may_double(asked)),
            other_may = flag(self.may_double(other)),
            doubled = flag(position.due() == Due::TakeOrDrop),
        )?;
        let [own, others] = [asked, other].map(|seat| board.places(seat));
        write!(
            f,
            ":{}:{}:{}:{}:{steps}:0:{}:0",
            own[usize::from(OFF)],
            others[usize::from(OFF)],
            own[usize::from(BAR)],
            others[usize::from(BAR)],
            flag(is_post_crawford(position)),
        )
    }
}

/// Returns true if the Crawford game is over: a side lacks one point, and the cube is in use.
fn is_post_crawford(position: &Position) -> bool {
    let is_near = |length: u8| {
        Seat::BOTH
            .into_iter()
            .any(|seat| position.points(seat) + 1 == u16::from(length))
    };
    !position.is_crawford()
        && position
            .match_length()
            .is_some_and(|length| length > 1 && is_near(length))
}
