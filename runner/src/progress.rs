//! The progress of a run as people see it: a screen on a terminal, otherwise lines.

mod screen;
mod screen_text;

use std::fmt;
use std::io::{self, Write};

use dragontooth_games::{Seat, counted};
use dragontooth_runner_live::{EventPage, MatchFeed};
use dragontooth_runner_report::{AllMatchDetails, SprtFigures};
use dragontooth_runner_tournament::{Results, Schedule, ScheduledMatch, Verdict};

use crate::record::Played;
pub use screen::Screen;
pub use screen_text::{SCREEN_BOTS, SCREEN_MATCHES};

/// Shows the progress of a run: a live screen on a terminal, otherwise a line for every match; and the page of the
/// event, if there is one.
pub struct Progress {
    display: Display,
    page: Option<EventPage>,
}

enum Display {
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
            let screen = Screen::on_stderr(schedule.expected_matches());
            Self::shown(Display::Screen(Box::new(screen)))
        } else {
            Self::lines(Box::new(io::stderr()))
        }
    }

    /// Progress as a line for every match.
    #[must_use]
    pub fn lines(out: Box<dyn Write + Send>) -> Self {
        Self::shown(Display::Lines(out))
    }

    const fn shown(display: Display) -> Self {
        Self {
            display,
            page: None,
        }
    }

    /// Progress that is shown on the page of the event as well.
    #[must_use]
    pub fn and_on(self, page: Option<EventPage>) -> Self {
        Self { page, ..self }
    }

    /// The page, if there is one.
    #[must_use]
    pub const fn page(&self) -> Option<&EventPage> {
        self.page.as_ref()
    }

    /// Prints a note about the run.
    pub fn note(&mut self, text: &str) {
        let text = harmless(text);
        match &mut self.display {
            Display::Screen(screen) => screen.print(&text),
            Display::Lines(out) => write_line(out, &text),
        }
    }

    /// Some matches were played in an earlier run. `details` are needed for a page alone.
    pub fn resumed(&mut self, schedule: &Schedule, results: &Results, details: AllMatchDetails) {
        let played = results.played();
        if let Display::Screen(screen) = &mut self.display {
            screen.resumed(schedule, results);
        }
        if let Some(page) = &self.page {
            page.resumed(schedule, results, details);
        }
        if played > 0 {
            let matches = counted(played, "match");
            let were = if played == 1 { "was" } else { "were" };
            let left = if results.remaining() > 0 {
                "going on"
            } else {
                "none is left"
            };
            self.note(&format!("{matches} {were} played before; {left}"));
        }
    }

    /// A match begins. Lines do not show it; the page has a feed for its steps.
    #[must_use]
    pub fn started(&mut self, schedule: &Schedule, planned: &ScheduledMatch) -> Option<MatchFeed> {
        if let Display::Screen(screen) = &mut self.display {
            screen.started(schedule, planned);
        }
        let page = self.page.as_ref();
        page.map(|page| page.started(schedule, planned))
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
        match &mut self.display {
            Display::Screen(screen) => screen.finished(schedule, planned, results, line),
            Display::Lines(out) => {
                let (done, all) = (results.played(), schedule.expected_matches());
                let test = schedule.sequential().map(SprtFigures::of_event);
                let test = test.map_or_else(String::new, |test| format!("; {}", test.line()));
                write_line(out, &format!("[{done}/{all}] {line}{test}"));
            }
        }
    }

    /// The run is over, with these results: clears the screen.
    pub fn close(&mut self, schedule: &Schedule, results: &Results) {
        if let Display::Screen(screen) = &mut self.display {
            screen.close();
        }
        if let Some(page) = &self.page {
            page.show(schedule, results);
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").finish_non_exhaustive()
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

/// A text without control characters other than tabs, safe to print: bots write parts of it.
pub(crate) fn harmless(text: &str) -> String {
    text.replace(
        |letter: char| letter.is_control() && letter != '\t',
        "\u{fffd}",
    )
}

/// Nothing hangs on a line of progress: who does not read it any more misses it.
fn write_line(out: &mut dyn Write, text: &str) {
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}
