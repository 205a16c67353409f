use std::sync::Arc;
use std::time::{Duration, Instant};

use dragontooth_runner_report::{
    AllMatchDetails, ArenaTables, LiveBoard, LuckFigures, Overview, RunPhase, UNDER_WAY, UnderWay,
    live_arena, live_matches, live_tables,
};
use dragontooth_runner_tournament::arena::{ArenaState, Contender, RatingHistory};
use dragontooth_runner_tournament::{Results, Schedule};
use uuid::Uuid;

use crate::MatchFeed;
use crate::inbox::{ArenaNews, Inbox, Running};
use crate::shared::Shared;
use crate::snapshot::Snapshot;

/// The most matches whose boards are drawn.
const MAX_BOARDS: usize = 12;

/// The least time between two paintings of the boards.
const BOARDS_PAUSE: Duration = Duration::from_millis(500);

/// The least time between two paintings of the tables.
const TABLES_PAUSE: Duration = Duration::from_secs(1);

/// The pause after a painting of the tables, as a multiple of its duration: they take at most 4 % of a processor,
/// however large the event is.
const TABLES_PAUSE_FACTOR: u32 = 25;

/// The bytes of tables that a spectator gets per second, on average.
const BYTES_PER_SECOND: usize = 100_000;

/// Time for the run to answer.
const ANSWER: Duration = Duration::from_secs(1);

/// Paints the page while somebody looks.
pub(crate) struct Painter {
    shared: Arc<Shared>,
    details: AllMatchDetails,
    luck: LuckFigures,
    /// Of an arena.
    history: RatingHistory,
    boards: Vec<Board>,
    last: Arc<Snapshot>,
    next_boards: Instant,
    next_tables: Instant,
}

/// A board that is drawn.
struct Board {
    feed: MatchFeed,
    attempt: u32,
    /// The steps of this attempt that are played on the board.
    taken: usize,
    drawn: LiveBoard,
}

impl Painter {
    pub(crate) fn new(shared: Arc<Shared>, history: RatingHistory) -> Self {
        let start = Uuid::new_v4().simple().to_string();
        let now = Instant::now();
        Self {
            shared,
            details: AllMatchDetails::default(),
            luck: LuckFigures::default(),
            history,
            boards: Vec::new(),
            last: Arc::new(Snapshot::nothing(start.into())),
            next_boards: now,
            next_tables: now,
        }
    }

    /// Paints until the page is closed.
    pub(crate) fn run(mut self) {
        while let Some(phase) = self.wait() {
            let mut painted = Vec::new();
            if let Some((schedule, results)) = self.results(phase) {
                painted = self.tables(&schedule, &results);
            }
            if let Some((state, present)) = self.arena(phase) {
                painted = self.arena_tables(&state, &present);
            }
            painted.push((UNDER_WAY, self.under_way(phase)));
            if let Some(next) = self.last.with(phase, painted) {
                self.last = Arc::new(next);
            }
            // Those who wait for a painting wait for this one, too, if nothing has changed.
            let shown = Arc::clone(&self.last);
            self.shared.shown.send_replace(Some(shown));
        }
    }

    /// Waits until the page is to be painted, and returns the state of the run; `None` once it is closed.
    fn wait(&mut self) -> Option<RunPhase> {
        let shared = Arc::clone(&self.shared);
        let mut inbox = shared.lock();
        loop {
            self.take_details(&mut inbox);
            // The last state is painted whether or not anybody looks.
            if inbox.has_begun() && inbox.phase != self.last.phase {
                return Some(inbox.phase);
            }
            if inbox.is_closed {
                return None;
            }
            let is_wanted = inbox.is_visited || shared.spectators() > 0;
            let now = Instant::now();
            if inbox.has_begun() && is_wanted && now >= self.next_boards {
                inbox.is_visited = false;
                self.next_boards = now + BOARDS_PAUSE;
                return Some(inbox.phase);
            }
            inbox = shared.wait(inbox, BOARDS_PAUSE);
        }
    }

    /// The results, if they are to be painted.
    fn results(&mut self, phase: RunPhase) -> Option<(Schedule, Results)> {
        if phase == RunPhase::Live && Instant::now() < self.next_tables {
            return None;
        }
        let shared = Arc::clone(&self.shared);
        let mut inbox = shared.up_to_date(ANSWER);
        self.take_details(&mut inbox);
        inbox.results.take()
    }

    /// The state of an arena, if it is to be painted.
    fn arena(&self, phase: RunPhase) -> Option<(Box<ArenaState>, Vec<Contender>)> {
        if phase == RunPhase::Live && Instant::now() < self.next_tables {
            return None;
        }
        let mut inbox = self.shared.up_to_date(ANSWER);
        match std::mem::replace(&mut inbox.arena, ArenaNews::Taken) {
            ArenaNews::News(state, present) => Some((state, present)),
            ArenaNews::Taken => None,
            ArenaNews::NoArena => {
                inbox.arena = ArenaNews::NoArena;
                None
            }
        }
    }

    fn arena_tables(
        &mut self,
        state: &ArenaState,
        present: &[Contender],
    ) -> Vec<(&'static str, String)> {
        let begun = Instant::now();
        self.history.follow(state);
        let event = &self.shared.event;
        let tables = ArenaTables::new(event, state).with_history(&self.history);
        let painted = live_arena(&tables, present);
        self.rest(begun, &painted);
        painted
    }

    /// Takes the details of the matches so far. Called often, so that they do not pile up.
    fn take_details(&mut self, inbox: &mut Inbox) {
        if let Some(recovered) = inbox.recovered.take() {
            self.details = recovered;
        }
        for (number, details) in inbox.details.drain(..) {
            self.details.add(number, details);
        }
        if let Some(luck) = inbox.luck.take() {
            self.luck = luck;
        }
    }

    fn tables(&mut self, schedule: &Schedule, results: &Results) -> Vec<(&'static str, String)> {
        let begun = Instant::now();
        let painted = live_tables(&Overview::new(schedule, results), &self.details, &self.luck);
        self.rest(begun, &painted);
        painted
    }

    /// Paints the tables no more until it is their time again.
    fn rest(&mut self, begun: Instant, painted: &[(&'static str, String)]) {
        let ended = Instant::now();
        let bytes: usize = painted.iter().map(|(_, inside)| inside.len()).sum();
        let sent = Duration::from_millis((bytes * 1000 / BYTES_PER_SECOND) as u64);
        let took = (ended - begun).saturating_mul(TABLES_PAUSE_FACTOR);
        self.next_tables = ended + TABLES_PAUSE.max(took).max(sent);
    }

    /// The matches under way; none of them is in the results that were taken before.
    fn under_way(&mut self, phase: RunPhase) -> String {
        let inbox = self.shared.lock();
        let (played, expected) = (inbox.played, inbox.expected);
        let count = inbox.under_way.len();
        let first = inbox.under_way.iter().take(MAX_BOARDS);
        let shown: Vec<Running> = first.map(|(_, running)| running.clone()).collect();
        drop(inbox);
        let rules = self.shared.event.rules();
        let mut old = std::mem::take(&mut self.boards);
        for running in shown {
            // Not by the number: the matches of an encounter of an arena share it.
            let place = old
                .iter()
                .position(|board| board.feed.is_same(&running.feed));
            let known = place.map(|place| old.swap_remove(place));
            let (attempt, taken) = known
                .as_ref()
                .map_or((0, 0), |one| (one.attempt, one.taken));
            let news = running.feed.news(attempt, taken);
            let known = known.filter(|one| one.attempt == news.attempt);
            let mut board = known.unwrap_or_else(|| {
                let mut drawn = LiveBoard::new(rules, running.slot, running.players);
                drawn.start_clocks(news.time_controls, news.time);
                Board {
                    feed: running.feed,
                    attempt: news.attempt,
                    taken: 0,
                    drawn,
                }
            });
            board.drawn.follow(&news.steps, news.time);
            board.taken += news.steps.len();
            self.boards.push(board);
        }
        let boards: Vec<&LiveBoard> = self.boards.iter().map(|board| &board.drawn).collect();
        live_matches(&UnderWay {
            phase,
            game: rules.game(),
            played,
            expected,
            boards: &boards,
            others: count - boards.len(),
        })
    }
}
