//! The one task that writes.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use dragontooth_service_store::{AppendError, GroupCommit, Heads, NewHead, StorageError};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep, timeout},
};
use tokio_postgres::{
    Error,
    error::{Severity, SqlState},
};

use crate::{
    PostgresError,
    append::{Fate, WriteError},
    batch::{self, MAX_BATCH_APPENDS, Pending},
    condition::Condition,
    peers::Peers,
    requirements,
    session::Connector,
    writer_session::{Attempts, FIRST_PAUSE, LOST, STALLED, WriterSession},
};

/// The time after which a connection without a batch is tried: a host that hangs does not end it, and a database that refuses
/// writes does so for this service too, whose players' clocks depend on what others write.
const LOOK_INTERVAL: Duration = Duration::from_secs(4);

/// The part of the time of the last batch for which the next one waits for those who were answered after it.
const GATHERING: u32 = 16;

/// The longest time that it waits for them: a batch may have taken as long as the database was away.
const LONGEST_GATHERING: Duration = Duration::from_millis(5);

/// Writes the appends of the queue until that is closed.
///
/// It collects what waits while the last batch is under way. If the connection is lost, nothing is known of that batch:
/// it is repeated over the next connection, and what is there already counts as appended. What waits behind it
/// is refused meanwhile. The same happens while the database refuses every write: the batch that it refused shows when that is over.
#[derive(Debug)]
pub(crate) struct Writer {
    connector: Arc<Connector>,
    requires_standby: bool,
    queue: mpsc::Receiver<Pending>,
    waiting: VecDeque<Pending>,
    /// The appends that the last batch answered, and the time that it took.
    last_batch: (usize, Duration),
    /// The last time at which the settings of the server were looked at.
    looked: Instant,
    /// A batch is under way, so that the queue's end is not that of the work.
    has_batch: bool,
    condition: watch::Sender<Condition>,
    news: News,
    /// Called after each batch that was answered.
    pub(crate) on_write: Option<fn(GroupCommit)>,
}

/// The news for other services.
#[derive(Debug)]
pub(crate) struct News {
    /// The heads that this service has moved.
    pub(crate) told: Arc<Heads>,
    /// Those who hear of them. Who comes later reads for itself what was there before.
    pub(crate) peers: Arc<Peers>,
}

impl News {
    /// Tells of those appends of a batch that were written.
    fn tell(&self, batch: &[Pending], fates: &[Fate]) {
        if !self.peers.may_exist() {
            return;
        }
        let written = batch
            .iter()
            .zip(fates)
            .filter(|(pending, fate)| **fate == Fate::Appended && !pending.is_question());
        self.told.add(written.map(|(pending, _)| {
            let entry = pending.listing.entry.as_deref();
            let new = NewHead {
                head: pending.head(),
                players: entry.map_or([None; 2], |change| change.after.brief.players),
                is_listed: entry.is_some(),
            };
            (pending.stream, new)
        }));
    }
}

/// An attempt to write a batch came to nothing.
enum Attempt {
    /// The database has refused a statement, and goes on.
    Refused { error: Error, may_be_written: bool },
    /// Nothing is known of it.
    Unknown(StorageError),
}

/// The log cannot be used any more.
struct GivenUp;

impl Writer {
    pub(crate) fn new(
        connector: Arc<Connector>,
        requires_standby: bool,
        queue: mpsc::Receiver<Pending>,
        condition: watch::Sender<Condition>,
        news: News,
    ) -> Self {
        Self {
            connector,
            requires_standby,
            queue,
            waiting: VecDeque::new(),
            last_batch: (0, Duration::ZERO),
            looked: Instant::now(),
            has_batch: false,
            condition,
            news,
            on_write: None,
        }
    }

    /// Runs until the log fails. Once it is closed and all is answered, it lets go of `end`, and keeps the connection for those that read.
    pub(crate) async fn run(mut self, mut opened: WriterSession, end: watch::Sender<()>) {
        loop {
            if self.waiting.is_empty() {
                let next = tokio::select! {
                    next = self.queue.recv() => next,
                    () = sleep(LOOK_INTERVAL) => {
                        let Ok(still) = self.look(opened).await else {
                            return self.refuse_all().await;
                        };
                        let Ok(still) = self.write(still, Vec::new()).await else {
                            return self.refuse_all().await;
                        };
                        opened = still;
                        continue;
                    }
                    () = opened.session.ended() => {
                        let Ok(again) = self.reconnect(lost()).await else {
                            return self.refuse_all().await;
                        };
                        opened = again;
                        self.condition.send_replace(Condition::Here);
                        continue;
                    }
                };
                let Some(next) = next else {
                    drop(end);
                    return std::future::pending().await;
                };
                self.waiting.push_back(next);
            }
            if self.looked.elapsed() >= LOOK_INTERVAL {
                let Ok(still) = self.look(opened).await else {
                    return self.refuse_all().await;
                };
                opened = still;
                // What waited has been refused if the server is not safe.
                continue;
            }
            self.collect().await;
            let batch = batch::take(&mut self.waiting);
            self.has_batch = true;
            let (appends, begun) = (batch.len(), Instant::now());
            let records = batch.iter().map(|pending| pending.records.len()).sum();
            let written = self.write(opened, batch).await;
            let took = begun.elapsed();
            self.last_batch = (appends, took);
            self.has_batch = false;
            if let Some(on_write) = self.on_write {
                on_write(GroupCommit {
                    appends,
                    records,
                    took,
                });
            }
            match written {
                Ok(still) => opened = still,
                Err(GivenUp) => return self.refuse_all().await,
            }
        }
    }

    /// Looks at the settings of the server, which a reload may have changed. One that is not safe any more is away until it is.
    async fn look(&mut self, opened: WriterSession) -> Result<WriterSession, GivenUp> {
        let looking = requirements::check_settings(&opened.session, self.requires_standby);
        let looked = timeout(STALLED, looking).await;
        self.looked = Instant::now();
        let error = match looked {
            // The next write meets what is wrong with the connection.
            Ok(Ok(_) | Err(PostgresError::Query(_))) => return Ok(opened),
            Ok(Err(error)) => error,
            Err(elapsed) => {
                self.go_away(StorageError::new("read from the database in time", elapsed));
                return Ok(opened);
            }
        };
        drop(opened);
        let again = self
            .reconnect(StorageError::new("trust the database", error))
            .await?;
        self.condition.send_replace(Condition::Here);
        Ok(again)
    }

    /// Takes what waits in the queue, and what those add who were just answered. Many of them append again at once, and a batch without
    /// them would leave them to the next one: two halves in turns, and twice as many commits.
    async fn collect(&mut self) {
        let (answered, took) = self.last_batch;
        let until = Instant::now() + gathering(took);
        loop {
            let before = self.waiting.len();
            while self.waiting.len() < MAX_BATCH_APPENDS
                && let Ok(next) = self.queue.try_recv()
            {
                self.waiting.push_back(next);
            }
            let is_whole = self.waiting.len() >= answered.min(MAX_BATCH_APPENDS);
            if self.waiting.len() == before && (is_whole || Instant::now() >= until) {
                return;
            }
            tokio::task::yield_now().await;
        }
    }

    /// Writes a batch, however long it takes, and answers its appends.
    async fn write(
        &mut self,
        mut opened: WriterSession,
        batch: Vec<Pending>,
    ) -> Result<WriterSession, GivenUp> {
        let (mut is_repeated, mut attempts) = (false, Attempts::new());
        let fates = loop {
            match self.attempt(&opened, &batch, is_repeated).await {
                Ok(fates) => break fates,
                Err(Attempt::Refused {
                    error,
                    may_be_written,
                }) => {
                    is_repeated |= may_be_written;
                    if is_race(&error) {
                        sleep(FIRST_PAUSE).await;
                    } else if is_repeated || is_of_all_writes(&error) {
                        let pause = attempts.failed(said(&error));
                        self.go_away(StorageError::new("write to the database", error));
                        if self.pause(pause, is_repeated).await.is_err() {
                            self.refuse_batch(batch);
                            return Err(GivenUp);
                        }
                    } else {
                        refuse_alone(batch, error);
                        return Ok(opened);
                    }
                }
                Err(Attempt::Unknown(error)) => {
                    is_repeated = true;
                    drop(opened);
                    let Ok(again) = self.reconnect(error).await else {
                        for pending in batch {
                            pending.answer(Err(AppendError::Storage(self.failure())));
                        }
                        return Err(GivenUp);
                    };
                    opened = again;
                }
            }
        };
        self.condition.send_if_modified(|condition| {
            let was_away = matches!(condition, Condition::Away(_));
            if was_away {
                *condition = Condition::Here;
            }
            was_away
        });
        self.news.tell(&batch, &fates);
        for (pending, fate) in batch.into_iter().zip(fates).rev() {
            match fate {
                Fate::Appended => {
                    let head = pending.head();
                    pending.answer(Ok(head));
                }
                Fate::Conflict(actual) => {
                    let (stream, expected) = (pending.stream, pending.expected);
                    pending.answer(Err(AppendError::Conflict {
                        stream,
                        expected,
                        actual,
                    }));
                }
                Fate::TooEarly => self.waiting.push_front(pending),
            }
        }
        Ok(opened)
    }

    async fn attempt(
        &mut self,
        opened: &WriterSession,
        batch: &[Pending],
        is_repeated: bool,
    ) -> Result<Vec<Fate>, Attempt> {
        let mut writing =
            std::pin::pin!(opened.statements.write(&opened.session, batch, is_repeated));
        let written = match timeout(STALLED, &mut writing).await {
            Ok(written) => written,
            Err(elapsed) => {
                self.go_away(StorageError::new("write to the database in time", elapsed));
                match timeout(LOST, self.refusing(writing)).await {
                    Ok(Ok(written)) => written,
                    Ok(Err(GivenUp)) => return Err(Attempt::Unknown(self.failure())),
                    Err(elapsed) => {
                        self.connector.pass_over(opened.session.host());
                        let error = StorageError::new("write to the database in time", elapsed);
                        return Err(Attempt::Unknown(error));
                    }
                }
            }
        };
        written.map_err(|error| {
            let (error, may_be_written) = match error {
                WriteError::Append(error) => (error, false),
                WriteError::Look(error) => (error, true),
            };
            if is_refusal(&error) && !opened.session.is_closed() {
                Attempt::Refused {
                    error,
                    may_be_written,
                }
            } else {
                Attempt::Unknown(StorageError::new("write to the database", error))
            }
        })
    }

    /// Connects again, however long it takes.
    async fn reconnect(&mut self, why: StorageError) -> Result<WriterSession, GivenUp> {
        self.go_away(why);
        self.connector.note_change();
        let connector = Arc::clone(&self.connector);
        let requires_standby = self.requires_standby;
        let mut attempts = Attempts::new();
        loop {
            // A batch that is repeated commits nothing if others have overtaken it.
            let opening = WriterSession::open_acknowledged(&connector, requires_standby);
            match self.refusing(opening).await? {
                Ok(opened) => {
                    self.connector.write_at(opened.session.host());
                    tracing::info!("the database is back");
                    return Ok(opened);
                }
                Err(error) => {
                    let pause = attempts.failed(&error);
                    let is_final = error.is_final();
                    let error = StorageError::new("reach the database", error);
                    if is_final {
                        self.condition.send_replace(Condition::Failed(error));
                        return Err(GivenUp);
                    }
                    self.go_away(error);
                    self.refusing(sleep(pause)).await?;
                }
            }
        }
    }

    /// Waits before a batch is written again. If nothing of it is written, it need not be, and the log may be closed.
    async fn pause(&mut self, pause: Duration, is_repeated: bool) -> Result<(), GivenUp> {
        let has_batch = self.has_batch;
        self.has_batch &= is_repeated;
        let paused = self.refusing(sleep(pause)).await;
        self.has_batch = has_batch;
        paused
    }

    /// Refuses what waits, and what comes while `work` is under way. Gives up when the log is closed and has no batch.
    async fn refusing<T>(&mut self, work: impl Future<Output = T>) -> Result<T, GivenUp> {
        let mut work = std::pin::pin!(work);
        while let Some(pending) = self.waiting.pop_front() {
            self.refuse(pending);
        }
        let mut is_closed = false;
        loop {
            tokio::select! {
                done = &mut work => return Ok(done),
                next = self.queue.recv(), if !is_closed => match next {
                    Some(pending) => self.refuse(pending),
                    None if self.has_batch => is_closed = true,
                    None => return Err(GivenUp),
                },
            }
        }
    }

    fn refuse(&self, pending: Pending) {
        let refusal = self.condition.borrow().check();
        pending.answer(Err(refusal.err().unwrap_or(AppendError::Closed)));
    }

    fn refuse_batch(&self, batch: Vec<Pending>) {
        for pending in batch {
            self.refuse(pending);
        }
    }

    async fn refuse_all(mut self) {
        while let Some(pending) = self.waiting.pop_front() {
            self.refuse(pending);
        }
        while let Some(pending) = self.queue.recv().await {
            self.refuse(pending);
        }
    }

    fn go_away(&self, why: StorageError) {
        self.condition.send_replace(Condition::Away(why));
    }

    fn failure(&self) -> StorageError {
        match &*self.condition.borrow() {
            Condition::Here => lost(),
            Condition::Away(error) | Condition::Failed(error) => error.clone(),
        }
    }
}

/// The time that a batch waits for those who were answered after one that took so long.
fn gathering(took: Duration) -> Duration {
    (took / GATHERING).min(LONGEST_GATHERING)
}

/// Answers a batch that the database refuses, and that is at fault itself.
fn refuse_alone(batch: Vec<Pending>, error: Error) {
    tracing::error!(
        error = &error as &dyn std::error::Error,
        "the database refuses to write"
    );
    let error = StorageError::new("write to the database", error);
    for pending in batch {
        pending.answer(Err(AppendError::Unavailable(error.clone())));
    }
}

fn lost() -> StorageError {
    let ended = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
    StorageError::new("keep the connection to the database", ended)
}

/// Returns true if the same statement may well succeed in a moment: others were in its way.
fn is_race(error: &Error) -> bool {
    error
        .code()
        .is_some_and(|code| code.code().starts_with("40"))
}

/// Returns true if the database refuses other appends too, whatever is in them: it lacks room or another resource, it meets an
/// error of its system, or the tables or the rights on them have been changed.
fn is_of_all_writes(error: &Error) -> bool {
    let class = error.code().and_then(|code| code.code().get(..2));
    matches!(class, Some("53" | "58" | "42"))
}

/// The error as the database says it.
fn said(error: &Error) -> &(dyn std::error::Error + 'static) {
    match error.as_db_error() {
        Some(said) => said,
        None => error,
    }
}

/// Returns true if the database itself says that it has refused the statement, which has then done nothing, and goes on.
fn is_refusal(error: &Error) -> bool {
    let Some(said) = error.as_db_error() else {
        return false;
    };
    // Of a server that ends, or is no primary any more, a new connection is needed.
    let is_of_server = said.code().code().starts_with("57P")
        || *said.code() == SqlState::READ_ONLY_SQL_TRANSACTION;
    said.parsed_severity() == Some(Severity::Error) && !is_of_server
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_waits_no_longer_for_others_after_an_outage() {
        assert_eq!(
            gathering(Duration::from_millis(16)),
            Duration::from_millis(1)
        );
        assert!(gathering(Duration::from_hours(1)) < Duration::from_millis(10));
    }

    #[test]
    fn attempts_become_rarer_until_there_is_one_a_second() {
        let mut attempts = Attempts::new();
        let pauses = [(); 7].map(|()| attempts.failed(&PostgresError::NoStandby).as_millis());
        assert_eq!(pauses, [50, 100, 200, 400, 800, 1000, 1000]);
    }
}
