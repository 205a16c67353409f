//! Matches found at a service that has had nothing to do with them.

use dragontooth_proto::v1;
use dragontooth_service::{Limits, Storage};
use tonic::Code;
use v1::Seat;

use super::replica;
use crate::database_server::Server;
use crate::listing::{check_filters, check_times, in_every_state};
use crate::pair::{Pair, to_points};
use crate::served::Served;
use crate::shared_seeds::{assert_revealed, assert_secret, one_of};
use crate::watched_lists::check_watches;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_has_what_others_have_just_done() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let (near, other) = (replica(&server).await, replica(&server).await);
    let (one, two) = (near.raw("one").await, near.raw("two").await);
    let ids = in_every_state(&one, &two).await;
    let (one, two) = (other.raw("one").await, other.raw("two").await);
    check_filters(&one, &two, &ids).await;
    near.stop().await;
    check_filters(&one, &two, &ids).await;
    // A start reads nothing of it.
    let again = replica(&server).await;
    let (one, two) = (again.raw("one").await, again.raw("two").await);
    check_filters(&one, &two, &ids).await;
    check_times(&one).await;
    again.stop().await;
    other.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_watches_a_list_knows_what_others_do() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let (near, other) = (replica(&server).await, replica(&server).await);
    let pair = Pair::connect(near.address()).await;
    let (anyone, second) = (other.raw("anyone").await, other.raw("second").await);
    check_watches(&pair, [&anyone, &second]).await;
    near.stop().await;
    other.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_private_match_is_listed_for_those_who_take_part() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let (near, other) = (replica(&server).await, replica(&server).await);
    let mut private = to_points(1);
    private.visibility = v1::Visibility::Private.into();
    let pair = Pair::connect(near.address()).await;
    let second = pair.second.who_am_i().await.unwrap();
    private.reservations.push(v1::Reservation {
        seat: Seat::Second.into(),
        player_id: second.clone(),
    });
    let id = pair.creator.create(private).await.unwrap().id;
    for (name, player, expected) in [
        ("creator", "", 1),
        ("second", "", 1),
        ("second", &*second, 1),
        ("first", "", 0),
        ("first", &*second, 0),
    ] {
        let raw = other.raw(name).await;
        let asked = v1::ListMatchesRequest {
            player_id: player.to_owned(),
            ..v1::ListMatchesRequest::default()
        };
        let listed = crate::listing::list(&raw, asked).await.matches;
        assert_eq!(listed.len(), expected, "{name} {player}");
        assert!(listed.iter().all(|view| view.id == id));
    }
    near.stop().await;
    other.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shared_seed_is_revealed_at_all_services() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let (near, other) = (replica(&server).await, replica(&server).await);
    let one = Pair::seat_on(near.address(), one_of(2)).await;
    one.first.resign(&one.match_id, "").await.unwrap();
    let two = Pair::seat_on(other.address(), one_of(2)).await;
    let mut elsewhere = Pair::connect(other.address()).await;
    elsewhere.match_id.clone_from(&one.match_id);
    assert_secret(&one).await;
    assert_secret(&elsewhere).await;
    two.first.resign(&two.match_id, "").await.unwrap();
    for pair in [&one, &two, &elsewhere] {
        assert_revealed(pair).await;
    }
    near.stop().await;
    other.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn matches_and_invitations_count_at_all_services_together() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let limits = Limits {
        matches_of_player: 3,
        invitations_of_pair: 1,
        ..Limits::default()
    };
    let start = || Served::start(Storage::Postgres(server.options()), &limits);
    let (near, other) = (start().await, start().await);
    let [here, there] = [near.raw("one").await, other.raw("one").await];
    let invited = near.raw("two").await.who_am_i().await.unwrap();
    let mut inviting = to_points(1);
    inviting.reservations.push(v1::Reservation {
        seat: Seat::Second.into(),
        player_id: invited,
    });
    let invitation = here.create(inviting.clone()).await.unwrap().id;
    let refused = there.create(inviting.clone()).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted, "{refused:?}");
    for raw in [&there, &here] {
        raw.create(to_points(1)).await.unwrap();
    }
    for raw in [&there, &here] {
        let refused = raw.create(to_points(1)).await.unwrap_err();
        assert_eq!(refused.code(), Code::ResourceExhausted, "{refused:?}");
    }
    // What is over makes room everywhere.
    there.abort(&invitation, "").await.unwrap();
    there.create(inviting).await.unwrap();
    near.stop().await;
    other.stop().await;
}
