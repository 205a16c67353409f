use std::fmt::Write as _;

use super::headers::{HEAD_HASH, LINE, OPENING, TAG, THINKING};
use super::opening::opening_text;
use super::{GameRecord, Headers, MatchRecord, RecordStep, Thinking};
use crate::hex;

/// Writes the record of a match as text that is easy to read and that
/// [`read_text`](super::read_text()) parses: headers, then each game with its opening position, its
/// actions on numbered lines, and its outcome.
#[must_use]
pub fn write_text(record: &MatchRecord, headers: &Headers) -> String {
    let [first, second] = &record.players;
    let mut lines = vec![
        ("Match", headers.match_id.clone()),
        ("Title", record.title.clone()),
        ("Game", record.game.clone()),
        ("Variant", record.variant.clone()),
        ("Target", record.target.to_string()),
        ("First", first.clone()),
        ("Second", second.clone()),
        ("Date", record.date.clone().unwrap_or_default()),
    ];
    if !record.opening.is_empty() {
        lines.push((OPENING, opening_text(&record.opening)));
    }
    lines.extend(headers.seed_lines());
    lines.push(("Result", headers.result.clone()));
    if let Some(hash) = &headers.head_hash {
        lines.push((HEAD_HASH, hex(hash)));
    }
    let mut text = Text(String::new());
    for (name, value) in lines {
        text.header(name, &value);
    }
    for (game, number) in record.games.iter().zip(1..) {
        text.game(game, number);
    }
    text.0
}

struct Text(String);

impl Text {
    fn line(&mut self, line: &str) {
        writeln!(self.0, "{line}").expect("writing to a string does not fail");
    }

    fn header(&mut self, name: &str, value: &str) {
        self.line(&format!("[{name} \"{}\"]", quoted(value)));
    }

    /// Writes the thoughts about the action before them as headers, which readers of earlier versions ignore.
    fn thinking(&mut self, thinking: &Thinking) {
        let numbers = thinking.to_string();
        if !numbers.is_empty() {
            self.header(THINKING, &numbers);
        }
        if !thinking.line().is_empty() {
            self.header(LINE, &thinking.line().join(", "));
        }
        for tag in thinking.tags() {
            self.header(TAG, &format!("{} {}", tag.name, tag.value));
        }
    }

    fn game(&mut self, game: &GameRecord, number: u32) {
        self.line(&format!("\nGame {number}: {}", game.start));
        let mut actions = 0;
        for (index, step) in game.steps.iter().enumerate() {
            match step {
                RecordStep::Action { seat, action } => {
                    actions += 1;
                    self.line(&format!("{actions:>3}. {seat:<6} {action}"));
                }
                RecordStep::Pass { seat } => self.line(&format!("     {seat:<6} --")),
                RecordStep::Roll { roll } => self.line(&format!("     roll   {roll}")),
            }
            if let Some(thinking) = game.thinking.get(&index) {
                self.thinking(thinking);
            }
        }
        if let Some(outcome) = game.outcome {
            let winner = outcome
                .winner
                .map_or("nobody".to_owned(), |winner| winner.to_string());
            self.line(&format!("{winner} wins {}", outcome.points));
        }
    }
}

/// Escapes a value for use between quotation marks in one line.
fn quoted(value: &str) -> String {
    let line = value.replace(char::is_control, " ");
    line.replace('\\', "\\\\").replace('"', "\\\"")
}
