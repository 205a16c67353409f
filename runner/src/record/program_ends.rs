use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use dragontooth_runner_report::ProgramTotal;
use serde::{Deserialize, Serialize};

use super::append_line::append_lines;
use super::timestamp::rfc3339;

/// A line of `programs.jsonl`: one time that the program of a bot ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramEnd {
    /// The bot.
    pub bot: String,
    /// The time of its start, RFC 3339, UTC.
    pub started: String,
    /// The time from its start to its exit, in milliseconds.
    pub ran_ms: u64,
    /// Its exit, for people.
    pub status: String,
    /// The limit that it exceeded, for people.
    pub exceeded: Option<String>,
    /// The time of processors that it took, with all that it had started.
    pub cpu_ms: u64,
    /// The most memory that was seen.
    pub peak_kib: u64,
}

/// The file of program exits in the folder `logs`.
#[must_use]
pub fn program_ends_in(logs: &Path) -> PathBuf {
    logs.join("programs.jsonl")
}

impl ProgramEnd {
    /// The program of `bot`, started at `started`, which ran for `ran`.
    #[must_use]
    pub fn new(bot: &str, started: SystemTime, ran: Duration) -> Self {
        Self {
            bot: bot.to_owned(),
            started: rfc3339(started),
            ran_ms: u64::try_from(ran.as_millis()).unwrap_or(u64::MAX),
            status: String::new(),
            exceeded: None,
            cpu_ms: 0,
            peak_kib: 0,
        }
    }

    /// Adds it to a file, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn append(&self, path: &Path) -> io::Result<()> {
        let mut line = serde_json::to_string(self).expect("numbers and texts can all be written");
        line.push('\n');
        append_lines(path, &line)?;
        Ok(())
    }
}

/// Reads the exits of programs from the first `most` lines of a file, in order; none if the file is missing. They are not part of the
/// results: lines that cannot be read, as of a runner that was killed while writing, are skipped.
///
/// # Errors
///
/// The file cannot be read.
pub fn read_program_ends(path: &Path, most: usize) -> io::Result<Vec<ProgramEnd>> {
    if !fs::exists(path)? {
        return Ok(Vec::new());
    }
    let mut ends = Vec::new();
    for line in BufReader::new(File::open(path)?).split(b'\n').take(most) {
        ends.extend(serde_json::from_slice::<ProgramEnd>(&line?).ok());
    }
    Ok(ends)
}

/// The resources that the programs used, by bot.
#[must_use]
pub fn program_totals(ends: &[ProgramEnd]) -> Vec<ProgramTotal> {
    let mut bots: BTreeMap<&str, ProgramTotal> = BTreeMap::new();
    for end in ends {
        let total = bots.entry(&end.bot).or_insert_with(|| ProgramTotal {
            bot: end.bot.clone(),
            starts: 0,
            ran_ms: 0,
            cpu_ms: 0,
            peak_kib: 0,
        });
        total.starts += 1;
        total.ran_ms = total.ran_ms.saturating_add(end.ran_ms);
        total.cpu_ms = total.cpu_ms.saturating_add(end.cpu_ms);
        total.peak_kib = total.peak_kib.max(end.peak_kib);
    }
    bots.into_values().collect()
}

#[cfg(test)]
mod tests {
    use dragontooth_runner_report::programs_text;

    use super::*;

    #[test]
    fn sums_what_a_bot_took_and_keeps_its_peak() {
        assert_eq!(programs_text(&[]), "");
        let end = |bot, cpu_ms, peak_kib| ProgramEnd {
            cpu_ms,
            peak_kib,
            ..ProgramEnd::new(bot, SystemTime::UNIX_EPOCH, Duration::from_secs(10))
        };
        let ends = [end("b", 1230, 2048), end("a", 5, 1), end("b", 770, 1025)];
        let text = programs_text(&program_totals(&ends));
        let rows: Vec<Vec<&str>> = text
            .lines()
            .map(|line| {
                line.split(['│', '┆', ' '])
                    .filter(|cell| !cell.is_empty())
                    .collect()
            })
            .collect();
        assert!(rows.contains(&vec!["a", "1", "0.00", "0", "1"]), "{text}");
        assert!(rows.contains(&vec!["b", "2", "2.00", "10", "2"]), "{text}");
    }
}
