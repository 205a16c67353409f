use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use dragontooth_runner_report::{AllMatchDetails, LuckFigures, MatchDetails, RunPhase};
use dragontooth_runner_tournament::arena::{ArenaState, Contender, RatingHistory};
use dragontooth_runner_tournament::{Event, MatchNumber, Results, Schedule, ScheduledMatch};

use crate::MatchFeed;
use crate::inbox::{ArenaNews, Running};
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
        Self::with_history(event, RatingHistory::new(0))
    }

    /// The page of an arena whose ratings so far are in `history`.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub fn with_history(event: Event, history: RatingHistory) -> io::Result<Self> {
        let shared = Arc::new(Shared::new(event));
        let painter = Painter::new(Arc::clone(&shared), history);
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
        let number = planned.number.get() as u64;
        self.begin(number, Running::new(schedule, planned))
    }

    /// A match of an encounter of an arena begins, between contenders with these labels by seat.
    #[must_use]
    pub fn started_in_arena(
        &self,
        encounter: u64,
        slot: String,
        players: [String; 2],
    ) -> MatchFeed {
        let running = Running {
            slot,
            players,
            feed: MatchFeed::default(),
        };
        self.begin(encounter, running)
    }

    /// No match of an encounter is under way any more.
    pub fn ended_in_arena(&self, encounter: u64) {
        self.shared.lock().under_way.remove(&encounter);
    }

    /// The state of an arena has changed, after this number of matches, or the players present have: the page
    /// [asks](Self::asks) for them when somebody looks.
    pub fn arena_changed(&self, matches: u64) {
        let mut inbox = self.shared.lock();
        inbox.played = usize::try_from(matches).unwrap_or(usize::MAX);
        inbox.is_behind = true;
    }

    /// This is the state of an arena, and these are present. They are copied.
    pub fn show_arena(&self, state: &ArenaState, present: &[Contender]) {
        let news = ArenaNews::News(Box::new(state.for_tables()), present.to_vec());
        let mut inbox = self.shared.lock();
        inbox.played = usize::try_from(state.counts().matches).unwrap_or(usize::MAX);
        inbox.arena = news;
        inbox.is_behind = false;
        drop(inbox);
        self.shared.wake();
    }

    fn begin(&self, number: u64, running: Running) -> MatchFeed {
        let feed = running.feed.clone();
        self.shared.lock().under_way.insert(number, running);
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
        inbox.under_way.remove(&(number.get() as u64));
        // The page does not show what happened in a fault.
        let details = MatchDetails {
            faults: Vec::new(),
            ..details
        };
        inbox.details.push((number, details));
        inbox.is_behind = true;
        inbox.count(schedule, results);
    }

    /// Ready when the page needs the results, see [`show`](Self::show), or the state of an arena, see
    /// [`show_arena`](Self::show_arena). Cancel safe.
    pub async fn asks(&self) {
        self.shared.asked().await;
    }

    /// These are the results so far. They are copied, which is cheap.
    pub fn show(&self, schedule: &Schedule, results: &Results) {
        self.shared.lock().take(schedule, results);
        self.shared.wake();
    }

    /// These are the results at the end of a run, with and without the luck in the dice.
    pub fn show_luck(&self, schedule: &Schedule, results: &Results, luck: LuckFigures) {
        let mut inbox = self.shared.lock();
        inbox.luck = Some(luck);
        inbox.take(schedule, results);
        drop(inbox);
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
