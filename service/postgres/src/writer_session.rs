//! The connection that writes, from the login to the first acknowledged commit.

use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::{
    PostgresError,
    append::{self, Statements},
    lease::{self, Lease},
    requirements, schema,
    session::{Connector, Host, Session},
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
        let session = connector.connect().await?;
        let host = session.host();
        let opened = Self::open_on(session, connector, requires_standby).await;
        note(connector, host, opened)
    }

    /// The same, and waits until the server acknowledges a commit. One that does not in time is passed over.
    pub(crate) async fn open_acknowledged(
        connector: &Connector,
        requires_standby: bool,
    ) -> Result<Self, PostgresError> {
        let opened = Self::open(connector, requires_standby).await?;
        opened.acknowledged(connector).await
    }

    async fn open_on(
        session: Session,
        connector: &Connector,
        requires_standby: bool,
    ) -> Result<Self, PostgresError> {
        let taking = async {
            prepare(&session, connector, requires_standby).await?;
            lease::take(&session).await
        };
        let lease = in_time(taking).await?;
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
        let session = connector.connect().await?;
        connector.stay(session.host());
        prepare(&session, connector, requires_standby).await?;
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

    /// Waits until the server acknowledges a commit. One that does not in time is passed over.
    pub(crate) async fn acknowledged(self, connector: &Connector) -> Result<Self, PostgresError> {
        let acknowledged = in_time(self.pass_barrier()).await;
        note(connector, self.session.host(), acknowledged.map(|()| self))
    }

    async fn pass_barrier(&self) -> Result<(), PostgresError> {
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

/// Checks the server, and waits for an earlier connection of this service to it.
async fn prepare(
    session: &Session,
    connector: &Connector,
    requires_standby: bool,
) -> Result<(), PostgresError> {
    requirements::check(session, requires_standby).await?;
    session.batch_execute(append::SETTINGS).await?;
    lease::wait_for_earlier(session, connector.instance(), LOST).await
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
        let opening = WriterSession::open_acknowledged(connector, requires_standby);
        match opening.await {
            Ok(opened) => return Ok(opened),
            Err(error) => why = error,
        }
    }
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

/// Does some work that a server which writes nothing would hold up for ever.
async fn in_time<T>(
    work: impl Future<Output = Result<T, PostgresError>>,
) -> Result<T, PostgresError> {
    let in_time = timeout(LOST, work).await;
    in_time.unwrap_or(Err(PostgresError::Unacknowledged))
}

/// Notes what has become of an attempt to write at a host.
fn note<T>(
    connector: &Connector,
    host: Host,
    attempt: Result<T, PostgresError>,
) -> Result<T, PostgresError> {
    if attempt.is_ok() {
        connector.stay(host);
    } else {
        connector.pass_over(host);
    }
    attempt
}
