use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dragontooth_games::Seat;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressState, ProgressStyle};

use super::{Overview, scoreboard};
use crate::tournament::{MatchNumber, Results, Schedule, ScheduledMatch};

/// The most bots in the standings of the screen.
pub const SCREEN_BOTS: usize = 12;
/// The most running matches on the screen.
pub const SCREEN_MATCHES: usize = 8;

const STYLE: &str = "{bar:30} {pos}/{len} matches, {elapsed} gone, {eta} to go\n\n{below}";
/// How often the screen is drawn anew.
const TICK: Duration = Duration::from_millis(200);
/// The least time between two fits of the ratings.
const LEAST_PAUSE: Duration = Duration::from_millis(500);
/// How many times as long as a fit takes there is none after it, so that the screen takes a small
/// part of the time, whatever the size of the event.
const PAUSE_FACTOR: u32 = 30;

/// A screen on a terminal that shows how a run gets on: how many matches are over, how long the
/// rest will take, the standings, and the matches that are being played. It is drawn a few times a
/// second, however many matches end in it.
pub struct Screen {
    bar: ProgressBar,
    shown: Arc<Mutex<Shown>>,
    next_fit: Instant,
}

/// What is below the bar.
#[derive(Debug, Default)]
struct Shown {
    scoreboard: Vec<String>,
    faults: usize,
    running: BTreeMap<MatchNumber, (String, Instant)>,
    last: String,
}

impl Screen {
    /// Whether standard error is a terminal that can move what stands on it: by `TERM` it is not,
    /// if that is `dumb` or missing.
    #[must_use]
    pub fn can_be_drawn() -> bool {
        !ProgressDrawTarget::stderr().is_hidden()
    }

    /// A screen on standard error for so many matches.
    #[must_use]
    pub fn on_stderr(matches: u64) -> Self {
        let shown = Arc::new(Mutex::new(Shown::default()));
        let below = Arc::clone(&shown);
        let style = ProgressStyle::with_template(STYLE)
            .expect("the template is well-formed")
            .with_key(
                "below",
                move |_: &ProgressState, out: &mut dyn fmt::Write| {
                    // What cannot be drawn now is drawn the next time.
                    let _ = lock(&below).write(out);
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
        lock(&self.shown).running.insert(planned.number, begun);
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
        shown.running.remove(&planned.number);
        shown.last = line;
        drop(shown);
        self.show_results(schedule, results);
    }

    /// Clears the screen.
    pub(super) fn close(&self) {
        self.bar.finish_and_clear();
    }

    /// Fits the ratings anew, if it is time for it.
    fn show_results(&mut self, schedule: &Schedule, results: &Results) {
        let begun = Instant::now();
        if begun < self.next_fit {
            return;
        }
        let scoreboard = scoreboard(&Overview::new(schedule, results), SCREEN_BOTS);
        let mut shown = lock(&self.shown);
        shown.scoreboard = scoreboard;
        shown.faults = results.faults();
        drop(shown);
        let ended = Instant::now();
        let pause = (ended - begun).saturating_mul(PAUSE_FACTOR);
        self.next_fit = ended + pause.max(LEAST_PAUSE);
    }
}

impl Shown {
    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        for line in &self.scoreboard {
            writeln!(out, "{line}")?;
        }
        if self.faults > 0 {
            writeln!(out, "      faults: {}", self.faults)?;
        }
        writeln!(out)?;
        for (text, since) in self.running.values().take(SCREEN_MATCHES) {
            let seconds = since.elapsed().as_secs();
            writeln!(out, "  playing {text} ({seconds} s)")?;
        }
        let hidden = self.running.len().saturating_sub(SCREEN_MATCHES);
        if hidden > 0 {
            writeln!(out, "  playing {hidden} more")?;
        }
        if !self.last.is_empty() {
            write!(out, "  last    {}", self.last)?;
        }
        Ok(())
    }
}

/// Nothing that holds the lock can fail half way, so that it cannot be poisoned with half a screen.
fn lock(shown: &Mutex<Shown>) -> MutexGuard<'_, Shown> {
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screen").finish_non_exhaustive()
    }
}
