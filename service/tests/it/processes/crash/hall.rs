use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::TABLES;
use super::ledger::{Acknowledged, Ledger};
use super::table::{Table, Way};
use crate::random_player::Draws;
use crate::raw::Raw;
use crate::replayed::assert_replays;

/// The longest time without an acknowledgement.
const PATIENCE: Duration = Duration::from_mins(2);

/// Tables that play match after match on services with one log, whatever happens to these.
#[derive(Debug)]
pub(super) struct Hall {
    services: Vec<SocketAddr>,
    ledger: Arc<Mutex<Ledger>>,
    stop: Arc<AtomicBool>,
    told: UnboundedReceiver<Acknowledged>,
    last: Instant,
    playing: JoinSet<()>,
}

impl Hall {
    /// Begins to play, with this limit of time for an action. Each player knows all the services, and each of a
    /// table begins at another one.
    pub(super) fn open(services: &[SocketAddr], limit: Option<Duration>, seed: u64) -> Self {
        let (ledger, stop) = (Arc::<Mutex<Ledger>>::default(), Arc::default());
        let (tell, told) = unbounded_channel();
        let mut playing = JoinSet::new();
        let mut of_second = services.to_owned();
        of_second.rotate_left(1 % services.len());
        for number in 0..2 * TABLES {
            let way = if number < TABLES {
                Way::Calls
            } else {
                Way::Streams
            };
            let ways_in = [services, &of_second];
            let table = Table::new(ways_in, number, way, Draws::new(seed + number));
            let table = table.with_limit(limit);
            let (tell, ledger, stop) = (tell.clone(), Arc::clone(&ledger), Arc::clone(&stop));
            playing.spawn(async move { table.play_on(tell, &ledger, &stop).await });
        }
        Self {
            services: services.to_owned(),
            ledger,
            stop,
            told,
            last: Instant::now(),
            playing,
        }
    }

    /// Waits for so many acknowledgements from now on. Returns the longest time without one since the last that was
    /// heard before.
    pub(super) async fn hear(&mut self, count: u64) -> Duration {
        let (from, mut heard) = (Instant::now(), 0);
        let mut longest = Duration::ZERO;
        while heard < count {
            let told = timeout(PATIENCE, self.told.recv()).await;
            let told = told.expect("something is acknowledged at some time");
            let told = told.expect("the matches continue");
            heard += u64::from(told.at >= from);
            longest = longest.max(told.at.saturating_duration_since(self.last));
            self.last = self.last.max(told.at);
            self.ledger.lock().await.acknowledge(told);
        }
        longest
    }

    /// Has each match played to its end, and asserts that all services have what was acknowledged, in its place and
    /// once, and that nobody lost on time. Returns what was played.
    pub(super) async fn close(self) -> String {
        self.stop.store(true, Ordering::Relaxed);
        let mut told = self.told;
        while let Some(last) = timeout(PATIENCE, told.recv())
            .await
            .expect("the matches end")
        {
            self.ledger.lock().await.acknowledge(last);
        }
        self.playing.join_all().await;
        let mut ledger = self.ledger.lock().await;
        let mut asked = Vec::new();
        for service in self.services {
            asked.push(Raw::connect(service, "anyone").await);
        }
        let (first, others) = asked.split_first().expect("there is a service");
        for id in ledger.matches() {
            let record = first.export(&id.to_string()).await.unwrap();
            for other in others {
                assert_eq!(other.export(&id.to_string()).await.unwrap(), record);
            }
            assert_replays(&record);
            ledger.compare(&record);
        }
        ledger.assert_balanced();
        ledger.to_string()
    }
}
