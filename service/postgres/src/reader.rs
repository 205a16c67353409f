//! The connections that read.

use std::{
    collections::HashMap,
    io,
    sync::{
        Arc, Mutex as StdMutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use dragontooth_service_store::StorageError;
use tokio::{
    sync::{Mutex, mpsc, watch},
    time::{Instant, timeout},
};
use tokio_postgres::{
    Error, Row, Statement,
    error::{DbError, Severity},
    types::{ToSql, Type},
};

use crate::{
    condition::Condition,
    lease,
    session::{Connector, Session},
};

/// Connections that read. Each takes any number of queries at once and answers them in turn.
const CONNECTIONS: usize = 2;

/// The time limit of a query.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// For so long after a failure to connect, others are told of it without another attempt.
const PAUSE: Duration = Duration::from_millis(200);

/// Queries are small; most of what they write, such as summaries, follows from the events and need not be durable.
const SETTINGS: &str = "SET statement_timeout = '10s'; SET synchronous_commit = off; SET jit = off; \
    SET enable_seqscan = off";

/// Connections that read, made when they are needed.
///
/// All that they give is durable, on a standby too. A server shows a commit that waits for its standby only after it was started
/// again, or promoted, and then the log is away until it has acknowledged another commit; nothing is read meanwhile.
#[derive(Debug)]
pub(crate) struct Reader {
    connector: Arc<Connector>,
    condition: watch::Receiver<Condition>,
    slots: [Mutex<Slot>; CONNECTIONS],
    next: AtomicUsize,
}

#[derive(Debug, Default)]
struct Slot {
    session: Option<Arc<PreparedSession>>,
    /// The changes of the writing connection before this one was made or refused.
    changes: u64,
    refused: Option<(Instant, StorageError)>,
}

/// A connection with the statements that it knows. The database plans each of them once.
#[derive(Debug)]
struct PreparedSession {
    session: Session,
    statements: StdMutex<HashMap<&'static str, Statement>>,
}

impl PreparedSession {
    async fn query(
        &self,
        text: &'static str,
        parameters: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Vec<Row>, Error> {
        let known = self.statements().get(text).cloned();
        let statement = if let Some(statement) = known {
            statement
        } else {
            let types: Vec<_> = parameters.iter().map(|(_, of)| of.clone()).collect();
            let statement = self.session.prepare_typed(text, &types).await?;
            self.statements().insert(text, statement.clone());
            statement
        };
        let values: Vec<_> = parameters.iter().map(|(value, _)| *value).collect();
        self.session.query(&statement, &values).await
    }

    fn statements(&self) -> MutexGuard<'_, HashMap<&'static str, Statement>> {
        self.statements
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reader {
    pub(crate) fn new(connector: Arc<Connector>, condition: watch::Receiver<Condition>) -> Self {
        Self {
            connector,
            condition,
            slots: Default::default(),
            next: AtomicUsize::new(0),
        }
    }

    /// The rows that a query gives. It is repeated once if the connection is lost meanwhile, so it may run twice.
    pub(crate) async fn query(
        &self,
        text: &'static str,
        parameters: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Vec<Row>, StorageError> {
        let at = self.next.fetch_add(1, Ordering::Relaxed) % CONNECTIONS;
        let mut is_repeated = false;
        loop {
            let session = self.session(at).await?;
            let error = match timeout(TIME_LIMIT, session.query(text, parameters)).await {
                Ok(Ok(rows)) => return Ok(rows),
                Ok(Err(error)) => error,
                Err(elapsed) => {
                    self.forget(at, &session).await;
                    return Err(StorageError::new("read from the database in time", elapsed));
                }
            };
            if !(session.session.is_closed() || ends_session(&error)) || is_repeated {
                return Err(failed(error));
            }
            self.forget(at, &session).await;
            is_repeated = true;
        }
    }

    async fn session(&self, at: usize) -> Result<Arc<PreparedSession>, StorageError> {
        let mut slot = self.slots[at].lock().await;
        let changes = self.connector.changes();
        self.condition.borrow().check_to_read()?;
        if let Some(session) = &slot.session
            && !session.session.is_closed()
            && slot.changes == changes
        {
            return Ok(Arc::clone(session));
        }
        if let Some((when, error)) = &slot.refused
            && slot.changes == changes
            && when.elapsed() < PAUSE
        {
            return Err(error.clone());
        }
        match self.connect(changes).await {
            Ok(session) => {
                let session = Arc::new(session);
                *slot = Slot {
                    session: Some(Arc::clone(&session)),
                    changes,
                    refused: None,
                };
                Ok(session)
            }
            Err(error) => {
                *slot = Slot {
                    session: None,
                    changes,
                    refused: Some((Instant::now(), error.clone())),
                };
                Err(error)
            }
        }
    }

    /// Connects to the server that the connection of these `changes` writes to.
    async fn connect(&self, changes: u64) -> Result<PreparedSession, StorageError> {
        // Nothing is listened to over it.
        let (hear, _) = mpsc::unbounded_channel();
        let connected = self.connector.connect_beside(hear).await;
        let session = connected.map_err(|error| StorageError::new("reach the database", error))?;
        let preparing = async {
            session.batch_execute(SETTINGS).await?;
            lease::is_held(&session, self.connector.instance()).await
        };
        let is_held = match timeout(TIME_LIMIT, preparing).await {
            Ok(prepared) => prepared.map_err(failed)?,
            Err(elapsed) => return Err(StorageError::new("reach the database in time", elapsed)),
        };
        // The server may have been started again, or another one promoted, before the log knows that it is away.
        if !is_held || self.connector.changes() != changes {
            let elsewhere = io::Error::from(io::ErrorKind::ConnectionReset);
            return Err(StorageError::new("read where the log writes", elsewhere));
        }
        Ok(PreparedSession {
            session,
            statements: StdMutex::default(),
        })
    }

    /// Lets go of a connection, unless another one has taken its place.
    async fn forget(&self, at: usize, session: &Arc<PreparedSession>) {
        let mut slot = self.slots[at].lock().await;
        slot.session
            .take_if(|current| Arc::ptr_eq(current, session));
    }
}

/// Returns true if the server has ended the connection with this error. The end itself may come a little later.
fn ends_session(error: &Error) -> bool {
    let severity = error.as_db_error().and_then(DbError::parsed_severity);
    matches!(severity, Some(Severity::Fatal | Severity::Panic))
}

fn failed(error: Error) -> StorageError {
    StorageError::new("use the database", error)
}
