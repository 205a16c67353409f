//! Following the events of a match.

use std::time::Duration;

use dragontooth_proto::v1;
use dragontooth_service_client::{Closing, Resume, WatchUpdate, WatchedEvent};
use dragontooth_service_vocabulary::{CloseReason, NewMatch, Sequence};
use v1::match_event::Event;
use v1::watch_match_response::Response;

use crate::pair::{Pair, to_points};
use crate::player::{Player, is_about_now};
use crate::random_player::Draws;
use crate::served::{Served, client};
use crate::watched::Watched;

#[tokio::test]
async fn a_finished_match_is_readable_from_every_sequence() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    pair.play_to_the_end(&mut Draws::new(501)).await;
    let events = pair.events().await;
    for after in 0..=events.len() {
        let mut watched = Watched::open(&pair.creator, &pair.match_id, after as u64).await;
        watched.read_to_the_end().await;
        assert_eq!(watched.events, events[after..]);
        assert_eq!(watched.caught_up, [events.len() as u64]);
        let (reason, resume) = watched.closing.unwrap();
        assert_eq!(reason, v1::CloseReason::MatchEnded);
        assert_eq!(resume, events.len() as u64);
    }
}

/// More events than fit into one batch.
#[tokio::test]
async fn a_long_match_comes_in_batches() {
    let served = Served::in_memory().await;
    let pair = Pair::seat_on(served.address(), to_points(15)).await;
    pair.play_to_the_end(&mut Draws::new(502)).await;
    let events = pair.events().await;
    assert!(events.len() > 256, "{}", events.len());
    let mut watched = Watched::open(&pair.creator, &pair.match_id, 0).await;
    watched.read_to_the_end().await;
    assert_eq!(watched.events, events);
    assert_eq!(watched.caught_up.len(), 1);
    assert!(watched.batches > 1);
}

#[tokio::test]
async fn a_running_match_is_streamed_live() {
    let served = Served::in_memory().await;
    let pair = Pair::seat_on(served.address(), to_points(15)).await;
    let mut from_the_start = Watched::open(&pair.creator, &pair.match_id, 0).await;
    from_the_start.read_until_caught_up().await;
    let mut watches = vec![from_the_start];
    let mut draws = Draws::new(503);
    for _ in 0..6 {
        let before = pair.view().await.head_sequence;
        watches.push(Watched::open(&pair.creator, &pair.match_id, before).await);
        pair.play_one_of(&mut draws).await.unwrap();
        let head = pair.view().await.head_sequence;
        let first = &mut watches[0];
        while first.last() < head {
            first.read().await;
        }
    }
    // These have not been read yet.
    pair.first.resign(&pair.match_id, "").await.unwrap();
    let events = pair.events().await;
    for watched in &mut watches {
        watched.read_to_the_end().await;
        let after = usize::try_from(watched.after).unwrap();
        assert_eq!(watched.events, events[after..]);
        assert_eq!(watched.caught_up.len(), 1);
        assert!(watched.caught_up[0] >= watched.after);
    }
}

#[tokio::test]
async fn a_players_failure_is_reported_to_everyone() {
    let served = Served::in_memory().await;
    let failure = "f".repeat(1_024);
    for on_stream in [false, true] {
        let pair = Pair::seat(&served).await;
        let mut opponent = Player::open(&pair.second).await;
        opponent.opened().await;
        let resigning = Player::open(&pair.first).await;
        if on_stream {
            resigning.resign_because(&pair.match_id, &failure);
        } else {
            let resigned = pair.first.resign_because(&pair.match_id, "", &failure);
            assert_eq!(resigned.await.unwrap().outcome.unwrap().reason, failure);
        }
        assert_eq!(opponent.closed().await.outcome.unwrap().reason, failure);
        let ended = pair.events().await.pop().unwrap();
        let exported = pair.creator.export(&pair.match_id).await.unwrap();
        assert_eq!(exported.events.last(), Some(&ended));
        let Some(Event::MatchEnded(ended)) = ended.event else {
            panic!("{ended:?}")
        };
        let outcome = ended.outcome.unwrap();
        assert_eq!(outcome.termination(), v1::Termination::Resignation);
        assert_eq!(outcome.reason, failure);
    }
}

#[tokio::test]
async fn an_open_match_can_be_watched() {
    let served = Served::in_memory().await;
    let pair = Pair::connect(served.address()).await;
    let match_id = pair.creator.create(to_points(1)).await.unwrap().id;
    let pair = Pair { match_id, ..pair };
    let mut watched = Watched::open(&pair.creator, &pair.match_id, 0).await;
    watched.read_until_caught_up().await;
    assert_eq!(watched.caught_up, [1]);
    let seat = v1::Seat::Second;
    pair.second.join(&pair.match_id, seat).await.unwrap();
    // Nothing that happens delays the service's time.
    let Response::Heartbeat(heartbeat) = watched.read().await else {
        panic!("it follows what has happened");
    };
    assert!(is_about_now(heartbeat.server_time));
    watched.read().await;
    let joined = watched.events.last().unwrap().event.clone().unwrap();
    let Event::SeatJoined(joined) = joined else {
        panic!("{joined:?}");
    };
    assert_eq!(joined.seat(), seat);
    assert_eq!(joined.player_id, pair.second.who_am_i().await.unwrap());
}

/// A reader that disconnects can resume where it was, any number of times.
#[tokio::test]
async fn a_watch_is_resumed_after_every_event() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let mut draws = Draws::new(504);
    let mut events = Vec::new();
    while pair.view().await.state() == v1::MatchState::Active {
        pair.play_one_of(&mut draws).await.unwrap();
        let mut watched = Watched::open(&pair.creator, &pair.match_id, events.len() as u64).await;
        watched.read().await;
        let some = watched.events.len().div_ceil(2);
        events.extend(watched.events.into_iter().take(some));
    }
    let mut rest = Watched::open(&pair.creator, &pair.match_id, events.len() as u64).await;
    rest.read_to_the_end().await;
    events.extend(rest.events);
    assert_eq!(events, pair.events().await);
}

#[tokio::test]
async fn a_watch_continues_after_a_shutdown_and_restart() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let pair = Pair::seat(&served).await;
    let mut watched = Watched::open(&pair.creator, &pair.match_id, 0).await;
    watched.read_until_caught_up().await;
    pair.play().await.unwrap();
    served.stop().await;
    watched.read_to_the_end().await;
    let (reason, resume) = watched.closing.unwrap();
    assert_eq!(reason, v1::CloseReason::Draining);
    assert_eq!(resume, watched.last());

    let served = Served::in_folder(folder.path()).await;
    let pair = pair.go_on(&served).await;
    let mut rest = Watched::open(&pair.creator, &pair.match_id, resume).await;
    pair.first.resign(&pair.match_id, "").await.unwrap();
    rest.read_to_the_end().await;
    let all = [watched.events, rest.events].concat();
    assert_eq!(all, pair.events().await);
    served.stop().await;
}

/// The typed client does the same automatically.
#[tokio::test]
async fn the_typed_client_continues_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::alone_in_folder(folder.path()).await;
    let address = served.address();
    let anyone = client(address, "anyone").await;
    let view = anyone
        .create_match(NewMatch::new("kamisado", 1))
        .await
        .unwrap();
    let patience = Resume::For(Duration::from_secs(30));
    let mut watch = anyone.watch(view.id, Sequence::START, patience);
    let mut events: Vec<WatchedEvent> = Vec::new();
    while !matches!(watch.next().await, Some(Ok(WatchUpdate::CaughtUp { .. }))) {}
    served.stop().await;
    let served = Served::again_in_folder(folder.path(), address).await;
    client(address, "anyone")
        .await
        .abort_match(view.id, None)
        .await
        .unwrap();
    let reason = loop {
        match watch.next().await.unwrap().unwrap() {
            WatchUpdate::Events(some) => events.extend(some),
            WatchUpdate::CaughtUp { .. } => panic!("it comes once"),
            WatchUpdate::Heartbeat { .. } => {}
            WatchUpdate::Closing(reason) => break reason,
        }
    };
    assert_eq!(reason, Closing::Reason(CloseReason::MatchEnded));
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(events[0].recorded.sequence, Sequence(2));
    served.stop().await;
}

#[tokio::test]
async fn a_quiet_watch_has_heartbeats() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let mut watched = Watched::open(&pair.creator, &pair.match_id, 0).await;
    watched.read_until_caught_up().await;
    for _ in 0..2 {
        let heard = tokio::time::timeout(Duration::from_secs(10), watched.read()).await;
        let Response::Heartbeat(heartbeat) = heard.expect("one comes every ten seconds") else {
            panic!("nothing has happened");
        };
        assert_eq!(heartbeat.head_sequence, pair.view().await.head_sequence);
        assert!(is_about_now(heartbeat.server_time));
    }
}
