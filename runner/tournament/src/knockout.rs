use super::encounter::{EncounterScore, Side};
use super::{BotIndex, Event, Format, Pairing, Results, Round, ScheduledMatch};

/// The state of a knockout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Knockout {
    /// The next round; `None` once the final has a winner.
    pub(super) next: Option<Round>,
    /// The round in which each bot was knocked out, from 1; `None` while it is in.
    pub(super) out_in: Vec<Option<u32>>,
}

impl Knockout {
    /// Returns the state of a knockout after `matches`. The next round is known only once all
    /// matches have results.
    ///
    /// The winners of a round meet in the next one, in a bracket in which the first two seeds can
    /// meet only in the final, the first four only in the last two rounds, and so on. A bot without
    /// an opponent advances without playing. A drawn encounter is followed by more between the same
    /// bots until one is won, up to the number that the format allows; after that the bot with more
    /// game points in all of them advances, then the better seed.
    pub(super) fn new(event: &Event, matches: &[ScheduledMatch], results: &Results) -> Self {
        let seeds = event.named();
        let mut out_in = vec![None; seeds.len()];
        let mut places: Vec<Option<BotIndex>> = bracket(seeds.len())
            .into_iter()
            .map(|seed| seeds.get(seed).copied())
            .collect();
        let mut next = None;
        let mut round = 0;
        while places.len() > 1 && next.is_none() {
            round += 1;
            let here = of_round(matches, round);
            let mut open = Vec::new();
            let mut winners = Vec::new();
            let mut encounters = 0;
            for (number, place) in (1..).zip(places.chunks(2)) {
                let pairing = match *place {
                    [Some(one), Some(other)] => by_seed(seeds, one, other),
                    [Some(only), _] | [_, Some(only)] => {
                        winners.push(Some(only));
                        continue;
                    }
                    _ => unreachable!("fewer than half of the places of a bracket are empty"),
                };
                let tie = Tie::new(here, results, number, pairing);
                encounters = encounters.max(tie.encounters);
                match tie.winner(event.format()) {
                    Some(side) => {
                        winners.push(Some(side.bot(pairing)));
                        out_in[side.other_bot(pairing).get()] = Some(round);
                    }
                    None => open.push((number, pairing.in_cycle(tie.encounters + 1))),
                }
            }
            if open.is_empty() {
                places = winners;
            } else {
                next = Some(Round {
                    cycle: encounters + 1,
                    number: round,
                    pairings: open,
                });
            }
        }
        Self { next, out_in }
    }
}

/// Returns the seeds, from 0, in bracket order for the smallest bracket with a place for each bot.
/// It includes seeds without a bot.
fn bracket(seeds: usize) -> Vec<usize> {
    let mut places = vec![0];
    while places.len() < seeds {
        let last = 2 * places.len() - 1;
        places = places
            .into_iter()
            .flat_map(|seed| [seed, last - seed])
            .collect();
    }
    places
}

/// Orders two bots, the better seed first.
fn by_seed(seeds: &[BotIndex], one: BotIndex, other: BotIndex) -> Pairing {
    let seed = |bot| seeds.iter().position(|each| *each == bot);
    let pairing = Pairing {
        first: one,
        second: other,
    };
    if seed(one) <= seed(other) {
        pairing
    } else {
        pairing.swapped()
    }
}

/// Returns the matches of a round, which are contiguous.
fn of_round(matches: &[ScheduledMatch], round: u32) -> &[ScheduledMatch] {
    let start = matches.partition_point(|each| each.slot.round < round);
    let end = matches.partition_point(|each| each.slot.round <= round);
    &matches[start..end]
}

/// The points of two bots in a round.
#[derive(Clone, Copy, Debug, Default)]
struct Tie {
    score: EncounterScore,
    encounters: u32,
    under_way: bool,
}

impl Tie {
    fn new(matches: &[ScheduledMatch], results: &Results, number: u32, pairing: Pairing) -> Self {
        let mut tie = Self::default();
        for planned in matches.iter().filter(|each| each.slot.pairing == number) {
            tie.encounters = tie.encounters.max(planned.slot.cycle);
            match results.of(planned.number) {
                Some(result) => tie.score.count(pairing, planned, result),
                None => tie.under_way = true,
            }
        }
        tie
    }

    /// Returns the bot that advances; `None` if it is not known yet or an extra encounter is due.
    fn winner(&self, format: &Format) -> Option<Side> {
        if self.encounters == 0 || self.under_way {
            return None;
        }
        let extra_encounters = match format {
            Format::Knockout {
                extra_encounters, ..
            } => *extra_encounters,
            Format::RoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Swiss { .. }
            | Format::Ladder { .. }
            | Format::Sprt { .. }
            | Format::Arena { .. } => 0,
        };
        let capped = self.encounters > extra_encounters;
        let by_rule = || self.score.winner_by_game_points().unwrap_or(Side::First);
        self.score.winner().or_else(|| capped.then(by_rule))
    }
}
