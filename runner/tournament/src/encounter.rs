use dragontooth_games::Seat;

use super::{MatchResult, Pairing, Points, ScheduledMatch, Tally};

/// What an encounter, or several of the same two bots, brought so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EncounterScore {
    /// The match points of the bot named first in the pairing, and of the other. Void matches
    /// bring none.
    pub(super) points: [Points; 2],
    /// The game points, in the same order.
    pub(super) game_points: [u64; 2],
}

/// Which bot of a pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The one named first.
    First,
    /// The other.
    Second,
}

impl EncounterScore {
    /// Adds a match of `pairing`.
    pub(super) fn count(
        &mut self,
        pairing: Pairing,
        planned: &ScheduledMatch,
        result: &MatchResult,
    ) {
        for (side, bot) in pairing.bots().into_iter().enumerate() {
            let seat = planned
                .seat_of(bot)
                .expect("the match is one of both bots of the pairing");
            self.points[side] += Tally::of(result.verdict(), seat).points();
            self.game_points[side] += u64::from(result.score[seat.index()]);
        }
    }

    /// Who has more points; none if both have as many.
    pub(super) fn winner(&self) -> Option<Side> {
        more(self.points)
    }

    /// Who has more game points; none if both have as many.
    pub(super) fn winner_by_game_points(&self) -> Option<Side> {
        more(self.game_points)
    }
}

impl Side {
    /// The bot of `pairing`.
    pub(super) const fn bot(self, pairing: Pairing) -> super::BotIndex {
        match self {
            Self::First => pairing.first,
            Self::Second => pairing.second,
        }
    }

    /// The other bot of `pairing`.
    pub(super) const fn other_bot(self, pairing: Pairing) -> super::BotIndex {
        self.bot(pairing.swapped())
    }
}

impl ScheduledMatch {
    /// The bots as they are seated.
    pub(super) const fn pairing(&self) -> Pairing {
        Pairing {
            first: self.bot(Seat::First),
            second: self.bot(Seat::Second),
        }
    }
}

fn more<T: PartialOrd>([first, second]: [T; 2]) -> Option<Side> {
    if first > second {
        Some(Side::First)
    } else if second > first {
        Some(Side::Second)
    } else {
        None
    }
}
