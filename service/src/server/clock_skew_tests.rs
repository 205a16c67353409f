//! The clocks of machines do not matter: services on one database have one time, and none goes back in a match.

use std::sync::mpsc;

use dragontooth_service_client::{Answer, Client, Decision};
use dragontooth_service_store::MatchLog;
use dragontooth_service_vocabulary::{MatchId, NewMatch, TimeControl, Timestamp};

use super::database_server::Server;
use super::test_service::{client, players, seat};
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

/// The clients of both players at each of two services.
type Clients = [[Client; 2]; 2];

/// Time that stands still until a test moves it, for services on a database.
struct StillTime(Server);

impl StillTime {
    async fn pass(&self, time: Duration) {
        let passed = format!(
            "UPDATE still.time SET shown = shown + '{} ms'",
            time.as_millis()
        );
        self.0.execute(&passed).await;
        tokio::time::advance(time).await;
    }
}

/// Has players play at two services on one database, in a time that passes as they say.
async fn play_in_still_time(play: impl AsyncFnOnce(&StillTime, &Clients)) {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    server.execute(STILL_TIME).await;
    tokio::time::pause();
    // A paused clock runs ahead while the runtime only waits, except during a blocking call.
    let (_held, dropped) = mpsc::channel::<()>();
    tokio::task::spawn_blocking(move || dropped.recv());
    let services = skewed(&server).await;
    let clients = [players(&services[0]).await, players(&services[1]).await];
    let time = StillTime(server);
    play(&time, &clients).await;
    tokio::time::resume();
    drop(clients);
    for service in services {
        service.stop().await;
    }
}

/// A match with both players, of which the other service has not heard.
async fn begin(players: &[Client; 2]) -> MatchId {
    let control = TimeControl::Fischer {
        base: BASE,
        increment: INCREMENT,
    };
    let new = NewMatch {
        time_controls: [Some(control); 2],
        ..NewMatch::new("kamisado", 7)
    };
    seat(players, new).await
}

/// The first of the legal actions.
fn answer(told: &Decision) -> Answer {
    Answer {
        match_id: told.match_id,
        decision_id: told.id,
        action: told.legal_actions[0].clone(),
        request_id: None,
        thinking: None,
    }
}

/// Players think at one service and the other in turn, and pay for as long as they think.
#[tokio::test]
async fn nobody_gains_time_at_one_service_or_loses_it_at_the_other() {
    play_in_still_time(async |time, clients: &Clients| {
        let id = begin(&clients[0]).await;
        let mut expected = [BASE; 2];
        for action in 0..ACTIONS {
            // Each seat is at one service and the other in turn.
            let at = &clients[usize::from(matches!(action % 4, 1 | 2))];
            let told = at[0].get_decision(id).await.unwrap();
            let thought = Duration::from_millis(600 + 130 * u64::from(action));
            time.pass(thought).await;
            let seat = told.seat.index();
            at[seat].submit_action(answer(&told)).await.unwrap();
            expected[seat] = (expected[seat] + INCREMENT).saturating_sub(thought);
            for [client, _] in clients {
                let view = client.get_match(id).await.unwrap();
                for (shown, expected) in view.clocks.unwrap().into_iter().zip(expected) {
                    let error = shown.unwrap().abs_diff(expected);
                    assert!(error <= TOLERANCE, "action {action}: {error:?}");
                }
            }
        }
    })
    .await;
}

/// A player without a stream thinks at one service and answers at another, which has not been asked about the match.
#[tokio::test]
async fn who_answers_elsewhere_pays_but_for_a_second() {
    play_in_still_time(async |time, clients: &Clients| {
        let id = begin(&clients[0]).await;
        let told = clients[0][0].get_decision(id).await.unwrap();
        let thought = Duration::from_secs(5);
        time.pass(thought).await;
        let (seat, elsewhere) = (told.seat.index(), &clients[1]);
        let answered = elsewhere[seat].submit_action(answer(&told)).await;
        answered.unwrap();
        let view = elsewhere[seat].get_match(id).await.unwrap();
        let shown = view.clocks.unwrap()[seat].unwrap();
        let paid = (BASE + INCREMENT).saturating_sub(shown);
        let free = thought.saturating_sub(paid);
        assert!(free <= Duration::from_secs(1) + TOLERANCE, "{free:?}");
        assert!(paid <= thought + TOLERANCE, "{paid:?}");
    })
    .await;
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
        let client = client(&service, "the-first-player").await;
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
