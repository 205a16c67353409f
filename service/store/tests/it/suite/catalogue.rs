//! The catalogue that a log keeps, or that is kept for it.

use std::collections::HashSet;

use dragontooth_service_store::{
    AppendError, ChainHead, EntryChange, Listing, MatchBrief, MatchEntry, MatchGroup, MatchKind,
    MatchLog, Party, PlayerCounts, SeedUse, Shelf,
};
use dragontooth_service_vocabulary::{
    ListOrder, MatchEvent, MatchId, PlayerId, RequestId, Stage, Timestamp, Visibility,
};

use super::given::Log;
use crate::random::Random;

const PLAYERS: u8 = 4;
/// Names alone: the catalogue does not know which game has which.
const VARIANTS: [&str; 3] = ["standard", "random", "money_64"];
const STAGES: [Stage; 3] = [Stage::Open, Stage::Active, Stage::Ended];

fn player(number: u8) -> PlayerId {
    PlayerId::from_bytes([number + 1; 16])
}

fn id(number: u8) -> MatchId {
    MatchId::from_bytes([number + 1; 16])
}

fn games() -> Vec<&'static str> {
    let mut games: Vec<_> = MatchKind::all().filter_map(MatchKind::game_name).collect();
    games.dedup();
    games
}

/// An open match that a player has created.
fn entry(creator: u8) -> MatchEntry {
    MatchEntry {
        brief: MatchBrief {
            game: games()[0].to_owned(),
            variant: VARIANTS[0].to_owned(),
            players: [None; 2],
            creator: player(creator),
            visibility: Visibility::Public,
            seed_mark: None,
            request_id: None,
        },
        stage: Stage::Open,
        is_delayed: false,
        invited: [None; 2],
    }
}

/// The matches that a log has, as they should be listed.
struct Listed {
    log: MatchLog,
    matches: Vec<(MatchId, ChainHead, MatchEntry)>,
}

impl Listed {
    fn new(log: Log) -> Self {
        let log = MatchLog::new(log);
        Self {
            log,
            matches: Vec::new(),
        }
    }

    async fn create(&mut self, id: MatchId, entry: MatchEntry) {
        let at = self.matches.len();
        self.matches.push((id, MatchLog::start(id), entry.clone()));
        self.append(at, None, entry).await;
    }

    async fn change(&mut self, at: usize, change: impl FnOnce(&mut MatchEntry)) {
        let before = self.matches[at].2.clone();
        let mut after = before.clone();
        change(&mut after);
        self.append(at, Some(before), after).await;
    }

    async fn append(&mut self, at: usize, before: Option<MatchEntry>, after: MatchEntry) {
        let (id, head, entry) = &mut self.matches[at];
        *entry = after.clone();
        let listing = Listing {
            entry: Some(Box::new(EntryChange { before, after })),
            deadline: None,
        };
        *head = append(&self.log, *id, *head, listing).await.unwrap();
    }

    /// Checks the matches on these shelves, read in pages.
    async fn check(&self, shelves: &[Shelf], page: usize) {
        let fits = |entry: &MatchEntry| shelves.iter().any(|shelf| is_on(entry, shelf));
        let fitting = self.matches.iter().filter(|(_, _, entry)| fits(entry));
        let mut expected: Vec<_> = fitting.map(|(id, _, _)| *id).collect();
        expected.sort_unstable_by(|one, other| other.cmp(one));
        for order in [ListOrder::NewestFirst, ListOrder::OldestFirst] {
            let mut listed = Vec::new();
            loop {
                let (catalogue, last) = (self.log.catalogue(), listed.last().copied());
                let some = catalogue.list(shelves.to_vec(), order, last, page);
                let (some, has_more) = some.await.unwrap();
                assert!(some.len() == page || !has_more);
                listed.extend(some);
                if !has_more {
                    break;
                }
            }
            if order == ListOrder::OldestFirst {
                expected.reverse();
            }
            assert_eq!(listed, expected, "{shelves:?} {order:?}");
        }
    }
}

async fn append(
    log: &MatchLog,
    id: MatchId,
    head: ChainHead,
    listing: Listing,
) -> Result<ChainHead, AppendError> {
    let event = MatchEvent::Rolled {
        roll: "31".to_owned(),
    };
    let time = Timestamp::from_micros(1);
    log.append_listed(id, head, time, &[event], listing).await
}

/// Returns true if a shelf should have a match, by looking at it.
fn is_on(entry: &MatchEntry, shelf: &Shelf) -> bool {
    let kind = shelf.kind;
    let plays = |player| entry.brief.players.contains(&Some(player));
    let is_private = entry.brief.visibility == Visibility::Private;
    kind.game_name() == Some(&*entry.brief.game)
        && (kind.stage, kind.is_delayed) == (entry.stage, entry.is_delayed)
        && match shelf.of {
            MatchGroup::All => true,
            MatchGroup::PlayedBy(player) => plays(player),
            MatchGroup::CreatedBy(player) => player == entry.brief.creator,
            MatchGroup::OfVariant(_) => {
                let (game, variant) = (&entry.brief.game, &entry.brief.variant);
                shelf.of == MatchGroup::of_variant(game, variant)
            }
        }
        && match shelf.shown_to {
            Party::Anyone => !is_private,
            Party::Operators => is_private,
            Party::Player(player) => is_private && (player == entry.brief.creator || plays(player)),
        }
}

/// Matches of all kinds, whose stages and players change.
async fn drawn(log: Log) -> Listed {
    let (games, mut listed) = (games(), Listed::new(log));
    let mut random = Random::new(7);
    let mut below = move |bound: usize| usize::try_from(random.below(bound as u64)).unwrap();
    let drawn_player = |drawn: usize| {
        let number = u8::try_from(drawn).unwrap();
        (number < PLAYERS).then(|| player(number))
    };
    for number in 0..80 {
        let players = [below(6), below(6)].map(drawn_player);
        let mut of_one = entry(u8::try_from(below(PLAYERS.into())).unwrap());
        of_one.brief.game = games[below(games.len())].to_owned();
        VARIANTS[below(VARIANTS.len())].clone_into(&mut of_one.brief.variant);
        of_one.brief.players = players;
        of_one.invited = players;
        of_one.is_delayed = below(4) == 0;
        if below(3) == 0 {
            of_one.brief.visibility = Visibility::Private;
            of_one.is_delayed = false;
        }
        listed.create(id(number), of_one).await;
    }
    for at in 0..80 {
        let [first, second] = [below(4), below(4)].map(drawn_player);
        let stages = below(3);
        for stage in &STAGES[1..=stages] {
            listed
                .change(at, |entry| {
                    let players = &mut entry.brief.players;
                    *players = [players[0].or(first), players[1].or(second)];
                    entry.stage = *stage;
                    entry.is_delayed &= *stage != Stage::Ended;
                    entry.invited = [None; 2];
                })
                .await;
        }
    }
    listed
}

pub(crate) async fn lists_have_what_a_scan_finds(log: Log) {
    let listed = drawn(log).await;
    let players = || (0..=PLAYERS).map(player);
    let parties: Vec<_> = [Party::Anyone, Party::Operators]
        .into_iter()
        .chain(players().map(Party::Player))
        .collect();
    let variants = VARIANTS.map(|variant| MatchGroup::of_variant(games()[0], variant));
    let groups: Vec<_> = [MatchGroup::All]
        .into_iter()
        .chain(players().map(MatchGroup::PlayedBy))
        .chain(players().map(MatchGroup::CreatedBy))
        .chain(variants)
        .collect();
    for (at, of) in groups.iter().enumerate() {
        for shown_to in &parties {
            let shelves = |shown_to: Party| {
                MatchKind::all().map(move |kind| Shelf {
                    of: *of,
                    shown_to,
                    kind,
                })
            };
            let shelves: Vec<_> = shelves(*shown_to).collect();
            listed.check(&shelves, 3 + at * 20).await;
            for shelf in shelves.chunks(5) {
                listed.check(shelf, 2).await;
            }
        }
    }
    let both: Vec<_> = MatchKind::all()
        .flat_map(|kind| {
            [Party::Anyone, Party::Player(player(1))].map(|shown_to| Shelf {
                of: MatchGroup::All,
                shown_to,
                kind,
            })
        })
        .collect();
    listed.check(&both, 7).await;
    listed.check(&[], 7).await;
}

pub(crate) async fn live_matches_are_found_by_their_players(log: Log) {
    let listed = drawn(log).await;
    let catalogue = listed.log.catalogue();
    let live = || {
        let all = listed.matches.iter();
        all.filter(|(_, _, entry)| entry.stage != Stage::Ended)
    };
    assert_eq!(catalogue.live().await.unwrap(), live().count());
    for asked in [vec![], vec![0], vec![1, 2], vec![9]] {
        let asked: Vec<_> = asked.into_iter().map(player).collect();
        let plays = |entry: &MatchEntry| {
            let mut players = entry.brief.players.iter().flatten();
            players.any(|player| asked.contains(player))
        };
        let expected: Vec<_> = live()
            .filter(|(_, _, entry)| plays(entry))
            .map(|(id, _, _)| *id)
            .collect();
        assert_eq!(catalogue.matches_of(asked.clone()).await.unwrap(), expected);
    }
}

pub(crate) async fn matches_and_invitations_of_a_player_are_counted(log: Log) {
    let listed = drawn(log).await;
    let catalogue = listed.log.catalogue();
    for creator in (0..=PLAYERS).map(player) {
        let asked = [Some(player(0)), Some(player(2))];
        let mut expected = PlayerCounts::default();
        for (_, _, entry) in &listed.matches {
            let is_own = entry.brief.creator == creator;
            expected.matches += usize::from(is_own && entry.stage != Stage::Ended);
            let mut invited: Vec<_> = entry.invited.iter().flatten().collect();
            // Whoever is invited to both seats is invited once.
            invited.dedup();
            for invited in invited {
                if *invited == entry.brief.creator {
                    continue;
                }
                expected.invitations += usize::from(is_own);
                for (at, asked) in asked.iter().enumerate() {
                    let is_asked = *asked == Some(*invited);
                    expected.of_invited[at] += usize::from(is_asked);
                    expected.of_pairs[at] += usize::from(is_asked && is_own);
                }
            }
        }
        let found = catalogue.counts_of(creator, asked).await.unwrap();
        assert_eq!(found, expected, "{creator}");
    }
}

pub(crate) async fn a_seed_is_spent_with_its_last_match(log: Log) {
    let mut listed = Listed::new(log);
    for (number, mark, stage) in [
        (1, 1, Stage::Ended),
        (2, 1, Stage::Ended),
        (3, 2, Stage::Ended),
        (4, 2, Stage::Active),
        (5, 3, Stage::Ended),
    ] {
        let mut of_one = entry(0);
        of_one.brief.seed_mark = Some([mark; 16]);
        listed.create(id(number), of_one).await;
        listed
            .change(listed.matches.len() - 1, |entry| entry.stage = stage)
            .await;
    }
    let used = |number, creator, mark, announced| SeedUse {
        id: id(number),
        creator: player(creator),
        mark: [mark; 16],
        announced,
    };
    let spent = vec![used(1, 0, 1, 2), used(2, 0, 1, 1), used(5, 0, 3, 1)];
    // One was announced that was not created, one is not over, and one is another player's.
    let others = [used(1, 0, 1, 3), used(3, 0, 2, 2), used(5, 1, 3, 1)];
    let asked = [&spent[..], &others].concat();
    let found = listed.log.catalogue().spent_seeds(asked).await.unwrap();
    assert_eq!(found, spent.into_iter().collect::<HashSet<_>>());
}

pub(crate) async fn a_refused_append_changes_no_list(log: Log) {
    let mut listed = Listed::new(log);
    listed.create(id(1), entry(0)).await;
    listed.change(0, |entry| entry.stage = Stage::Active).await;
    let (id, _, before) = listed.matches[0].clone();
    for (head, stage) in [
        (MatchLog::start(id), Stage::Open),
        (listed.matches[0].1, Stage::Ended),
    ] {
        let mut after = before.clone();
        after.stage = stage;
        let mut head = head;
        // After an event that the log does not have, or after none.
        if stage == Stage::Ended {
            head.sequence = head.sequence.next();
        }
        let listing = Listing {
            entry: Some(Box::new(EntryChange {
                before: Some(before.clone()),
                after,
            })),
            deadline: None,
        };
        let refused = append(&listed.log, id, head, listing).await;
        assert!(
            matches!(refused, Err(AppendError::Conflict { .. })),
            "{refused:?}"
        );
    }
    let kinds = MatchKind::all().map(|kind| Shelf {
        of: MatchGroup::All,
        shown_to: Party::Anyone,
        kind,
    });
    let kinds: Vec<_> = kinds.collect();
    listed.check(&kinds, 5).await;
    assert_eq!(listed.log.catalogue().live().await.unwrap(), 1);
}

pub(crate) async fn what_is_entered_is_listed_and_its_timers_are_taken_once(log: Log) {
    let mut listed = Listed::new(log);
    let catalogue = listed.log.catalogue();
    let at = |seconds: u64| Timestamp::from_micros(seconds * 1_000_000);
    for (number, stage, deadline) in [
        (1, Stage::Open, Some(10)),
        (2, Stage::Active, Some(20)),
        (3, Stage::Active, None),
        (4, Stage::Ended, None),
        (5, Stage::Open, Some(30)),
    ] {
        let mut of_one = entry(0);
        of_one.stage = stage;
        of_one.brief.request_id = Some(RequestId::new("a-request").unwrap());
        let head = MatchLog::start(id(number));
        let head = append(&listed.log, id(number), head, Listing::default()).await;
        let entered = catalogue.enter(id(number), &of_one, deadline.map(at));
        entered.await.unwrap();
        listed.matches.push((id(number), head.unwrap(), of_one));
    }
    let open = MatchKind::all().map(|kind| Shelf {
        of: MatchGroup::All,
        shown_to: Party::Anyone,
        kind,
    });
    let all: Vec<_> = open.collect();
    listed.check(&all, 2).await;
    assert_eq!(catalogue.live().await.unwrap(), 4);
    let taken = async |time, next, limit| {
        let taken = catalogue.take_overdue(at(time), at(next), limit);
        let mut taken = taken.await.unwrap();
        taken.sort_unstable();
        taken
    };
    assert_eq!(taken(10, 99, 9).await, []);
    assert_eq!(taken(21, 40, 9).await, [id(1), id(2)]);
    assert_eq!(taken(39, 99, 9).await, [id(5)]);
    assert_eq!(taken(41, 50, 1).await.len(), 1);
    assert_eq!(taken(41, 50, 9).await.len(), 1);
}
