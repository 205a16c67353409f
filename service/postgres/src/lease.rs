//! The lock by which one service alone uses a database.

use tokio_postgres::{Client, error::SqlState};

use crate::{PostgresError, address::Instance};

/// The key of the lock: "DTLG", and a number.
const CLASS: i32 = 0x4454_4c47;
const NUMBER: i32 = 1;

const HOLDER: &str = "SELECT a.application_name, host(a.client_addr), l.pid FROM pg_locks l \
    LEFT JOIN pg_stat_activity a USING (pid) \
    WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid = $1 AND l.objid = $2 \
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())";

/// Takes the lock for as long as the connection lasts.
///
/// It waits some seconds for a process that has just ended, and as long as it takes for an earlier connection of this
/// instance: the server still works on what that has sent, so nothing is known of it before.
pub(crate) async fn take(client: &Client, instance: &Instance) -> Result<(), PostgresError> {
    client.batch_execute("SET lock_timeout = '3s'").await?;
    loop {
        let taken = client
            .execute("SELECT pg_advisory_lock($1, $2)", &[&CLASS, &NUMBER])
            .await;
        match taken {
            Ok(_) => break,
            Err(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => {}
            Err(error) => return Err(error.into()),
        }
        let (class, number) = (CLASS.cast_unsigned(), NUMBER.cast_unsigned());
        let Some(row) = client.query_opt(HOLDER, &[&class, &number]).await? else {
            continue;
        };
        let name: Option<String> = row.try_get(0)?;
        let name = name.unwrap_or_else(|| "a connection of another user".to_owned());
        if name == instance.name() {
            continue;
        }
        let from: Option<String> = row.try_get(1)?;
        let from = from.unwrap_or_else(|| "a socket of its machine".to_owned());
        let process: i32 = row.try_get(2)?;
        return Err(PostgresError::InUse {
            holder: format!("{name} from {from}, process {process} of the server"),
        });
    }
    client.batch_execute("SET lock_timeout = 0").await?;
    Ok(())
}
