use dragontooth_games::chance::Seed;
use dragontooth_games::match_play::Score;
use dragontooth_games::{Seat, catalogue};
use dragontooth_service_domain::Seated;
use dragontooth_service_store::{MatchBrief, MatchEntry, MatchLog, MemoryCatalogue};
use dragontooth_service_vocabulary::{
    Audience, Created, DisplayName, MatchId, MatchOutcome, MatchSeed, PlayerId, PlayerName, Scope,
    SeedText, Sight, Stage, Termination, Timestamp, Title, Visibility,
};
use futures::FutureExt;
use proptest::prelude::*;
use std::time::Duration;

use super::*;
use crate::access::Caller;
use crate::matches::common_matches::common_matches;

const PLAYERS: u8 = 4;

fn player(number: u8) -> PlayerId {
    PlayerId::from_bytes([number + 1; 16])
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

    fn entry(&self) -> MatchEntry {
        let facts = self.facts();
        let audience = self.created.audience;
        let is_kept = |seat: Seat| self.seats[seat.index()].is_none() && !facts.is_over();
        MatchEntry {
            brief: self.brief(),
            stage: facts.stage(),
            is_delayed: audience.visibility() == Visibility::Public
                && !audience.spectator_delay().is_zero()
                && !facts.is_over(),
            invited: Seat::BOTH
                .map(|seat| self.created.reserved[seat.index()].filter(|_| is_kept(seat))),
        }
    }

    fn brief(&self) -> MatchBrief {
        let facts = self.facts();
        MatchBrief {
            game: self.created.game.clone(),
            variant: self.created.variant.clone(),
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
        (0..catalogue::GAMES.len(), 0..2_usize, 0..PLAYERS),
        (any::<bool>(), 0..3_u64),
        prop::array::uniform2(prop::option::of(0..PLAYERS)),
        prop::array::uniform2(prop::option::of(0..PLAYERS)),
        any::<bool>(),
    );
    prop::collection::vec(one, 1..40).prop_map(|all| {
        let known = (1..).zip(all).map(|(number, parts)| {
            let ((game, variant, creator), (is_private, delay), reserved, joined, is_over) = parts;
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
                    variant: catalogue::GAMES[game].variants()[variant].name.to_owned(),
                    target: 1,
                    time_controls: [None, None],
                    seed: MatchSeed::Drawn(Seed::from_bytes([0; Seed::BYTES])),
                    title: Title::new("").unwrap(),
                    creator: player(creator),
                    reserved,
                    audience: Audience::new(visibility, Duration::from_secs(delay / 2)).unwrap(),
                    disconnect_grace: None,
                    illegal_action_limit: None,
                    join_timeout: None,
                    opening: Vec::new(),
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
                ..Filter::default()
            }));
        }
        let of_players = Filter {
            stage,
            player: Some(player(0)),
            opponent: Some(player(1)),
            order: ListOrder::OldestFirst,
            ..Filter::default()
        };
        let of_variant = Filter {
            stage,
            game: games[1],
            variant: Some("random"),
            ..Filter::default()
        };
        filters.extend([
            Filter {
                creator: Some(player(2)),
                ..Filter::default()
            },
            Filter {
                creator: Some(player(2)),
                ..of_variant.clone()
            },
            Filter {
                creator: Some(player(2)),
                ..of_players.clone()
            },
            of_variant,
            of_players,
        ]);
    }
    filters
}

/// Returns true if a list should have a match, by looking at it.
fn is_listed(known: &Known, viewer: &Viewer, filter: &Filter) -> bool {
    let facts = known.facts();
    let audience = known.created.audience;
    // Somebody may see it at an earlier stage, and must not learn its true one.
    let is_delayed =
        audience.sight(false, facts.is_over()) == Sight::Delayed(audience.spectator_delay());
    let goes_on = filter.stage != Some(Stage::Ended) && facts.stage() != Stage::Ended;
    let at_any_stage = Filter {
        stage: None,
        ..filter.clone()
    };
    facts.sight(viewer) != Sight::Nothing
        && (filter.fits(&facts) || is_delayed && goes_on && at_any_stage.fits(&facts))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Every list has what a scan of all matches finds, in pages of any size.
    #[test]
    fn a_list_has_what_a_scan_finds(all in matches(), limit in 1..8_usize) {
        let catalogue = MemoryCatalogue::default();
        for known in &all {
            if known.end.is_none() || known.created.creator != player(0) {
                catalogue.put(known.created.id, &known.at_first().entry(), None);
            }
        }
        for known in &all {
            match &known.end {
                // As a start finds it.
                Some(_) if known.created.creator == player(0) => {
                    catalogue.put_ended(known.created.id, &known.brief());
                }
                _ => catalogue.put(known.created.id, &known.entry(), None),
            }
        }
        for viewer in viewers() {
            for filter in filters() {
                let scanned = all.iter().filter(|known| is_listed(known, &viewer, &filter));
                let mut expected: Vec<MatchId> = scanned.map(|known| known.created.id).collect();
                if filter.order == ListOrder::NewestFirst {
                    expected.reverse();
                }
                let mut listed = Vec::new();
                let mut last = None;
                loop {
                    let shelves = filter.shelves(&viewer);
                    let page = common_matches(&catalogue, &shelves, filter.order, last, limit);
                    let page = page.now_or_never().unwrap().unwrap();
                    prop_assert!(page.ids.len() <= limit);
                    listed.extend(page.ids);
                    last = page.next;
                    if last.is_none() {
                        break;
                    }
                }
                prop_assert_eq!(&listed, &expected, "{:?} {:?}", viewer, filter);
            }
        }
    }
}
