use serde::Serialize;

use super::table::DataTable;

/// The resources that a bot's program used, over all its runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramTotal {
    /// The bot.
    pub bot: String,
    /// Number of starts.
    pub starts: u64,
    /// The time that it ran, in milliseconds.
    pub ran_ms: u64,
    /// The time of processors that it took.
    pub cpu_ms: u64,
    /// The most memory that was seen.
    pub peak_kib: u64,
}

/// A table of the resources that the programs used, by bot; empty without programs.
#[must_use]
pub fn programs_text(totals: &[ProgramTotal]) -> String {
    if totals.is_empty() {
        return String::new();
    }
    let table = programs_table(totals);
    format!("\n{}\n{}\n", table.title, table.text())
}

/// The resources that the programs used, as a table.
pub(super) fn programs_table(totals: &[ProgramTotal]) -> DataTable {
    let row = |total: &ProgramTotal| {
        vec![
            total.bot.clone(),
            total.starts.to_string(),
            thousandths(total.cpu_ms),
            percent(total.cpu_ms, total.ran_ms),
            total.peak_kib.div_ceil(1024).to_string(),
        ]
    };
    DataTable {
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
