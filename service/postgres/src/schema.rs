//! The tables, and the steps from each format of them to the next.

use tokio_postgres::{Client, error::SqlState};

use crate::{
    PostgresError,
    lease::{self, Lease},
};

/// The format of the tables that this program makes and reads.
pub const SCHEMA_FORMAT: i32 = 5;

/// The step to each format from the one before, from 1.
const STEPS: &[&str] = &[
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
    include_str!("schema/5.sql"),
];

/// The tables of this format, to find a schema that was made otherwise.
const TABLES: &[&str] = &[
    "log", "stream", "event", "summary", "name", "replica", "session", "shelf",
];

/// Refuses tables of an older format. Of others, [`migrate`] says what is wrong with them.
pub(crate) async fn refuse_older(client: &Client) -> Result<(), PostgresError> {
    let row = client.query_opt("SELECT format FROM dragontooth.log", &[]);
    let found = row.await.ok().flatten().and_then(|row| row.try_get(0).ok());
    match found {
        Some(found @ 1..SCHEMA_FORMAT) => Err(PostgresError::Older {
            found,
            needed: SCHEMA_FORMAT,
        }),
        _ => Ok(()),
    }
}

/// Brings the tables to the format of this program, all or nothing, if nobody else uses them; otherwise they must have it. Returns the format that
/// they had, 0 if there were none.
pub(crate) async fn migrate(client: &mut Client, lease: Lease) -> Result<i32, PostgresError> {
    let transaction = client.transaction().await?;
    let there =
        "SELECT relname::text FROM pg_class WHERE relnamespace = to_regnamespace('dragontooth')";
    let has_any = !transaction.query(there, &[]).await?.is_empty();
    let mut format = 0;
    if has_any {
        let has_log = "SELECT to_regclass('dragontooth.log') IS NOT NULL";
        if !transaction.query_one(has_log, &[]).await?.try_get(0)? {
            return Err(PostgresError::Foreign("the table log"));
        }
        let row = transaction
            .query_opt("SELECT format, restoring FROM dragontooth.log", &[])
            .await;
        let row = row.map_err(|error| {
            if error.code() == Some(&SqlState::UNDEFINED_COLUMN) {
                PostgresError::Foreign("the columns of the table log")
            } else {
                error.into()
            }
        })?;
        let row = row.ok_or(PostgresError::Foreign("the row of the table log"))?;
        format = row.try_get(0).unwrap_or_default();
        if format < 1 {
            return Err(PostgresError::Foreign("a format of the tables, from 1"));
        }
        if format > SCHEMA_FORMAT {
            let (found, known) = (format, SCHEMA_FORMAT);
            return Err(PostgresError::Newer { found, known });
        }
        if row.try_get(1)? {
            return Err(PostgresError::Unfinished);
        }
        if format < SCHEMA_FORMAT && lease == Lease::Shared {
            drop(transaction);
            return Err(PostgresError::Outdated {
                found: format,
                needed: SCHEMA_FORMAT,
                holder: lease::holder(client).await?,
            });
        }
    } else {
        // One that is there may have been made for a user who may make none.
        let missing = "SELECT to_regnamespace('dragontooth') IS NULL";
        if transaction.query_one(missing, &[]).await?.try_get(0)? {
            transaction
                .batch_execute("CREATE SCHEMA dragontooth")
                .await?;
        }
    }
    for step in &STEPS[usize::try_from(format).unwrap_or_default()..] {
        transaction.batch_execute(step).await?;
    }
    for table in TABLES {
        let exists = "SELECT to_regclass('dragontooth.' || $1::text) IS NOT NULL";
        if !transaction.query_one(exists, &[table]).await?.try_get(0)? {
            return Err(PostgresError::Foreign(table));
        }
        let may = "SELECT bool_and(has_table_privilege('dragontooth.' || $1::text, what)) \
            FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) what";
        if !transaction.query_one(may, &[table]).await?.try_get(0)? {
            return Err(PostgresError::Rights(format!("dragontooth.{table}")));
        }
    }
    transaction.commit().await?;
    Ok(format)
}
