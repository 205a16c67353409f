//! A game made up for these tests.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use dragontooth_bots_builtin::search::{Candidate, Evaluation};
use dragontooth_games::{GameOutcome, IllegalAction, NoRoll, Position, Seat, Turn};

/// A heap of sticks. A seat takes one, two or three; after two it takes again. If the heap is a multiple of
/// seven, the seat to act passes. The seat that has taken more in the end wins: two points if the lead is
/// four or more, else one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Sticks {
    pub(crate) heap: u8,
    pub(crate) taken: [u8; 2],
    pub(crate) to_move: Seat,
    pub(crate) has_passed: bool,
}

impl Sticks {
    pub(crate) const fn new(heap: u8) -> Self {
        Self {
            heap,
            taken: [0; 2],
            to_move: Seat::First,
            has_passed: false,
        }
    }

    fn points(lead: u8) -> u32 {
        if lead < 4 { 1 } else { 2 }
    }

    fn lead(self, seat: Seat) -> i32 {
        i32::from(self.taken[seat.index()]) - i32::from(self.taken[seat.other().index()])
    }
}

impl Position for Sticks {
    type Action = u8;
    type Illegal = NotSoMany;
    type Roll = NoRoll;

    fn roll(&mut self, roll: NoRoll) {
        match roll {}
    }

    fn turn(&self) -> Turn {
        match self.heap {
            0 => {
                let [first, second] = self.taken;
                let winner = match first.cmp(&second) {
                    std::cmp::Ordering::Greater => Some(Seat::First),
                    std::cmp::Ordering::Equal => None,
                    std::cmp::Ordering::Less => Some(Seat::Second),
                };
                let points = winner.map_or(0, |_| Self::points(first.abs_diff(second)));
                Turn::Over(GameOutcome {
                    winner,
                    points,
                    reason: "empty",
                })
            }
            heap if heap % 7 == 0 && !self.has_passed => Turn::Pass(self.to_move),
            _ => Turn::Decide(self.to_move),
        }
    }

    fn for_each_legal(&self, visit: impl FnMut(u8)) {
        if let Turn::Decide(_) = self.turn() {
            (1..=self.heap.min(3)).for_each(visit);
        }
    }

    fn check(&self, action: u8) -> Result<(), NotSoMany> {
        if (1..=self.heap.min(3)).contains(&action) {
            Ok(())
        } else {
            Err(NotSoMany)
        }
    }

    fn play_unchecked(&mut self, action: u8) {
        self.heap -= action;
        self.taken[self.to_move.index()] += action;
        self.has_passed = false;
        if action != 2 {
            self.to_move = self.to_move.other();
        }
    }

    fn pass(&mut self) {
        self.has_passed = true;
        self.to_move = self.to_move.other();
    }
}

#[derive(Clone, Debug, thiserror::Error)]
#[error("one, two or three sticks are taken")]
pub(crate) struct NotSoMany;

impl IllegalAction for NotSoMany {
    fn rule(&self) -> &'static str {
        "sticks"
    }
}

impl fmt::Display for Sticks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl FromStr for Sticks {
    type Err = Infallible;

    fn from_str(_: &str) -> Result<Self, Infallible> {
        Ok(Self::new(20))
    }
}

/// The lead with a small distortion, so that values differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lead;

impl Evaluation<Sticks> for Lead {
    fn win_at_hand(&self, position: &Sticks, seat: Seat) -> Option<u32> {
        let mut end = *position;
        end.play_unchecked(position.heap.min(3));
        let lead = u8::try_from(end.lead(seat)).ok().filter(|lead| *lead > 0)?;
        (end.heap == 0).then(|| Sticks::points(lead))
    }

    fn evaluate(&self, position: &Sticks, seat: Seat) -> i32 {
        10 * position.lead(seat) + i32::from(position.heap % 5)
    }

    fn gain(&self, _: &Sticks, _: Seat, points: u32) -> u16 {
        if points == 1 { 100 } else { 250 }
    }

    fn gain_max(&self, _: &Sticks, _: Seat) -> u16 {
        250
    }

    fn hint(&self, position: &Sticks, _: Seat, candidates: &mut [Candidate<u8>]) {
        for candidate in candidates {
            let hint = (candidate.action() + position.heap) % 3;
            candidate.hint(i16::from(hint));
        }
    }
}
