use dragontooth_proto::v1;
use tonic::Code;
use v1::play_request::{Answer, Request, Resign, Start};
use v1::play_response::Response;

use crate::pair::Pair;
use crate::player::{Player, reason_in};
use crate::refusals::reason_of;
use crate::served::Served;

const NO_MATCH: &str = "0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b";

#[tokio::test]
async fn a_refused_request_leaves_stream_and_match_alone() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let (mut player, due) = Player::deciding(&pair.first).await;
    let view = pair.view().await;

    for (action, reason) in [
        ("a8a7", "ILLEGAL_ACTION"),
        ("castles", "ACTION_UNREADABLE"),
        ("", "FIELD_INVALID"),
    ] {
        player.answer(&due, action, "r1");
        let refused = player.refused().await;
        assert_eq!(reason_in(&refused), reason);
        assert_eq!(refused.match_id, pair.match_id);
        assert_eq!(refused.decision_id, due.decision_id);
        assert_eq!(refused.request_id, "r1");
    }
    let stale = v1::Decision {
        decision_id: 1,
        ..due.clone()
    };
    player.answer(&stale, "a1a2", "");
    assert_eq!(reason_in(&player.refused().await), "STALE_DECISION");
    let nowhere = v1::Decision {
        match_id: NO_MATCH.to_owned(),
        ..due.clone()
    };
    player.answer(&nowhere, "a1a2", "");
    assert_eq!(reason_in(&player.refused().await), "MATCH_NOT_FOUND");
    player.accept(NO_MATCH);
    let refused = player.refused().await;
    assert_eq!(reason_in(&refused), "MATCH_NOT_FOUND");
    assert_eq!(
        (refused.match_id.as_str(), refused.decision_id),
        (NO_MATCH, 0)
    );
    player.resign("junk");
    let refused = player.refused().await;
    assert_eq!(reason_in(&refused), "FIELD_INVALID");
    assert_eq!(refused.match_id, "junk");
    player.resign_because(&pair.match_id, &"f".repeat(1_025));
    assert_eq!(reason_in(&player.refused().await), "FIELD_INVALID");
    player.send(Some(Request::Start(Start::default())));
    assert_eq!(reason_in(&player.refused().await), "FIELD_INVALID");
    player.send(None);
    assert_eq!(reason_in(&player.refused().await), "FIELD_INVALID");

    assert_eq!(pair.view().await, view);
    player.answer(&due, "a1a2", "r1");
    assert_eq!(player.accepted().await.sequence, due.decision_id + 1);
}

#[tokio::test]
async fn an_answer_for_the_other_seat_is_refused() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let mut second = Player::open(&pair.second).await;
    second.opened().await;
    let due = pair.decision().await;
    second.answer(&due, "a1a2", "");
    assert_eq!(reason_in(&second.refused().await), "NOT_YOUR_TURN");
    let stranger = served.raw("stranger").await;
    let mut stranger = Player::open(&stranger).await;
    stranger.answer(&due, "a1a2", "");
    assert_eq!(reason_in(&stranger.refused().await), "NO_SEAT");
}

#[tokio::test]
async fn the_same_answer_twice_is_accepted_twice_and_played_once() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let (mut player, due) = Player::deciding(&pair.first).await;
    player.answer(&due, "a1a2", "r1");
    player.answer(&due, "a1a2", "r1");
    player.answer(&due, "a1a3", "r1");
    let accepted = player.accepted().await;
    assert_eq!(player.accepted().await, accepted);
    assert_eq!(reason_in(&player.refused().await), "REQUEST_ID_REUSED");
    assert_eq!(pair.view().await.head_sequence, accepted.sequence);
}

/// An answer gets its first response again when its match is over, and a resignation none.
#[tokio::test]
async fn requests_are_repeated_after_the_end_of_the_match() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let (mut player, due) = Player::deciding(&pair.first).await;
    player.answer(&due, "a1a2", "r1");
    let accepted = player.accepted().await;
    let resign = |player: &Player| {
        player.send(Some(Request::Resign(Resign {
            match_id: pair.match_id.clone(),
            request_id: "r2".to_owned(),
            ..Resign::default()
        })));
    };
    resign(&player);
    let over = player.closed().await;
    let mut fresh = Player::open(&pair.first).await;
    assert_eq!(player.closing().await, v1::CloseReason::Superseded);
    for _ in 0..2 {
        resign(&fresh);
        fresh.answer(&due, "a1a2", "r1");
        assert_eq!(fresh.accepted().await, accepted);
    }
    assert_eq!(pair.view().await, over);
}

#[tokio::test]
async fn a_stream_begins_with_start() {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let answer = Request::Answer(Answer::default());
    let refused = Player::begin(&raw, answer).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert_eq!(reason_of(&refused).as_deref(), Some("FIELD_INVALID"));
    Player::open(&raw).await;
}

/// Nothing after a broken message can be read: the stream ends with the reason.
#[tokio::test]
async fn a_message_beyond_the_limit_ends_the_stream() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let (mut player, due) = Player::deciding(&pair.first).await;
    player.answer(&due, &"x".repeat(1 << 20), "");
    let status = player.read().await.unwrap_err();
    assert_eq!(status.code(), Code::OutOfRange, "{status}");
    let mut player = Player::open(&pair.first).await;
    player.opened().await;
    assert_eq!(player.decision().await, due);
}

/// A player that sends no more requests still receives messages.
#[tokio::test]
async fn a_silent_player_still_receives_messages() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let player = Player::open(&pair.second).await;
    let mut responses = player.fall_silent();
    pair.play().await.unwrap();
    let mut decided = false;
    while !decided {
        let message = responses.message().await.unwrap().unwrap();
        decided = matches!(message.response, Some(Response::Decision(_)));
    }
}
