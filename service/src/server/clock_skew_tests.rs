//! The clocks of machines do not matter: services on one database have one time, and none goes back in a match.

use std::sync::mpsc;

use dragontooth_games::Seat;
use dragontooth_service_client::{Answer, Client, ServerAddress, Token};
use dragontooth_service_store::MatchLog;
use dragontooth_service_vocabulary::{NewMatch, TimeControl, Timestamp};

use super::database_server::Server;
use super::*;

const SKEW: Duration = Duration::from_secs(5);

/// The most by which the times of services may differ, and that a player may gain or lose in a match.
const TOLERANCE: Duration = Duration::from_millis(50);

const BASE: Duration = Duration::from_mins(5);
const INCREMENT: Duration = Duration::from_secs(2);

const ACTIONS: u32 = 16;

/// Services on machines whose clocks are ahead of the database's and behind it.
async fn skewed(server: &Server) -> [Service; 2] {
    let start = async |system_time| {
        let config = Config {
            listen: "127.0.0.1:0".parse().unwrap(),
            storage: Storage::Postgres(server.options()),
            ..Config::default()
        };
        let started = Service::start_with(config, open, system_time).await;
        started.unwrap()
    };
    [
        start(|| SystemTime::now() + SKEW).await,
        start(|| SystemTime::now() - SKEW).await,
    ]
}

#[tokio::test]
async fn the_clocks_of_the_machines_do_not_matter() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let database = server.connect().await;
    for service in skewed(&server).await {
        let earliest = service.matches.now();
        let time = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8";
        let time: i64 = database.query_one(time, &[]).await.unwrap().get(0);
        let time = Timestamp::from_micros(time.unsigned_abs());
        let latest = service.matches.now();
        assert!(earliest.before(TOLERANCE) < time, "{earliest:?} {time:?}");
        assert!(time < latest.after(TOLERANCE), "{time:?} {latest:?}");
        service.stop().await;
    }
}

/// The time of the database stands still, and passes with that of the services.
const STILL_TIME: &str = "CREATE SCHEMA still; \
    CREATE TABLE still.time AS SELECT clock_timestamp() AS shown; \
    CREATE FUNCTION still.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT shown FROM still.time'; \
    ALTER DATABASE postgres SET search_path = still, pg_catalog, public";

/// Players think at one service and the other in turn, and pay for as long as they think.
#[tokio::test]
async fn nobody_gains_time_at_one_service_or_loses_it_at_the_other() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    server.execute(STILL_TIME).await;
    let database = server.connect().await;
    tokio::time::pause();
    // A paused clock runs ahead while the runtime only waits, except during a blocking call.
    let (_held, dropped) = mpsc::channel::<()>();
    tokio::task::spawn_blocking(move || dropped.recv());
    let services = skewed(&server).await;
    let mut clients = Vec::new();
    for service in &services {
        let address: ServerAddress = service.address().to_string().parse().unwrap();
        for token in ["the-first-player", "the-second-player"] {
            let token = Token::new(token).unwrap();
            clients.push(Client::connect(&address, &token).await.unwrap());
        }
    }
    let control = TimeControl::Fischer {
        base: BASE,
        increment: INCREMENT,
    };
    let new = NewMatch {
        time_controls: [Some(control); 2],
        ..NewMatch::new("kamisado", 7)
    };
    let id = clients[0].create_match(new).await.unwrap().id;
    for (seat, player) in Seat::BOTH.into_iter().zip(&clients) {
        player.join_match(id, Some(seat), "", None).await.unwrap();
    }
    let mut expected = [BASE; 2];
    for action in 0..ACTIONS {
        // Each seat is at one service and the other in turn.
        let at = usize::from(matches!(action % 4, 1 | 2));
        let told = clients[2 * at].get_decision(id).await.unwrap();
        let thought = Duration::from_millis(600 + 130 * u64::from(action));
        let passed = format!(
            "UPDATE still.time SET shown = shown + '{} ms'",
            thought.as_millis()
        );
        database.batch_execute(&passed).await.unwrap();
        tokio::time::advance(thought).await;
        let answer = Answer {
            match_id: id,
            decision_id: told.id,
            action: told.legal_actions[0].clone(),
            request_id: None,
            thinking: None,
        };
        let player = &clients[2 * at + told.seat.index()];
        player.submit_action(answer).await.unwrap();
        let of_seat = &mut expected[told.seat.index()];
        *of_seat = (*of_seat + INCREMENT).saturating_sub(thought);
        for client in [&clients[0], &clients[2]] {
            let view = client.get_match(id).await.unwrap();
            for (shown, expected) in view.clocks.unwrap().into_iter().zip(expected) {
                let error = shown.unwrap().abs_diff(expected);
                assert!(error <= TOLERANCE, "action {action}: {error:?}");
            }
        }
    }
    tokio::time::resume();
    drop(clients);
    for service in services {
        service.stop().await;
    }
}

/// The clock of the machine was fast, and has been set right when the service starts again.
#[tokio::test]
async fn the_times_of_a_match_do_not_go_back() {
    let folder = tempfile::tempdir().unwrap();
    let start = async |system_time| {
        let config = Config {
            listen: "127.0.0.1:0".parse().unwrap(),
            storage: Storage::Folder(folder.path().to_owned()),
            ..Config::default()
        };
        let service = Service::start_with(config, open, system_time)
            .await
            .unwrap();
        let address: ServerAddress = service.address().to_string().parse().unwrap();
        let token = Token::new("the-first-player").unwrap();
        let client = Client::connect(&address, &token).await.unwrap();
        (service, client)
    };
    let (service, client) = start(|| SystemTime::now() + SKEW).await;
    let created = client.create_match(NewMatch::new("kamisado", 1)).await;
    let id = created.unwrap().id;
    drop(client);
    service.stop().await;
    let (service, client) = start(SystemTime::now).await;
    client.abort_match(id, None).await.unwrap();
    let log = service.matches.log();
    let events = log.read(id, MatchLog::start(id), usize::MAX).await.unwrap();
    let times: Vec<Timestamp> = events.iter().map(|entry| entry.recorded.time).collect();
    assert!(times.len() == 2 && times.is_sorted(), "{times:?}");
    drop(client);
    service.stop().await;
}
