use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{future, io};

use dragontooth_service_store::{
    Append, AppendError, Catalogue, Close, EventLog, Failed, Heads, Listing, LogAnswer, MatchEntry,
    MemoryCatalogue, MemoryLog, NewHead, NumberedRecords, PlayerCounts, ReadError, SeedUse,
    SessionBoard, Shelf, StorageError, StreamId, VisitedStream,
};
use dragontooth_service_vocabulary::{ListOrder, MatchId, PlayerId, Sequence, Timestamp};
use futures::FutureExt;
use tokio::sync::watch;
use tokio::time::sleep;

use super::draws::Draws;
use super::sessions::{Sessions, SimulatedBoard};

/// The most time that a statement takes to the database, and an answer back.
const WAY: u64 = 6;

/// A database: the log of several services.
#[derive(Debug)]
pub(super) struct Database {
    log: MemoryLog,
    catalogue: MemoryCatalogue,
    draws: Draws,
    names: Mutex<HashMap<Vec<u8>, StreamId>>,
    others: Mutex<Vec<Arc<Connection>>>,
    sessions: Arc<Sessions>,
}

/// The log as one service has it.
#[derive(Debug)]
pub(super) struct SimulatedLog {
    database: Arc<Database>,
    connection: Arc<Connection>,
    reads: AtomicU64,
    /// Matches that it cannot read.
    unread: Mutex<HashSet<MatchId>>,
}

#[derive(Debug)]
struct Connection {
    heard: Arc<Heads>,
    line: watch::Sender<Line>,
    available: watch::Sender<bool>,
    /// The error of the service's clock.
    ahead: Duration,
    /// The time that the service needs to read the log.
    visit: Duration,
    board: Arc<SimulatedBoard>,
}

/// The way from a service to the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    Here,
    Away,
    /// The service has been killed: what it does comes to nothing, and nothing answers it.
    Dead,
}

impl Database {
    pub(super) fn new(draws: Draws) -> Arc<Self> {
        Arc::new(Self {
            log: MemoryLog::new(),
            catalogue: MemoryCatalogue::default(),
            draws,
            names: Mutex::default(),
            others: Mutex::default(),
            sessions: Arc::default(),
        })
    }

    /// The log for another service, whose clock is nearly right.
    pub(super) fn connect(self: &Arc<Self>) -> Arc<SimulatedLog> {
        self.connect_ahead(Duration::from_micros(self.draws.below(20_000)))
    }

    /// The same for one that needs so long to read it.
    pub(super) fn connect_slow(self: &Arc<Self>, visit: Duration) -> Arc<SimulatedLog> {
        self.connect_with(Duration::ZERO, visit)
    }

    /// The same for one whose clock is ahead.
    pub(super) fn connect_ahead(self: &Arc<Self>, ahead: Duration) -> Arc<SimulatedLog> {
        self.connect_with(ahead, Duration::ZERO)
    }

    fn connect_with(self: &Arc<Self>, ahead: Duration, visit: Duration) -> Arc<SimulatedLog> {
        let available = watch::Sender::new(true);
        let connection = Arc::new(Connection {
            heard: Arc::default(),
            line: watch::Sender::new(Line::Here),
            ahead,
            visit,
            board: Sessions::board(&self.sessions, available.subscribe()),
            available,
        });
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        others.push(Arc::clone(&connection));
        Arc::new(SimulatedLog {
            database: Arc::clone(self),
            connection,
            reads: AtomicU64::default(),
            unread: Mutex::default(),
        })
    }

    /// Appends what is no event to a match.
    pub(super) async fn damage(&self, id: MatchId) {
        let stream = StreamId(id.bytes());
        let head = self.log.head(stream).await.unwrap();
        let appended = self.log.append(stream, head, vec![vec![255]]).await;
        appended.unwrap();
    }

    /// Tells the others of a head, later or never.
    fn tell(&self, from: &Arc<Connection>, stream: StreamId, new: NewHead) {
        let others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        for other in others.iter().filter(|other| !Arc::ptr_eq(other, from)) {
            if self.draws.one_in(10) {
                continue;
            }
            let (other, delay) = (Arc::clone(other), self.draws.millis(WAY * 3));
            tokio::spawn(async move {
                sleep(delay).await;
                if *other.line.borrow() == Line::Here {
                    other.heard.add([(stream, new)]);
                }
            });
        }
    }

    async fn way(&self) {
        sleep(self.draws.millis(WAY)).await;
    }
}

impl SimulatedLog {
    pub(super) fn set(&self, line: Line) {
        self.connection.line.send_replace(line);
        self.connection.available.send_replace(line == Line::Here);
    }

    pub(super) fn line(&self) -> Line {
        *self.connection.line.borrow()
    }

    /// Refuses to read a match.
    pub(super) fn refuse(&self, id: MatchId) {
        self.unread.lock().unwrap().insert(id);
    }

    fn away() -> StorageError {
        StorageError::new("reach the database", io::Error::other("it is away"))
    }

    /// Waits until the database answers again.
    async fn back(&self) {
        let mut line = self.connection.line.subscribe();
        let here = line.wait_for(|line| *line == Line::Here).await;
        here.expect("the sender is here");
    }

    async fn write(
        &self,
        stream: StreamId,
        expected: Sequence,
        records: Vec<Vec<u8>>,
        listing: Listing,
    ) -> Result<Sequence, AppendError> {
        if self.line() == Line::Dead {
            return future::pending().await;
        }
        self.health()?;
        self.database.way().await;
        if self.line() != Line::Here {
            // Lost on its way, and written when the database is back.
            self.back().await;
        }
        let appended = self.database.log.append(stream, expected, records).await;
        if let Ok(head) = appended {
            let (id, catalogue) = (MatchId::from_bytes(stream.0), &self.database.catalogue);
            let mut players = [None; 2];
            let is_listed = listing.entry.is_some();
            if let Some(change) = listing.entry {
                catalogue.put(id, &change.after, listing.deadline);
                players = change.after.brief.players;
            } else {
                catalogue.set_deadline(id, listing.deadline);
            }
            let new = NewHead {
                head,
                players,
                is_listed,
            };
            self.database.tell(&self.connection, stream, new);
        }
        self.database.way().await;
        if self.line() != Line::Here {
            self.back().await;
        }
        appended
    }

    async fn look<T>(
        &self,
        read: impl Future<Output = Result<T, ReadError>>,
    ) -> Result<T, ReadError> {
        // Not drawn: what other threads read must not change the draws.
        for _ in 0..self.reads.fetch_add(1, Ordering::Relaxed) % 4 {
            tokio::task::yield_now().await;
        }
        match self.line() {
            Line::Here => read.await,
            // Nobody hears the answer of a dead service.
            Line::Away | Line::Dead => Err(ReadError::Storage(Self::away())),
        }
    }
}

/// The catalogue as one service has it.
#[derive(Debug)]
struct SimulatedCatalogue {
    database: Arc<Database>,
    connection: Arc<Connection>,
}

impl SimulatedCatalogue {
    /// The answer, unless the service is cut off.
    fn answer<'a, T: Send + 'a>(
        &'a self,
        ask: impl FnOnce(&'a MemoryCatalogue) -> LogAnswer<'a, Result<T, ReadError>>,
    ) -> LogAnswer<'a, Result<T, ReadError>> {
        let is_here = *self.connection.line.borrow() == Line::Here;
        if is_here {
            ask(&self.database.catalogue)
        } else {
            future::ready(Err(ReadError::Storage(SimulatedLog::away()))).left_future()
        }
    }
}

impl Catalogue for SimulatedCatalogue {
    fn enter<'a>(
        &'a self,
        id: MatchId,
        entry: &'a MatchEntry,
        deadline: Option<Timestamp>,
    ) -> LogAnswer<'a, Result<(), StorageError>> {
        self.database.catalogue.enter(id, entry, deadline)
    }

    fn list(
        &self,
        shelves: Vec<Shelf>,
        order: ListOrder,
        last: Option<MatchId>,
        limit: usize,
    ) -> LogAnswer<'_, Result<(Vec<MatchId>, bool), ReadError>> {
        self.answer(|catalogue| catalogue.list(shelves, order, last, limit))
    }

    fn matches_of(&self, players: Vec<PlayerId>) -> LogAnswer<'_, Result<Vec<MatchId>, ReadError>> {
        self.answer(|catalogue| catalogue.matches_of(players))
    }

    fn live(&self) -> LogAnswer<'_, Result<usize, ReadError>> {
        self.answer(Catalogue::live)
    }

    fn counts_of(
        &self,
        player: PlayerId,
        invited: [Option<PlayerId>; 2],
    ) -> LogAnswer<'_, Result<PlayerCounts, ReadError>> {
        self.answer(|catalogue| catalogue.counts_of(player, invited))
    }

    fn spent_seeds(
        &self,
        uses: Vec<SeedUse>,
    ) -> LogAnswer<'_, Result<HashSet<SeedUse>, ReadError>> {
        self.answer(|catalogue| catalogue.spent_seeds(uses))
    }

    fn take_overdue(
        &self,
        time: Timestamp,
        next: Timestamp,
        limit: usize,
    ) -> LogAnswer<'_, Result<Vec<MatchId>, ReadError>> {
        self.answer(|catalogue| catalogue.take_overdue(time, next, limit))
    }
}

impl EventLog for SimulatedLog {
    fn append(&self, stream: StreamId, expected: Sequence, records: Vec<Vec<u8>>) -> Append<'_> {
        Box::pin(self.write(stream, expected, records, Listing::default()))
    }

    fn append_listed(
        &self,
        stream: StreamId,
        expected: Sequence,
        records: Vec<Vec<u8>>,
        listing: Listing,
    ) -> Append<'_> {
        Box::pin(self.write(stream, expected, records, listing))
    }

    fn read(
        &self,
        stream: StreamId,
        after: Sequence,
        limit: usize,
    ) -> LogAnswer<'_, Result<NumberedRecords, ReadError>> {
        let id = MatchId::from_bytes(stream.0);
        if self.unread.lock().unwrap().contains(&id) {
            return future::ready(Err(ReadError::Storage(Self::away()))).left_future();
        }
        let read = self.database.log.read(stream, after, limit);
        self.look(read).boxed().right_future()
    }

    fn head(&self, stream: StreamId) -> LogAnswer<'_, Result<Sequence, ReadError>> {
        let read = self.database.log.head(stream);
        self.look(read).boxed().right_future()
    }

    fn streams(
        &self,
        after: Option<StreamId>,
        limit: usize,
    ) -> LogAnswer<'_, Result<Vec<(StreamId, Sequence)>, ReadError>> {
        let read = self.database.log.streams(after, limit);
        self.look(read).boxed().right_future()
    }

    /// All are in the catalogue.
    fn visit<'a>(
        &'a self,
        _each: &'a mut (dyn FnMut(VisitedStream<'_>) + Send),
    ) -> LogAnswer<'a, Result<(), ReadError>> {
        let visiting = sleep(self.connection.visit).map(Ok);
        visiting.boxed().right_future()
    }

    fn reserve<'a>(
        &'a self,
        name: &'a [u8],
        fresh: StreamId,
    ) -> LogAnswer<'a, Result<StreamId, StorageError>> {
        let names = self.database.names.lock();
        let mut names = names.unwrap_or_else(PoisonError::into_inner);
        // As if it had been reserved before, because what is fresh differs from run to run.
        let _ = fresh;
        let reserved = names.entry(name.to_vec()).or_insert_with(|| {
            let bytes = std::array::from_fn(|_| self.database.draws.below(256).to_le_bytes()[0]);
            StreamId(bytes)
        });
        let reserved = *reserved;
        future::ready(Ok(reserved)).left_future()
    }

    fn reserved<'a>(
        &'a self,
        name: &'a [u8],
    ) -> LogAnswer<'a, Result<Option<StreamId>, StorageError>> {
        let names = self.database.names.lock();
        let names = names.unwrap_or_else(PoisonError::into_inner);
        future::ready(Ok(names.get(name).copied())).left_future()
    }

    fn catalogue(&self) -> Option<Arc<dyn Catalogue>> {
        let catalogue = SimulatedCatalogue {
            database: Arc::clone(&self.database),
            connection: Arc::clone(&self.connection),
        };
        Some(Arc::new(catalogue))
    }

    fn feed(&self) -> Option<Arc<Heads>> {
        Some(Arc::clone(&self.connection.heard))
    }

    fn time(&self) -> LogAnswer<'_, Result<Option<Timestamp>, StorageError>> {
        let time = self.database.sessions.now().after(self.connection.ahead);
        future::ready(Ok(Some(time))).left_future()
    }

    fn sessions(&self) -> Option<Arc<dyn SessionBoard>> {
        Some(Arc::clone(&self.connection.board) as _)
    }

    fn health(&self) -> Result<(), AppendError> {
        match self.line() {
            Line::Here | Line::Dead => Ok(()),
            Line::Away => Err(AppendError::Unavailable(Self::away())),
        }
    }

    fn failed(&self) -> Failed<'_> {
        Box::pin(future::pending())
    }

    fn availability(&self) -> Option<watch::Receiver<bool>> {
        Some(self.connection.available.subscribe())
    }

    fn close(&self) -> Close<'_> {
        Box::pin(future::ready(()))
    }
}
