use std::collections::BTreeMap;

use dragontooth_games::Seat;

use super::{BotIndex, Leg, MatchNumber, MatchResult, Results, Schedule, ScheduledMatch, Verdict};
use crate::statistics::{Mean, RobustMean};

/// The luck of seat first in the dice of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DiceLuck {
    /// In the score of the match, from 0 to 1.
    pub score: f64,
    /// In points, in a game for money; otherwise 0.
    pub points: f64,
}

/// The results of a bot, as they are and without the luck in the dice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LuckAdjusted {
    /// The number of encounters.
    pub encounters: usize,
    /// The score of a match.
    pub score: RawAndAdjusted<Mean>,
    /// The points in a game for money; `None` in other events, and without a finished game.
    pub points: Option<RawAndAdjusted<RobustMean>>,
}

/// An estimate of the same figure from the results, and from the results less the luck.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RawAndAdjusted<E> {
    /// From the results.
    pub raw: E,
    /// From the results less the luck.
    pub adjusted: E,
}

/// Returns the results of each bot with and without the luck of its matches, in the order of the event's bots; `None`
/// for a bot without a match that counts. A match that is not in `luck` had none: no dice were rolled.
///
/// The unit is the encounter, with the mean of its matches that count.
#[must_use]
pub fn luck_adjusted(
    schedule: &Schedule,
    results: &Results,
    luck: &BTreeMap<MatchNumber, DiceLuck>,
) -> Vec<Option<LuckAdjusted>> {
    let mut all = vec![Units::default(); schedule.event().bots().len()];
    let is_for_money = schedule.event().rules().are_for_money();
    for encounter in schedule.matches().chunks(Leg::BOTH.len()) {
        for bot in encounter[0].bots {
            let units = &mut all[bot.get()];
            let counting = || {
                encounter.iter().filter_map(|planned| {
                    let (result, seat) = counting(results, planned, bot)?;
                    let luck = luck.get(&planned.number).copied().unwrap_or_default();
                    Some((result, seat, luck))
                })
            };
            let scores = counting().filter_map(|(result, seat, luck)| {
                let score = result.verdict().score(seat)?.points();
                Some([score, score - turned(luck.score, seat)])
            });
            units.scores.extend(mean(scores));
            if is_for_money {
                let finished = counting().filter(|(result, ..)| result.games.total() > 0);
                let points = finished.map(|(result, seat, luck)| {
                    let made = |seat: Seat| f64::from(result.score[seat.index()]);
                    let points = made(seat) - made(seat.other());
                    [points, points - turned(luck.points, seat)]
                });
                units.points.extend(mean(points));
            }
        }
    }
    all.iter().map(Units::estimate).collect()
}

/// The means of the encounters of a bot: as they are, and less the luck.
#[derive(Clone, Debug, Default)]
struct Units {
    scores: Vec<[f64; 2]>,
    points: Vec<[f64; 2]>,
}

impl Units {
    fn estimate(&self) -> Option<LuckAdjusted> {
        Some(LuckAdjusted {
            encounters: self.scores.len(),
            score: both(&self.scores, Mean::of)?,
            points: both(&self.points, RobustMean::of),
        })
    }
}

fn both<E>(
    units: &[[f64; 2]],
    estimate: impl Fn(&[f64]) -> Option<E>,
) -> Option<RawAndAdjusted<E>> {
    let of = |at: usize| {
        let values: Vec<f64> = units.iter().map(|unit| unit[at]).collect();
        estimate(&values)
    };
    Some(RawAndAdjusted {
        raw: of(0)?,
        adjusted: of(1)?,
    })
}

/// The result of a match if it counts, and the seat of the bot.
fn counting<'a>(
    results: &'a Results,
    planned: &ScheduledMatch,
    bot: BotIndex,
) -> Option<(&'a MatchResult, Seat)> {
    let result = results.of(planned.number)?;
    let seat = planned.seat_of(bot)?;
    (result.verdict() != Verdict::Void).then_some((result, seat))
}

/// The luck of this seat.
fn turned(luck: f64, seat: Seat) -> f64 {
    match seat {
        Seat::First => luck,
        Seat::Second => -luck,
    }
}

fn mean(values: impl Iterator<Item = [f64; 2]>) -> Option<[f64; 2]> {
    let values: Vec<[f64; 2]> = values.collect();
    let count = u32::try_from(values.len())
        .ok()
        .filter(|count| *count > 0)?;
    let sum = |at: usize| values.iter().map(|value| value[at]).sum::<f64>();
    Some([0, 1].map(|at| sum(at) / f64::from(count)))
}
