//! Databases that answer, and refuse to write.

use std::{error::Error, sync::Arc};

use dragontooth_service_postgres::PostgresLog;
use dragontooth_service_store::{AppendError, EventLog};
use dragontooth_service_vocabulary::Sequence;
use tokio::task::{JoinHandle, yield_now};

use crate::{load::stream, server::Server};

/// Makes a statement on a table fail with a code, as it does when the disk is full.
fn refusing(table: &str, when: &str, code: &str) -> String {
    format!(
        "CREATE FUNCTION dragontooth.refuse() RETURNS trigger LANGUAGE plpgsql \
         AS $$ BEGIN RAISE 'no room left' USING ERRCODE = '{code}'; END $$; \
         CREATE TRIGGER refuse BEFORE {when} ON dragontooth.{table} FOR EACH ROW EXECUTE FUNCTION dragontooth.refuse()"
    )
}

const ACCEPT: &str = "DROP FUNCTION dragontooth.refuse() CASCADE";

type Answer = JoinHandle<Result<Sequence, AppendError>>;

fn append(log: &Arc<PostgresLog>) -> Answer {
    let log = Arc::clone(log);
    tokio::spawn(async move { log.append(stream(1), Sequence(0), vec![vec![1]]).await })
}

/// Waits until a log gives this reason for being away.
pub(crate) async fn is_away_because(log: &PostgresLog, reason: &str) {
    loop {
        let away = log.health().err();
        let mut cause = away.as_ref().map(|error| error as &dyn Error);
        while let Some(error) = cause {
            if error.to_string().contains(reason) {
                return;
            }
            cause = error.source();
        }
        yield_now().await;
    }
}

/// Waits until a log is back and has answered what had begun.
async fn is_back(log: &PostgresLog, begun: Answer) {
    let mut available = log.availability().unwrap();
    available.wait_for(|available| *available).await.unwrap();
    assert_eq!(begun.await.unwrap().unwrap(), Sequence(1));
    let read = log.read(stream(1), Sequence(0), 10).await.unwrap();
    assert_eq!(read, [(Sequence(1), vec![1])]);
}

#[tokio::test]
async fn a_database_without_room_is_away_until_it_has_some() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let log = Arc::new(server.open().await);
    server.execute(&refusing("event", "INSERT", "53100")).await;
    let begun = append(&log);
    is_away_because(&log, "no room left").await;
    let refused = log.append(stream(2), Sequence(0), vec![vec![2]]).await;
    assert!(
        matches!(refused, Err(AppendError::Unavailable(_))),
        "{refused:?}"
    );
    server.execute(ACCEPT).await;
    is_back(&log, begun).await;
    assert_eq!(log.head(stream(2)).await.unwrap(), Sequence(0));
}

/// The clocks of its players are those of the events that other services could not write meanwhile.
#[tokio::test]
async fn a_log_that_appends_nothing_is_away_with_the_others() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let log = server.open().await;
    for (table, operation) in [("event", "INSERT"), ("log", "UPDATE")] {
        server.execute(&refusing(table, operation, "53100")).await;
        let mut available = log.availability().unwrap();
        available.wait_for(|available| !available).await.unwrap();
        is_away_because(&log, "no room left").await;
        server.execute(ACCEPT).await;
        available.wait_for(|available| *available).await.unwrap();
    }
    let events = server.connect().await;
    let events = events.query_one("SELECT count(*) FROM dragontooth.event", &[]);
    assert_eq!(events.await.unwrap().get::<_, i64>(0), 0);
}

/// Nothing of it is written, so nobody need wait for it.
#[tokio::test]
async fn a_log_closes_while_its_database_has_no_room() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let log = Arc::new(server.open().await);
    server.execute(&refusing("event", "INSERT", "53100")).await;
    let begun = append(&log);
    is_away_because(&log, "no room left").await;
    log.close().await;
    let refused = begun.await.unwrap();
    assert!(
        matches!(refused, Err(AppendError::Unavailable(_))),
        "{refused:?}"
    );
}

#[tokio::test]
async fn an_append_that_is_at_fault_itself_is_refused_alone() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let log = Arc::new(server.open().await);
    server.execute(&refusing("event", "INSERT", "23514")).await;
    let refused = append(&log).await.unwrap();
    assert!(
        matches!(refused, Err(AppendError::Unavailable(_))),
        "{refused:?}"
    );
    log.health().unwrap();
}

/// The fate of a batch is not known, and its repetition is refused for another reason.
#[tokio::test]
async fn a_repeated_batch_that_is_refused_says_why() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let log = Arc::new(server.open().await);
    let client = server.connect().await;
    let holding = "BEGIN; LOCK TABLE dragontooth.event IN ACCESS EXCLUSIVE MODE";
    client.batch_execute(holding).await.unwrap();
    let begun = append(&log);
    let waits = "DO $$ BEGIN LOOP EXIT WHEN EXISTS \
        (SELECT FROM pg_locks WHERE relation = 'dragontooth.event'::regclass AND NOT granted); END LOOP; END $$";
    client.batch_execute(waits).await.unwrap();
    let ending = "SELECT pg_terminate_backend(pid) FROM pg_locks \
        WHERE relation = 'dragontooth.event'::regclass AND NOT granted";
    client.batch_execute(ending).await.unwrap();
    let refusing = refusing("event", "INSERT", "23514");
    client.batch_execute(&refusing).await.unwrap();
    client.batch_execute("COMMIT").await.unwrap();
    is_away_because(&log, "no room left").await;
    assert!(!begun.is_finished());
    server.execute(ACCEPT).await;
    is_back(&log, begun).await;
}

/// A warning about the commit asks for another one, which fails: the events may be in the log, and are.
#[tokio::test]
async fn an_error_after_the_commit_does_not_refuse_the_batch() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let log = Arc::new(server.open().await);
    let warning = "CREATE FUNCTION dragontooth.warn() RETURNS trigger LANGUAGE plpgsql \
        AS $$ BEGIN RAISE WARNING 'beware'; RETURN new; END $$; \
        CREATE TRIGGER warn BEFORE INSERT ON dragontooth.event FOR EACH ROW EXECUTE FUNCTION dragontooth.warn()";
    server.execute(warning).await;
    server.execute(&refusing("log", "UPDATE", "53100")).await;
    let begun = append(&log);
    is_away_because(&log, "no room left").await;
    let written = server.connect().await;
    let written = written.query_one("SELECT head FROM dragontooth.stream", &[]);
    assert_eq!(written.await.unwrap().get::<_, i64>(0), 1);
    assert!(!begun.is_finished());
    server.execute(ACCEPT).await;
    is_back(&log, begun).await;
}
