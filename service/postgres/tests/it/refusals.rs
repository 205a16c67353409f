//! Databases that a log does not open.

use std::path::Path;

use dragontooth_service_postgres::{PostgresError, PostgresLog, PostgresOptions};

use crate::server::{Server, options};

async fn refused(options: &PostgresOptions) -> PostgresError {
    PostgresLog::open(options).await.unwrap_err()
}

#[tokio::test]
async fn unsafe_servers_are_refused() {
    for (setting, named) in [
        ("fsync=off", "fsync"),
        ("full_page_writes=off", "full_page_writes"),
        ("synchronous_commit=local", "synchronous_commit"),
    ] {
        let Some(server) = Server::start(&[setting]) else {
            return;
        };
        let error = refused(&server.options()).await;
        assert!(
            matches!(error, PostgresError::Unsafe { name, .. } if name == named),
            "{error:?}"
        );
        assert!(error.to_string().contains(named), "{error}");
    }
}

#[tokio::test]
async fn a_server_that_is_away_or_a_standby_is_refused() {
    let Some((primary, standby)) = Server::start_pair() else {
        return;
    };
    let error = refused(&standby.options()).await;
    assert!(matches!(error, PostgresError::ReadOnly { .. }), "{error:?}");
    let with_standby = PostgresOptions {
        requires_standby: true,
        ..primary.options()
    };
    PostgresLog::open(&with_standby).await.unwrap();
    let port = primary.port();
    drop(primary);
    let error = refused(&options(&format!(
        "postgres://postgres@127.0.0.1:{port}/postgres"
    )))
    .await;
    assert!(
        matches!(error, PostgresError::Unreachable { .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn unfit_databases_and_users_are_refused() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let at = |user: &str, database: &str| {
        let port = server.port();
        options(&format!("postgres://{user}@127.0.0.1:{port}/{database}"))
    };
    let error = refused(&at("postgres", "nowhere")).await;
    assert!(matches!(error, PostgresError::Login { .. }), "{error:?}");
    let error = refused(&at("nobody", "postgres")).await;
    assert!(matches!(error, PostgresError::Login { .. }), "{error:?}");

    let with_standby = PostgresOptions {
        requires_standby: true,
        ..server.options()
    };
    let error = refused(&with_standby).await;
    assert!(matches!(error, PostgresError::NoStandby), "{error:?}");

    server
        .execute("CREATE DATABASE old ENCODING 'LATIN1' TEMPLATE template0")
        .await;
    let error = refused(&at("postgres", "old")).await;
    assert!(
        matches!(&error, PostgresError::Encoding(name) if name == "LATIN1"),
        "{error:?}"
    );

    server.execute("CREATE USER player").await;
    let error = refused(&at("player", "postgres")).await;
    assert!(matches!(error, PostgresError::Rights(_)), "{error:?}");
    // A schema of its own is all that it needs.
    server
        .execute("CREATE SCHEMA dragontooth AUTHORIZATION player")
        .await;
    PostgresLog::open(&at("player", "postgres")).await.unwrap();

    server.execute("ALTER USER player CONNECTION LIMIT 0").await;
    let error = refused(&at("player", "postgres")).await;
    assert!(matches!(error, PostgresError::Full { .. }), "{error:?}");
    let place = format!("127.0.0.1:{}/postgres", server.port());
    assert!(error.to_string().contains(&place), "{error}");
}

#[tokio::test]
async fn schemas_of_others_are_refused() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    server
        .execute("CREATE SCHEMA dragontooth; CREATE TABLE dragontooth.tooth (id int)")
        .await;
    let error = refused(&server.options()).await;
    assert!(
        matches!(error, PostgresError::Foreign("the table log")),
        "{error:?}"
    );
    server.execute("DROP SCHEMA dragontooth CASCADE").await;
    drop(server.open().await);

    server
        .execute("UPDATE dragontooth.log SET format = 99")
        .await;
    let error = refused(&server.options()).await;
    assert!(
        matches!(error, PostgresError::Newer { found: 99, .. }),
        "{error:?}"
    );
    server
        .execute(
            "UPDATE dragontooth.log SET format = 4; ALTER TABLE dragontooth.event RENAME TO events",
        )
        .await;
    let error = refused(&server.options()).await;
    assert!(
        matches!(error, PostgresError::Foreign("event")),
        "{error:?}"
    );

    for other in [
        "UPDATE dragontooth.log SET format = 0",
        "ALTER TABLE dragontooth.log ALTER format TYPE text",
        "ALTER TABLE dragontooth.log DROP format",
    ] {
        server.execute(other).await;
        let error = refused(&server.options()).await;
        assert!(matches!(error, PostgresError::Foreign(_)), "{error:?}");
    }
}

#[tokio::test]
async fn a_connection_is_protected_or_refused() {
    let file = |name: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/tls");
        folder.join(name).canonicalize().unwrap()
    };
    let Some(server) = Server::start_with_tls(&file("server.pem"), &file("server.key")) else {
        return;
    };
    let with = |ca: &str| PostgresOptions {
        ca: Some(file(ca)),
        ..server.options()
    };
    let log = PostgresLog::open(&with("ca.pem")).await.unwrap();
    let is_protected = "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
        WHERE application_name LIKE 'dragontooth-service%'";
    let rows = server.connect().await.query_one(is_protected, &[]).await;
    assert!(rows.unwrap().get::<_, bool>(0));
    drop(log);
    let error = refused(&with("other-ca.pem")).await;
    assert!(matches!(error, PostgresError::Tls { .. }), "{error:?}");
    let error = refused(&with("server.key")).await;
    assert!(
        matches!(error, PostgresError::Authorities { .. }),
        "{error:?}"
    );

    let Some(without) = Server::start(&[]) else {
        return;
    };
    let options = PostgresOptions {
        ca: Some(file("ca.pem")),
        ..without.options()
    };
    let error = refused(&options).await;
    assert!(matches!(error, PostgresError::Tls { .. }), "{error:?}");
}
