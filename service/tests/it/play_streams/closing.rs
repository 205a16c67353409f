use std::time::Duration;

use dragontooth_proto::v1;
use dragontooth_service::Limits;
use v1::CloseReason;
use v1::play_response::Response;

use crate::pair::{Pair, to_points};
use crate::player::{Player, is_about_now};
use crate::raw::{Raw, endpoint};
use crate::served::{Served, token};

#[tokio::test]
async fn a_newer_stream_closes_the_older() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let (mut older, due) = Player::deciding(&pair.first).await;
    let elsewhere = served.raw("first").await;
    let mut newer = Player::open(&elsewhere).await;
    assert_eq!(older.closing().await, CloseReason::Superseded);
    newer.opened().await;
    assert_eq!(newer.decision().await, due);
    newer.answer(&due, "a1a2", "");
    newer.accepted().await;
    let mut newest = Player::open(&pair.first).await;
    assert_eq!(newer.closing().await, CloseReason::Superseded);
    newest.opened().await;
    pair.play().await.unwrap();
    newest.decision().await;
}

#[tokio::test]
async fn players_do_not_close_each_others_streams() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let mut first = Player::open(&pair.first).await;
    let mut second = Player::open(&pair.second).await;
    first.opened().await;
    second.opened().await;
    let due = first.decision().await;
    first.answer(&due, "a1a2", "");
    first.accepted().await;
    second.decision().await;
}

/// Fills the queue while nothing is read. A last request that others see proves that the
/// service has handled all of it.
#[tokio::test]
async fn a_slow_reader_is_closed_and_loses_nothing() {
    let limits = Limits {
        waiting_messages: 4,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let pair = Pair::seat(&served).await;
    let witness = Pair::seat(&served).await;
    let mut watch = witness.creator.watch(&witness.match_id, 0).await.unwrap();
    let narrow = endpoint(served.address())
        .initial_stream_window_size(1024)
        .connect()
        .await
        .unwrap();
    let header = format!("Bearer {}", token("first"));
    let narrow = Raw::over(narrow, Some(&header));

    let mut slow = Player::open(&narrow).await;
    for _ in 0..200 {
        slow.resign("junk");
    }
    slow.resign(&witness.match_id);
    while let Some(message) = watch.message().await.unwrap() {
        drop(message);
    }
    assert_eq!(slow.closing().await, CloseReason::SlowReader);

    let mut again = Player::open(&pair.first).await;
    assert_eq!(again.opened().await.id, pair.match_id);
    let due = again.decision().await;
    again.answer(&due, "a1a2", "");
    again.accepted().await;
}

/// A player with more matches than the queue holds receives them as fast as it reads, and is not
/// treated as slow.
#[tokio::test]
async fn a_short_queue_carries_many_matches() {
    let limits = Limits {
        waiting_messages: 4,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let mut pairs = Vec::new();
    for _ in 0..20 {
        pairs.push(Pair::seat(&served).await);
    }
    let mut player = Player::open(&pairs[0].first).await;
    let mut due = Vec::new();
    for pair in &pairs {
        assert_eq!(player.opened().await.id, pair.match_id);
        due.push(player.decision().await);
    }
    for due in due {
        player.answer(&due, "a1a2", "");
        assert_eq!(player.accepted().await.match_id, due.match_id);
    }
}

#[tokio::test]
async fn a_shutdown_closes_every_stream() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let pair = Pair::seat(&served).await;
    let mut players = Vec::new();
    for raw in [&pair.first, &pair.second, &pair.creator] {
        players.push(Player::open(raw).await);
    }
    served.stop().await;
    for player in &mut players {
        assert_eq!(player.closing().await, CloseReason::Draining);
    }

    let served = Served::in_folder(folder.path()).await;
    let pair = pair.go_on(&served).await;
    let (mut player, due) = Player::deciding(&pair.first).await;
    player.answer(&due, "a1a2", "");
    player.accepted().await;
    served.stop().await;
}

/// Streams that come and go, some of them in the middle of a match, leave nothing behind
/// that keeps the folder locked.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_folder_is_free_when_the_service_has_stopped() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..10 {
        let served = Served::in_folder(folder.path()).await;
        let pair = Pair::seat(&served).await;
        let players = [
            Player::open(&pair.first).await,
            Player::open(&pair.second).await,
        ];
        let watch = pair.creator.watch(&pair.match_id, 0).await.unwrap();
        served.stop().await;
        drop((players, watch));
    }
    drop(sled::open(folder.path()).unwrap());
}

#[tokio::test]
async fn a_quiet_stream_has_heartbeats() {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    raw.create(to_points(1)).await.unwrap();
    let mut player = Player::open(&raw).await;
    let heard = tokio::time::timeout(Duration::from_secs(10), player.read()).await;
    let heard = heard.expect("one comes every ten seconds").unwrap();
    let Some(Response::Heartbeat(heartbeat)) = heard else {
        panic!("nothing has happened: {heard:?}");
    };
    assert!(is_about_now(heartbeat.server_time));
}
