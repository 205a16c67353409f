//! The players that are present, and what they say of themselves.

use std::collections::BTreeMap;
use std::time::Duration;

use dragontooth_proto::v1;
use dragontooth_service::Limits;
use dragontooth_service_client::{PlayersUpdate, PlayersWatch, Reason, Resume};
use dragontooth_service_vocabulary::{AcceptedGame, Offer};
use tonic::{Code, Status, Streaming};
use v1::CloseReason;
use v1::play_request::{Request, Start};
use v1::watch_players_response::Response;
use v1::watch_players_response::change::Change;

use crate::player::Player;
use crate::raw::Raw;
use crate::refusals::{fact, reason_of};
use crate::served::Served;

/// Longer than any restart.
const PATIENCE: Duration = Duration::from_mins(1);

/// An offer of a build to play these games.
pub(crate) fn offer(build: &str, games: &[&str]) -> v1::Offer {
    let games = games.iter().map(|game| v1::AcceptedGame {
        game: (*game).to_owned(),
        ..v1::AcceptedGame::default()
    });
    v1::Offer {
        games: games.collect(),
        matches_at_once: 3,
        build: build.to_owned(),
    }
}

/// A stream that is opened with an offer.
pub(crate) async fn open(raw: &Raw, offer: Option<v1::Offer>) -> Player {
    let start = Start {
        omit_legal_actions: false,
        offer,
    };
    Player::open_with(raw, start).await
}

/// The present players with their offers, once there are as many.
pub(crate) async fn present(raw: &Raw, count: usize) -> Vec<(String, Option<v1::Offer>)> {
    loop {
        let players = raw.present_players("").await.unwrap();
        if players.len() == count {
            let players = players.into_iter();
            return players.map(|each| (each.player_id, each.offer)).collect();
        }
    }
}

/// The players that somebody knows of who watches them.
pub(crate) struct RawPlayersWatch {
    stream: Streaming<v1::WatchPlayersResponse>,
    known: BTreeMap<String, Option<v1::Offer>>,
    pub(crate) has_caught_up: bool,
}

impl RawPlayersWatch {
    pub(crate) async fn open(raw: &Raw, game: &str) -> Self {
        Self {
            stream: raw.watch_players(game).await.unwrap(),
            known: BTreeMap::new(),
            has_caught_up: false,
        }
    }

    /// Reads a message; gives the reason if it is the last one.
    async fn read(&mut self) -> Option<CloseReason> {
        let message = self.stream.message().await.unwrap().unwrap();
        match message.response.unwrap() {
            Response::Batch(batch) => {
                assert!(!batch.changes.is_empty());
                for change in batch.changes {
                    match change.change.unwrap() {
                        Change::Present(present) => {
                            assert!(present.open_time.is_some());
                            self.known.insert(present.player_id, present.offer);
                        }
                        Change::GonePlayerId(player) => drop(self.known.remove(&player)),
                    }
                }
            }
            Response::CaughtUp(_) => {
                assert!(!self.has_caught_up);
                self.has_caught_up = true;
            }
            Response::Heartbeat(_) => {}
            Response::Closing(closing) => return Some(closing.reason()),
        }
        None
    }

    /// Reads until it knows of exactly these players and their offers.
    pub(crate) async fn until(&mut self, players: &[(String, Option<v1::Offer>)]) {
        while !(self.has_caught_up
            && self
                .known
                .iter()
                .eq(players.iter().map(|(id, said)| (id, said))))
        {
            assert_eq!(self.read().await, None);
        }
    }

    async fn closing(&mut self) -> CloseReason {
        loop {
            if let Some(reason) = self.read().await {
                assert!(self.stream.message().await.unwrap().is_none());
                return reason;
            }
        }
    }
}

#[tokio::test]
async fn who_watches_the_players_knows_what_a_list_says() {
    let served = Served::in_memory().await;
    let anyone = served.raw("anyone").await;
    let first = served.raw("first").await;
    let id = first.who_am_i().await.unwrap();
    let mut early = RawPlayersWatch::open(&anyone, "").await;
    early.until(&[]).await;
    let here = open(&first, Some(offer("v1", &["linja"]))).await;
    let listed = present(&anyone, 1).await;
    early.until(&listed).await;
    let mut late = RawPlayersWatch::open(&anyone, "").await;
    let mut of_linja = RawPlayersWatch::open(&anyone, "linja").await;
    for watch in [&mut late, &mut of_linja] {
        watch.until(&listed).await;
    }
    // A newer stream with another build and another game.
    let newer = open(&first, Some(offer("v2", &["tzaar"]))).await;
    let changed = [(id, Some(offer("v2", &["tzaar"])))];
    for watch in [&mut early, &mut late] {
        watch.until(&changed).await;
    }
    of_linja.until(&[]).await;
    drop((here, newer));
    for watch in [&mut early, &mut late] {
        watch.until(&[]).await;
    }
    let refused = anyone.watch_players("chess").await.unwrap_err();
    assert_eq!(fact(&refused, "field"), "game");
    served.stop().await;
    for watch in [&mut early, &mut late, &mut of_linja] {
        assert_eq!(watch.closing().await, CloseReason::Draining);
    }
}

/// The typed watch of the players goes on by itself when the service is away for a while.
#[tokio::test]
async fn a_watch_of_the_players_outlives_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::alone_in_folder(folder.path()).await;
    let address = served.address();
    let client = served.client("anyone").await;
    let mut watch = client.watch_players(Some("linja"), Resume::For(PATIENCE));
    assert_eq!(watch.next().await.unwrap(), PlayersUpdate::Changed);
    assert!(watch.present().is_empty());
    let here = open(&served.raw("first").await, Some(offer("v1", &["linja"]))).await;
    let _other = open(&served.raw("second").await, Some(offer("v1", &["tzaar"]))).await;
    let is_present = async |watch: &mut PlayersWatch, build: &str| {
        let is_there = |watch: &PlayersWatch| {
            let mut offers = watch.present().values().map(|view| view.offer.as_ref());
            watch.present().len() == 1
                && offers.all(|offer| offer.is_some_and(|offer| offer.build.as_str() == build))
        };
        while !is_there(watch) {
            watch.next().await.unwrap();
        }
    };
    is_present(&mut watch, "v1").await;
    drop(here);
    served.stop().await;
    let served = Served::again_in_folder(folder.path(), address).await;
    let _again = open(&served.raw("first").await, Some(offer("v2", &["linja"]))).await;
    is_present(&mut watch, "v2").await;

    let mut other = client.watch_players(Some("chess"), Resume::For(PATIENCE));
    let refused = other.next().await.unwrap_err();
    assert_eq!(refused.reason(), Some(&Reason::FieldInvalid));
    served.stop().await;
    let mut impatient = client.watch_players(None, Resume::Never);
    assert!(impatient.next().await.unwrap_err().is_transient());
}

#[tokio::test]
async fn players_are_listed_with_their_offers_as_long_as_they_are_there() {
    let served = Served::in_memory().await;
    let anyone = served.raw("anyone").await;
    assert!(present(&anyone, 0).await.is_empty());
    let mut streams = Vec::new();
    let mut expected = Vec::new();
    for (number, said) in [
        Some(offer("v1", &["linja"])),
        Some(offer("v2", &["linja", "tzaar"])),
        Some(offer("", &[])),
        None,
    ]
    .into_iter()
    .enumerate()
    {
        let raw = served.raw(&format!("player-{number}")).await;
        streams.push(open(&raw, said.clone()).await);
        expected.push((raw.who_am_i().await.unwrap(), said));
    }
    let accepting = |game: &str| {
        let accepts = |said: &v1::Offer| {
            said.games.is_empty() || said.games.iter().any(|any| any.game == game)
        };
        let players = expected
            .iter()
            .filter(|(_, said)| said.as_ref().is_some_and(accepts));
        let mut players: Vec<_> = players.map(|(player, _)| player.clone()).collect();
        players.sort();
        players
    };
    for game in ["linja", "tzaar", "kamisado"] {
        let found = anyone.present_players(game).await.unwrap();
        let found: Vec<_> = found.into_iter().map(|each| each.player_id).collect();
        assert_eq!(found, accepting(game), "{game}");
    }
    let mut all = expected.clone();
    all.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(present(&anyone, 4).await, all);

    // A newer stream with another build takes over, and the list shows it.
    let raw = served.raw("player-0").await;
    let newer = open(&raw, Some(offer("v3", &["tzaar"]))).await;
    assert_eq!(streams[0].closing().await, v1::CloseReason::Superseded);
    let found = present(&anyone, 4).await;
    let of_first = found.iter().find(|(player, _)| *player == expected[0].0);
    assert_eq!(of_first.unwrap().1, Some(offer("v3", &["tzaar"])));
    drop(newer);
    drop(streams);
    assert!(present(&anyone, 0).await.is_empty());
}

/// Makes an offer by a call; the response has the id of the presence.
pub(crate) async fn set_offer(
    raw: &Raw,
    offer: Option<v1::Offer>,
    seconds: i64,
    presence_id: &str,
) -> Result<v1::SetOfferResponse, Status> {
    let request = v1::SetOfferRequest {
        offer,
        ttl: Some(prost_types::Duration { seconds, nanos: 0 }),
        presence_id: presence_id.to_owned(),
    };
    let answer = raw.players.clone().set_offer(request).await?;
    Ok(answer.into_inner())
}

#[tokio::test]
async fn a_player_without_a_stream_is_present_by_its_calls() {
    let served = Served::in_memory().await;
    let anyone = served.raw("anyone").await;
    let first = served.raw("first").await;
    let id = first.who_am_i().await.unwrap();
    let mut watch = RawPlayersWatch::open(&anyone, "").await;
    let accepts = |build: &str| Some(offer(build, &["linja"]));
    let set = set_offer(&first, accepts("v1"), 60, "").await.unwrap();
    watch.until(&[(id.clone(), accepts("v1"))]).await;
    let listed = anyone.present_players("linja").await.unwrap();
    assert_eq!(listed[0].expire_time, set.expire_time);
    let since = listed[0].open_time;
    assert!(anyone.present_players("tzaar").await.unwrap().is_empty());

    // It is made again, with other terms, and lasts longer.
    let again = set_offer(&first, accepts("v1.1"), 100, &set.presence_id);
    let again = again.await.unwrap();
    assert_eq!(again.presence_id, set.presence_id);
    watch.until(&[(id.clone(), accepts("v1.1"))]).await;
    let listed = anyone.present_players("").await.unwrap();
    assert_eq!(
        (listed[0].open_time, listed[0].expire_time),
        (since, again.expire_time)
    );

    // A second program: the newest counts, and the service refuses the older one.
    let newer = set_offer(&first, accepts("v2"), 60, "").await.unwrap();
    let refused = set_offer(&first, accepts("v1"), 60, &set.presence_id).await;
    let refused = refused.unwrap_err();
    assert_eq!(refused.code(), Code::Aborted);
    assert_eq!(reason_of(&refused).as_deref(), Some("SUPERSEDED"));
    let withdrawn = set_offer(&first, None, 0, &set.presence_id).await;
    assert_eq!(withdrawn.unwrap_err().code(), Code::Aborted);
    watch.until(&[(id.clone(), accepts("v2"))]).await;

    // So it is with a stream, in either order.
    let mut stream = open(&first, accepts("v3")).await;
    watch.until(&[(id.clone(), accepts("v3"))]).await;
    let refused = set_offer(&first, accepts("v2"), 60, &newer.presence_id).await;
    assert_eq!(refused.unwrap_err().code(), Code::Aborted);
    assert_eq!(
        set_offer(&first, None, 0, "").await.unwrap(),
        v1::SetOfferResponse::default()
    );
    watch.until(&[(id.clone(), accepts("v3"))]).await;
    let newest = set_offer(&first, accepts("v4"), 60, "").await.unwrap();
    assert_eq!(stream.closing().await, v1::CloseReason::Superseded);
    watch.until(&[(id.clone(), accepts("v4"))]).await;

    let withdrawn = set_offer(&first, None, 0, &newest.presence_id).await;
    assert_eq!(withdrawn.unwrap(), v1::SetOfferResponse::default());
    watch.until(&[]).await;
    // One that has come to its end is gone by itself.
    set_offer(&first, accepts("v5"), 1, "").await.unwrap();
    watch.until(&[(id, accepts("v5"))]).await;
    watch.until(&[]).await;
    served.stop().await;
}

#[tokio::test]
async fn the_typed_client_makes_offers_by_calls() {
    let served = Served::in_memory().await;
    let client = served.client("first").await;
    let ttl = Duration::from_mins(1);
    let accepts = Offer {
        games: vec![AcceptedGame::any("linja")],
        build: "v1".parse().unwrap(),
        ..Offer::default()
    };
    let first = client.set_offer(&accepts, ttl, None).await.unwrap();
    let again = client.set_offer(&accepts, ttl, Some(&first.presence));
    let again = again.await.unwrap();
    assert_eq!(again.presence, first.presence);
    let mut watch = client.watch_players(None, Resume::Never);
    assert_eq!(watch.next().await.unwrap(), PlayersUpdate::Changed);
    let view = watch.present().values().next().unwrap();
    assert_eq!(view.offer.as_ref(), Some(&accepts));
    assert_eq!(view.expires, Some(again.expires));
    let newer = client.set_offer(&accepts, ttl, None).await.unwrap();
    let refused = client.set_offer(&accepts, ttl, Some(&first.presence));
    assert_eq!(
        refused.await.unwrap_err().reason(),
        Some(&Reason::Superseded)
    );
    client.withdraw_offer(Some(&newer.presence)).await.unwrap();
    while !watch.present().is_empty() {
        watch.next().await.unwrap();
    }
    served.stop().await;
}

#[tokio::test]
async fn offers_by_calls_are_limited_and_checked() {
    let limits = Limits {
        offers: 1,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let [first, second] = served.raws(["first", "second"]).await;
    let accepts = || Some(offer("v1", &["linja"]));
    let set = set_offer(&first, accepts(), 60, "").await.unwrap();
    let refused = set_offer(&second, accepts(), 60, "").await.unwrap_err();
    assert_eq!(reason_of(&refused).as_deref(), Some("LIMIT_REACHED"));
    assert_eq!(fact(&refused, "limit"), "offers");
    // That of the first is made again.
    set_offer(&first, accepts(), 60, &set.presence_id)
        .await
        .unwrap();
    set_offer(&first, accepts(), 60, "").await.unwrap();
    set_offer(&first, None, 0, "").await.unwrap();
    set_offer(&second, accepts(), 60, "").await.unwrap();
    for (field, offer, seconds, presence_id) in [
        ("offer.games[0].game", Some(offer("v1", &["chess"])), 60, ""),
        ("ttl", accepts(), 0, ""),
        ("ttl", accepts(), 3601, ""),
        ("presence_id", accepts(), 60, "mine"),
        ("presence_id", accepts(), 60, "ffffffffffffffff"),
        ("presence_id", accepts(), 60, "+00000000000000f"),
    ] {
        let refused = set_offer(&second, offer, seconds, presence_id).await;
        assert_eq!(fact(&refused.unwrap_err(), "field"), field);
    }
    served.stop().await;
    // A service that has started again does not know of the first call.
    let served = Served::in_memory().await;
    let first = served.raw("first").await;
    let again = set_offer(&first, accepts(), 60, &set.presence_id)
        .await
        .unwrap();
    assert_eq!(again.presence_id, set.presence_id);
    assert_eq!(present(&first, 1).await[0].1, accepts());
    served.stop().await;
}

#[tokio::test]
async fn an_offer_that_cannot_be_read_is_refused_by_its_field() {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let with = |change: fn(&mut v1::AcceptedGame)| {
        let mut said = offer("v1", &["linja", "linja"]);
        change(&mut said.games[1]);
        said
    };
    let second = |nanos| v1::TimeControl {
        kind: Some(v1::time_control::Kind::PerAction(
            v1::time_control::PerAction {
                limit: Some(prost_types::Duration { seconds: 1, nanos }),
            },
        )),
    };
    let mut untimely = offer("v1", &["linja"]);
    untimely.games[0].time_controls = vec![second(0), second(-1)];
    for (field, said) in [
        ("build", offer(&"b".repeat(65), &["linja"])),
        ("build", offer("v1\u{202e}", &["linja"])),
        ("build", offer("v1\n", &["linja"])),
        ("games", offer("v1", &["linja"; 65])),
        ("games[1].game", offer("v1", &["linja", "chess"])),
        ("games[0].game", offer("v1", &["", "chess"])),
        (
            "games[1].variants[1]",
            with(|game| {
                game.variants = vec!["standard".to_owned(), "odd".to_owned()];
            }),
        ),
        (
            "games",
            with(|game| {
                game.variants = vec!["standard".to_owned(); 63];
            }),
        ),
        (
            "games[1].target_max",
            with(|game| {
                (game.target_min, game.target_max) = (7, 3);
            }),
        ),
        (
            "games[1].target_min",
            with(|game| {
                (game.target_min, game.target_max) = (4, 6);
            }),
        ),
        ("games[0].time_controls[1].per_action.limit", untimely),
    ] {
        let start = Start {
            omit_legal_actions: false,
            offer: Some(said),
        };
        let refused = Player::begin(&raw, Request::Start(start))
            .await
            .unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{refused:?}");
        assert_eq!(fact(&refused, "field"), format!("start.offer.{field}"));
    }
    assert!(present(&raw, 0).await.is_empty());
    let refused = raw.present_players("chess").await.unwrap_err();
    assert_eq!(reason_of(&refused).as_deref(), Some("FIELD_INVALID"));
    assert_eq!(fact(&refused, "field"), "game");
}
