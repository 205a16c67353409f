use dragontooth_games::Seat;

use super::{BotIndex, MatchResult, Results, Schedule, ScheduledMatch, Tally};

/// The results of every bot against every other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crosstable {
    bots: usize,
    cells: Vec<Tally>,
}

impl Crosstable {
    /// Returns the crosstable of the results so far. Void matches do not count.
    #[must_use]
    pub fn new(schedule: &Schedule, results: &Results) -> Self {
        let bots = schedule.event().bots().len();
        let mut table = Self {
            bots,
            cells: vec![Tally::default(); bots * bots],
        };
        for (planned, result) in results.with_match(schedule.matches()) {
            table.count(planned, result);
        }
        table
    }

    /// Returns the results of `bot` against `opponent`.
    #[must_use]
    pub fn cell(&self, bot: BotIndex, opponent: BotIndex) -> Tally {
        self.cells[self.place(bot, opponent)]
    }

    fn count(&mut self, planned: &ScheduledMatch, result: &MatchResult) {
        for seat in Seat::BOTH {
            let place = self.place(planned.bot(seat), planned.bot(seat.other()));
            self.cells[place] += Tally::of(result.verdict(), seat);
        }
    }

    const fn place(&self, bot: BotIndex, opponent: BotIndex) -> usize {
        bot.get() * self.bots + opponent.get()
    }
}
