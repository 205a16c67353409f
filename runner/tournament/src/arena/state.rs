use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use dragontooth_games::Seat;
use dragontooth_service_vocabulary::PlayerId;

use super::glicko::PairingRating;
use super::{ArenaEntry, Contender, InvalidEntry, LegResult};
use crate::statistics::{EncounterCounts, MatchPoints};
use crate::{Leg, Name, Verdict};

/// The last encounters of a player within which the encounters with one opponent are capped.
pub const RECENT_ENCOUNTERS: usize = 20;
/// The most encounters of two players among the last [`RECENT_ENCOUNTERS`] of either, if an arena does not say.
pub const DEFAULT_PAIR_CAP: u32 = 5;
/// The faults in a row after which a build is parked, if an arena does not say.
pub const DEFAULT_PARK_AFTER: u32 = 5;
/// The most builds of a player: one that changes its build for every match would fill the memory.
pub const MAX_BUILDS_OF_PLAYER: usize = 256;
/// The latest digests among which a match is sought that was played before.
const MAX_DIGESTS: usize = 1 << 20;
/// The most bytes of a fault that the reason for parking quotes.
const MAX_QUOTED_BYTES: usize = 200;

/// The rules of an arena that its state and its pairings follow from.
#[derive(Clone, Debug, PartialEq)]
pub struct ArenaRules {
    /// Determines the seats and what else is drawn for the pairings.
    pub seed: u64,
    /// The anchors and their ratings in Elo.
    pub anchors: Vec<(Name, f64)>,
    /// The most encounters of two players among the last [`RECENT_ENCOUNTERS`] of both. While so few opponents are
    /// present that each player must meet one of them more often, it is as often as that.
    pub pair_cap: u32,
    /// The faults in a row after which a build is parked. An anchor has no other build to come back with, and never is.
    pub park_after: u32,
}

/// The state of an arena: a fold over its journal. Its size grows with the contenders and the pairs of them that met,
/// not with the matches.
#[derive(Clone, Debug)]
pub struct ArenaState {
    rules: ArenaRules,
    pub(super) contenders: Vec<Record>,
    by_contender: HashMap<Contender, usize>,
    latest_builds: HashMap<PlayerId, usize>,
    pub(super) open: BTreeMap<u64, OpenEncounter>,
    pub(super) met: BTreeMap<(usize, usize), EncounterCounts>,
    digests: RecentDigests,
    counts: ArenaCounts,
}

/// Numbers of an arena so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArenaCounts {
    /// The encounters that were begun.
    pub encounters: u64,
    /// The matches that are over.
    pub matches: u64,
    /// Those of them that are void.
    pub void: u64,
    /// Those of them with the moves of an earlier match of the same contenders in the same seats, which count once.
    pub repeated: u64,
}

/// A contender, by the journal.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) contender: Contender,
    pub(super) name: String,
    pub(super) rating: PairingRating,
    /// The build of the same player before it.
    pub(super) before: Option<usize>,
    /// The first build of the same player, whose record has what concerns the player.
    pub(super) player: usize,
    /// The number of the player's last encounter; kept in the record of the first build, like the next two.
    pub(super) last_encounter: u64,
    /// The opponents in the last encounters of the player, by their first builds.
    pub(super) recent: VecDeque<usize>,
    pub(super) builds: usize,
    pub(super) won: u64,
    pub(super) drawn: u64,
    pub(super) lost: u64,
    faults_in_a_row: u32,
    pub(super) parked: Option<String>,
}

/// An encounter of which a match is missing.
#[derive(Clone, Debug)]
pub(super) struct OpenEncounter {
    pub(super) contenders: [usize; 2],
    pub(super) legs: [LegState; 2],
}

/// A leg of an open encounter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LegState {
    /// It has not been played.
    Missing,
    /// It is over, and does not count.
    Uncounted,
    /// It is over, with these half points of the contender that is named first.
    HalfPoints(usize),
}

/// The digests of the latest matches.
#[derive(Clone, Debug, Default)]
struct RecentDigests {
    known: HashSet<(usize, usize, u64)>,
    in_order: VecDeque<(usize, usize, u64)>,
}

impl ArenaState {
    /// The state before the first entry.
    #[must_use]
    pub fn new(rules: ArenaRules) -> Self {
        let mut state = Self {
            rules,
            contenders: Vec::new(),
            by_contender: HashMap::new(),
            latest_builds: HashMap::new(),
            open: BTreeMap::new(),
            met: BTreeMap::new(),
            digests: RecentDigests::default(),
            counts: ArenaCounts::default(),
        };
        for (name, elo) in state.rules.anchors.clone() {
            let text = name.to_string();
            state.add(
                Contender::Anchor(name),
                text,
                PairingRating::frozen(elo),
                None,
            );
        }
        state
    }

    /// Applies the next entry.
    ///
    /// # Errors
    ///
    /// The entry does not follow the others. The state is as before then.
    pub fn apply(&mut self, entry: &ArenaEntry) -> Result<(), InvalidEntry> {
        match entry {
            ArenaEntry::Paired {
                encounter,
                contenders,
                names,
            } => self.paired(*encounter, contenders, names),
            ArenaEntry::Ended {
                encounter,
                leg,
                result,
            } => self.ended(*encounter, *leg, result),
        }
    }

    /// A copy for tables. It does not know which moves were played, so that it is small.
    #[must_use]
    pub fn for_tables(&self) -> Self {
        Self {
            rules: self.rules.clone(),
            contenders: self.contenders.clone(),
            by_contender: self.by_contender.clone(),
            latest_builds: self.latest_builds.clone(),
            open: self.open.clone(),
            met: self.met.clone(),
            digests: RecentDigests::default(),
            counts: self.counts,
        }
    }

    /// The rules.
    #[must_use]
    pub const fn rules(&self) -> &ArenaRules {
        &self.rules
    }

    /// Numbers of matches so far.
    #[must_use]
    pub const fn counts(&self) -> ArenaCounts {
        self.counts
    }

    /// The contenders of an encounter of which a match is missing, with the legs that are missing; `None` if it is
    /// over, or was given up because one of them has another build.
    #[must_use]
    pub fn missing_legs(&self, encounter: u64) -> Option<([&Contender; 2], Vec<Leg>)> {
        let open = self.open.get(&encounter)?;
        let missing = Leg::BOTH.into_iter().zip(&open.legs);
        let missing = missing.filter(|(_, leg)| **leg == LegState::Missing);
        let contenders = open.contenders.map(|at| &self.contenders[at].contender);
        Some((contenders, missing.map(|(leg, _)| leg).collect()))
    }

    /// The numbers of the encounters of which a match is missing, in order.
    pub fn open_encounters(&self) -> impl Iterator<Item = u64> {
        self.open.keys().copied()
    }

    /// The public name under which a contender was paired last; `None` if it never was.
    #[must_use]
    pub fn name_of(&self, contender: &Contender) -> Option<&str> {
        let at = self.index_of(contender)?;
        Some(&self.contenders[at].name)
    }

    /// The reason why a contender is parked; `None` if it is not.
    #[must_use]
    pub fn parked(&self, contender: &Contender) -> Option<String> {
        if let Some(at) = self.index_of(contender) {
            return self.contenders[at].parked.clone();
        }
        let of_player = self.player_of(contender)?;
        (self.contenders[of_player].builds >= MAX_BUILDS_OF_PLAYER).then(|| {
            format!("parked: its player had {MAX_BUILDS_OF_PLAYER} builds; announce one of them to play again")
        })
    }

    pub(super) fn index_of(&self, contender: &Contender) -> Option<usize> {
        self.by_contender.get(contender).copied()
    }

    /// The first build of the player of a contender, if it had one.
    pub(super) fn player_of(&self, contender: &Contender) -> Option<usize> {
        let latest = self.latest_of(contender)?;
        Some(self.contenders[latest].player)
    }

    /// The rating by which a contender is paired.
    pub(super) fn pairing_rating(&self, contender: &Contender) -> PairingRating {
        if let Some(at) = self.index_of(contender) {
            return self.contenders[at].rating;
        }
        match self.latest_of(contender) {
            Some(at) => self.contenders[at].rating.of_next_build(),
            None => PairingRating::new(self.centre()),
        }
    }

    /// Returns true if a contender is the last build of its player that played, or an anchor.
    pub(super) fn is_latest(&self, at: usize) -> bool {
        self.latest_of(&self.contenders[at].contender) == Some(at)
    }

    fn latest_of(&self, contender: &Contender) -> Option<usize> {
        match contender {
            Contender::Anchor(_) => self.index_of(contender),
            Contender::Build { player, .. } => self.latest_builds.get(player).copied(),
        }
    }

    /// The mean rating of the anchors; 0 without any.
    fn centre(&self) -> f64 {
        let anchors = &self.rules.anchors;
        let sum: f64 = anchors.iter().map(|(_, elo)| elo).sum();
        let count = u32::try_from(anchors.len()).unwrap_or(u32::MAX);
        sum / f64::from(count.max(1))
    }

    fn paired(
        &mut self,
        encounter: u64,
        contenders: &[Contender; 2],
        names: &[String; 2],
    ) -> Result<(), InvalidEntry> {
        let expected = self.counts.encounters + 1;
        if encounter != expected {
            return Err(InvalidEntry::OutOfOrder {
                expected,
                found: encounter,
            });
        }
        let [first, second] = contenders;
        if first.is_same_player(second) {
            return Err(InvalidEntry::Itself(first.clone()));
        }
        for contender in contenders {
            if let Contender::Anchor(_) = contender
                && self.index_of(contender).is_none()
            {
                return Err(InvalidEntry::UnknownAnchor(contender.clone()));
            }
        }
        self.counts.encounters = encounter;
        let seated = [0, 1].map(|seat| self.enter(&contenders[seat], &names[seat]));
        let players = seated.map(|at| self.contenders[at].player);
        for (player, opponent) in [(players[0], players[1]), (players[1], players[0])] {
            let record = &mut self.contenders[player];
            record.last_encounter = encounter;
            record.recent.push_back(opponent);
            // The encounter that is paired next is one of so many, too.
            if record.recent.len() >= RECENT_ENCOUNTERS {
                record.recent.pop_front();
            }
        }
        let open = OpenEncounter {
            contenders: seated,
            legs: [LegState::Missing; 2],
        };
        self.open.insert(encounter, open);
        Ok(())
    }

    /// The index of a contender that is paired; one that comes for the first time is added.
    fn enter(&mut self, contender: &Contender, name: &str) -> usize {
        let latest = self.latest_of(contender);
        let at = self.index_of(contender).unwrap_or_else(|| {
            let rating = self.pairing_rating(contender);
            self.add(contender.clone(), name.to_owned(), rating, latest)
        });
        if latest.is_some_and(|latest| latest != at) {
            self.give_up(at);
        }
        if let Contender::Build { player, .. } = contender {
            name.clone_into(&mut self.contenders[at].name);
            self.latest_builds.insert(*player, at);
        }
        at
    }

    fn add(
        &mut self,
        contender: Contender,
        name: String,
        rating: PairingRating,
        before: Option<usize>,
    ) -> usize {
        let at = self.contenders.len();
        let player = before.map_or(at, |before| self.contenders[before].player);
        self.contenders.push(Record {
            contender: contender.clone(),
            name,
            rating,
            before,
            player,
            last_encounter: 0,
            recent: VecDeque::new(),
            builds: 0,
            won: 0,
            drawn: 0,
            lost: 0,
            faults_in_a_row: 0,
            parked: None,
        });
        self.contenders[player].builds += 1;
        self.by_contender.insert(contender, at);
        at
    }

    /// Gives up the open encounters of other builds of a player: their missing matches are never played.
    fn give_up(&mut self, build: usize) {
        let player = self.contenders[build].player;
        let is_given_up = |open: &OpenEncounter| {
            let mut all = open.contenders.iter();
            all.any(|at| *at != build && self.contenders[*at].player == player)
        };
        let given_up = self.open.iter().filter(|(_, open)| is_given_up(open));
        let given_up: Vec<u64> = given_up.map(|(encounter, _)| *encounter).collect();
        for encounter in given_up {
            if let Some(open) = self.open.remove(&encounter) {
                count(&mut self.met, &open);
            }
        }
    }

    fn ended(&mut self, encounter: u64, leg: Leg, result: &LegResult) -> Result<(), InvalidEntry> {
        let open = self.open.get(&encounter);
        let open = open.ok_or(InvalidEntry::NotOpen(encounter))?;
        let place = usize::from(leg == Leg::Two);
        if open.legs[place] != LegState::Missing {
            return Err(InvalidEntry::Twice { encounter, leg });
        }
        let mut seated = open.contenders;
        if leg == Leg::Two {
            seated.swap(0, 1);
        }
        self.counts.matches += 1;
        let score = Verdict::of(result.termination, result.winner).score(Seat::First);
        let is_repeated = score.is_some()
            && result.moves.is_some_and(|moves| {
                let [first, second] = seated;
                !self.digests.insert((first, second, moves.short()))
            });
        self.counts.void += u64::from(score.is_none());
        self.counts.repeated += u64::from(is_repeated);
        let counted = score.filter(|_| !is_repeated);
        if let Some(score) = counted {
            self.rate(seated, score);
        }
        self.note_faults(seated, result);
        if let Some(open) = self.open.get_mut(&encounter) {
            open.legs[place] = counted.map_or(LegState::Uncounted, |score| {
                LegState::HalfPoints(match leg {
                    Leg::One => score.halves(),
                    Leg::Two => score.reversed().halves(),
                })
            });
            if !open.legs.contains(&LegState::Missing) {
                count(&mut self.met, open);
                self.open.remove(&encounter);
            }
        }
        Ok(())
    }

    fn rate(&mut self, seated: [usize; 2], first_score: MatchPoints) {
        let before = seated.map(|at| self.contenders[at].rating);
        let scores = [first_score, first_score.reversed()];
        for (seat, at) in seated.into_iter().enumerate() {
            let record = &mut self.contenders[at];
            if let Contender::Build { .. } = record.contender {
                record.rating = before[seat].after(before[1 - seat], scores[seat]);
            }
            match scores[seat] {
                MatchPoints::Won => record.won += 1,
                MatchPoints::Drawn => record.drawn += 1,
                MatchPoints::Lost => record.lost += 1,
            }
        }
    }

    fn note_faults(&mut self, seated: [usize; 2], result: &LegResult) {
        for seat in Seat::BOTH {
            let record = &mut self.contenders[seated[seat.index()]];
            if let Contender::Anchor(_) = record.contender {
                continue;
            }
            let mut faults = result.faults.iter();
            let Some(fault) = faults.find(|fault| fault.seat == seat) else {
                // A match that nobody spoilt shows that it works. A void one shows nothing.
                if Verdict::of(result.termination, result.winner) != Verdict::Void {
                    record.faults_in_a_row = 0;
                }
                continue;
            };
            record.faults_in_a_row += 1;
            if record.faults_in_a_row >= self.rules.park_after {
                let (count, kind) = (record.faults_in_a_row, fault.kind);
                let detail = quoted(&fault.detail);
                record.parked = Some(format!(
                    "parked after faults in {count} matches in a row, the last one {kind}: {detail}; announce another build to play again"
                ));
            }
        }
    }
}

/// Counts an encounter that is over or given up, as far as its matches count.
pub(super) fn count(met: &mut BTreeMap<(usize, usize), EncounterCounts>, open: &OpenEncounter) {
    let [one, other] = open.contenders;
    let points = |leg: LegState| match leg {
        LegState::HalfPoints(halves) if one < other => Some(halves),
        LegState::HalfPoints(halves) => Some(2 - halves),
        LegState::Missing | LegState::Uncounted => None,
    };
    let counted = open.legs.map(points);
    if counted == [None, None] {
        return;
    }
    let counts = met.entry((one.min(other), one.max(other))).or_default();
    match counted {
        [Some(one), Some(other)] => counts.whole[one + other] += 1,
        [Some(only), None] | [None, Some(only)] => counts.half[only] += 1,
        [None, None] => {}
    }
}

/// The beginning of a text.
fn quoted(text: &str) -> &str {
    let mut end = text.len().min(MAX_QUOTED_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

impl RecentDigests {
    /// Adds a digest; returns false if it is known.
    fn insert(&mut self, digest: (usize, usize, u64)) -> bool {
        if !self.known.insert(digest) {
            return false;
        }
        self.in_order.push_back(digest);
        if self.in_order.len() > MAX_DIGESTS
            && let Some(oldest) = self.in_order.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }
}
