//! The connection that writes, from the login to the first acknowledged commit.

use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::{
    PostgresError,
    append::{self, Statements},
    lease::{self, Lease},
    requirements, schema,
    session::{Connector, Session},
};

/// A commit that takes longer makes somebody wonder, and the log unavailable until it is answered.
pub(crate) const STALLED: Duration = Duration::from_secs(3);

/// After so long from then on a connection is given up, and what became of the commit looked for over another one.
pub(crate) const LOST: Duration = Duration::from_secs(12);

/// The first pause between attempts to reach the database.
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// The longest pause between attempts to reach the database.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The thing to wait for where a commit ends the work.
const UNACKNOWLEDGED: &str =
    "the database acknowledges no write, as when its synchronous standbys are away";

/// The thing to wait for before a new connection may write.
const UNENDED: &str = "the database still works for an earlier connection of this service";

/// The attempts to reach the database, or to write to it, until one succeeds.
pub(crate) struct Attempts {
    pause: Duration,
    reason: String,
}

impl Attempts {
    pub(crate) const fn new() -> Self {
        Self {
            pause: FIRST_PAUSE,
            reason: String::new(),
        }
    }

    /// Notes that one has failed, and says why if the one before had another reason. Returns the pause before the next one.
    pub(crate) fn failed(&mut self, error: &(dyn std::error::Error + 'static)) -> Duration {
        let reason = error.to_string();
        if reason != self.reason {
            tracing::warn!(error, "the database is away");
            self.reason = reason;
        }
        let next = (self.pause * 2).min(LONGEST_PAUSE);
        std::mem::replace(&mut self.pause, next)
    }
}

/// A connection that may write.
#[derive(Debug)]
pub(crate) struct WriterSession {
    pub(crate) session: Session,
    pub(crate) statements: Statements,
    /// The format that the tables had before; 0 if there were none.
    format: i32,
}

impl WriterSession {
    /// Connects, checks the server, brings the tables to this program's format, and shares them with other services.
    pub(crate) async fn open(
        connector: &Connector,
        requires_standby: bool,
    ) -> Result<Self, PostgresError> {
        let session = connect(connector, requires_standby).await?;
        wait_for_earlier(&session, connector).await?;
        let lease = lease::take(&session).await?;
        let opened = Self::begin(session, lease).await?;
        if lease == Lease::Alone {
            lease::share(&opened.session).await?;
        }
        Ok(opened)
    }

    /// The same, but keeps other services away.
    pub(crate) async fn open_alone(
        connector: &Connector,
        requires_standby: bool,
    ) -> Result<Self, PostgresError> {
        let session = connect(connector, requires_standby).await?;
        wait_for_earlier(&session, connector).await?;
        let lease = lease::take_alone(&session).await?;
        Self::begin(session, lease).await
    }

    async fn begin(mut session: Session, lease: Lease) -> Result<Self, PostgresError> {
        let format =
            said_if_slow(UNACKNOWLEDGED, schema::migrate(session.client_mut(), lease)).await?;
        let statements = Statements::prepare(&session).await?;
        Ok(Self {
            session,
            statements,
            format,
        })
    }

    /// Waits until the database acknowledges a commit, however long its synchronous standbys are away.
    pub(crate) async fn acknowledged(&self) -> Result<(), PostgresError> {
        loop {
            self.session.take_warning();
            said_if_slow(UNACKNOWLEDGED, self.statements.pass_barrier(&self.session)).await?;
            // With one the wait for a standby may have been cancelled.
            if !self.session.take_warning() {
                return Ok(());
            }
        }
    }

    /// The format that the tables had before this connection; 0 if there were none.
    pub(crate) const fn format_before(&self) -> i32 {
        self.format
    }

    /// The connection.
    pub(crate) const fn session(&self) -> &Session {
        &self.session
    }
}

async fn connect(connector: &Connector, requires_standby: bool) -> Result<Session, PostgresError> {
    let session = connector.connect().await?;
    requirements::check(&session, requires_standby).await?;
    session.batch_execute(append::SETTINGS).await?;
    Ok(session)
}

/// Connects again after an error, until the database is back or belongs to someone else.
pub(crate) async fn open_again(
    connector: &Connector,
    requires_standby: bool,
    mut why: PostgresError,
) -> Result<WriterSession, PostgresError> {
    let mut attempts = Attempts::new();
    loop {
        if why.is_final() {
            return Err(why);
        }
        sleep(attempts.failed(&why)).await;
        match WriterSession::open(connector, requires_standby).await {
            Ok(opened) => return Ok(opened),
            Err(error) => why = error,
        }
    }
}

/// Waits for an earlier connection of this service.
async fn wait_for_earlier(session: &Session, connector: &Connector) -> Result<(), PostgresError> {
    let waiting = lease::wait_for_earlier(session, connector.instance());
    said_if_slow(UNENDED, waiting).await
}

/// Does some work, and says what it waits for when that takes long.
async fn said_if_slow<T>(what: &str, work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    if let Ok(done) = timeout(STALLED, &mut work).await {
        return done;
    }
    tracing::warn!("{what}: waiting for it");
    work.await
}

pub(crate) async fn acknowledged_in_time(
    opened: WriterSession,
) -> Result<WriterSession, PostgresError> {
    match timeout(LOST, opened.acknowledged()).await {
        Ok(acknowledged) => acknowledged.map(|()| opened),
        Err(_) => Err(PostgresError::Unacknowledged),
    }
}
