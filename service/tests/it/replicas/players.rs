//! Players whose streams are at different services.

use std::time::{Duration, SystemTime};

use dragontooth_proto::v1;
use tokio::runtime;
use v1::{CloseReason, Seat, Termination};

use super::replica;
use crate::database_server::Server;
use crate::pair::{Pair, to_points};
use crate::player::Player;
use crate::raw::Raw;
use crate::refusals::reason_of;
use crate::served::Served;
use crate::who_is_there::{RawPlayersWatch, offer, open, present, set_offer};

const GRACE: Duration = Duration::from_secs(1);

/// The time that is added to a grace where other services have to hear first.
const HEARING: Duration = Duration::from_secs(1);

/// A service that has not renewed itself for so long is gone.
const GONE: Duration = Duration::from_secs(6);

/// A match whose players have a grace, with its players at this service.
async fn seat(served: &Served, grace: Duration) -> Pair {
    let new = v1::CreateMatchRequest {
        disconnect_grace: Some(grace.try_into().unwrap()),
        ..to_points(1)
    };
    Pair::seat_on(served.address(), new).await
}

/// The match once it is over.
async fn ended(raw: &Raw, match_id: &str) -> v1::Match {
    let mut watch = raw.watch(match_id, 0).await.unwrap();
    while watch.message().await.unwrap().is_some() {}
    raw.get(match_id).await.unwrap()
}

/// A match of two players who are at no service, up to its end by their absence.
pub(super) async fn nobody_there(served: &Served, grace: Duration) -> String {
    let [creator, first, second] = served.raws(["creator", "third", "fourth"]).await;
    let new = v1::CreateMatchRequest {
        disconnect_grace: Some(grace.try_into().unwrap()),
        ..to_points(1)
    };
    let id = creator.create(new).await.unwrap().id;
    first.join(&id, Seat::First).await.unwrap();
    second.join(&id, Seat::Second).await.unwrap();
    ended(&creator, &id).await;
    id
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_service_lists_the_players_of_all() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let (one, other) = (replica(&server).await, replica(&server).await);
    let (at_one, at_other) = (one.raw("first").await, other.raw("second").await);
    let mut expected = Vec::new();
    let mut streams = Vec::new();
    for (raw, build) in [(&at_one, "v1"), (&at_other, "v2")] {
        let said = Some(offer(build, &["linja"]));
        streams.push(open(raw, said.clone()).await);
        expected.push((raw.who_am_i().await.unwrap(), said));
    }
    expected.sort_by(|one, other| one.0.cmp(&other.0));
    for raw in [&at_one, &at_other] {
        assert_eq!(present(raw, 2).await, expected);
        let accepting = raw.present_players("linja").await.unwrap();
        assert_eq!(accepting.len(), 2);
    }
    let mut watches = Vec::new();
    for raw in [&at_one, &at_other] {
        let mut watch = RawPlayersWatch::open(raw, "linja").await;
        watch.until(&expected).await;
        watches.push(watch);
    }
    // A player goes to another service, with another build.
    let newer = Some(offer("v3", &["tzaar"]));
    let _newer = open(&other.raw("first").await, newer.clone()).await;
    assert_eq!(streams[0].closing().await, CloseReason::Superseded);
    let first = at_one.who_am_i().await.unwrap();
    for raw in [&at_one, &at_other] {
        let said = |players: Vec<(String, Option<v1::Offer>)>| {
            let found = players.into_iter().find(|(player, _)| *player == first);
            found.and_then(|(_, said)| said)
        };
        while said(present(raw, 2).await) != newer {}
    }
    expected.retain(|(player, _)| *player != first);
    for watch in &mut watches {
        watch.until(&expected).await;
    }
    drop(watches);
    one.stop().await;
    assert_eq!(present(&at_other, 2).await.len(), 2);
    drop(streams);
    assert_eq!(present(&at_other, 1).await, [(first, newer)]);
    other.stop().await;
}

/// Each call of a player that plays by calls may come to another service.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_offer_by_calls_counts_at_all_services() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let (one, other) = (replica(&server).await, replica(&server).await);
    let (at_one, at_other) = (one.raw("first").await, other.raw("first").await);
    let id = at_one.who_am_i().await.unwrap();
    let mut watches = [
        RawPlayersWatch::open(&at_one, "").await,
        RawPlayersWatch::open(&at_other, "").await,
    ];
    let accepts = |build: &str| Some(offer(build, &["linja"]));
    let mut presence_id = String::new();
    for (raw, build) in [
        (&at_one, "v1"),
        (&at_other, "v1.1"),
        (&at_other, "v1.2"),
        (&at_one, "v1.3"),
    ] {
        let set = set_offer(raw, accepts(build), 60, &presence_id);
        presence_id = set.await.unwrap().presence_id;
        for watch in &mut watches {
            watch.until(&[(id.clone(), accepts(build))]).await;
        }
    }
    // A stream at the other service is newer, and then an offer here.
    let mut stream = open(&at_other, accepts("v2")).await;
    for watch in &mut watches {
        watch.until(&[(id.clone(), accepts("v2"))]).await;
    }
    let refused = set_offer(&at_one, accepts("v1"), 60, &presence_id).await;
    assert_eq!(
        reason_of(&refused.unwrap_err()).as_deref(),
        Some("SUPERSEDED")
    );
    let newer = set_offer(&at_one, accepts("v3"), 60, "").await.unwrap();
    assert_eq!(stream.closing().await, CloseReason::Superseded);
    for watch in &mut watches {
        watch.until(&[(id.clone(), accepts("v3"))]).await;
    }
    // It is withdrawn at the service that did not take it.
    let withdrawn = set_offer(&at_other, None, 0, &newer.presence_id).await;
    withdrawn.unwrap();
    for watch in &mut watches {
        watch.until(&[]).await;
    }
    // One that ends by itself does so at both.
    set_offer(&at_one, accepts("v4"), 1, "").await.unwrap();
    for watch in &mut watches {
        watch.until(&[(id.clone(), accepts("v4"))]).await;
        watch.until(&[]).await;
    }
    drop(watches);
    one.stop().await;
    other.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_stream_on_another_service_closes_the_older() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let (one, other) = (replica(&server).await, replica(&server).await);
    let (at_one, at_other) = (one.raw("first").await, other.raw("first").await);
    let mut before = Player::open(&at_one).await;
    for raw in [&at_other, &at_one, &at_one, &at_other] {
        let next = Player::open(raw).await;
        assert_eq!(before.closing().await, CloseReason::Superseded);
        before = next;
    }
    one.stop().await;
    other.stop().await;
}

/// The players of one match have streams on two services, and are away on neither. Another match, whose players have none, shows that the
/// grace has passed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_whose_stream_is_elsewhere_is_not_away() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let one = replica(&server).await;
    let there = seat(&one, GRACE).await;
    let first = Player::open(&there.first).await;
    let other = replica(&server).await;
    let at_other = Pair::connect(other.address()).await;
    let second = Player::open(&at_other.second).await;
    nobody_there(&one, GRACE * 2).await;
    for raw in [&there.creator, &at_other.creator] {
        let view = raw.get(&there.match_id).await.unwrap();
        assert_eq!(view.state(), v1::MatchState::Active);
        assert_eq!(view.absences, []);
    }
    drop((first, second));
    one.stop().await;
    other.stop().await;
}

/// A player who only makes calls is seen on all services.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_is_seen_on_the_other_service() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let one = replica(&server).await;
    let pair = seat(&one, Duration::from_hours(1)).await;
    let other = replica(&server).await;
    let there = other.raw("creator").await;
    let absence = async || {
        let view = there.get(&pair.match_id).await.unwrap();
        let absences = view.absences.into_iter();
        let mut of_second = absences.filter(|absence| absence.seat() == Seat::Second);
        SystemTime::try_from(of_second.next()?.forfeit_time?).ok()
    };
    let before = absence().await.unwrap();
    pair.second.decision(&pair.match_id).await.unwrap();
    while absence().await.unwrap() <= before {}
    one.stop().await;
    other.stop().await;
}

#[test]
fn a_service_that_vanishes_frees_its_players() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let run = || {
        let mut runtime = runtime::Builder::new_multi_thread();
        runtime.worker_threads(1).enable_all().build().unwrap()
    };
    let (here, gone) = (run(), run());
    let one = here.block_on(replica(&server));
    let pair = here.block_on(seat(&one, GRACE));
    let _second = here.block_on(Player::open(&pair.second));
    let (_other, first) = gone.block_on(async {
        let other = replica(&server).await;
        let first = Player::open(&other.raw("first").await).await;
        (other, first)
    });
    let absences = || here.block_on(pair.view()).absences;
    while !absences().is_empty() {}
    let vanished = SystemTime::now();
    gone.shutdown_background();
    let lost = here.block_on(ended(&pair.creator, &pair.match_id));
    drop(first);
    let outcome = lost.outcome.unwrap();
    assert_eq!(outcome.termination(), Termination::Disconnect);
    assert_eq!(outcome.winner(), Seat::Second);
    let ended = SystemTime::try_from(lost.end_time.unwrap()).unwrap();
    let took = ended.duration_since(vanished).unwrap();
    // It had renewed itself less than two seconds before.
    let earliest = (GONE + GRACE + HEARING).saturating_sub(Duration::from_secs(2));
    assert!(took > earliest, "{took:?}");
    here.block_on(one.stop());
}
