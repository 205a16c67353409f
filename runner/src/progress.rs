//! The progress of a run as people see it: a screen on a terminal, otherwise lines.

mod screen;
mod screen_text;

use std::fmt;
use std::io::{self, Write};

use dragontooth_games::Seat;
use dragontooth_runner_report::SprtFigures;
use dragontooth_runner_tournament::{Results, Schedule, ScheduledMatch, Verdict};

use crate::record::Played;
pub use screen::Screen;
pub use screen_text::{SCREEN_BOTS, SCREEN_MATCHES};

/// Shows the progress of a run: a live screen on a terminal, otherwise a line for every match.
pub enum Progress {
    /// A screen that redraws itself.
    Screen(Box<Screen>),
    /// Lines.
    Lines(Box<dyn Write + Send>),
}

impl Progress {
    /// Progress on standard error.
    #[must_use]
    pub fn on_stderr(schedule: &Schedule) -> Self {
        if Screen::can_be_drawn() {
            Self::Screen(Box::new(Screen::on_stderr(schedule.expected_matches())))
        } else {
            Self::Lines(Box::new(io::stderr()))
        }
    }

    /// Prints a note about the run.
    pub fn note(&mut self, text: &str) {
        let text = harmless(text);
        match self {
            Self::Screen(screen) => screen.print(&text),
            Self::Lines(out) => write_line(out, &text),
        }
    }

    /// Some matches were played in an earlier run.
    pub fn resumed(&mut self, schedule: &Schedule, results: &Results) {
        let played = results.played();
        if let Self::Screen(screen) = self {
            screen.resumed(schedule, results);
        }
        if played > 0 {
            let matches = if played == 1 {
                "match was"
            } else {
                "matches were"
            };
            let left = if results.remaining() > 0 {
                "going on"
            } else {
                "none is left"
            };
            self.note(&format!("{played} {matches} played before; {left}"));
        }
    }

    /// A match begins. Lines do not show it.
    pub fn started(&mut self, schedule: &Schedule, planned: &ScheduledMatch) {
        if let Self::Screen(screen) = self {
            screen.started(schedule, planned);
        }
    }

    /// A match is over and recorded.
    pub fn finished(
        &mut self,
        schedule: &Schedule,
        planned: &ScheduledMatch,
        played: &Played,
        results: &Results,
    ) {
        for fault in &played.faults {
            let bot = schedule.event().bot(planned.bot(fault.seat));
            let title = schedule.title(planned);
            self.note(&format!(
                "{title}: fault of {bot}: {}: {}",
                fault.kind, fault.detail
            ));
        }
        let line = line(schedule, planned, played);
        match self {
            Self::Screen(screen) => screen.finished(schedule, planned, results, line),
            Self::Lines(out) => {
                let (done, all) = (results.played(), schedule.expected_matches());
                let test = test_line(schedule);
                let test = test.map_or_else(String::new, |test| format!("; {test}"));
                write_line(out, &format!("[{done}/{all}] {line}{test}"));
            }
        }
    }

    /// The run is over: clears the screen.
    pub fn close(&mut self) {
        if let Self::Screen(screen) = self {
            screen.close();
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Screen(_) => "Progress::Screen",
            Self::Lines(_) => "Progress::Lines",
        })
    }
}

fn line(schedule: &Schedule, planned: &ScheduledMatch, played: &Played) -> String {
    let bot = |seat| schedule.event().bot(planned.bot(seat));
    let [first, second] = played.score;
    let outcome = match Verdict::of(played.termination, played.winner) {
        Verdict::Won(winner) => format!("{} won", bot(winner)),
        Verdict::Drawn => "drawn".to_owned(),
        Verdict::Void => "void".to_owned(),
    };
    format!(
        "{}: {} {first}-{second} {}, {outcome} ({})",
        schedule.title(planned),
        bot(Seat::First),
        bot(Seat::Second),
        played.termination,
    )
}

/// The state of the event's sequential test, if it is one.
fn test_line(schedule: &Schedule) -> Option<String> {
    let test = schedule.sequential()?;
    let (figures, _) = SprtFigures::new(test.test(), &test.sample()).ok()?;
    Some(figures.line())
}

/// A text without control characters, safe to print: bots write parts of it.
fn harmless(text: &str) -> String {
    let harmless = text.chars().map(|letter| match letter {
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    });
    harmless.collect()
}

/// Nothing hangs on a line of progress: who does not read it any more misses it.
fn write_line(out: &mut dyn Write, text: &str) {
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}
