use std::collections::{BTreeSet, HashMap, hash_map};
use std::sync::{Mutex, MutexGuard, PoisonError};

use dragontooth_games::{Seat, catalogue};
use dragontooth_service_store::MatchBrief;
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
/// matches, whatever else there is. The lock, which the actors need too, is held for one page. An ended match takes
/// its id and four bytes on each of its shelves.
#[derive(Debug, Default)]
pub(super) struct Index(Mutex<Tables>);

#[derive(Debug, Default)]
struct Tables {
    ids: Ids,
    /// The matches of each shelf in the order of their ids; none is empty.
    shelves: HashMap<Shelf, Vec<Number>>,
    /// The matches that are not over. Their shelves are those of these facts.
    live: HashMap<MatchId, (Number, Entry)>,
    parties: Parties,
    /// The number of matches that were created from each seed.
    seeds: HashMap<SeedKey, u32>,
    /// Those of them that are not over.
    live_of_seeds: HashMap<SeedKey, Vec<MatchId>>,
}

/// The ids of all matches by their numbers.
#[derive(Debug, Default)]
struct Ids(Vec<MatchId>);

/// A match, by a number that is shorter than its id: they are numbered as they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Number(u32);

/// The matches of one kind that one player plays, or anyone, and that one party may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Shelf {
    played_by: Party,
    shown_to: Party,
    kind: Kind,
}

/// The game and the stage of a match, as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Kind {
    game: u8,
    stage: Stage,
    /// True if spectators see it as it was some time ago.
    is_delayed: bool,
}

/// A player, by a number that is shorter than its id, or a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Party(u32);

/// The numbers of the players that have or had a match.
#[derive(Debug, Default)]
struct Parties(HashMap<PlayerId, Party>);

/// A creator, and the [mark](MatchBrief::seed_mark) of a seed that it gave.
type SeedKey = (Party, [u8; 16]);

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
    /// Enters a match as it is now. One that is over is not entered again.
    pub(super) fn put(&self, id: MatchId, facts: &MatchFacts<'_>) {
        let mut tables = self.lock();
        let Some(entry) = Entry::of(facts, &mut tables.parties) else {
            return;
        };
        let before = tables.live.remove(&id);
        let number = match before {
            Some((number, _)) => number,
            None => tables.ids.add(id),
        };
        if !facts.is_over() {
            tables.live.insert(id, (number, entry));
        }
        let before = before.map(|(_, entry)| entry);
        if before != Some(entry) {
            for shelf in before.iter().flat_map(Entry::shelves) {
                tables.take_from(shelf, number);
            }
            for shelf in entry.shelves() {
                tables.put_on(shelf, number);
            }
        }
        if let Some(mark) = MatchBrief::seed_mark(facts.created) {
            let creator = tables.parties.enter(facts.created.creator);
            if before.is_none() {
                tables.count_for_seed((creator, mark));
            }
            tables.play_from_seed((creator, mark), id, !facts.is_over());
        }
    }

    /// Enters a match that is over and has not been entered.
    pub(super) fn put_ended(&self, id: MatchId, brief: &MatchBrief) {
        let mut tables = self.lock();
        let Some(entry) = Entry::ended(brief, &mut tables.parties) else {
            return;
        };
        let number = tables.ids.add(id);
        for shelf in entry.shelves() {
            tables.put_on(shelf, number);
        }
        if let Some(mark) = brief.seed_mark {
            let creator = tables.parties.enter(brief.creator);
            tables.count_for_seed((creator, mark));
        }
    }

    /// Returns true if a match that is over has been the last to be played from its seed: the creator has created as
    /// many as it announced, and all are over.
    pub(super) fn is_seed_spent(&self, created: &Created) -> bool {
        let Some(mark) = MatchBrief::seed_mark(created) else {
            return true;
        };
        let tables = self.lock();
        let Some(creator) = tables.parties.find(created.creator) else {
            return false;
        };
        let key = (creator, mark);
        let live = tables.live_of_seeds.get(&key).into_iter().flatten();
        let others_live = live.into_iter().any(|live| *live != created.id);
        let matches = tables.seeds.get(&key);
        !others_live && matches.is_some_and(|matches| *matches >= created.seed.matches())
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
        let ids = &tables.ids;
        let rows = shelves.into_iter().filter_map(|shelf| {
            let row = tables.shelves.get(&shelf)?;
            let end = before.map_or(row.len(), |before| ids.place(row, before));
            let mut row = row[..end].iter().rev().map(|number| ids.get(*number));
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

impl Ids {
    fn add(&mut self, id: MatchId) -> Number {
        let number = u32::try_from(self.0.len()).expect("2^32 matches do not fit into memory");
        self.0.push(id);
        Number(number)
    }

    fn get(&self, number: Number) -> MatchId {
        self.0[number.0 as usize]
    }

    /// The number of matches in a row that are older than a match.
    fn place(&self, row: &[Number], id: MatchId) -> usize {
        row.partition_point(|number| self.get(*number) < id)
    }
}

impl Tables {
    fn put_on(&mut self, place: Shelf, number: Number) {
        let row = self.shelves.entry(place).or_default();
        let id = self.ids.get(number);
        // Most are newer than all before.
        let newer = row.last().is_some_and(|last| self.ids.get(*last) > id);
        let at = if newer {
            self.ids.place(row, id)
        } else {
            row.len()
        };
        row.insert(at, number);
    }

    fn take_from(&mut self, place: Shelf, number: Number) {
        if let hash_map::Entry::Occupied(mut row) = self.shelves.entry(place) {
            let at = self.ids.place(row.get(), self.ids.get(number));
            row.get_mut().remove(at);
            if row.get().is_empty() {
                row.remove();
            }
        }
    }

    fn count_for_seed(&mut self, key: SeedKey) {
        let matches = self.seeds.entry(key).or_default();
        *matches = matches.saturating_add(1);
    }

    /// Notes that a match from a seed is live, or is not.
    fn play_from_seed(&mut self, key: SeedKey, id: MatchId, is_live: bool) {
        let mut live = self.live_of_seeds.remove(&key).unwrap_or_default();
        live.retain(|live| *live != id);
        if is_live {
            live.push(id);
        }
        if !live.is_empty() {
            self.live_of_seeds.insert(key, live);
        }
    }

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

    /// The numbers of the players in both seats; anyone in one that is free for anyone.
    fn enter_both(&mut self, players: [Option<PlayerId>; 2]) -> [Party; 2] {
        players.map(|player| player.map_or(Party::ANYONE, |player| self.enter(player)))
    }

    /// The creator of a private match; anyone for a public one.
    fn keeper(&mut self, creator: PlayerId, is_private: bool) -> Party {
        if is_private {
            self.enter(creator)
        } else {
            Party::ANYONE
        }
    }
}

/// The place of a game in the catalogue.
fn game_number(name: &str) -> Option<u8> {
    let mut games = catalogue::GAMES.iter();
    u8::try_from(games.position(|game| game.name == name)?).ok()
}

impl Entry {
    /// The entry of a match; `None` for one of a game that is not in the catalogue, which no match has.
    fn of(facts: &MatchFacts<'_>, parties: &mut Parties) -> Option<Self> {
        let audience = facts.created.audience;
        let is_private = audience.visibility() == Visibility::Private;
        Some(Self {
            kind: Kind {
                game: game_number(&facts.created.game)?,
                stage: facts.stage(),
                is_delayed: !is_private
                    && !audience.spectator_delay().is_zero()
                    && !facts.is_over(),
            },
            players: parties.enter_both(Seat::BOTH.map(|seat| facts.player(seat))),
            keeper: parties.keeper(facts.created.creator, is_private),
        })
    }

    /// The entry of a match that is over.
    fn ended(brief: &MatchBrief, parties: &mut Parties) -> Option<Self> {
        Some(Self {
            kind: Kind {
                game: game_number(&brief.game)?,
                stage: Stage::Ended,
                is_delayed: false,
            },
            players: parties.enter_both(brief.players),
            keeper: parties.keeper(brief.creator, brief.visibility == Visibility::Private),
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

#[cfg(test)]
mod tests {
    use dragontooth_games::chance::Seed;
    use dragontooth_games::match_play::Score;
    use dragontooth_service_domain::Seated;
    use dragontooth_service_store::MatchLog;
    use dragontooth_service_vocabulary::{
        Audience, DisplayName, MatchOutcome, MatchSeed, PlayerName, Scope, SeedText, Sight,
        Termination, Timestamp, Title,
    };
    use proptest::prelude::*;
    use std::time::Duration;

    use super::*;
    use crate::access::Caller;

    const PLAYERS: u8 = 4;

    fn player(number: u8) -> PlayerId {
        PlayerId::from_bytes([number; 16])
    }

    /// The parts of a match.
    #[derive(Clone, Debug)]
    struct Known {
        created: Created,
        seats: [Option<Seated>; 2],
        end: Option<MatchOutcome>,
    }

    impl Known {
        fn facts(&self) -> MatchFacts<'_> {
            MatchFacts {
                created: &self.created,
                created_at: Timestamp::default(),
                head: MatchLog::start(self.created.id),
                seats: self.seats.each_ref().map(Option::as_ref),
                score: Score::ZERO,
                game_number: 0,
                position: "".into(),
                due: None,
                deadline: None,
                join_deadline: None,
                remaining: [None; 2],
                end: self.end.as_ref().map(|end| (end, Timestamp::default())),
            }
        }

        fn brief(&self) -> MatchBrief {
            let facts = self.facts();
            MatchBrief {
                game: self.created.game.clone(),
                players: Seat::BOTH.map(|seat| facts.player(seat)),
                creator: self.created.creator,
                visibility: self.created.audience.visibility(),
                seed_mark: None,
                request_id: None,
            }
        }

        /// As it was when it was created.
        fn at_first(&self) -> Self {
            Self {
                seats: [None, None],
                end: None,
                ..self.clone()
            }
        }
    }

    fn matches() -> impl Strategy<Value = Vec<Known>> {
        let one = (
            (0..catalogue::GAMES.len(), 0..PLAYERS),
            (any::<bool>(), 0..3_u64),
            prop::array::uniform2(prop::option::of(0..PLAYERS)),
            prop::array::uniform2(prop::option::of(0..PLAYERS)),
            any::<bool>(),
        );
        prop::collection::vec(one, 1..40).prop_map(|all| {
            let known = (1..).zip(all).map(|(number, parts)| {
                let ((game, creator), (is_private, delay), reserved, joined, is_over) = parts;
                let visibility = if is_private {
                    Visibility::Private
                } else {
                    Visibility::Public
                };
                let reserved = reserved.map(|reserved| reserved.map(player));
                let seats = [0, 1].map(|seat: usize| {
                    let kept_for = reserved[seat].filter(|_| joined[seat].is_some());
                    Some(Seated {
                        player: kept_for.or(joined[seat].map(player))?,
                        name: DisplayName::SelfGiven(PlayerName::new("somebody").unwrap()),
                        seed: SeedText::default_of_players(),
                    })
                });
                Known {
                    created: Created {
                        id: MatchId::from_bytes([number; 16]),
                        game: catalogue::GAMES[game].name.to_owned(),
                        variant: "standard".to_owned(),
                        target: 1,
                        time_controls: [None, None],
                        seed: MatchSeed::Drawn(Seed::from_bytes([0; Seed::BYTES])),
                        title: Title::new("").unwrap(),
                        creator: player(creator),
                        reserved,
                        audience: Audience::new(visibility, Duration::from_secs(delay / 2))
                            .unwrap(),
                        disconnect_grace: None,
                        illegal_action_limit: None,
                        join_timeout: None,
                        request_id: None,
                    },
                    seats,
                    end: is_over.then(|| MatchOutcome::new(None, Termination::Aborted)),
                }
            });
            known.collect()
        })
    }

    fn viewers() -> Vec<Viewer> {
        let with_scope = |number, scope| {
            Viewer::from(Caller {
                player: player(number),
                scopes: [scope].into_iter().collect(),
                token: None,
                name: None,
                expires: None,
            })
        };
        let mut viewers = vec![Viewer::default(), with_scope(PLAYERS, Scope::Admin)];
        viewers.extend((0..=PLAYERS).map(|number| with_scope(number, Scope::Watch)));
        viewers
    }

    fn filters() -> Vec<Filter> {
        let stages = [
            None,
            Some(Stage::Open),
            Some(Stage::Active),
            Some(Stage::Ended),
        ];
        let games = [
            None,
            Some(catalogue::GAMES[0].name),
            Some(catalogue::GAMES[3].name),
        ];
        let players = [
            None,
            Some(player(0)),
            Some(player(1)),
            Some(player(PLAYERS)),
        ];
        let mut filters = Vec::new();
        for stage in stages {
            for game in games {
                filters.extend(players.map(|player| Filter {
                    stage,
                    game,
                    player,
                }));
            }
        }
        filters
    }

    /// Returns true if a list should have a match, by looking at it.
    fn is_listed(known: &Known, viewer: &Viewer, filter: &Filter) -> bool {
        let facts = known.facts();
        let audience = known.created.audience;
        // Somebody may see it at an earlier stage.
        let is_delayed =
            audience.sight(false, facts.is_over()) == Sight::Delayed(audience.spectator_delay());
        let was_open = filter.stage == Some(Stage::Open) && facts.stage() == Stage::Active;
        let at_any_stage = Filter {
            stage: None,
            ..filter.clone()
        };
        facts.sight(viewer) != Sight::Nothing
            && (filter.fits(&facts) || is_delayed && was_open && at_any_stage.fits(&facts))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Every list has what a scan of all matches finds, in pages of any size.
        #[test]
        fn a_list_has_what_a_scan_finds(all in matches(), limit in 1..8_usize) {
            let index = Index::default();
            for known in &all {
                if known.end.is_none() || known.created.creator != player(0) {
                    index.put(known.created.id, &known.at_first().facts());
                }
            }
            for known in &all {
                match &known.end {
                    // As a start finds it.
                    Some(_) if known.created.creator == player(0) => {
                        index.put_ended(known.created.id, &known.brief());
                    }
                    _ => index.put(known.created.id, &known.facts()),
                }
            }
            for viewer in viewers() {
                for filter in filters() {
                    let scanned = all.iter().rev().filter(|known| is_listed(known, &viewer, &filter));
                    let expected: Vec<MatchId> = scanned.map(|known| known.created.id).collect();
                    let mut listed = Vec::new();
                    loop {
                        let last = listed.last().copied();
                        let (page, more) = index.list(&viewer, &filter, last, limit);
                        prop_assert!(page.len() == limit || !more);
                        listed.extend(page);
                        if !more {
                            break;
                        }
                    }
                    prop_assert_eq!(&listed, &expected, "{:?} {:?}", viewer, filter);
                }
            }
        }
    }
}
