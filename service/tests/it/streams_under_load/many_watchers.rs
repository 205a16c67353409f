use dragontooth_proto::v1;
use dragontooth_service::Limits;
use futures::future::join_all;
use tokio::task::JoinSet;

use crate::long_run::number_of;
use crate::pair::{Pair, to_points};
use crate::random_player::Draws;
use crate::served::Served;
use crate::watched::Watched;

const MATCHES: usize = 10;
/// Number of streams unless `SERVICE_TEST_WATCHERS` sets another; the nightly run sets 1,000.
const WATCHERS: usize = 250;
/// Each watches over a separate connection.
const NAMES: [&str; 4] = ["ann", "bob", "eve", "zoe"];

/// A thousand streams over four connections, opened at different times during ten
/// matches: each receives everything from its start, and the reason for its end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_watchers_get_everything() {
    let watchers = number_of("SERVICE_TEST_WATCHERS", WATCHERS);
    let limits = Limits {
        streams_of_connection: 2048,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let mut pairs = Vec::new();
    for _ in 0..MATCHES {
        pairs.push(Pair::seat_on(served.address(), to_points(1)).await);
    }
    let ids: Vec<String> = pairs.iter().map(|pair| pair.match_id.clone()).collect();
    let connect = NAMES.iter().map(|name| served.raw(name));
    let connections = join_all(connect).await;

    let mut watching = JoinSet::new();
    let mut playing = JoinSet::new();
    for number in 0..watchers {
        // The first half sees the whole match happen, the other half joins while it is played.
        if number == watchers / 2 {
            for (at, pair) in pairs.drain(..).enumerate() {
                let mut draws = Draws::new(610 + at as u64);
                playing.spawn(async move {
                    pair.play_to_the_end(&mut draws).await;
                    (at, pair.events().await)
                });
            }
        }
        let raw = connections[number % NAMES.len()].clone();
        let at = number % MATCHES;
        let match_id = ids[at].clone();
        let after = if number % 3 == 0 { 3 } else { 0 };
        watching.spawn(async move {
            let mut watched = Watched::open(&raw, &match_id, after).await;
            watched.read_to_the_end().await;
            (at, watched)
        });
    }
    let mut logs = vec![Vec::new(); MATCHES];
    while let Some(played) = playing.join_next().await {
        let (at, events) = played.unwrap();
        logs[at] = events;
    }
    let mut told = 0;
    while let Some(watched) = watching.join_next().await {
        let (at, watched) = watched.unwrap();
        let after = usize::try_from(watched.after).unwrap();
        assert_eq!(watched.events, logs[at][after..]);
        assert_eq!(watched.caught_up.len(), 1);
        let end = logs[at].len() as u64;
        assert_eq!(watched.closing, Some((v1::CloseReason::MatchEnded, end)));
        told += 1;
    }
    assert_eq!(told, watchers);
    served.stop().await;
}
