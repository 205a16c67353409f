use dragontooth_games::Seat;

use super::{BotIndex, MatchNumber, Slot};

/// One match of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledMatch {
    /// The number in the schedule.
    pub number: MatchNumber,
    /// The slot in the schedule.
    pub slot: Slot,
    /// The number of its encounter in the event, from 1.
    pub encounter: u32,
    /// The bots by seat.
    pub bots: [BotIndex; 2],
}

impl ScheduledMatch {
    /// The bot in `seat`.
    #[must_use]
    pub const fn bot(&self, seat: Seat) -> BotIndex {
        self.bots[seat.index()]
    }

    /// Selects the values of this match's bots, by seat, from `values`, which has one for each bot
    /// in the order of the event's list.
    ///
    /// # Panics
    ///
    /// If `values` has fewer items than the event has bots.
    #[must_use]
    pub fn by_seat<T: Copy>(&self, of_bots: &[T]) -> [T; 2] {
        self.bots.map(|bot| of_bots[bot.get()])
    }

    /// Returns the seat of `bot`, if it plays.
    #[must_use]
    pub fn seat_of(&self, bot: BotIndex) -> Option<Seat> {
        Seat::BOTH.into_iter().find(|seat| self.bot(*seat) == bot)
    }
}
