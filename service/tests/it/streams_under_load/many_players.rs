use dragontooth_proto::v1;
use dragontooth_service::Limits;
use futures::future::join_all;
use v1::play_response::Response;
use v1::{CloseReason, Seat};

use crate::long_run::number_of;
use crate::pair::to_points;
use crate::player::Player;
use crate::raw::{Raw, channel, endpoint};
use crate::served::{Served, token};

/// Number of pairs of players unless `SERVICE_TEST_PAIRS` sets another; the nightly run sets 500.
const PAIRS: usize = 125;
const CONNECTIONS: usize = 4;

/// A thousand players, each on its own stream, over four connections: each plays its match and
/// receives its outcome and the reason for the end of its stream.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_players_play_at_once() {
    let pairs = number_of("SERVICE_TEST_PAIRS", PAIRS);
    let limits = Limits {
        streams_of_connection: 2048,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let channels = join_all((0..CONNECTIONS).map(|_| channel(served.address()))).await;
    let mut playing = tokio::task::JoinSet::new();
    for number in 0..pairs {
        let channel = channels[number % CONNECTIONS].clone();
        playing.spawn(async move {
            let raws = ["first", "second"].map(|seat| {
                let header = format!("Bearer {}", token(&format!("{seat}-{number}")));
                Raw::over(channel.clone(), Some(&header))
            });
            play_a_little(raws).await
        });
    }
    let players: Vec<Player> = playing.join_all().await.into_iter().flatten().collect();
    assert_eq!(players.len(), 2 * pairs);

    // All streams are open, and all of them receive the end.
    let stopping = tokio::spawn(served.stop());
    for mut player in players {
        assert_eq!(player.closing().await, CloseReason::Draining);
    }
    stopping.await.unwrap();
}

/// Both players accept an invitation; one acts, the other resigns.
async fn play_a_little(raws: [Raw; 2]) -> [Player; 2] {
    let mut new = to_points(1);
    for (raw, seat) in raws.iter().zip([Seat::First, Seat::Second]) {
        new.reservations.push(v1::Reservation {
            seat: seat.into(),
            player_id: raw.who_am_i().await.unwrap(),
        });
    }
    let mut first = Player::open(&raws[0]).await;
    let mut second = Player::open(&raws[1]).await;
    let match_id = raws[0].create(new).await.unwrap().id;
    for player in [&mut first, &mut second] {
        assert!(matches!(player.next().await, Response::Invitation(_)));
        player.accept(&match_id);
    }
    first.opened().await;
    second.opened().await;
    let due = first.decision().await;
    first.answer(&due, "a1a2", "");
    assert_eq!(first.accepted().await.match_id, match_id);
    assert_eq!(second.decision().await.match_id, match_id);
    second.resign(&match_id);
    for player in [&mut first, &mut second] {
        let closed = player.closed().await;
        assert_eq!(closed.id, match_id);
        assert_eq!(closed.outcome.unwrap().winner(), Seat::First);
    }
    [first, second]
}

/// The stream of a player with many matches who stops reading is closed. The next stream lists them all.
#[tokio::test]
async fn a_slow_reader_receives_what_is_due_on_the_next_stream() {
    const MATCHES: usize = 40;
    let limits = Limits {
        waiting_messages: 16,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let narrow = endpoint(served.address())
        .initial_stream_window_size(1024)
        .connect()
        .await
        .unwrap();
    let header = format!("Bearer {}", token("slow"));
    let narrow = Raw::over(narrow, Some(&header));
    let raw = served.raw("slow").await;
    let opponent = served.raw("opponent").await;
    let mut slow = Player::open(&narrow).await;
    // Nothing is read while the matches start, each with two messages.
    let mut ids = Vec::new();
    for _ in 0..MATCHES {
        let id = opponent.create(to_points(1)).await.unwrap().id;
        raw.join(&id, Seat::First).await.unwrap();
        opponent.join(&id, Seat::Second).await.unwrap();
        ids.push(id);
    }
    assert_eq!(slow.closing().await, CloseReason::SlowReader);

    let mut player = Player::open(&raw).await;
    let mut decisions = Vec::new();
    for id in &ids {
        assert_eq!(player.opened().await.id, *id);
        let due = player.decision().await;
        assert_eq!(due.match_id, *id);
        decisions.push(due);
    }
    for due in decisions {
        player.answer(&due, "a1a2", "");
        assert_eq!(player.accepted().await.match_id, due.match_id);
    }
}
