use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use dragontooth_games::counted;
use indicatif::HumanDuration;

/// The most bots in the standings of the screen.
pub const SCREEN_BOTS: usize = 12;
/// The most running matches on the screen.
pub const SCREEN_MATCHES: usize = 8;

/// The longest bar, and the shortest that says anything.
const BAR: usize = 30;
const LEAST_BAR: usize = 5;

/// The columns and rows of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

/// The progress of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// The matches that are over.
    pub(super) over: u64,
    /// All matches.
    pub(super) matches: u64,
    /// Time since its start.
    pub(super) gone: Duration,
    /// Estimated time to the end, once known.
    pub(super) to_go: Option<Duration>,
}

/// The text below the bar.
#[derive(Debug, Default)]
pub(super) struct ScreenText {
    /// The heads of the standings and the best bots, at most [`SCREEN_BOTS`].
    pub(super) scoreboard: Vec<String>,
    /// The number of all bots.
    pub(super) bots: usize,
    pub(super) faults: usize,
    /// The matches that are being played by their numbers, and since when.
    pub(super) running: BTreeMap<usize, (String, Instant)>,
    /// The state of the sequential test, if the event is one.
    pub(super) test: Option<String>,
    /// The last match that was over.
    pub(super) last: String,
}

impl ScreenText {
    /// The lines of a screen of this size: none is wider, and there are fewer than rows.
    pub(super) fn lines(&self, way: Way, size: Size) -> Vec<String> {
        let rows = size.rows.saturating_sub(1).max(1);
        let mut lines = vec![head(way, size.columns)];
        let whole = [
            self.standings(SCREEN_BOTS),
            self.playing(SCREEN_MATCHES),
            self.last(),
        ];
        let blanks = 2;
        if 1 + blanks + whole.iter().map(Vec::len).sum::<usize>() <= rows {
            let [standings, playing, last] = whole;
            for part in [standings, [playing, last].concat()] {
                lines.push(String::new());
                lines.extend(part);
            }
        } else {
            // A third for the running matches, the rest for the standings.
            let last = self.last();
            let room = (rows - 1).saturating_sub(last.len());
            let playing = self.playing((room / 3).clamp(1, SCREEN_MATCHES));
            let standings = self.standings(room.saturating_sub(playing.len() + 2));
            lines.extend([standings, playing, last].concat());
            lines.truncate(rows);
        }
        for line in &mut lines {
            *line = cut(line, size.columns);
        }
        lines
    }

    /// The standings of the first `bots`, and the number of faults.
    fn standings(&self, bots: usize) -> Vec<String> {
        let bots = bots.min(self.scoreboard.len().saturating_sub(1));
        if bots == 0 {
            return Vec::new();
        }
        let mut lines = self.scoreboard[..=bots].to_vec();
        let mut notes = Vec::new();
        if bots < self.bots {
            notes.push(format!("and {} more", self.bots - bots));
        }
        if self.faults > 0 {
            notes.push(format!("faults: {}", self.faults));
        }
        if !notes.is_empty() {
            lines.push(format!("      {}", notes.join("; ")));
        }
        lines
    }

    /// At most `most` of the running matches; the last line counts the others.
    fn playing(&self, most: usize) -> Vec<String> {
        let running = self.running.len();
        let shown = if running > most { most - 1 } else { running };
        let each = self.running.values().take(shown).map(|(text, since)| {
            let seconds = since.elapsed().as_secs();
            format!("  playing {text} ({seconds} s)")
        });
        let mut lines: Vec<String> = each.collect();
        match (running - shown, shown) {
            (0, _) => {}
            (count, 0) => lines.push(format!("  playing {}", counted(count, "match"))),
            (count, _) => lines.push(format!("  playing {count} more")),
        }
        lines
    }

    fn last(&self) -> Vec<String> {
        let last = (!self.last.is_empty()).then_some(&self.last);
        let last = last.map(|last| format!("  last    {last}"));
        let test = self.test.as_ref().map(|test| format!("  {test}"));
        test.into_iter().chain(last).collect()
    }
}

/// The bar and the figures beside it; on a narrow screen the figures that matter most.
fn head(way: Way, columns: usize) -> String {
    let Way { over, matches, .. } = way;
    let to_go = way.to_go.map_or("–".to_owned(), |time| {
        format!("{:#}", HumanDuration(time))
    });
    let long = format!(
        "{over}/{matches} matches, {:#} gone, {to_go} to go",
        HumanDuration(way.gone)
    );
    let short = format!("{over}/{matches}, {to_go} to go");
    let room = |text: &str| columns.saturating_sub(text.chars().count() + 1);
    let figures = if room(&long) >= LEAST_BAR {
        long
    } else {
        short
    };
    let width = room(&figures).min(BAR);
    if width < LEAST_BAR {
        return figures;
    }
    format!("{} {figures}", bar(way, width))
}

fn bar(way: Way, width: usize) -> String {
    let width = width as u64;
    let full = way.over.saturating_mul(width) / way.matches.max(1);
    (0..width)
        .map(|at| if at < full { '█' } else { '░' })
        .collect()
}

/// A line cut to `columns`.
fn cut(line: &str, columns: usize) -> String {
    if line.chars().count() <= columns {
        return line.to_owned();
    }
    let start = line.chars().take(columns.saturating_sub(1));
    start.chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A screen with `bots` and `running` matches.
    fn text(bots: usize, running: usize) -> ScreenText {
        let heads = "   #  bot                 points score %     Elo   ± 95 %".to_owned();
        let bot = |at| format!("{at:>4}  b{at:<17}     7.0    58.3    +105      102  ├─●─┤");
        let scoreboard = (1..=bots.min(SCREEN_BOTS)).map(bot);
        let running =
            (0..running).map(|at| (at, (format!("cup/c1/r1/p{at}/m1: a - b"), Instant::now())));
        ScreenText {
            scoreboard: std::iter::once(heads).chain(scoreboard).collect(),
            bots,
            faults: 2,
            test: None,
            running: running.collect(),
            last: "cup/c1/r1/p1/m1: a 3-1 b, a won (normal)".to_owned(),
        }
    }

    const WAY: Way = Way {
        over: 250,
        matches: 1000,
        gone: Duration::from_secs(75),
        to_go: Some(Duration::from_secs(225)),
    };

    fn lines(text: &ScreenText, columns: usize, rows: usize) -> Vec<String> {
        text.lines(WAY, Size { columns, rows })
    }

    #[test]
    fn no_screen_is_too_small() {
        for (bots, running) in [(2, 0), (2, 1), (5, 2), (40, 100)] {
            let text = text(bots, running);
            for columns in [0, 1, 2, 19, 20, 40, 80, 300] {
                for rows in 0..40 {
                    let lines = lines(&text, columns, rows);
                    let most = rows.saturating_sub(1).max(1);
                    assert!(lines.len() <= most, "{columns} × {rows}: {lines:?}");
                    let widest = lines.iter().map(|line| line.chars().count()).max();
                    assert!(
                        widest <= Some(columns.max(1)),
                        "{columns} × {rows}: {lines:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn where_there_is_room_all_is_shown() {
        let lines = lines(&text(3, 2), 80, 24);
        let bar = format!("{}{}", "█".repeat(7), "░".repeat(23));
        let expected = [
            &format!("{bar} 250/1000 matches, 75s gone, 4m to go"),
            "",
            "   #  bot                 points score %     Elo   ± 95 %",
            "   1  b1                     7.0    58.3    +105      102  ├─●─┤",
            "   2  b2                     7.0    58.3    +105      102  ├─●─┤",
            "   3  b3                     7.0    58.3    +105      102  ├─●─┤",
            "      faults: 2",
            "",
            "  playing cup/c1/r1/p0/m1: a - b (0 s)",
            "  playing cup/c1/r1/p1/m1: a - b (0 s)",
            "  last    cup/c1/r1/p1/m1: a 3-1 b, a won (normal)",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_test_has_its_line() {
        let mut text = text(2, 1);
        text.test =
            Some("LLR 1.234 (42 %) in (-2.944, 2.944), Elo +3.0 ± 5.1, nElo +5.2 ± 8.8".to_owned());
        for rows in [5, 24] {
            let lines = lines(&text, 80, rows);
            let place = lines
                .iter()
                .position(|line| line.starts_with("  LLR 1.234"));
            assert_eq!(place, Some(lines.len() - 2), "{lines:?}");
        }
    }

    #[test]
    fn where_there_is_none_what_matters_most_is_shown() {
        let lines = lines(&text(40, 100), 40, 10);
        let expected = [
            "█████░░░░░░░░░░░░░░░░ 250/1000, 4m to go",
            "   #  bot                 points score …",
            "   1  b1                     7.0    58.…",
            "   2  b2                     7.0    58.…",
            "   3  b3                     7.0    58.…",
            "      and 37 more; faults: 2",
            "  playing cup/c1/r1/p0/m1: a - b (0 s)",
            "  playing 99 more",
            "  last    cup/c1/r1/p1/m1: a 3-1 b, a w…",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn before_anything_tells_nothing_is_said_of_the_time_to_go() {
        let way = Way {
            over: 0,
            to_go: None,
            ..WAY
        };
        let size = Size {
            columns: 80,
            rows: 2,
        };
        let lines = text(2, 1).lines(way, size);
        assert!(
            lines[0].ends_with(" 0/1000 matches, 75s gone, – to go"),
            "{lines:?}"
        );
    }
}
