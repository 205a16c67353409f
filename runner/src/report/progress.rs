use std::fmt;
use std::io::{self, IsTerminal, Write};

use dragontooth_games::Seat;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

use super::document::counted;
use crate::record::Played;
use crate::tournament::{Results, Schedule, ScheduledMatch};

const BAR: &str = "{bar:30} {pos}/{len} matches, {elapsed} gone, {eta} to go  {msg}";

/// Tells how a run gets on: a bar on a terminal, otherwise a line for every match.
pub enum Progress {
    /// A bar that draws itself anew.
    Bar(ProgressBar),
    /// Lines.
    Lines(Box<dyn Write + Send>),
}

impl Progress {
    /// Progress on standard error.
    #[must_use]
    pub fn on_stderr(schedule: &Schedule) -> Self {
        if io::stderr().is_terminal() {
            let style = ProgressStyle::with_template(BAR).expect("the template is well-formed");
            let bar = ProgressBar::new(schedule.expected_matches())
                .with_style(style)
                .with_finish(ProgressFinish::AndClear);
            bar.set_draw_target(ProgressDrawTarget::stderr());
            Self::Bar(bar)
        } else {
            Self::Lines(Box::new(io::stderr()))
        }
    }

    /// Tells something about the run.
    pub fn note(&mut self, text: &str) {
        match self {
            Self::Bar(bar) => bar.suspend(|| write_line(&mut io::stderr(), text)),
            Self::Lines(out) => write_line(out, text),
        }
    }

    /// Some matches were played in an earlier run.
    pub fn resumed(&mut self, results: &Results) {
        let played = results.played();
        if let Self::Bar(bar) = self {
            bar.set_position(played as u64);
            bar.reset_eta();
        }
        if played > 0 {
            let matches = counted(played, "match was", "matches were");
            self.note(&format!("{matches} played before; going on"));
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
            Self::Bar(bar) => {
                bar.set_length(schedule.expected_matches());
                bar.set_position(results.played() as u64);
                bar.set_message(line);
            }
            Self::Lines(out) => {
                let (done, all) = (results.played(), schedule.expected_matches());
                write_line(out, &format!("[{done}/{all}] {line}"));
            }
        }
    }

    /// The run is over: nothing more is told.
    pub fn close(&mut self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bar(_) => "Progress::Bar",
            Self::Lines(_) => "Progress::Lines",
        })
    }
}

fn line(schedule: &Schedule, planned: &ScheduledMatch, played: &Played) -> String {
    let bot = |seat| schedule.event().bot(planned.bot(seat));
    let [first, second] = played.score;
    format!(
        "{}: {} {first}-{second} {} ({})",
        schedule.title(planned),
        bot(Seat::First),
        bot(Seat::Second),
        played.termination,
    )
}

/// Nothing hangs on a line of progress: who does not read it any more misses it.
fn write_line(out: &mut dyn Write, text: &str) {
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}
