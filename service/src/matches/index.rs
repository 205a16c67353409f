use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use dragontooth_games::{Seat, catalogue};
use dragontooth_service_vocabulary::{Created, MatchId, PlayerId, Stage, Visibility};

use super::MatchFacts;
use crate::access::Viewer;

/// The filter of a list of matches; `None` in a field means any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    pub(crate) stage: Option<Stage>,
    /// The game's name in the catalogue.
    pub(crate) game: Option<&'static str>,
    pub(crate) player: Option<PlayerId>,
}

/// The lists of all matches, in the order of their ids, which is that of creation.
///
/// Every list that somebody may ask for is on few shelves, in its order, so that a page takes as many steps as it has
/// matches, whatever else there is. The lock, which the actors need too, is held for one page.
#[derive(Debug, Default)]
pub(super) struct Index(Mutex<Tables>);

#[derive(Debug, Default)]
struct Tables {
    shelves: BTreeSet<(Shelf, MatchId)>,
    /// The shelves of each match are those of these facts.
    matches: BTreeMap<MatchId, Entry>,
    parties: Parties,
    /// Matches by their creator and the hash of the seed that it gave.
    seeds: HashMap<(PlayerId, [u8; 32]), SeedUse>,
}

/// The matches of one kind that one player plays, or anyone, and that one party may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shelf {
    played_by: Party,
    shown_to: Party,
    kind: Kind,
}

/// The game and the stage of a match, as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    game: u8,
    stage: Stage,
    /// True if spectators see it as it was some time ago.
    is_delayed: bool,
}

/// A player, by a number that is shorter than its id, or a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Party(u32);

/// The numbers of the players that have or had a match.
#[derive(Debug, Default)]
struct Parties(HashMap<PlayerId, Party>);

/// The matches that use one seed.
#[derive(Debug, Default)]
struct SeedUse {
    created: u32,
    /// Those that are not over.
    live: HashSet<MatchId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    kind: Kind,
    /// By [`Seat::index`]; anyone in a seat that is free for anyone.
    players: [Party; 2],
    /// The creator of a private match; anyone for a public one.
    keeper: Party,
}

impl Filter {
    /// Returns true if the match passes the filter.
    pub(super) fn fits(&self, facts: &MatchFacts<'_>) -> bool {
        self.stage.is_none_or(|stage| stage == facts.stage())
            && self.game.is_none_or(|game| game == facts.created.game)
            && self.player.is_none_or(|player| {
                Seat::BOTH
                    .map(|seat| facts.player(seat))
                    .contains(&Some(player))
            })
    }

    /// The kinds of matches that may pass. A match with a delay may be at an earlier stage for who asks.
    fn kinds(&self) -> Vec<Kind> {
        let mut kinds = Vec::new();
        for (game, known) in (0..).zip(catalogue::GAMES) {
            if self.game.is_some_and(|game| game != known.name) {
                continue;
            }
            for stage in [Stage::Open, Stage::Active, Stage::Ended] {
                for is_delayed in [false, true] {
                    let fits = self.stage.is_none_or(|asked| {
                        asked == stage
                            || is_delayed && asked == Stage::Open && stage == Stage::Active
                    });
                    if fits {
                        kinds.push(Kind {
                            game,
                            stage,
                            is_delayed,
                        });
                    }
                }
            }
        }
        kinds
    }
}

impl Index {
    pub(super) fn put(&self, id: MatchId, facts: &MatchFacts<'_>) {
        let mut tables = self.lock();
        let Some(entry) = Entry::of(facts, &mut tables.parties) else {
            return;
        };
        let before = tables.matches.insert(id, entry);
        if before != Some(entry) {
            for shelf in before.iter().flat_map(Entry::shelves) {
                tables.shelves.remove(&(shelf, id));
            }
            for shelf in entry.shelves() {
                tables.shelves.insert((shelf, id));
            }
        }
        if let Some(key) = seed_key(facts.created) {
            let seed = tables.seeds.entry(key).or_default();
            seed.created = seed.created.saturating_add(before.is_none().into());
            if facts.is_over() {
                seed.live.remove(&id);
            } else {
                seed.live.insert(id);
            }
        }
    }

    /// Returns true if a match that is over has been the last to be played from its seed: the creator has created as
    /// many as it announced, and all are over.
    pub(super) fn is_seed_spent(&self, created: &Created) -> bool {
        let Some(key) = seed_key(created) else {
            return true;
        };
        let tables = self.lock();
        tables.seeds.get(&key).is_some_and(|seed| {
            let others_live = seed.live.iter().any(|live| *live != created.id);
            !others_live && seed.created >= created.seed.matches()
        })
    }

    /// At most `limit` matches older than `before` that may fit, the newest first, and whether there are more. All
    /// fit but some of those that the viewer sees with a delay.
    pub(super) fn list(
        &self,
        viewer: &Viewer,
        filter: &Filter,
        before: Option<MatchId>,
        limit: usize,
    ) -> (Vec<MatchId>, bool) {
        let tables = self.lock();
        let Some(shelves) = tables.shelves_of(viewer, filter) else {
            return (Vec::new(), false);
        };
        let rows = shelves.into_iter().filter_map(|shelf| {
            let end = (shelf, before.unwrap_or(LAST));
            let range = tables.shelves.range((shelf, FIRST)..end);
            let mut row = range.rev().map(|(_, id)| *id);
            Some((row.next()?, row))
        });
        // The newest of each shelf with the older ones: no match is on two of them.
        let mut rows: Vec<_> = rows.collect();
        let mut page = Vec::new();
        while let Some(place) = (0..rows.len()).max_by_key(|place| rows[*place].0) {
            if page.len() == limit {
                return (page, true);
            }
            let (newest, older) = &mut rows[place];
            page.push(*newest);
            match older.next() {
                Some(next) => *newest = next,
                None => drop(rows.swap_remove(place)),
            }
        }
        (page, false)
    }

    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Before the id of any match, and after it: the ids are version 7 UUIDs.
const FIRST: MatchId = MatchId::from_bytes([0; 16]);
const LAST: MatchId = MatchId::from_bytes([0xff; 16]);

/// Key of a seed that a creator gave; `None` for one that the service drew for this match alone.
fn seed_key(created: &Created) -> Option<(PlayerId, [u8; 32])> {
    created.seed.given()?;
    Some((created.creator, created.seed.server_seed().commitment("")))
}

impl Tables {
    /// The shelves whose matches make up a list; `None` if no match can be in it.
    fn shelves_of(&self, viewer: &Viewer, filter: &Filter) -> Option<Vec<Shelf>> {
        let played_by = match filter.player {
            Some(player) => self.parties.find(player)?,
            None => Party::ANYONE,
        };
        let own = if viewer.is_admin() {
            Some(Party::OPERATORS)
        } else {
            viewer.player().and_then(|player| self.parties.find(player))
        };
        let kinds = filter.kinds();
        let shelves = [Some(Party::ANYONE), own].into_iter().flatten();
        let shelves = shelves.flat_map(|shown_to| {
            kinds.iter().map(move |kind| Shelf {
                played_by,
                shown_to,
                kind: *kind,
            })
        });
        Some(shelves.collect())
    }
}

impl Party {
    const ANYONE: Self = Self(0);
    const OPERATORS: Self = Self(1);
    const FIRST_PLAYER: u32 = 2;
}

impl Parties {
    fn find(&self, player: PlayerId) -> Option<Party> {
        self.0.get(&player).copied()
    }

    /// The number of a player, a new one if it has none.
    fn enter(&mut self, player: PlayerId) -> Party {
        let known = u32::try_from(self.0.len()).expect("2^32 players do not fit into memory");
        *self
            .0
            .entry(player)
            .or_insert(Party(known + Party::FIRST_PLAYER))
    }
}

impl Entry {
    /// The entry of a match; `None` for one of a game that is not in the catalogue, which no match has.
    fn of(facts: &MatchFacts<'_>, parties: &mut Parties) -> Option<Self> {
        let place = catalogue::GAMES
            .iter()
            .position(|game| game.name == facts.created.game)?;
        let audience = facts.created.audience;
        let is_private = audience.visibility() == Visibility::Private;
        let players = Seat::BOTH.map(|seat| {
            let player = facts.player(seat);
            player.map_or(Party::ANYONE, |player| parties.enter(player))
        });
        Some(Self {
            kind: Kind {
                game: u8::try_from(place).ok()?,
                stage: facts.stage(),
                is_delayed: !is_private
                    && !audience.spectator_delay().is_zero()
                    && !facts.is_over(),
            },
            players,
            keeper: if is_private {
                parties.enter(facts.created.creator)
            } else {
                Party::ANYONE
            },
        })
    }

    /// The shelves that have the match: a public one is on three at most, a private one on twelve.
    fn shelves(&self) -> BTreeSet<Shelf> {
        let [first, second] = self.players;
        let shown_to: &[Party] = if self.keeper == Party::ANYONE {
            &[Party::ANYONE]
        } else {
            &[Party::OPERATORS, self.keeper, first, second]
        };
        // A private match is not shown to anyone in place of the player of a free seat.
        let is_private = self.keeper != Party::ANYONE;
        let shown_to = shown_to
            .iter()
            .filter(|party| !is_private || **party != Party::ANYONE);
        shown_to
            .flat_map(|shown_to| {
                [Party::ANYONE, first, second].map(|played_by| Shelf {
                    played_by,
                    shown_to: *shown_to,
                    kind: self.kind,
                })
            })
            .collect()
    }
}
