//! The connections that read.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex as StdMutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use dragontooth_service_store::StorageError;
use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};
use tokio_postgres::{
    Error, Row, Statement,
    types::{ToSql, Type},
};

use crate::session::{Connector, Session};

/// Connections that read. Each takes any number of queries at once and answers them in turn.
const CONNECTIONS: usize = 2;

/// The time limit of a query.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// For so long after a failure to connect, others are told of it without another attempt.
const PAUSE: Duration = Duration::from_millis(200);

/// Queries are small; summaries that they write follow from the events and need not be durable.
const SETTINGS: &str = "SET statement_timeout = '10s'; SET synchronous_commit = off; SET jit = off; \
    SET enable_seqscan = off";

/// Connections that read, made when they are needed.
#[derive(Debug)]
pub(crate) struct Reader {
    connector: Arc<Connector>,
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
    pub(crate) fn new(connector: Arc<Connector>) -> Self {
        Self {
            connector,
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
            if !session.session.is_closed() || is_repeated {
                return Err(failed(error));
            }
            self.forget(at, &session).await;
            is_repeated = true;
        }
    }

    async fn session(&self, at: usize) -> Result<Arc<PreparedSession>, StorageError> {
        let mut slot = self.slots[at].lock().await;
        let changes = self.connector.changes();
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
        match self.connect().await {
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

    async fn connect(&self) -> Result<PreparedSession, StorageError> {
        let connected = self.connector.connect().await;
        let session = connected.map_err(|error| StorageError::new("reach the database", error))?;
        match timeout(TIME_LIMIT, session.batch_execute(SETTINGS)).await {
            Ok(set) => set.map_err(failed)?,
            Err(elapsed) => return Err(StorageError::new("reach the database in time", elapsed)),
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

fn failed(error: Error) -> StorageError {
    StorageError::new("read from the database", error)
}
