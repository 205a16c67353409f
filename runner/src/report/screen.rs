use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use dragontooth_games::Seat;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

use super::{Overview, scoreboard};
use crate::tournament::{MatchNumber, Results, Schedule, ScheduledMatch};

/// The most bots in the standings of the screen.
pub const SCREEN_BOTS: usize = 12;
/// The most running matches on the screen.
pub const SCREEN_MATCHES: usize = 8;

const STYLE: &str = "{bar:30} {pos}/{len} matches, {elapsed} gone, {eta} to go\n{msg}";
/// How often the time on the screen is drawn anew.
const TICK: Duration = Duration::from_millis(500);
/// The least time between two fits of the ratings.
const LEAST_PAUSE: Duration = Duration::from_millis(500);
/// How many times as long as a fit takes there is none after it, so that the screen takes a small
/// part of the time, whatever the size of the event.
const PAUSE_FACTOR: u32 = 30;

/// A screen on a terminal that shows how a run gets on: how many matches are over, how long the
/// rest will take, the standings, and the matches that are being played.
pub struct Screen {
    bar: ProgressBar,
    running: BTreeMap<MatchNumber, (String, Instant)>,
    scoreboard: Vec<String>,
    faults: usize,
    last: String,
    next_fit: Instant,
}

impl Screen {
    /// A screen on standard error for so many matches.
    #[must_use]
    pub fn on_stderr(matches: u64) -> Self {
        let style = ProgressStyle::with_template(STYLE).expect("the template is well-formed");
        let bar = ProgressBar::new(matches)
            .with_style(style)
            .with_finish(ProgressFinish::AndClear);
        bar.set_draw_target(ProgressDrawTarget::stderr());
        bar.enable_steady_tick(TICK);
        Self {
            bar,
            running: BTreeMap::new(),
            scoreboard: Vec::new(),
            faults: 0,
            last: String::new(),
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
        self.draw();
    }

    /// A match has begun.
    pub(super) fn started(&mut self, schedule: &Schedule, planned: &ScheduledMatch) {
        let bot = |seat| schedule.event().bot(planned.bot(seat));
        let text = format!(
            "{}: {} - {}",
            schedule.title(planned),
            bot(Seat::First),
            bot(Seat::Second)
        );
        self.running.insert(planned.number, (text, Instant::now()));
        self.draw();
    }

    /// A match is over, as the line says.
    pub(super) fn finished(
        &mut self,
        schedule: &Schedule,
        planned: &ScheduledMatch,
        results: &Results,
        line: String,
    ) {
        self.running.remove(&planned.number);
        self.last = line;
        self.bar.set_length(schedule.expected_matches());
        self.bar.set_position(results.played() as u64);
        self.show_results(schedule, results);
        self.draw();
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
        self.scoreboard = scoreboard(&Overview::new(schedule, results), SCREEN_BOTS);
        self.faults = results.faults();
        let ended = Instant::now();
        let pause = (ended - begun).saturating_mul(PAUSE_FACTOR);
        self.next_fit = ended + pause.max(LEAST_PAUSE);
    }

    fn draw(&self) {
        let mut lines = vec![String::new()];
        lines.extend(self.scoreboard.iter().cloned());
        if self.faults > 0 {
            lines.push(format!("      faults: {}", self.faults));
        }
        lines.push(String::new());
        let running = self.running.values().take(SCREEN_MATCHES);
        lines.extend(running.map(|(text, since)| {
            let seconds = since.elapsed().as_secs();
            format!("  playing {text} ({seconds} s)")
        }));
        let hidden = self.running.len().saturating_sub(SCREEN_MATCHES);
        if hidden > 0 {
            lines.push(format!("  playing {hidden} more"));
        }
        if !self.last.is_empty() {
            lines.push(format!("  last    {}", self.last));
        }
        self.bar.set_message(lines.join("\n"));
    }
}

impl fmt::Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screen").finish_non_exhaustive()
    }
}
