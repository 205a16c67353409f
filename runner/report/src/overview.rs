use dragontooth_runner_tournament::statistics::{
    FirstSeat, InvalidFit, Rating, Ratings, RobustMean, fit,
};
use dragontooth_runner_tournament::{
    BotIndex, Crosstable, Repeat, Results, Schedule, Standing, Verdict, points_per_game, repeats,
    standings,
};

use super::SprtFigures;

/// All that follows from the results of a run so far, before it is laid out.
#[derive(Debug)]
pub struct Overview<'a> {
    /// The schedule.
    pub schedule: &'a Schedule,
    /// The results so far.
    pub results: &'a Results,
    /// The standings, the best first.
    pub standings: Vec<Standing>,
    /// The results of every bot against every other.
    pub crosstable: Crosstable,
    /// The ratings, in which the bots are numbered as in the event's list.
    pub ratings: Result<Ratings, InvalidFit>,
    /// The points in a game for money of every bot, in the order of the event's list.
    pub points_per_game: Vec<Option<RobustMean>>,
    /// The pairs of bots that seem to repeat themselves.
    pub repeats: Vec<Repeat>,
}

impl<'a> Overview<'a> {
    /// Computes everything from these results alone: neither their order nor the time matters.
    #[must_use]
    pub fn new(schedule: &'a Schedule, results: &'a Results) -> Self {
        let matches = results.played_matches(schedule.matches());
        let bots = schedule.event().bots().len();
        Self {
            schedule,
            results,
            standings: standings(schedule, results),
            crosstable: Crosstable::new(schedule, results),
            ratings: fit(bots, &matches, FirstSeat::Ignored),
            points_per_game: points_per_game(schedule, results),
            repeats: repeats(schedule, results),
        }
    }

    /// Number of matches that count and have a transcript with an action, and number of these that differ from all
    /// others of the same bots in the same seats.
    #[must_use]
    pub fn unlike(&self) -> (usize, usize) {
        let all = self.results.with_match(self.schedule.matches());
        let known = all.filter(|(_, result)| {
            result.moves_of_copies().is_some() && result.verdict() != Verdict::Void
        });
        let recorded = known.count();
        let copies = self.repeats.iter().map(|one| one.matches - one.unique);
        (
            recorded,
            recorded - copies.map(|copies| copies as usize).sum::<usize>(),
        )
    }

    /// The name of a bot.
    #[must_use]
    pub fn name(&self, bot: BotIndex) -> &'a str {
        self.schedule.event().bot(bot).as_str()
    }

    /// The state of the event's sequential test, if it is one.
    #[must_use]
    pub fn tested(&self) -> Option<SprtFigures> {
        self.schedule.sequential().map(SprtFigures::of_event)
    }

    /// The rating of a bot, if there are ratings.
    #[must_use]
    pub fn rating(&self, bot: BotIndex) -> Option<Rating> {
        let ratings = self.ratings.as_ref().ok()?;
        Some(ratings.of(bot.get()))
    }

    /// The likelihood that a bot is stronger than another, if there are ratings and they are two.
    #[must_use]
    pub fn superiority(&self, bot: BotIndex, other: BotIndex) -> Option<f64> {
        let ratings = self.ratings.as_ref().ok()?;
        (bot != other).then(|| ratings.superiority(bot.get(), other.get()))
    }
}
