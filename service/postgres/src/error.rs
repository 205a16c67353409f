//! The reasons why a log on PostgreSQL does not open.

use std::{error::Error, io, path::PathBuf};

use tokio_postgres::error::SqlState;

use crate::address::WayError;

/// A log on PostgreSQL does not open.
#[derive(Debug, thiserror::Error)]
pub enum PostgresError {
    /// The way to the database cannot be used as it is described.
    #[error(transparent)]
    Way(#[from] WayError),
    /// The file with the authorities cannot be used.
    #[error("cannot use the authorities of the database's certificate in {}", path.display())]
    Authorities {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// No host answers.
    #[error(
        "cannot reach the database at {place}: check the address and that PostgreSQL runs there"
    )]
    Unreachable {
        /// The hosts and the database.
        place: String,
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
    /// All hosts that answer are standbys, or read-only.
    #[error(
        "no host of {place} accepts writes: name the primary too, promote a standby, or turn \
         default_transaction_read_only off for the user and the database"
    )]
    ReadOnly {
        /// The hosts and the database.
        place: String,
    },
    /// The certificate is not accepted, or the server has none.
    #[error(
        "the connection to {place} cannot be protected: turn `ssl` on there, with a certificate for the host's name that the \
         authorities have signed"
    )]
    Tls {
        /// The hosts and the database.
        place: String,
        /// Why.
        source: tokio_postgres::Error,
    },
    /// The user, the password or the database is refused.
    #[error(
        "the database at {place} refuses the login: check user, password, the name of the database and pg_hba.conf"
    )]
    Login {
        /// The hosts and the database.
        place: String,
        /// Why.
        source: tokio_postgres::Error,
    },
    /// The server, the user or the database has all the connections that it may have.
    #[error(
        "the database at {place} has no connection left, and the event log needs five: raise max_connections, or the limit of the \
         user or the database"
    )]
    Full {
        /// The hosts and the database.
        place: String,
        /// Why.
        source: tokio_postgres::Error,
    },
    /// The user may not do what the log needs.
    #[error(
        "the user of the event log lacks rights on {0}: let it own the schema (CREATE SCHEMA dragontooth AUTHORIZATION <user>, \
         before the first start) and all tables in it"
    )]
    Rights(String),
    /// The server is too old.
    #[error("the server is PostgreSQL {found}; the event log needs {needed} or later")]
    TooOld {
        /// Its major version.
        found: i32,
        /// The least that is enough.
        needed: i32,
    },
    /// A setting of the server would cost acknowledged events.
    #[error(
        "the server has {name} = {value}, with which acknowledged events may be lost: set it to {needed}"
    )]
    Unsafe {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: String,
        /// The value that it must have.
        needed: &'static str,
    },
    /// There is no synchronous standby, and one is required.
    #[error(
        "the server has no synchronous standby, which --log-requires-standby demands: set synchronous_standby_names, such as \
         ANY 1 (replica1, replica2)"
    )]
    NoStandby,
    /// It commits nothing for so long that a standby must be away, or its disk hangs.
    #[error("the database acknowledges no write: look at its synchronous standbys and its disk")]
    Unacknowledged,
    /// The database has another encoding.
    #[error("the database has the encoding {0}: create it with ENCODING 'UTF8'")]
    Encoding(String),
    /// A service that shares the database with no other uses it.
    #[error(
        "{holder} uses this database alone. Stop it, or name another database. If it has ended, its last commit still waits, such as \
         for a standby that is away"
    )]
    InUse {
        /// Its connection.
        holder: String,
        /// It restores a backup.
        restores: bool,
    },
    /// Other services use the database.
    #[error("{holder} uses this database: stop the services on it, or name another database")]
    NotAlone {
        /// The connection of one of them.
        holder: String,
    },
    /// There is no event log in the database.
    #[error("there is no event log in the database {place}")]
    Missing {
        /// The hosts and the database.
        place: String,
    },
    /// A newer program has written the schema.
    #[error(
        "the schema dragontooth has format {found}, and this program knows up to {known}: use the newer program"
    )]
    Newer {
        /// Its format.
        found: i32,
        /// The newest that this program knows.
        known: i32,
    },
    /// The schema is of an older program, and services of it are running.
    #[error(
        "the schema dragontooth has format {found} and this program needs {needed}, but {holder} uses it: stop the services of \
         the older program first"
    )]
    Outdated {
        /// Its format.
        found: i32,
        /// The format that this program makes of it.
        needed: i32,
        /// The connection of one of them.
        holder: String,
    },
    /// The schema is of an older program, and is not to be changed by the way.
    #[error(
        "the schema dragontooth has format {found} and this program needs {needed}: use the older program, or bring it to that format for \
         good with `dragontooth-service migrate`"
    )]
    Older {
        /// Its format.
        found: i32,
        /// The format that this program reads.
        needed: i32,
    },
    /// The schema is not one of this program.
    #[error(
        "the schema dragontooth of this database is not one of this program: it lacks {0}. Name another database"
    )]
    Foreign(&'static str),
    /// A backup was not restored to its end.
    #[error(
        "a backup was not restored to its end in this database: restore it again after DROP SCHEMA dragontooth CASCADE"
    )]
    Unfinished,
    /// The database refuses a statement.
    #[error("the database cannot be used as an event log")]
    Query(#[source] tokio_postgres::Error),
}

impl PostgresError {
    /// A connection that was not made.
    pub(crate) fn connecting(place: String, source: tokio_postgres::Error) -> Self {
        if let Some(code) = source.code() {
            let is_login = code.code().starts_with("28") || *code == SqlState::INVALID_CATALOG_NAME;
            if is_login || *code == SqlState::INSUFFICIENT_PRIVILEGE {
                return Self::Login { place, source };
            }
            if *code == SqlState::TOO_MANY_CONNECTIONS {
                return Self::Full { place, source };
            }
            return Self::unreachable(place, source);
        }
        let cause = source.source();
        let refused = cause.and_then(|cause| cause.downcast_ref::<io::Error>());
        // The system's own error has a number: it denies a socket.
        let is_refused = |error: &io::Error| {
            error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
        };
        if refused.is_some_and(is_refused) {
            return Self::ReadOnly { place };
        }
        // The kind of an error of the client is only in its text and that of its cause.
        let text = cause.map_or_else(String::new, ToString::to_string);
        let text = format!("{source}: {text}");
        if text.contains("TLS") {
            return Self::Tls { place, source };
        }
        if text.contains("password") || text.contains("authentication") {
            return Self::Login { place, source };
        }
        Self::unreachable(place, source)
    }

    /// A database that does not answer.
    pub(crate) fn unreachable(
        place: String,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        let source = source.into();
        Self::Unreachable { place, source }
    }

    /// Returns true if waiting does not help a log that was open: the database belongs to someone else now.
    pub(crate) fn is_final(&self) -> bool {
        match self {
            // Another service has it alone while it makes the tables ready.
            Self::InUse { restores, .. } => *restores,
            Self::Newer { .. } | Self::Foreign(_) | Self::Unfinished => true,
            Self::Way(_)
            | Self::Authorities { .. }
            | Self::Unreachable { .. }
            | Self::ReadOnly { .. }
            | Self::Missing { .. }
            | Self::Outdated { .. }
            | Self::Older { .. }
            | Self::NotAlone { .. }
            | Self::Tls { .. }
            | Self::Login { .. }
            | Self::Full { .. }
            | Self::Rights(_)
            | Self::TooOld { .. }
            | Self::Unsafe { .. }
            | Self::NoStandby
            | Self::Unacknowledged
            | Self::Encoding(_)
            | Self::Query(_) => false,
        }
    }
}

impl From<tokio_postgres::Error> for PostgresError {
    fn from(error: tokio_postgres::Error) -> Self {
        if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) {
            let message = error.as_db_error().map_or("", |error| error.message());
            let denied = ["permission denied for ", "must be owner of "];
            let what = denied
                .iter()
                .find_map(|denied| message.strip_prefix(denied));
            Self::Rights(what.unwrap_or(message).to_owned())
        } else {
            Self::Query(error)
        }
    }
}
