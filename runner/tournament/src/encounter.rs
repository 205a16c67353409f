use dragontooth_games::Seat;

use super::{MatchResult, Pairing, Points, ScheduledMatch, Tally, Verdict};

/// The points of an encounter, or of several encounters of the same two bots, so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EncounterScore {
    /// Match points of the bot named first in the pairing, and of the other. Void matches bring
    /// neither these nor game points.
    pub(super) points: [Points; 2],
    /// Game points, in the same order.
    pub(super) game_points: [u64; 2],
}

/// One of the two bots of a pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The bot named first.
    First,
    /// The other bot.
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
                .expect("the match is between the bots of the pairing");
            self.points[side] += Tally::of(result.verdict(), seat).points();
            if result.verdict() != Verdict::Void {
                self.game_points[side] += u64::from(result.score[seat.index()]);
            }
        }
    }

    /// Returns the side with more points; `None` if they are equal.
    pub(super) fn winner(&self) -> Option<Side> {
        more(self.points)
    }

    /// Returns the side with more game points; `None` if they are equal.
    pub(super) fn winner_by_game_points(&self) -> Option<Side> {
        more(self.game_points)
    }
}

impl Side {
    /// Returns the bot of `pairing` on this side.
    pub(super) const fn bot(self, pairing: Pairing) -> super::BotIndex {
        match self {
            Self::First => pairing.first,
            Self::Second => pairing.second,
        }
    }

    /// Returns the other bot of `pairing`.
    pub(super) const fn other_bot(self, pairing: Pairing) -> super::BotIndex {
        self.bot(pairing.swapped())
    }
}

impl ScheduledMatch {
    /// The bots by seat.
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
