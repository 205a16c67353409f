use dragontooth_games::Seat;

use super::{Leg, Results, Schedule, Verdict};
use crate::statistics::RobustMean;

/// Returns each bot's points won less those lost in a game for money, in the order of the event's bots; `None`
/// for a bot without a finished game, and for all in other events.
///
/// Only finished games count: one that a fault or a limit ended has brought no points. The unit is the
/// encounter, with the mean of its games.
#[must_use]
pub fn points_per_game(schedule: &Schedule, results: &Results) -> Vec<Option<RobustMean>> {
    let mut units: Vec<Vec<f64>> = vec![Vec::new(); schedule.event().bots().len()];
    if schedule.event().rules().are_for_money() {
        for encounter in schedule.matches().chunks(Leg::BOTH.len()) {
            for bot in encounter[0].bots {
                let games = encounter.iter().filter_map(|planned| {
                    let result = results.of(planned.number)?;
                    let counts = result.games.total() > 0 && result.verdict() != Verdict::Void;
                    let seat = planned.seat_of(bot).filter(|_| counts)?;
                    let points = |seat: Seat| f64::from(result.score[seat.index()]);
                    Some(points(seat) - points(seat.other()))
                });
                let games: Vec<f64> = games.collect();
                if let Ok(count @ 1..) = u32::try_from(games.len()) {
                    units[bot.get()].push(games.iter().sum::<f64>() / f64::from(count));
                }
            }
        }
    }
    units.iter().map(|units| RobustMean::of(units)).collect()
}
