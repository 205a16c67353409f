//! Playing all of a player's matches over one stream.

mod closing;
mod requests;

use dragontooth_proto::v1;
use v1::Seat;
use v1::history_event::Event;
use v1::play_request::Start;
use v1::play_response::Response;

use crate::pair::{Pair, to_points};
use crate::player::Player;
use crate::raw::Raw;
use crate::served::Served;

#[tokio::test]
async fn an_invited_player_receives_everything_in_order() {
    let served = Served::in_memory().await;
    let pair = Pair::connect(served.address()).await;
    let new = kept_for(&pair.first, &pair.second).await;
    let mut first = Player::open(&pair.first).await;
    let match_id = pair.creator.create(new.clone()).await.unwrap().id;

    let Response::Invitation(invitation) = first.next().await else {
        panic!("the player is invited");
    };
    assert_eq!(invitation.seat(), Seat::First);
    assert_eq!(invitation.r#match.unwrap().id, match_id);
    first.accept(&match_id);

    // A player who comes later is invited too.
    let mut second = Player::open(&pair.second).await;
    let Response::Invitation(invitation) = second.next().await else {
        panic!("the player is invited");
    };
    assert_eq!(invitation.seat(), Seat::Second);
    assert!(invitation.r#match.unwrap().seats[0].joined);
    second.accept(&match_id);

    let opened = first.opened().await;
    assert_eq!(opened.state(), v1::MatchState::Active);
    assert_eq!(opened.seats[0].name, "a name");
    assert_eq!(second.opened().await, opened);
    let due = first.decision().await;
    assert_eq!(due.decision_id, opened.decision_id);
    assert_eq!((due.game_number, due.ply, due.seat()), (1, 0, Seat::First));
    assert_eq!(due.legal_actions.len(), 102);

    first.answer(&due, "a1a2", "r1");
    let accepted = first.accepted().await;
    assert_eq!(accepted.match_id, match_id);
    assert_eq!(accepted.decision_id, due.decision_id);
    assert_eq!(accepted.sequence, due.decision_id + 1);
    assert_eq!(accepted.request_id, "r1");
    let answer = second.decision().await;
    assert_eq!(answer.decision_id, accepted.sequence);
    assert_eq!(answer.ply, 1);
    second.resign(&match_id);
    for player in [&mut first, &mut second] {
        let closed = player.closed().await;
        let outcome = closed.outcome.unwrap();
        assert_eq!(outcome.termination(), v1::Termination::Resignation);
        assert_eq!(outcome.winner(), Seat::First);
    }

    // The streams stay open for the next match.
    pair.creator.create(new).await.unwrap();
    for player in [&mut first, &mut second] {
        assert!(matches!(player.next().await, Response::Invitation(_)));
    }
}

#[tokio::test]
async fn one_stream_carries_all_matches_of_a_player() {
    let served = Served::in_memory().await;
    let raw = served.raw("busy").await;
    let opponent = served.raw("opponent").await;
    let mut player = Player::open(&raw).await;
    let mut open = Vec::new();
    for _ in 0..5 {
        let match_id = opponent.create(to_points(1)).await.unwrap().id;
        raw.join(&match_id, Seat::First).await.unwrap();
        opponent.join(&match_id, Seat::Second).await.unwrap();
        assert_eq!(player.opened().await.id, match_id);
        let due = player.decision().await;
        assert_eq!(due.match_id, match_id);
        open.push(due);
    }
    for due in open.iter().rev() {
        player.answer(due, &due.legal_actions[0], "");
        assert_eq!(player.accepted().await.match_id, due.match_id);
    }
    for due in &open {
        opponent.resign(&due.match_id, "").await.unwrap();
        assert_eq!(player.closed().await.id, due.match_id);
    }
}

/// A player in a match that waits for its other player has nothing to do yet.
#[tokio::test]
async fn a_match_is_opened_when_both_have_joined() {
    let served = Served::in_memory().await;
    let pair = Pair::connect(served.address()).await;
    let mut second = Player::open(&pair.second).await;
    let waits = pair.creator.create(to_points(1)).await.unwrap().id;
    pair.second.join(&waits, Seat::Second).await.unwrap();
    let other = Pair::seat(&served).await;
    assert_eq!(second.opened().await.id, other.match_id);
    pair.first.join(&waits, Seat::First).await.unwrap();
    assert_eq!(second.opened().await.id, waits);
}

#[tokio::test]
async fn a_new_stream_receives_what_is_due() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let mut new = kept_for(&pair.first, &pair.second).await;
    new.title = "an open invitation".to_owned();
    let invited_to = pair.creator.create(new).await.unwrap().id;
    for round in 0..3 {
        let mut player = Player::open(&pair.first).await;
        let opened = player.opened().await;
        assert_eq!(opened, pair.view().await);
        let due = player.decision().await;
        assert_eq!(due, pair.decision().await);
        let Response::Invitation(invitation) = player.next().await else {
            panic!("the invitation is open");
        };
        assert_eq!(invitation.r#match.unwrap().id, invited_to);
        if round == 1 {
            // The next stream has the next decision of this seat.
            player.answer(&due, &due.legal_actions[0], "");
            player.accepted().await;
            pair.play().await.unwrap();
        }
    }
}

/// The player that reconnects has missed what happened, and its own action may be news to its program.
#[tokio::test]
async fn a_decision_has_what_happened_since_the_one_before_also_on_a_new_stream() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let mut first = Player::open(&pair.first).await;
    let mut second = Player::open(&pair.second).await;
    first.opened().await;
    second.opened().await;
    let due = first.decision().await;
    let [begun] = &due.since[..] else {
        panic!("{:?}", due.since);
    };
    assert_eq!(begun.sequence, due.decision_id);
    let Some(Event::GameStarted(started)) = &begun.event else {
        panic!("{begun:?}");
    };
    assert_eq!((started.game_number, &started.position), (1, &due.position));
    first.answer(&due, "d1d7", "");
    let accepted = first.accepted().await;
    let reply = second.decision().await;
    let action = |seat: Seat, action: &str| (seat, Event::Action(action.to_owned()));
    let passed = (Seat::First, Event::TurnPassed(true));
    let opened = (Seat::Unspecified, begun.event.clone().unwrap());
    assert_eq!(told(&reply.since), [opened, action(Seat::First, "d1d7")]);
    assert_eq!(reply.since[1].sequence, accepted.sequence);

    // The first player is away while its opponent moves and it has to pass.
    drop(first);
    second.answer(&reply, "g8b3", "");
    second.accepted().await;
    let next = second.decision().await;
    let blocked = [action(Seat::Second, "g8b3"), passed.clone()];
    assert_eq!(told(&next.since), blocked);
    second.answer(&next, "b3b2", "");
    second.accepted().await;
    for _ in 0..2 {
        let (_first, due) = Player::deciding(&pair.first).await;
        let mut missed = vec![action(Seat::First, "d1d7")];
        missed.extend(blocked.clone());
        missed.push(action(Seat::Second, "b3b2"));
        assert_eq!(told(&due.since), missed);
        assert_eq!(due.since.last().unwrap().sequence, due.decision_id);
        assert_eq!(due, pair.decision().await);
    }

    // The match ends with the last of it.
    let (mut first, due) = Player::deciding(&pair.first).await;
    first.answer(&due, &due.legal_actions[0], "");
    first.accepted().await;
    second.decision().await;
    second.resign(&pair.match_id);
    for (player, begin) in [
        (&mut first, &due.legal_actions[0][..]),
        (&mut second, "b3b2"),
    ] {
        let Response::MatchClosed(closed) = player.next().await else {
            panic!("a closed match was expected");
        };
        let since = told(&closed.since);
        let first_action = Event::Action(begin.to_owned());
        assert_eq!(since[0].1, first_action, "{since:?}");
    }
}

/// The events with their seats.
fn told(since: &[v1::HistoryEvent]) -> Vec<(Seat, Event)> {
    let told = since
        .iter()
        .map(|event| (event.seat(), event.event.clone().unwrap()));
    told.collect()
}

#[tokio::test]
async fn legal_actions_are_omitted_on_request() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let start = Start {
        omit_legal_actions: true,
        offer: None,
    };
    let mut player = Player::open_with(&pair.first, start).await;
    player.opened().await;
    let due = player.decision().await;
    assert!(due.legal_actions.is_empty());
    let full = pair.decision().await;
    assert_eq!(
        due,
        v1::Decision {
            legal_actions: Vec::new(),
            ..full
        }
    );
}

/// The match treats an answer by a call like one on the stream.
#[tokio::test]
async fn both_ways_to_play_mix() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let (mut player, due) = Player::deciding(&pair.first).await;
    let mut answer = pair.answer("r1").await;
    answer.action = "h1h3".to_owned();
    let by_call = pair.first.submit(answer).await.unwrap();
    player.answer(&due, "h1h3", "r1");
    assert_eq!(player.accepted().await.sequence, by_call.sequence);
    let replied = pair.play().await.unwrap();
    assert_eq!(player.decision().await.decision_id, replied.sequence);
}

/// A match with its seats kept for two players.
pub(crate) async fn kept_for(first: &Raw, second: &Raw) -> v1::CreateMatchRequest {
    let mut new = to_points(1);
    for (seat, raw) in [(Seat::First, first), (Seat::Second, second)] {
        new.reservations.push(v1::Reservation {
            seat: seat.into(),
            player_id: raw.who_am_i().await.unwrap(),
        });
    }
    new
}
