use std::collections::HashMap;

use super::state::{ArenaCounts, count};
use super::{ArenaState, Contender};
use crate::statistics::{
    Anchoring, EncounterCounts, MAX_ANCHORED, Rating, anchored_fit, anchored_ratings,
};

/// The table of an arena.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The contenders with matches that count, the strongest first; if there are more than [`MAX_ANCHORED`], those
    /// that were paired last.
    pub rows: Vec<Ranked>,
    /// Numbers of matches.
    pub counts: ArenaCounts,
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// The contender.
    pub contender: Contender,
    /// Its public name; may be empty.
    pub name: String,
    /// Its rating; that of an anchor is frozen and has no error.
    pub rating: Rating,
    /// The matches that count: won, drawn and lost.
    pub results: [u64; 3],
    /// True for an anchor, and for the build with which its player was paired last.
    pub is_latest: bool,
    /// The reason why it is parked; `None` if it is not.
    pub parked: Option<String>,
}

/// The results of two contenders against each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadToHead {
    /// The contenders.
    pub contenders: [Contender; 2],
    /// The matches that count.
    pub matches: u64,
    /// The half points of the first.
    pub half_points: u64,
}

/// The contenders that are rated.
struct Rated {
    /// Their indices in the state, in order.
    places: Vec<usize>,
    anchoring: Vec<Anchoring>,
    /// The encounters of two of them, by their indices here.
    counts: Vec<((usize, usize), EncounterCounts)>,
}

impl ArenaState {
    /// The table after the entries so far. The errors take time that grows with the cube of the number of contenders,
    /// not with the number of matches.
    #[must_use]
    pub fn ranking(&self) -> Ranking {
        let rated = self.rated();
        let ratings = anchored_fit(&rated.anchoring, &rated.counts);
        let rows = rated.places.iter().zip(ratings).map(|(at, rating)| {
            let record = &self.contenders[*at];
            Ranked {
                contender: record.contender.clone(),
                name: record.name.clone(),
                rating,
                results: [record.won, record.drawn, record.lost],
                is_latest: self.is_latest(*at),
                parked: record.parked.clone(),
            }
        });
        let mut rows: Vec<Ranked> = rows.collect();
        rows.sort_by(|one, other| other.rating.elo.total_cmp(&one.rating.elo));
        Ranking {
            rows,
            counts: self.counts(),
        }
    }

    /// The contenders of [`ranking`](Self::ranking) with their ratings in Elo, in its order: without errors it takes
    /// time that grows with the number of pairs that met.
    #[must_use]
    pub fn ratings(&self) -> Vec<(Contender, f64)> {
        let rated = self.rated();
        let ratings = anchored_ratings(&rated.anchoring, &rated.counts);
        let contenders = rated
            .places
            .iter()
            .map(|at| self.contenders[*at].contender.clone());
        let mut ratings: Vec<(Contender, f64)> = contenders.zip(ratings).collect();
        ratings.sort_by(|one, other| other.1.total_cmp(&one.1));
        ratings
    }

    /// The contenders that are rated, with what their ratings follow from.
    fn rated(&self) -> Rated {
        let met = self.met_so_far();
        let mut played = vec![false; self.contenders.len()];
        for ((one, other), _) in &met {
            played[*one] = true;
            played[*other] = true;
        }
        let mut places: Vec<usize> = (0..played.len()).filter(|at| played[*at]).collect();
        if places.len() > MAX_ANCHORED {
            places.sort_by_key(|at| {
                let record = &self.contenders[*at];
                let is_player = matches!(record.contender, Contender::Build { .. });
                let last = self.contenders[record.player].last_encounter;
                (
                    is_player,
                    !self.is_latest(*at),
                    u64::MAX - last,
                    u64::MAX - *at as u64,
                )
            });
            places.truncate(MAX_ANCHORED);
            places.sort_unstable();
        }
        let place_of: HashMap<usize, usize> = places.iter().copied().zip(0..).collect();
        let anchoring = places.iter().map(|at| self.anchoring(*at, &place_of));
        let counts = met.iter().filter_map(|((one, other), counts)| {
            let pair = (*place_of.get(one)?, *place_of.get(other)?);
            Some((pair, *counts))
        });
        Rated {
            anchoring: anchoring.collect(),
            counts: counts.collect(),
            places,
        }
    }

    /// The results of all pairs of contenders that met, in the order in which they came.
    #[must_use]
    pub fn head_to_head(&self) -> Vec<HeadToHead> {
        let met = self.met_so_far().into_iter();
        met.map(|((one, other), counts)| HeadToHead {
            contenders: [one, other].map(|at| self.contenders[at].contender.clone()),
            matches: counts.matches(),
            half_points: counts.half_points(),
        })
        .collect()
    }

    /// The encounters, those of which a match is missing included.
    fn met_so_far(&self) -> Vec<((usize, usize), EncounterCounts)> {
        let mut met = self.met.clone();
        for open in self.open.values() {
            count(&mut met, open);
        }
        met.into_iter().collect()
    }

    fn anchoring(&self, at: usize, place_of: &HashMap<usize, usize>) -> Anchoring {
        let record = &self.contenders[at];
        if let Contender::Anchor(name) = &record.contender {
            let mut anchors = self.rules().anchors.iter();
            let own = anchors.find(|(anchor, _)| anchor == name);
            return own.map_or(Anchoring::Free, |(_, elo)| Anchoring::Frozen(*elo));
        }
        let mut before = record.before;
        while let Some(build) = before {
            if let Some(place) = place_of.get(&build) {
                return Anchoring::After(*place);
            }
            before = self.contenders[build].before;
        }
        Anchoring::Free
    }
}
