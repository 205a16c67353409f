use super::{Entrant, Float, swiss_round};
use crate::encounter::EncounterScore;
use crate::{BotIndex, Event, Pairing, Points, Results, Round, ScheduledMatch};

/// The state of a Swiss system.
#[derive(Clone, Debug)]
pub(crate) struct SwissTable {
    /// The bots' points from matches and byes, in the order of the event's list.
    pub(crate) points: Vec<Points>,
    /// Number of byes of each bot.
    pub(crate) byes: Vec<u32>,
    /// The opponents of each bot, one per encounter.
    pub(crate) opponents: Vec<Vec<BotIndex>>,
    floats: Vec<[Float; 2]>,
}

impl SwissTable {
    /// The points of a bye: as many as for an encounter won.
    pub(crate) const BYE: Points = Points::WIN.times(2);

    /// Returns the state after `matches`.
    pub(crate) fn new(event: &Event, matches: &[ScheduledMatch], results: &Results) -> Self {
        let bots = event.bots().len();
        let mut table = Self {
            points: vec![Points::ZERO; bots],
            byes: vec![0; bots],
            opponents: vec![Vec::new(); bots],
            floats: vec![[Float::None; 2]; bots],
        };
        for round in matches.chunk_by(|a, b| a.slot.round == b.slot.round) {
            table.add(round, results);
        }
        table
    }

    /// Returns the next round, with this number.
    pub(crate) fn next_round(&self, event: &Event, number: u32) -> Round {
        let seeds = event.named();
        let seed = |bot: &BotIndex| seeds.iter().position(|each| each == bot);
        let entrant = |bot: &BotIndex| Entrant {
            score: self.points[bot.get()].halves(),
            met: self.opponents[bot.get()].iter().filter_map(seed).collect(),
            had_bye: self.byes[bot.get()] > 0,
            floats: self.floats[bot.get()],
        };
        let entrants: Vec<Entrant> = seeds.iter().map(entrant).collect();
        let pairing = |(higher, lower): (usize, usize)| {
            let pairing = Pairing {
                first: seeds[higher],
                second: seeds[lower],
            };
            pairing.in_cycle(number)
        };
        let pairs = swiss_round(&entrants).pairs;
        Round::new(1, number, pairs.into_iter().map(pairing))
    }

    /// Adds a round.
    fn add(&mut self, round: &[ScheduledMatch], results: &Results) {
        let before = self.points.clone();
        let mut floats = vec![Float::Down; before.len()];
        let mut plays = vec![false; before.len()];
        for legs in round.chunks(2) {
            let pairing = legs[0].pairing();
            let mut score = EncounterScore::default();
            for planned in legs {
                if let Some(result) = results.of(planned.number) {
                    score.count(pairing, planned, result);
                }
            }
            let [first, second] = pairing.bots().map(BotIndex::get);
            for (bot, other, points) in [
                (first, second, score.points[0]),
                (second, first, score.points[1]),
            ] {
                plays[bot] = true;
                self.points[bot] += points;
                self.opponents[bot].push(BotIndex::new(other));
                floats[bot] = match before[bot].cmp(&before[other]) {
                    std::cmp::Ordering::Less => Float::Up,
                    std::cmp::Ordering::Equal => Float::None,
                    std::cmp::Ordering::Greater => Float::Down,
                };
            }
        }
        for (bot, float) in floats.into_iter().enumerate() {
            if !plays[bot] {
                self.points[bot] += Self::BYE;
                self.byes[bot] += 1;
            }
            self.floats[bot] = [float, self.floats[bot][0]];
        }
    }
}
