use std::time::Duration;

use dragontooth_service::Limits;
use futures::future::join_all;
use tokio::task::JoinSet;
use v1::Seat;
use v1::watch_match_response::Response;

use dragontooth_proto::v1;

use super::{assert_limited, quota};
use crate::pair::{Pair, to_points};
use crate::player::Player;
use crate::random_player::Draws;
use crate::raw::{Raw, channel};
use crate::refusals::reason_of;
use crate::served::Served;

#[tokio::test]
async fn live_matches_per_player_are_limited() {
    let limits = Limits {
        matches_of_player: 2,
        ..Limits::default()
    };
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder_with(folder.path(), &limits).await;
    let pair = Pair::seat(&served).await;
    let second = pair.creator.create(to_points(1)).await.unwrap().id;
    let refused = pair.creator.create(to_points(1)).await.unwrap_err();
    assert_limited(&refused, "LIMIT_REACHED", "matches_of_player");
    // It counts only for the creator, until the match is over.
    pair.first.create(to_points(1)).await.unwrap();
    pair.second.resign(&pair.match_id, "").await.unwrap();
    until_available(&pair.creator, "matches_of_player", 1).await;
    let third = pair.creator.create(to_points(1)).await.unwrap().id;
    pair.creator.create(to_points(1)).await.unwrap_err();

    // After a restart, unfinished matches count.
    served.stop().await;
    let served = Served::in_folder_with(folder.path(), &limits).await;
    let pair = pair.go_on(&served).await;
    let refused = pair.creator.create(to_points(1)).await.unwrap_err();
    assert_limited(&refused, "LIMIT_REACHED", "matches_of_player");
    pair.creator.abort(&second, "").await.unwrap();
    pair.creator.abort(&third, "").await.unwrap();
    until_available(&pair.creator, "matches_of_player", 2).await;
    served.stop().await;
}

/// A match is over for its players a moment before it stops counting.
async fn until_available(raw: &Raw, limit: &str, available: u64) {
    while quota(raw, limit).await.available < available {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn streams_per_caller_are_limited() {
    let limits = Limits {
        streams_of_caller: 2,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let pair = Pair::seat(&served).await;
    let anonymous = Raw::over(channel(served.address()).await, None);
    for raw in [&pair.first, &anonymous] {
        let one = raw.watch(&pair.match_id, 0).await.unwrap();
        let _two = raw.watch(&pair.match_id, 0).await.unwrap();
        let refused = raw.watch(&pair.match_id, 0).await.unwrap_err();
        assert_limited(&refused, "LIMIT_REACHED", "streams_of_caller");
        drop(one);
        // The service notices a moment later.
        loop {
            match raw.watch(&pair.match_id, 0).await {
                Ok(_) => break,
                Err(refused) => assert_limited(&refused, "LIMIT_REACHED", "streams_of_caller"),
            }
        }
    }
    let _playing = Player::open(&pair.second).await;
    let _watching = pair.second.watch(&pair.match_id, 0).await.unwrap();
    let refused = pair.second.watch(&pair.match_id, 0).await.unwrap_err();
    assert_limited(&refused, "LIMIT_REACHED", "streams_of_caller");
}

#[tokio::test]
async fn watchers_per_match_are_limited() {
    let limits = Limits {
        watchers_of_match: 2,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let pair = Pair::seat(&served).await;
    let other = pair.creator.create(to_points(1)).await.unwrap().id;
    let mut one = pair.first.watch(&pair.match_id, 0).await.unwrap();
    let _two = pair.second.watch(&pair.match_id, 0).await.unwrap();
    let refused = pair.creator.watch(&pair.match_id, 0).await.unwrap_err();
    assert_limited(&refused, "LIMIT_REACHED", "watchers_of_match");
    pair.creator.watch(&other, 0).await.unwrap();
    // Open streams still receive everything.
    pair.first.resign(&pair.match_id, "").await.unwrap();
    let mut closings = 0;
    while let Some(message) = one.message().await.unwrap() {
        closings += usize::from(matches!(message.response, Some(Response::Closing(_))));
    }
    assert_eq!(closings, 1);
}

#[tokio::test]
async fn streams_in_total_are_limited() {
    let limits = Limits {
        streams: 2,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let pair = Pair::seat(&served).await;
    let _first = Player::open(&pair.first).await;
    let _second = Player::open(&pair.second).await;
    let refused = pair.creator.watch(&pair.match_id, 0).await.unwrap_err();
    assert_limited(&refused, "LIMIT_REACHED", "streams");
    // Calls still work.
    pair.play().await.unwrap();
}

/// Simultaneous requests to a match that may queue one.
#[tokio::test]
async fn simultaneous_requests_per_match_are_limited() {
    let limits = Limits {
        match_mailbox: 1,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let pair = Pair::seat(&served).await;
    let joins = (0..100).map(|_| pair.first.join(&pair.match_id, Seat::First));
    let answers = join_all(joins).await;
    let refused: Vec<_> = answers.into_iter().filter_map(Result::err).collect();
    assert!(
        !refused.is_empty() && refused.len() < 100,
        "{}",
        refused.len()
    );
    for refused in refused {
        assert_limited(&refused, "LIMIT_REACHED", "match_mailbox");
    }
    pair.play().await.unwrap();

    // A stream is not refused for that: it is read when there is room.
    let player = Player::open(&pair.second).await;
    let mut player = player;
    player.opened().await;
    let due = player.decision().await;
    for _ in 0..100 {
        player.answer(&due, "a8-a7", "");
    }
    for _ in 0..100 {
        let refused = player.refused().await;
        assert_eq!(crate::player::reason_in(&refused), "ACTION_UNREADABLE");
    }
}

/// The streams of spectators, and of players who also watch, take no places in the queue of a match whose players have a grace.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watchers_take_no_place_of_players() {
    let limits = Limits {
        match_mailbox: 1,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let minute = Duration::from_mins(1).try_into().unwrap();
    let new = v1::CreateMatchRequest {
        disconnect_grace: Some(minute),
        ..to_points(3)
    };
    let pair = Pair::seat_on(served.address(), new).await;
    let mut watches = JoinSet::new();
    for watcher in [&pair.creator, &pair.first, &pair.second] {
        for _ in 0..40 {
            let mut watch = watcher.watch(&pair.match_id, 0).await.unwrap();
            watches.spawn(async move {
                while watch.message().await.is_ok_and(|some| some.is_some()) {}
            });
        }
    }
    pair.play_to_the_end(&mut Draws::new(1)).await;
    watches.join_all().await;
}

/// Messages larger than the service accepts or sends are refused, and nothing else breaks.
#[tokio::test]
async fn message_sizes_are_limited() {
    let limits = Limits {
        request_bytes: 2048,
        response_bytes: 4096,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let pair = Pair::seat(&served).await;
    let long = v1::AnalyzePositionRequest {
        game: "kamisado".to_owned(),
        actions: vec!["a1a2".to_owned(); 1000],
        ..v1::AnalyzePositionRequest::default()
    };
    let refused = pair.first.analyze_position(long).await.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::OutOfRange, "{refused}");
    assert_eq!(reason_of(&refused), None);
    let results = v1::AnalyzePositionRequest {
        game: "kamisado".to_owned(),
        with_results: true,
        ..v1::AnalyzePositionRequest::default()
    };
    let refused = pair.first.analyze_position(results).await.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::OutOfRange, "{refused}");
    pair.play().await.unwrap();
}

/// Headers beyond the limit are refused, and the connection stays open.
#[tokio::test]
async fn header_sizes_are_limited() {
    let served = Served::in_memory().await;
    let channel = channel(served.address()).await;
    let token = format!("Bearer {}", "x".repeat(10_000));
    let long = Raw::over(channel.clone(), Some(&token));
    let refused = long.who_am_i().await.unwrap_err();
    assert_eq!(reason_of(&refused), None, "{refused}");
    let raw = Raw::over(channel, Some("Bearer 0123456789abcdef"));
    raw.who_am_i().await.unwrap();
}

/// Calls beyond the limit of a connection wait on the client's side.
#[tokio::test]
async fn simultaneous_calls_per_connection_are_limited() {
    let limits = Limits {
        streams_of_connection: 2,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let pair = Pair::seat(&served).await;
    let one = pair.first.watch(&pair.match_id, 0).await.unwrap();
    let _two = pair.first.watch(&pair.match_id, 0).await.unwrap();
    let raw = pair.first.clone();
    let third = tokio::spawn(async move { raw.who_am_i().await });
    // Another connection has room.
    for _ in 0..20 {
        pair.second.who_am_i().await.unwrap();
    }
    assert!(!third.is_finished());
    drop(one);
    third.await.unwrap().unwrap();
}
