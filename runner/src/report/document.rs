use super::sheet::Sheet;
use super::tables;
use crate::tournament::{Crosstable, Results, Schedule, standings};

/// What the columns of the tables mean.
const LEGEND: &str = "\
points: a win 1, a draw ½. 95 %: Wilson interval of the score, with the encounter (two matches, \
seats swapped) as the unit. SB: Sonneborn-Berger. H2H: points among those still tied. W-D-L and \
games: won, drawn, lost. void: matches that were called off and count for nobody.";

/// The tables of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    title: String,
    summary: String,
    sheets: Vec<Sheet>,
}

impl Document {
    /// The tables of the results so far. They depend on nothing else: neither on the order in
    /// which the results came nor on when that was.
    #[must_use]
    pub fn new(schedule: &Schedule, results: &Results) -> Self {
        let lines = standings(schedule, results);
        let table = Crosstable::new(schedule, results);
        Self {
            title: schedule.event().name().to_string(),
            summary: summary(schedule, results),
            sheets: vec![
                tables::places(schedule, &lines),
                tables::details(schedule, &lines),
                tables::crosstable(schedule, &lines, &table),
            ],
        }
    }

    /// The tables for a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let sheet = |sheet: &Sheet| format!("{}\n{}\n\n", sheet.title, sheet.text());
        let sheets: String = self.sheets.iter().map(sheet).collect();
        format!("{}: {}\n\n{sheets}{LEGEND}\n", self.title, self.summary)
    }

    /// The tables as a page in Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let sheet = |sheet: &Sheet| format!("## {}\n\n{}\n\n", sheet.title, sheet.markdown());
        let sheets: String = self.sheets.iter().map(sheet).collect();
        format!(
            "# {}\n\n{}\n\n{sheets}{LEGEND}\n",
            self.title,
            capitalised(&self.summary)
        )
    }
}

fn summary(schedule: &Schedule, results: &Results) -> String {
    let event = schedule.event();
    let (rules, bots) = (event.rules(), event.bots().len());
    let cycles = counted(event.cycles() as usize, "cycle", "cycles");
    let troubles = [
        (results.faults(), "fault", "faults"),
        (results.void(), "void match", "void matches"),
    ];
    let troubles: Vec<String> = troubles
        .iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| format!(", {}", counted(*count, one, many)))
        .collect();
    format!(
        "round robin of {bots} bots, {cycles}, {} ({}) to {}, seed {}; {} of {} matches played{}",
        rules.game(),
        rules.variant(),
        rules.target(),
        event.seed(),
        results.played(),
        schedule.matches().len(),
        troubles.concat(),
    )
}

/// A number and what it counts.
pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).chain(['.']).collect()
}
