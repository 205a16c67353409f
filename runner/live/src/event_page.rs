use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use dragontooth_runner_report::{AllMatchDetails, MatchDetails, RunPhase};
use dragontooth_runner_tournament::{Event, MatchNumber, Results, Schedule, ScheduledMatch};

use crate::MatchFeed;
use crate::inbox::Running;
use crate::painter::Painter;
use crate::shared::Shared;

/// The page of an event in progress, as far as the run is concerned. Copies are of the same page.
#[derive(Clone, Debug)]
pub struct EventPage {
    shared: Arc<Shared>,
    painter: Arc<Mutex<Option<JoinHandle<()>>>>,
}

impl EventPage {
    /// The page of an event, with a thread that paints it until [`close`](Self::close).
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub fn open(event: Event) -> io::Result<Self> {
        let shared = Arc::new(Shared::new(event));
        let painter = Painter::new(Arc::clone(&shared));
        let painting = thread::Builder::new()
            .name("event-page".to_owned())
            .spawn(move || painter.run())?;
        Ok(Self {
            shared,
            painter: Arc::new(Mutex::new(Some(painting))),
        })
    }

    /// The run begins with these results of earlier sessions, and the details of their matches.
    pub fn resumed(&self, schedule: &Schedule, results: &Results, details: AllMatchDetails) {
        let mut inbox = self.shared.lock();
        inbox.recovered = Some(details);
        inbox.take(schedule, results);
        drop(inbox);
        self.shared.wake();
    }

    /// A match begins. Its steps go to the feed.
    #[must_use]
    pub fn started(&self, schedule: &Schedule, planned: &ScheduledMatch) -> MatchFeed {
        let running = Running::new(schedule, planned);
        let feed = running.feed.clone();
        self.shared.lock().under_way.insert(planned.number, running);
        feed
    }

    /// A match is over, and is in the results.
    pub fn finished(
        &self,
        schedule: &Schedule,
        results: &Results,
        number: MatchNumber,
        details: MatchDetails,
    ) {
        let mut inbox = self.shared.lock();
        inbox.under_way.remove(&number);
        // The page does not show what happened in a fault.
        let details = MatchDetails {
            faults: Vec::new(),
            ..details
        };
        inbox.details.push((number, details));
        inbox.is_behind = true;
        inbox.count(schedule, results);
    }

    /// Ready when the page needs the results: see [`show`](Self::show). Cancel safe.
    pub async fn asks(&self) {
        self.shared.asked().await;
    }

    /// These are the results so far. They are copied, which is cheap.
    pub fn show(&self, schedule: &Schedule, results: &Results) {
        self.shared.lock().take(schedule, results);
        self.shared.wake();
    }

    /// The run has ended: the page is painted once more.
    pub fn end(&self, phase: RunPhase) {
        let mut inbox = self.shared.lock();
        inbox.phase = phase;
        inbox.under_way.clear();
        drop(inbox);
        self.shared.wake();
    }

    /// Ends the painting, after the last state is painted. Blocks until then.
    pub fn close(&self) {
        self.shared.lock().is_closed = true;
        self.shared.wake();
        let painting = self.painter.lock();
        let painting = painting.unwrap_or_else(PoisonError::into_inner).take();
        // A thread that panicked has said so. The run is not to fail with its page.
        let _ = painting.map(JoinHandle::join);
    }

    pub(crate) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }
}
