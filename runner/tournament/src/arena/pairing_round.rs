use std::collections::BTreeSet;

use super::state::RECENT_ENCOUNTERS;
use super::{ArenaState, Contender};

/// Opponents that are considered on each side of a contender in the order of ratings.
const NEIGHBOURS: usize = 32;
/// A recent encounter of two players counts like this difference of their ratings, in Elo.
const REPEAT_COST: f64 = 40.0;
/// The deviation of a contender whose rating is frozen or better known than this, where it stands for the use of another
/// result, in Elo: so nobody is left out for good.
const LEAST_UNCERTAINTY: f64 = 30.0;
/// The least width of the draw between opponents, in Elo; the deviations of both add to it. Where every encounter is
/// between neighbours, errors add up along the ladder: likelihood ratings of the ends come out too far apart.
const LEAST_SPREAD: f64 = 400.0;

/// A contender that is present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresentContender {
    /// The contender.
    pub contender: Contender,
    /// The encounters that it can begin now, beside those that it plays.
    pub free: u32,
}

/// The next step of an arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proposal {
    /// It plays the missing matches of an encounter that was interrupted.
    Resume(u64),
    /// It begins an encounter; the first contender has the first seat in its first leg.
    Begin([Contender; 2]),
}

/// A contender that may be paired.
struct Candidate {
    at: usize,
    /// The first build of its player; `None` if it never played.
    player: Option<usize>,
    elo: f64,
    deviation: f64,
    last_encounter: u64,
}

impl Candidate {
    /// Its claim to the encounter of this number: the uncertainty of its rating times its wait.
    fn claim(&self, next: u64) -> f64 {
        let waited = next.saturating_sub(self.last_encounter);
        let waited = u32::try_from(waited).unwrap_or(u32::MAX);
        self.deviation.max(LEAST_UNCERTAINTY) * f64::from(waited)
    }
}

impl ArenaState {
    /// The encounters to resume and to begin now, at most `most`, each contender in one at most.
    ///
    /// Interrupted encounters come first. Then contenders choose in turn among those that are free: first those that
    /// have waited while more than twice as many encounters began as contenders are present, the longest wait first;
    /// then the others by the product of the deviation of their ratings and the encounters that began since their last
    /// one, the greatest first. A contender whose rating stays uncertain whatever it plays, because it loses to all,
    /// so gets a share in proportion, not every turn. A contender chooses an opponent that is near in rating and
    /// that it has not met lately; the less certain both ratings are, the more it is left to a draw. Players of equal
    /// identity never meet, and two players not more often than [`pair_cap`](super::ArenaRules::pair_cap) allows.
    ///
    /// `running` are the encounters that are played now. The result depends on the arguments and the journal alone.
    #[must_use]
    pub fn pair(
        &self,
        present: &[PresentContender],
        running: &BTreeSet<u64>,
        most: usize,
    ) -> Vec<Proposal> {
        let able: Vec<&PresentContender> = present
            .iter()
            .filter(|one| self.parked(&one.contender).is_none())
            .collect();
        let mut proposals = Vec::new();
        let mut is_taken = vec![false; able.len()];
        for (encounter, open) in &self.open {
            if proposals.len() >= most || running.contains(encounter) {
                continue;
            }
            let seat = |at: usize| {
                let contender = &self.contenders[at].contender;
                able.iter().position(|one| one.contender == *contender)
            };
            if let [Some(one), Some(other)] = open.contenders.map(seat)
                && ![one, other]
                    .into_iter()
                    .any(|at| is_taken[at] || able[at].free == 0)
            {
                is_taken[one] = true;
                is_taken[other] = true;
                proposals.push(Proposal::Resume(*encounter));
            }
        }
        let free = (0..able.len()).filter(|at| !is_taken[*at] && able[*at].free > 0);
        let mut round = Round::new(self, &able, free.collect(), running);
        while proposals.len() < most
            && let Some(pair) = round.next()
        {
            proposals.push(Proposal::Begin(pair.map(|at| able[at].contender.clone())));
        }
        proposals
    }
}

/// A round of pairings as far as it has come.
struct Round<'a> {
    state: &'a ArenaState,
    /// By rating.
    candidates: Vec<Candidate>,
    /// The next free candidate above and below each, in the order of ratings; the number of candidates for none.
    above: Vec<usize>,
    below: Vec<usize>,
    is_free: Vec<bool>,
    /// The candidates in the order in which they choose, the first last.
    choosers: Vec<usize>,
    cap: usize,
    /// The pairs of players that play now.
    playing: BTreeSet<(usize, usize)>,
    /// The number of the encounter that is paired next.
    next: u64,
}

impl<'a> Round<'a> {
    fn new(
        state: &'a ArenaState,
        able: &[&PresentContender],
        free: Vec<usize>,
        running: &BTreeSet<u64>,
    ) -> Self {
        let next = state.counts().encounters + 1;
        let candidate = |at: usize| {
            let contender = &able[at].contender;
            let rating = state.pairing_rating(contender);
            let player = state.player_of(contender);
            Candidate {
                at,
                player,
                elo: rating.elo,
                deviation: rating.deviation,
                last_encounter: player.map_or(0, |player| state.contenders[player].last_encounter),
            }
        };
        let mut candidates: Vec<Candidate> = free.into_iter().map(candidate).collect();
        candidates.sort_by(|one, other| one.elo.total_cmp(&other.elo).then(one.at.cmp(&other.at)));
        let count = candidates.len();
        let overdue = 2 * able.len() as u64;
        let mut choosers: Vec<usize> = (0..count).collect();
        let is_overdue = |one: &Candidate| {
            let last = one.last_encounter;
            last == 0 || next - last > overdue
        };
        choosers.sort_by(|one, other| {
            let (first, second) = (&candidates[*one], &candidates[*other]);
            let by_wait = is_overdue(second).cmp(&is_overdue(first));
            let by_claim = if is_overdue(first) {
                first.last_encounter.cmp(&second.last_encounter)
            } else {
                second.claim(next).total_cmp(&first.claim(next))
            };
            by_wait.then(by_claim).then(one.cmp(other))
        });
        choosers.reverse();
        let playing = running
            .iter()
            .filter_map(|encounter| state.open.get(encounter));
        let playing = playing.map(|open| {
            let [one, other] = open.contenders.map(|at| state.contenders[at].player);
            (one.min(other), one.max(other))
        });
        let opponents = able.len().saturating_sub(1).max(1);
        let cap = usize::try_from(state.rules().pair_cap).unwrap_or(usize::MAX);
        Self {
            state,
            above: (1..=count).collect(),
            below: (0..count)
                .map(|at| at.checked_sub(1).unwrap_or(count))
                .collect(),
            is_free: vec![true; count],
            choosers,
            // Among so many opponents one is always below it.
            cap: cap.max(RECENT_ENCOUNTERS.div_ceil(opponents)),
            playing: playing.collect(),
            candidates,
            next,
        }
    }

    /// The next pair, by the indices of the present contenders.
    fn next(&mut self) -> Option<[usize; 2]> {
        while let Some(chooser) = self.choosers.pop() {
            if !self.is_free[chooser] {
                continue;
            }
            if let Some(opponent) = self.choose(chooser) {
                self.take(chooser);
                self.take(opponent);
                let mut pair = [chooser, opponent].map(|at| self.candidates[at].at);
                if self.draw(chooser, opponent) < 0.5 {
                    pair.swap(0, 1);
                }
                self.next += 1;
                return Some(pair);
            }
        }
        None
    }

    fn take(&mut self, at: usize) {
        self.is_free[at] = false;
        let (above, below) = (self.above[at], self.below[at]);
        if let Some(next) = self.below.get_mut(above) {
            *next = below;
        }
        if let Some(next) = self.above.get_mut(below) {
            *next = above;
        }
    }

    fn choose(&self, chooser: usize) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        for side in [&self.above, &self.below] {
            let mut at = side[chooser];
            let mut considered = 0;
            while considered < NEIGHBOURS && at < self.candidates.len() {
                if let Some(cost) = self.cost(chooser, at) {
                    considered += 1;
                    if best.is_none_or(|(least, _)| cost < least) {
                        best = Some((cost, at));
                    }
                }
                at = side[at];
            }
        }
        best.map(|(_, at)| at)
    }

    /// The cost of a pair, in Elo; `None` if the two may not meet now.
    fn cost(&self, chooser: usize, opponent: usize) -> Option<f64> {
        let (one, other) = (&self.candidates[chooser], &self.candidates[opponent]);
        let met = self.recently_met(one, other)?;
        let spread = LEAST_SPREAD + one.deviation + other.deviation;
        let count = u32::try_from(met).unwrap_or(u32::MAX);
        Some(
            (one.elo - other.elo).abs()
                + REPEAT_COST * f64::from(count)
                + spread * self.draw(chooser, opponent),
        )
    }

    /// The recent encounters of two players; `None` if they may not meet now.
    fn recently_met(&self, one: &Candidate, other: &Candidate) -> Option<usize> {
        let (Some(one), Some(other)) = (one.player, other.player) else {
            return Some(0);
        };
        if one == other || self.playing.contains(&(one.min(other), one.max(other))) {
            return None;
        }
        let count = |of: usize, with: usize| {
            let recent = self.state.contenders[of].recent.iter();
            recent.filter(|opponent| **opponent == with).count()
        };
        let met = count(one, other).min(count(other, one));
        (met < self.cap).then_some(met)
    }

    /// A number from 0 to 1 that follows from the seed, the number of the encounter and the two contenders.
    fn draw(&self, one: usize, other: usize) -> f64 {
        let places = [one, other].map(|at| self.candidates[at].at as u64);
        let mixed = [self.next, places[0], places[1]].into_iter().fold(
            self.state.rules().seed,
            |mixed, part| mix(mixed ^ mix(part)),
        );
        let high = u32::try_from(mixed >> 32).unwrap_or(u32::MAX);
        f64::from(high) / f64::from(u32::MAX)
    }
}

/// The mixing step of `SplitMix64` (Steele, Lea and Flood, 2014).
const fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
