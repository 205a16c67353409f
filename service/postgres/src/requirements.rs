//! The conditions under which PostgreSQL loses nothing.

use tokio_postgres::Client;

use crate::PostgresError;

/// The oldest server with which the log is tested.
const OLDEST_VERSION: i32 = 15;

const QUERY: &str = "SELECT current_setting('server_version_num')::int4 / 10000, \
    current_setting('server_encoding'), current_setting('data_checksums'), \
    EXISTS (SELECT FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')), \
    EXISTS (SELECT FROM pg_stat_replication WHERE sync_state IS NULL)";

/// The settings that can change while a service is connected.
const SETTINGS: &str = "SELECT current_setting('fsync'), current_setting('full_page_writes'), \
    current_setting('synchronous_commit'), current_setting('synchronous_standby_names')";

/// Refuses a server on which acknowledged events could be lost; warns of what is only not advisable.
pub(crate) async fn check(client: &Client, requires_standby: bool) -> Result<(), PostgresError> {
    let row = client.query_one(QUERY, &[]).await?;
    let found: i32 = row.try_get(0)?;
    if found < OLDEST_VERSION {
        let needed = OLDEST_VERSION;
        return Err(PostgresError::TooOld { found, needed });
    }
    let standbys = check_settings(client, requires_standby).await?;
    let encoding: String = row.try_get(1)?;
    if encoding != "UTF8" {
        return Err(PostgresError::Encoding(encoding));
    }
    if standbys.trim().is_empty() {
        tracing::warn!(
            "the database has no synchronous standby: if its machine is lost, the last events are lost with it"
        );
    } else if !row.try_get(3)? {
        // Who may not see the state of the standbys sees that there are some.
        if row.try_get(4)? {
            tracing::warn!(
                synchronous_standby_names = standbys,
                "the user of the event log cannot see whether a connected standby is a synchronous one (GRANT pg_read_all_stats): if none \
                 is, nothing is acknowledged until one is"
            );
        } else {
            tracing::warn!(
                synchronous_standby_names = standbys,
                "no synchronous standby is connected to the database: nothing is acknowledged until one is"
            );
        }
    }
    let checksums: String = row.try_get(2)?;
    if checksums != "on" {
        tracing::warn!(
            "the database has no data checksums: pages that the disk has changed are not found (pg_checksums --enable)"
        );
    }
    Ok(())
}

/// Refuses a server whose settings could cost acknowledged events. Returns the names of its synchronous standbys.
pub(crate) async fn check_settings(
    client: &Client,
    requires_standby: bool,
) -> Result<String, PostgresError> {
    let row = client.query_one(SETTINGS, &[]).await?;
    for (at, name, allowed, needed) in [
        (0, "fsync", &["on"][..], "on"),
        (1, "full_page_writes", &["on"], "on"),
        (2, "synchronous_commit", &["on", "remote_apply"], "on"),
    ] {
        let value: String = row.try_get(at)?;
        if !allowed.contains(&value.as_str()) {
            return Err(PostgresError::Unsafe {
                name,
                value,
                needed,
            });
        }
    }
    let standbys: String = row.try_get(3)?;
    if requires_standby && standbys.trim().is_empty() {
        return Err(PostgresError::NoStandby);
    }
    Ok(standbys)
}
