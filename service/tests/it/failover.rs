//! A client that knows several addresses of a service: two relays before it, of which one dies.

use std::num::NonZeroUsize;
use std::time::Duration;

use dragontooth_bots::builtin::BotSpec;
use dragontooth_bots::session::{Notice, Session, SessionOptions, ThinkingPool, Until};
use dragontooth_games::Seat;
use dragontooth_service_client::{
    ClientError, MatchFilter, Resume, WatchUpdate, random_request_id,
};
use dragontooth_service_vocabulary::{NewMatch, Sequence, Termination};
use futures::future::join;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::relay::Relay;
use crate::served::{Served, lazy_client};

#[tokio::test]
async fn calls_go_to_the_next_address_and_stay_there() {
    let served = Served::in_memory().await;
    let (first, second) = (
        Relay::to(served.address()).await,
        Relay::to(served.address()).await,
    );
    let client = lazy_client(&[first.address(), second.address()], "caller");
    let player = client.who_am_i().await.unwrap();

    let both = [first.address(), second.address()];
    drop(first);
    assert_eq!(client.who_am_i().await.unwrap(), player);

    // The service is not on the first address any more, whoever listens there.
    let silent = TcpListener::bind(both[0]).await.unwrap();
    assert_eq!(client.who_am_i().await.unwrap(), player);
    drop(silent);

    drop(second);
    let error = client.who_am_i().await.unwrap_err();
    assert!(
        matches!(error, ClientError::Unreachable { .. }),
        "{error:?}"
    );
    for address in both {
        let named = error.to_string().contains(&format!("http://{address}: "));
        assert!(named, "{error}");
    }
}

#[tokio::test]
async fn only_a_request_with_an_id_is_repeated() {
    let served = Served::in_memory().await;
    let (first, second) = (
        Relay::to(served.address()).await,
        Relay::to(served.address()).await,
    );
    let client = lazy_client(&[first.address(), second.address()], "creator");
    let player = client.who_am_i().await.unwrap();
    let created = async || {
        let mine = MatchFilter {
            player: Some(player),
            ..MatchFilter::default()
        };
        client.list_matches(mine, None).await.unwrap().items.len()
    };
    let seat = |mut new: NewMatch| {
        new.reserved[Seat::First.index()] = Some(player);
        new
    };

    first.lose_the_next_answer();
    let new = seat(NewMatch::new("kamisado", 1));
    client.create_match(new.clone()).await.unwrap_err();
    assert_eq!(created().await, 1);

    second.lose_the_next_answer();
    let new = NewMatch {
        request_id: Some(random_request_id()),
        ..new
    };
    client.create_match(new).await.unwrap();
    assert_eq!(created().await, 2);
}

#[tokio::test]
async fn an_unavailable_replica_is_passed_over() {
    let served = Served::in_memory().await;
    let unavailable = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = unavailable.local_addr().unwrap();
    let answering = tokio::spawn(async move {
        let (socket, _) = unavailable.accept().await.unwrap();
        let mut connection = h2::server::handshake(socket).await.unwrap();
        let mut calls = 0;
        while let Some(Ok((_, mut answer))) = connection.accept().await {
            calls += 1;
            let mut response = tonic::codegen::http::Response::new(());
            let headers = response.headers_mut();
            headers.insert("content-type", "application/grpc".parse().unwrap());
            headers.insert("grpc-status", "14".parse().unwrap());
            answer.send_response(response, true).unwrap();
        }
        calls
    });
    let client = lazy_client(&[address, served.address()], "caller");
    client.who_am_i().await.unwrap();
    client.who_am_i().await.unwrap();
    drop(client);
    assert_eq!(answering.await.unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_goes_on_over_the_other_address() {
    let served = Served::in_memory().await;
    let (first, second) = (
        Relay::to(served.address()).await,
        Relay::to(served.address()).await,
    );
    let addresses = [first.address(), second.address()];
    let creator = lazy_client(&addresses, "creator");
    let players = ["one", "other"].map(|name| lazy_client(&addresses, name));
    let mut new = NewMatch::new("kamisado", 7);
    let (one, other) = join(players[0].who_am_i(), players[1].who_am_i()).await;
    new.reserved = [Some(one.unwrap()), Some(other.unwrap())];
    let match_id = creator.create_match(new).await.unwrap().id;

    let (disconnected, mut losses) = watch::channel(0);
    let sessions = players.map(|player| {
        let spec: BotSpec = "random".parse().unwrap();
        let options = SessionOptions {
            until: Until::Match(match_id),
            ..SessionOptions::default()
        };
        let pool = ThinkingPool::new(NonZeroUsize::MIN).unwrap();
        let session = Session::new(player, pool, options, move |info| Ok(spec.make(info)?));
        let disconnected = disconnected.clone();
        let session = session.on_notice(move |notice| {
            if matches!(notice, Notice::Disconnected { .. }) {
                disconnected.send_modify(|count| *count += 1);
            }
        });
        tokio::spawn(session.run(std::future::pending()))
    });

    let patience = Resume::For(Duration::from_secs(30));
    let mut watched = creator.watch(match_id, Sequence::START, patience);
    let (mut events, mut first) = (0, Some(first));
    while let Some(update) = watched.next().await {
        match update.unwrap() {
            WatchUpdate::Events(more) => events += more.len(),
            WatchUpdate::CaughtUp { .. } | WatchUpdate::Heartbeat { .. } => {}
            WatchUpdate::Closing(_) => break,
        }
        if events > 20 && first.take().is_some() {
            losses.wait_for(|count| *count == 2).await.unwrap();
        }
    }
    for session in sessions {
        assert_eq!(session.await.unwrap().unwrap().matches, 1);
    }
    assert_eq!(*losses.borrow(), 2);
    let view = creator.get_match(match_id).await.unwrap();
    assert_eq!(watched.last_sequence(), view.head_sequence);
    assert_eq!(events as u64, view.head_sequence.0);
    assert_eq!(view.outcome.unwrap().termination, Termination::Normal);
    drop(second);
}
