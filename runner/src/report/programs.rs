use std::collections::BTreeMap;

use super::sheet::Sheet;
use crate::record::ProgramEnd;

/// What the program of a bot took, over all times that it ran.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    starts: u64,
    ran_ms: u64,
    cpu_ms: u64,
    peak_kib: u64,
}

/// A table of what the programs took from the machine, by bot; empty if there are none.
#[must_use]
pub fn programs_text(ends: &[ProgramEnd]) -> String {
    let mut bots: BTreeMap<&str, Taken> = BTreeMap::new();
    for end in ends {
        let taken = bots.entry(&end.bot).or_default();
        taken.starts += 1;
        taken.ran_ms = taken.ran_ms.saturating_add(end.ran_ms);
        taken.cpu_ms = taken.cpu_ms.saturating_add(end.cpu_ms);
        taken.peak_kib = taken.peak_kib.max(end.peak_kib);
    }
    if bots.is_empty() {
        return String::new();
    }
    let rows = bots.iter().map(|(bot, taken)| {
        vec![
            (*bot).to_owned(),
            taken.starts.to_string(),
            thousandths(taken.cpu_ms),
            percent(taken.cpu_ms, taken.ran_ms),
            taken.peak_kib.div_ceil(1024).to_string(),
        ]
    });
    let sheet = Sheet {
        title: "Programs",
        head: ["bot", "starts", "CPU s", "CPU %", "peak MiB"]
            .map(str::to_owned)
            .to_vec(),
        rows: rows.collect(),
        left_columns: 1,
    };
    format!("\n{}\n{}\n", sheet.title, sheet.text())
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
