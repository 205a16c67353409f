use std::collections::BTreeMap;

use serde::Serialize;

use super::sheet::Sheet;
use crate::record::ProgramEnd;

/// What the program of a bot took from the machine, over all times that it ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramTotal {
    /// The bot.
    pub bot: String,
    /// How often the program was started.
    pub starts: u64,
    /// How long it ran.
    pub ran_ms: u64,
    /// The time of processors that it took.
    pub cpu_ms: u64,
    /// The most memory that was seen.
    pub peak_kib: u64,
}

/// What the programs took, by bot.
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

/// A table of what the programs took from the machine, by bot; empty if there are none.
#[must_use]
pub fn programs_text(ends: &[ProgramEnd]) -> String {
    let totals = program_totals(ends);
    if totals.is_empty() {
        return String::new();
    }
    let sheet = programs_sheet(&totals);
    format!("\n{}\n{}\n", sheet.title, sheet.text())
}

/// What the programs took as a table.
pub(super) fn programs_sheet(totals: &[ProgramTotal]) -> Sheet {
    let row = |total: &ProgramTotal| {
        vec![
            total.bot.clone(),
            total.starts.to_string(),
            thousandths(total.cpu_ms),
            percent(total.cpu_ms, total.ran_ms),
            total.peak_kib.div_ceil(1024).to_string(),
        ]
    };
    Sheet {
        title: "Programs",
        head: ["bot", "starts", "CPU s", "CPU %", "peak MiB"]
            .map(str::to_owned)
            .to_vec(),
        rows: totals.iter().map(row).collect(),
        left_columns: 1,
    }
}

/// Milliseconds as seconds.
fn thousandths(ms: u64) -> String {
    format!("{}.{:02}", ms / 1000, ms % 1000 / 10)
}

/// The part that one time is of another.
fn percent(part_ms: u64, whole_ms: u64) -> String {
    let percent = u128::from(part_ms) * 100 / u128::from(whole_ms.max(1));
    percent.to_string()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn sums_what_a_bot_took_and_keeps_its_peak() {
        assert_eq!(programs_text(&[]), "");
        let end = |bot, cpu_ms, peak_kib| ProgramEnd {
            cpu_ms,
            peak_kib,
            ..ProgramEnd::new(bot, SystemTime::UNIX_EPOCH, Duration::from_secs(10))
        };
        let text = programs_text(&[end("b", 1230, 2048), end("a", 5, 1), end("b", 770, 1025)]);
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
