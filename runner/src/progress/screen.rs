use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dragontooth_games::Seat;
use dragontooth_runner_report::{Overview, scoreboard};
use dragontooth_runner_tournament::{Results, Schedule, ScheduledMatch};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressState, ProgressStyle};
use rustix::termios::tcgetwinsize;

use super::screen_text::{SCREEN_BOTS, ScreenText, Size, Way};

/// Time between two redraws.
const TICK: Duration = Duration::from_millis(200);
/// The least time between two fits of the ratings.
const LEAST_PAUSE: Duration = Duration::from_millis(500);
/// The pause after a fit, as a multiple of its duration, so that the screen takes a small share of the time
/// for an event of any size.
const PAUSE_FACTOR: u32 = 30;

/// A screen on a terminal that shows how a run gets on: how many matches are over, how long the
/// rest will take, the standings, and the matches that are being played. It is drawn a few times a
/// second, however many matches end in it.
pub struct Screen {
    bar: ProgressBar,
    shown: Arc<Mutex<ScreenText>>,
    next_fit: Instant,
}

impl Screen {
    /// Returns true if standard error is a terminal that can move the cursor: not if `TERM` is `dumb`
    /// or missing.
    #[must_use]
    pub fn can_be_drawn() -> bool {
        !ProgressDrawTarget::stderr().is_hidden()
    }

    /// A screen on standard error for `matches`.
    #[must_use]
    pub fn on_stderr(matches: u64) -> Self {
        let shown = Arc::new(Mutex::new(ScreenText::default()));
        let text = Arc::clone(&shown);
        let style = ProgressStyle::with_template("{screen}")
            .expect("the template is well-formed")
            .with_key(
                "screen",
                move |state: &ProgressState, out: &mut dyn fmt::Write| {
                    let lines = lock(&text).lines(way(state), size());
                    // Drawn at the next tick instead.
                    let _ = out.write_str(&lines.join("\n"));
                },
            );
        let bar = ProgressBar::new(matches)
            .with_style(style)
            .with_finish(ProgressFinish::AndClear);
        bar.set_draw_target(ProgressDrawTarget::stderr());
        bar.enable_steady_tick(TICK);
        Self {
            bar,
            shown,
            next_fit: Instant::now(),
        }
    }

    /// Writes a line above the screen that stays there.
    pub(super) fn print(&self, text: &str) {
        self.bar.println(text);
    }

    /// The matches of an earlier run are over.
    pub(super) fn resumed(&mut self, schedule: &Schedule, results: &Results) {
        self.bar.set_position(results.played() as u64);
        self.bar.reset_eta();
        self.show_results(schedule, results);
    }

    /// A match has begun.
    pub(super) fn started(&self, schedule: &Schedule, planned: &ScheduledMatch) {
        let bot = |seat| schedule.event().bot(planned.bot(seat));
        let text = format!(
            "{}: {} - {}",
            schedule.title(planned),
            bot(Seat::First),
            bot(Seat::Second)
        );
        let begun = (text, Instant::now());
        lock(&self.shown)
            .running
            .insert(planned.number.get(), begun);
    }

    /// A match is over, as the line says.
    pub(super) fn finished(
        &mut self,
        schedule: &Schedule,
        planned: &ScheduledMatch,
        results: &Results,
        line: String,
    ) {
        self.bar.set_length(schedule.expected_matches());
        self.bar.set_position(results.played() as u64);
        let mut shown = lock(&self.shown);
        shown.running.remove(&planned.number.get());
        shown.last = line;
        drop(shown);
        self.show_results(schedule, results);
    }

    /// Clears the screen.
    pub(super) fn close(&self) {
        self.bar.finish_and_clear();
    }

    /// Fits the ratings again, if it is time.
    fn show_results(&mut self, schedule: &Schedule, results: &Results) {
        let begun = Instant::now();
        if begun < self.next_fit {
            return;
        }
        let overview = Overview::new(schedule, results);
        let mut scoreboard = scoreboard(&overview, SCREEN_BOTS);
        let bots = overview.standings.len();
        // The text adds the number of bots for which there is no room.
        scoreboard.truncate(1 + bots.min(SCREEN_BOTS));
        let mut shown = lock(&self.shown);
        (shown.scoreboard, shown.bots) = (scoreboard, bots);
        shown.test = overview.tested().map(|figures| figures.line());
        shown.faults = results.faults();
        drop(shown);
        let ended = Instant::now();
        let pause = (ended - begun).saturating_mul(PAUSE_FACTOR);
        self.next_fit = ended + pause.max(LEAST_PAUSE);
    }
}

/// The progress of the bar.
fn way(state: &ProgressState) -> Way {
    let (over, matches) = (state.pos(), state.len().unwrap_or_default());
    let to_go = state.eta();
    Way {
        over,
        matches,
        gone: state.elapsed(),
        // The estimate is 0 until something was measured.
        to_go: (!to_go.is_zero() || over >= matches).then_some(to_go),
    }
}

/// The size of the terminal, or 80 × 24 if it is unknown.
fn size() -> Size {
    let told = tcgetwinsize(io::stderr()).ok();
    let told = told.filter(|size| size.ws_col > 0 && size.ws_row > 0);
    let [columns, rows] = told.map_or([80, 24], |size| [size.ws_col, size.ws_row]);
    Size {
        columns: usize::from(columns),
        rows: usize::from(rows),
    }
}

/// Nothing that holds the lock can fail half way, so that it cannot be poisoned with half a screen.
fn lock(shown: &Mutex<ScreenText>) -> MutexGuard<'_, ScreenText> {
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screen").finish_non_exhaustive()
    }
}
