//! The locks by which the services on a database know of each other.

use std::time::Duration;

use tokio_postgres::{Client, Error, error::SqlState};

use crate::{PostgresError, address::Instance};

/// The keys of the locks: "DTLG" and a number; or "DTLI" and the key of an instance.
const CLASS: i32 = 0x4454_4c47;
const NUMBER: i32 = 1;
const INSTANCE_CLASS: i32 = 0x4454_4c49;

const HOLDER: &str = "SELECT a.application_name, host(a.client_addr), l.pid FROM pg_locks l \
    LEFT JOIN pg_stat_activity a USING (pid) \
    WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid = $1 AND l.objid = $2 \
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND l.pid <> pg_backend_pid() LIMIT 1";

const HELD: &str = "SELECT EXISTS (SELECT FROM pg_locks \
    WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = $1 AND objid = $2 \
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))";

/// The use of a database, which lasts as long as the connection that took it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lease {
    /// Nobody else uses it.
    Alone,
    /// Other services may use it too.
    Shared,
}

/// Takes the database: alone if nobody else uses it, and otherwise as one of many.
pub(crate) async fn take(client: &Client) -> Result<Lease, PostgresError> {
    let alone = "SELECT pg_try_advisory_lock($1, $2)";
    let row = client.query_one(alone, &[&CLASS, &NUMBER]).await?;
    if row.try_get(0)? {
        return Ok(Lease::Alone);
    }
    let shared = "SELECT pg_advisory_lock_shared($1, $2)";
    if lock(client, shared).await? {
        return Ok(Lease::Shared);
    }
    let restores = is_restoring(client).await;
    let holder = holder(client).await?;
    Err(PostgresError::InUse { holder, restores })
}

/// Takes the database alone.
pub(crate) async fn take_alone(client: &Client) -> Result<Lease, PostgresError> {
    if lock(client, "SELECT pg_advisory_lock($1, $2)").await? {
        return Ok(Lease::Alone);
    }
    let holder = holder(client).await?;
    Err(PostgresError::NotAlone { holder })
}

/// Returns true if the connection of this instance that took the database is on the same server, which has run ever since.
pub(crate) async fn is_held(client: &Client, instance: Instance) -> Result<bool, Error> {
    let (class, key) = (
        INSTANCE_CLASS.cast_unsigned(),
        instance.key().cast_unsigned(),
    );
    client.query_one(HELD, &[&class, &key]).await?.try_get(0)
}

/// Waits for an earlier connection of this instance: the server still works on what that has sent, so nothing is known of it before.
///
/// After the limit the server itself ends the wait: it would not notice that the client is gone, and such waits would add up.
pub(crate) async fn wait_for_earlier(
    client: &Client,
    instance: Instance,
    limit: Duration,
) -> Result<(), PostgresError> {
    let limit = format!("SET lock_timeout = {}", limit.as_millis());
    client.batch_execute(&limit).await?;
    let text = "SELECT pg_advisory_lock($1, $2)";
    let key = instance.key();
    client.execute(text, &[&INSTANCE_CLASS, &key]).await?;
    client.batch_execute("SET lock_timeout = 0").await?;
    Ok(())
}

/// Takes a lock, unless others keep it for longer than one needs that starts or has just ended. Then the limit of time stays.
async fn lock(client: &Client, text: &str) -> Result<bool, PostgresError> {
    client.batch_execute("SET lock_timeout = '3s'").await?;
    match client.execute(text, &[&CLASS, &NUMBER]).await {
        Ok(_) => {}
        Err(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => return Ok(false),
        Err(error) => return Err(error.into()),
    }
    client.batch_execute("SET lock_timeout = 0").await?;
    Ok(true)
}

/// Returns true if a backup is being restored into the database, as far as its tables say.
async fn is_restoring(client: &Client) -> bool {
    let text = "SELECT restoring FROM dragontooth.log";
    let row = client.query_opt(text, &[]).await.ok().flatten();
    row.is_some_and(|row| row.try_get(0).unwrap_or_default())
}

/// Lets other services use the database too.
pub(crate) async fn share(client: &Client) -> Result<(), PostgresError> {
    let text = "SELECT pg_advisory_lock_shared($1, $2), pg_advisory_unlock($1, $2)";
    client.execute(text, &[&CLASS, &NUMBER]).await?;
    Ok(())
}

/// Names another service that uses the database.
pub(crate) async fn holder(client: &Client) -> Result<String, PostgresError> {
    let (class, number) = (CLASS.cast_unsigned(), NUMBER.cast_unsigned());
    let Some(row) = client.query_opt(HOLDER, &[&class, &number]).await? else {
        return Ok("one that has just ended".to_owned());
    };
    let name: Option<String> = row.try_get(0)?;
    let name = name.unwrap_or_else(|| "a connection of another user".to_owned());
    let from: Option<String> = row.try_get(1)?;
    let from = from.unwrap_or_else(|| "a socket of its machine".to_owned());
    let process: i32 = row.try_get(2)?;
    Ok(format!(
        "{name} from {from}, process {process} of the server"
    ))
}
