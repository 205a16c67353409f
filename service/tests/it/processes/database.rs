//! A service whose event log is in a database.

use dragontooth_proto::v1;
use tonic::{Code, Status, Streaming};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};
use tonic_types::StatusExt;
use v1::match_event::Event;

use crate::database_server::Server;
use crate::pair::{Pair, to_points};
use crate::program::{Program, Starting, ask};
use crate::random_player::Draws;
use crate::raw::channel;
use crate::refusals::reason_of;
use crate::relay::Relay;
use crate::scrape::{Scrape, ask_side};

const DONE: i32 = 0;
const NOT_STARTED: i32 = 3;
const TOO_SLOW: i32 = 5;

/// The walk of an operator from a folder to a database.
#[tokio::test]
async fn a_match_moves_from_a_folder_into_a_database() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (data, backup, url) = (path("data"), path("backup"), server.address());
    let program = Program::serve(data.as_ref()).await;
    let pair = Pair::seat_on(program.address(), to_points(1)).await;
    for _ in 0..4 {
        pair.play().await.unwrap();
    }
    let (id, before) = (pair.match_id.clone(), pair.events().await);
    stop(program).await;
    for command in [
        &["verify", "--log", &url][..],
        &["backup", "--log", &url, "--out", &path("none")],
        &["token", "list", "--log", &url],
    ] {
        let (code, _, errors) = ask(command, &[]).await;
        assert_eq!(code, NOT_STARTED, "{errors}");
        assert!(
            errors.contains("there is no event log in the database"),
            "{errors}"
        );
    }
    for command in [
        &["backup", "--data", &data, "--out", &backup][..],
        &["restore", "--from", &backup, "--log", &url],
        &[
            "token", "create", "operator", "--scopes", "admin", "--log", &url,
        ],
    ] {
        let (code, _, errors) = ask(command, &[]).await;
        assert_eq!(code, DONE, "{errors}");
    }

    let program = Program::serve_database(&url).await;
    let mut pair = Pair::connect(program.address()).await;
    pair.match_id = id;
    assert_eq!(pair.events().await, before);
    pair.play_to_the_end(&mut Draws::new(42)).await;
    let view = pair.view().await;
    assert_eq!(view.state(), v1::MatchState::Ended);
    let scrape = Scrape::of(program.side()).await;
    let value = |name| scrape.value(name, &[]).unwrap();
    assert!(value("dragontooth_log_flush_duration_seconds_count") > 0.0);
    let appends = value("dragontooth_log_append_duration_seconds_count");
    assert!(value("dragontooth_log_batch_appends_sum") >= appends);

    // Another service shares it, and the commands work while they run.
    let second = Program::serve_database(&url).await;
    let mut elsewhere = Pair::connect(second.address()).await;
    elsewhere.match_id = pair.match_id.clone();
    assert_eq!(elsewhere.view().await, view);
    for command in [
        &["verify", "--log", &url][..],
        &["backup", "--log", &url, "--out", &path("while-served")],
        &[
            "token", "create", "guest", "--scopes", "play", "--log", &url,
        ],
    ] {
        let (code, _, errors) = ask(command, &[]).await;
        assert_eq!(code, DONE, "{errors}");
    }
    stop(second).await;
    stop(program).await;

    let (code, text, _) = ask(&["verify", "--log", &url], &[]).await;
    assert_eq!(code, DONE, "{text}");
    assert!(text.starts_with("1 match: 1 sound"), "{text}");
    let (code, text, _) = ask(&["token", "list", "--log", &url], &[]).await;
    assert_eq!(code, DONE, "{text}");
    assert!(text.contains("operator"), "{text}");

    // The summary is there, and the log.
    let program = Program::serve_database(&url).await;
    let mut again = Pair::connect(program.address()).await;
    again.match_id = pair.match_id;
    assert_eq!(again.view().await, view);
    stop(program).await;
}

/// The tables as format 3 had them.
const FORMAT_3: &str =
    "ALTER TABLE dragontooth.session DROP COLUMN offer; UPDATE dragontooth.log SET format = 3";

/// The tables as format 2 had them, with the same log: all that it kept otherwise may be lost.
const FORMAT_2: &str = concat!(
    "ALTER SCHEMA dragontooth RENAME TO newer;",
    "CREATE SCHEMA dragontooth;",
    include_str!("../../../postgres/src/schema/1.sql"),
    include_str!("../../../postgres/src/schema/2.sql"),
    "INSERT INTO dragontooth.stream (id, head) SELECT id, head FROM newer.stream;",
    "INSERT INTO dragontooth.event SELECT stream, seq, record FROM newer.event;",
    "INSERT INTO dragontooth.summary (stream, summary) SELECT stream, summary FROM newer.summary;",
    "DROP SCHEMA newer CASCADE;",
);

#[tokio::test]
async fn tables_are_made_and_brought_to_the_format_of_the_program() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let url = server.address();
    let migrate = async |expected: &str| {
        let (code, text, errors) = ask(&["migrate", "--log", &url], &[]).await;
        assert_eq!(code, DONE, "{errors}");
        assert_eq!(text, expected);
    };
    migrate("made the tables, format 5\n").await;
    migrate("format 5: nothing to do\n").await;

    let program = Program::serve_database(&url).await;
    let ended = Pair::seat_on(program.address(), to_points(1)).await;
    ended.play_to_the_end(&mut Draws::new(42)).await;
    let live = Pair::seat_on(program.address(), to_points(1)).await;
    live.play().await.unwrap();
    let listed = async |program: &Program| {
        let raw = crate::raw::Raw::connect(program.address(), "creator").await;
        // The shelves of creators and variants came with format 5.
        let filter = v1::ListMatchesRequest {
            game: "kamisado".to_owned(),
            variant: "standard".to_owned(),
            creator_id: raw.who_am_i().await.unwrap(),
            ..v1::ListMatchesRequest::default()
        };
        let filtered = crate::listing::list(&raw, filter).await.matches;
        let all = crate::listing::list(&raw, v1::ListMatchesRequest::default());
        let all = all.await.matches;
        assert_eq!(filtered, all);
        all
    };
    let before = listed(&program).await;
    assert_eq!(before.len(), 2);
    stop(program).await;

    server.execute(FORMAT_3).await;
    migrate("format 3 brought to 5\n").await;
    server.execute(FORMAT_2).await;
    migrate("format 2 brought to 5\n").await;
    let program = Program::serve_database(&url).await;
    let after = listed(&program).await;
    assert_eq!(after.len(), 2);
    for (after, before) in after.iter().zip(&before) {
        assert_eq!(after.head_hash, before.head_hash);
        assert_eq!((&after.id, after.state), (&before.id, before.state));
    }
    let mut again = Pair::connect(program.address()).await;
    again.match_id.clone_from(&live.match_id);
    again.play_to_the_end(&mut Draws::new(43)).await;
    stop(program).await;

    // An older program does not know it, and a newer one waits until nobody uses it.
    server
        .execute("UPDATE dragontooth.log SET format = 6")
        .await;
    let (code, _, errors) = ask(&["migrate", "--log", &url], &[]).await;
    assert_eq!(code, NOT_STARTED);
    assert!(errors.contains("use the newer program"), "{errors}");
    server
        .execute("UPDATE dragontooth.log SET format = 5")
        .await;
    let program = Program::serve_database(&url).await;
    server
        .execute("UPDATE dragontooth.log SET format = 4")
        .await;
    let (code, _, errors) = ask(&["migrate", "--log", &url], &[]).await;
    assert_eq!(code, NOT_STARTED);
    assert!(
        errors.contains("stop the services of the older program first"),
        "{errors}"
    );
    stop(program).await;
    let (code, _, errors) = ask(&["migrate"], &[]).await;
    assert_ne!(code, DONE);
    assert!(errors.contains("--log"), "{errors}");
}

/// The health of a program as it changes.
struct Health(Streaming<HealthCheckResponse>);

impl Health {
    async fn of(program: &Program) -> Self {
        let mut health = HealthClient::new(channel(program.address()).await);
        let whole = HealthCheckRequest::default();
        let mut health = Self(health.watch(whole).await.unwrap().into_inner());
        health.turns(ServingStatus::Serving).await;
        health
    }

    async fn turns(&mut self, expected: ServingStatus) {
        let serving = self.0.message().await.unwrap().unwrap();
        assert_eq!(serving.status(), expected);
    }

    /// Waits until the service says that the database is away.
    async fn is_away(&mut self, program: &Program) {
        self.turns(ServingStatus::NotServing).await;
        let ready = ask_side(program.side(), "/readyz").await;
        assert_eq!(ready, (503, "log away\n".to_owned()));
    }

    /// Waits until the service says that the database is back.
    async fn is_back(&mut self, program: &Program) {
        self.turns(ServingStatus::Serving).await;
        let ready = ask_side(program.side(), "/readyz").await;
        assert_eq!(ready, (200, "ready\n".to_owned()));
    }
}

fn assert_unavailable(refused: &Status) {
    assert_eq!(refused.code(), Code::Unavailable, "{refused:?}");
    assert_eq!(reason_of(refused).as_deref(), Some("LOG_UNAVAILABLE"));
    assert!(refused.get_error_details().retry_info().is_some());
}

/// While the database is away, or has no connection left, the service says so and refuses, and then it goes on by itself.
#[tokio::test]
async fn a_service_outlives_its_database() {
    let Some(mut server) = Server::start(&[]) else {
        return;
    };
    let user = "CREATE ROLE service LOGIN; CREATE SCHEMA dragontooth AUTHORIZATION service";
    server.execute(user).await;
    let url = server.address().replace("postgres@", "service@");
    let program = Program::serve_database(&url).await;
    let pair = Pair::seat_on(program.address(), to_points(1)).await;
    let mut health = Health::of(&program).await;
    for is_killed in [true, false] {
        pair.play().await.unwrap();
        let before = pair.events().await;
        let due = pair.decision().await.seat();
        let answer = pair.answer("away").await;
        if is_killed {
            server.kill();
        } else {
            // It holds before the connections end.
            let none_left = "ALTER ROLE service CONNECTION LIMIT 0";
            server.execute(none_left).await;
            let ended =
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'service'";
            server.execute(ended).await;
        }
        health.is_away(&program).await;
        for refused in [
            pair.player(due).submit(answer).await.unwrap_err(),
            // What other services have appended is not known.
            pair.creator.get(&pair.match_id).await.unwrap_err(),
        ] {
            assert_unavailable(&refused);
        }
        if is_killed {
            server.start_again();
        } else {
            server
                .execute("ALTER ROLE service CONNECTION LIMIT -1")
                .await;
        }
        health.is_back(&program).await;
        let events = pair.events().await;
        assert_eq!(events, before, "the refused action has left nothing");
    }
    pair.play_to_the_end(&mut Draws::new(43)).await;
    stop(program).await;
}

/// A primary that hangs, or whose standbys do, answers nothing: an action waits for it, and is answered once. Everyone else is refused.
#[tokio::test]
async fn a_service_waits_for_servers_that_hang() {
    let Some(primary) = Server::start(&["synchronous_standby_names=ANY 1 (one, other)"]) else {
        return;
    };
    let [one, other] = ["one", "other"].map(|name| primary.start_standby(name));
    let program = Program::serve_database(&primary.address()).await;
    let pair = Pair::seat_on(program.address(), to_points(1)).await;
    let mut health = Health::of(&program).await;
    one.pause();
    // The other one is enough.
    pair.play().await.unwrap();
    for hanging in [&other, &primary] {
        let before = pair.view().await.head_sequence;
        let player = pair.player(pair.decision().await.seat()).clone();
        let answer = pair.answer("hanging").await;
        hanging.pause();
        let waiting = tokio::spawn(async move { player.submit(answer).await });
        health.is_away(&program).await;
        let refused = pair.creator.get(&pair.match_id).await.unwrap_err();
        assert_unavailable(&refused);
        assert!(!waiting.is_finished());
        hanging.resume();
        let accepted = waiting.await.unwrap().unwrap();
        assert_eq!(accepted.sequence, before + 1);
        health.is_back(&program).await;
    }
    pair.play_to_the_end(&mut Draws::new(44)).await;
    stop(program).await;
}

/// A service that is started while its standby hangs is not ready before that answers.
/// A write that does not end holds the log open, and the exit code says so.
#[tokio::test]
async fn a_log_that_is_not_closed_in_time_is_no_clean_end() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let listen = "127.0.0.1:0".parse().unwrap();
    let short = ["--shutdown-timeout", "1s"];
    let program = Program::serve_database_at(&server.address(), listen, &short).await;
    let pair = Pair::seat_on(program.address(), to_points(1)).await;
    let mut health = Health::of(&program).await;
    let player = pair.player(pair.decision().await.seat()).clone();
    let answer = pair.answer("hanging").await;
    server.pause();
    let waiting = tokio::spawn(async move { player.submit(answer).await });
    health.is_away(&program).await;
    program.signal("TERM").await;
    let (status, log) = program.wait().await;
    server.resume();
    assert_eq!(status.code(), Some(TOO_SLOW), "{log:#?}");
    let reason = "the event log was not closed in time";
    assert!(log.iter().any(|line| line.contains(reason)), "{log:#?}");
    waiting.await.unwrap().unwrap_err();
}

#[tokio::test]
async fn a_service_is_ready_once_a_standby_acknowledges() {
    let Some((mut primary, standby)) = Server::start_pair() else {
        return;
    };
    let url = primary.address();
    stop(Program::serve_database(&url).await).await;
    standby.pause();
    let mut starting = Starting::on_database(&url);
    starting.says("acknowledges no write").await;
    let ready = ask_side(starting.side(), "/readyz").await;
    assert_eq!(ready, (503, "recovering\n".to_owned()));
    primary.kill();
    primary.start_again();
    starting.says("the database is away").await;
    let (code, _, errors) = ask(&["token", "list", "--log", &url], &[]).await;
    assert_eq!(code, DONE, "{errors}");
    standby.resume();
    let program = starting.serves().await;
    let ready = ask_side(program.side(), "/readyz").await;
    assert_eq!(ready, (200, "ready\n".to_owned()));
    stop(program).await;
}

/// An operator who has named a standby that is not there learns why nothing is acknowledged, and one whose user sees only
/// that there is a standby learns that nobody knows whether it is a synchronous one.
#[tokio::test]
async fn a_service_says_that_no_standby_is_connected() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let user = "CREATE ROLE service LOGIN; CREATE SCHEMA dragontooth AUTHORIZATION service";
    server.execute(user).await;
    let url = server.address().replace("postgres@", "service@");
    stop(Program::serve_database(&url).await).await;
    for change in [
        "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (nobody)'",
        "SELECT pg_reload_conf()",
    ] {
        server.execute(change).await;
    }
    let says = async |expected| {
        let mut starting = Starting::on_database(&url);
        starting.says(expected).await;
        let (status, log) = starting.stop().await;
        assert_eq!(status.code(), Some(DONE), "{log:#?}");
    };
    let not_connected = "no synchronous standby is connected";
    says(not_connected).await;
    let _standby = server.start_standby("other");
    let client = server.connect().await;
    let connected = "SELECT FROM pg_stat_replication WHERE state = 'streaming'";
    while client.query(connected, &[]).await.unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    says("cannot see whether a connected standby").await;
    let grant = "SET synchronous_commit = local; GRANT pg_read_all_stats TO service";
    server.execute(grant).await;
    says(not_connected).await;
}

/// The database's answers are lost, to one connection or another: an action that is accepted is in the log once, and one that is refused
/// has left nothing.
#[tokio::test]
async fn an_action_counts_once_if_the_answer_of_the_database_is_lost() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let relay = Relay::to(([127, 0, 0, 1], server.port())).await;
    let url = format!("postgres://postgres@{}/postgres", relay.address());
    let program = Program::serve_database(&url).await;
    let pair = Pair::seat_on(program.address(), to_points(1)).await;
    let mut draws = Draws::new(45);
    let mut accepted = Vec::new();
    loop {
        let due = match pair.creator.decision(&pair.match_id).await {
            Ok(due) => due,
            Err(refused) if reason_of(&refused).as_deref() == Some("MATCH_ENDED") => break,
            Err(refused) => {
                assert_unavailable(&refused);
                continue;
            }
        };
        let answer = v1::SubmitActionRequest {
            match_id: pair.match_id.clone(),
            decision_id: due.decision_id,
            action: draws.one_of(&due.legal_actions).clone(),
            request_id: String::new(),
            thinking: None,
        };
        relay.lose_the_next_answer();
        match pair.player(due.seat()).submit(answer).await {
            Ok(answer) => accepted.push((answer.sequence, answer.action)),
            Err(refused) => assert_unavailable(&refused),
        }
    }
    let export = loop {
        // The answer that is lost last may be one to a read.
        match pair.creator.export(&pair.match_id).await {
            Ok(export) => break export,
            Err(refused) => assert_unavailable(&refused),
        }
    };
    let mut played = Vec::new();
    for event in export.events {
        if let Some(Event::ActionPlayed(action)) = event.event {
            played.push((event.sequence, action.action));
        }
    }
    println!("{} actions, {} answers lost", played.len(), relay.lost());
    assert_eq!(played, accepted);
    assert!(relay.lost() > 0);
    stop(program).await;
}

async fn stop(program: Program) {
    program.signal("TERM").await;
    let (status, log) = program.wait().await;
    assert_eq!(status.code(), Some(DONE), "{log:#?}");
}
