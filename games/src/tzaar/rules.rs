use super::{Action, Due, Illegal, Position};
use crate::{GameOutcome, NoRoll, Seat, Turn};

/// Outcome reason: the loser's last unit of a kind was captured.
pub const LOST_KIND: &str = "lost_kind";
/// Outcome reason: the loser stacked on their last unit of a kind.
pub const BURIED_KIND: &str = "buried_kind";
/// Outcome reason: the loser has no capture at the start of their turn.
pub const NO_CAPTURE: &str = "no_capture";

impl crate::Position for Position {
    type Action = Action;
    type Illegal = Illegal;
    type Roll = NoRoll;

    #[inline]
    fn turn(&self) -> Turn {
        if let Some(outcome) = self.kind_outcome() {
            Turn::Over(outcome)
        } else if self.due == Due::First && !self.has_capture(self.to_move) {
            Turn::Over(won(self.to_move.other(), NO_CAPTURE))
        } else {
            Turn::Decide(self.to_move)
        }
    }

    /// Ascending by from-point and then to-point, the pass last. Placements by kind and then by
    /// point.
    #[inline]
    fn for_each_legal(&self, visit: impl FnMut(Action)) {
        if self.kind_outcome().is_none() {
            self.visit_legal(visit);
        }
    }

    #[inline]
    fn count_legal(&self) -> usize {
        if self.kind_outcome().is_none() {
            self.count_actions()
        } else {
            0
        }
    }

    fn check(&self, action: Action) -> Result<(), Illegal> {
        self.check_action(action)
    }

    #[inline]
    fn play_unchecked(&mut self, action: Action) {
        self.act(action);
    }

    fn images(&self) -> Vec<Self> {
        self.symmetric()
    }

    /// Does nothing: in this game a pass is always a choice.
    fn pass(&mut self) {}

    fn roll(&mut self, roll: NoRoll) {
        match roll {}
    }
}

impl Position {
    /// The outcome if a side has lost its last unit of a kind.
    ///
    /// The opponent of the seat that acted is checked first: capturing the last unit of a
    /// kind wins.
    #[inline]
    fn kind_outcome(&self) -> Option<GameOutcome> {
        let actor = match self.due {
            Due::Placement | Due::Opening => return None,
            Due::First => self.to_move.other(),
            Due::Second => self.to_move,
        };
        if !self.shows_every_kind(actor.other()) {
            Some(won(actor, LOST_KIND))
        } else if !self.shows_every_kind(actor) {
            Some(won(actor.other(), BURIED_KIND))
        } else {
            None
        }
    }
}

const fn won(winner: Seat, reason: &'static str) -> GameOutcome {
    GameOutcome {
        winner: Some(winner),
        points: 1,
        reason,
    }
}
