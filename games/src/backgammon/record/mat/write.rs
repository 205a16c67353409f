use std::fmt::Write as _;

use crate::backgammon::CubeLimit;
use crate::backgammon::record::game_replay::{
    EventKind, GameResult, ReplayEvent, ReplayedGame, ReplayedMatch,
};
use crate::record::{MatchRecord, RecordWriteError};
use crate::{Seat, counted};

/// Minimum width of a line, reached with trailing spaces. GNU Backgammon looks for the right player's
/// entry from column 16 even if the line is shorter, and then finds the rest of the previous line.
const LINE_WIDTH_MIN: usize = 18;

/// Writes a match. In each line, seat first's entry is on the left and seat second's on the right.
///
/// # Errors
///
/// The record breaks a rule, or does not start as a match does.
pub(super) fn write(record: &MatchRecord) -> Result<String, RecordWriteError> {
    let replay = ReplayedMatch::of(record)?;
    let mut text = String::new();
    header(&mut text, "Event", &record.title.replace('"', "'"));
    header(&mut text, "EventDate", &date(record.date.as_deref()));
    if replay.length == 0 {
        // The words of eXtreme Gammon.
        let rule = if replay.jacoby { "On" } else { "Off" };
        header(&mut text, "Jacoby", rule);
    }
    if replay.cube_limit != CubeLimit::HIGHEST {
        let limit = replay.cube_limit.value().to_string();
        header(&mut text, "CubeLimit", &limit);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let _ = writeln!(text, " {} point match", replay.length);
    let names = Seat::BOTH.map(|seat| name(seat, &record.players[seat.index()]));
    for (number, game) in (1..).zip(&replay.games) {
        let scores = Seat::BOTH.map(|seat| {
            let points = game.start.points(seat);
            format!("{} : {points}", names[seat.index()])
        });
        let [first, second] = scores;
        let _ = write!(text, "\n Game {number}\n {first:<30}  {second}\n");
        write_game(&mut text, game);
    }
    Ok(text)
}

/// Writes a header, unless its value is empty.
fn header(text: &mut String, name: &str, value: &str) {
    let value = one_line(value);
    if !value.is_empty() {
        let _ = writeln!(text, "; [{name} \"{value}\"]");
    }
}

/// The day written with full stops. Empty unless it is given in the form `2026-11-21`.
fn date(day: Option<&str>) -> String {
    let is_day = |day: &&str| {
        let digits = day
            .bytes()
            .map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
        digits.eq(*b"0000-00-00")
    };
    day.filter(is_day).unwrap_or_default().replace('-', ".")
}

/// The player's name without colons, which end a name in this format, and commas, before which GNU Backgammon
/// cuts off numbers as ratings. If it is empty, the seat's name.
fn name(seat: Seat, name: &str) -> String {
    let name = one_line(name).replace([':', ','], "_");
    if name.is_empty() {
        seat.to_string()
    } else {
        name
    }
}

/// The text in one line, with single spaces.
fn one_line(text: &str) -> String {
    let printed: String = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    printed.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn write_game(text: &mut String, game: &ReplayedGame) {
    let mut lines: Vec<[String; 2]> = Vec::new();
    // Readers play dice without a play if there is only one play, and here it would win the game.
    let leaves_out_roll = game
        .result
        .as_ref()
        .is_some_and(|result| result.resigns_forced_win);
    let written = game.events.len() - usize::from(leaves_out_roll);
    for event in &game.events[..written] {
        let cell = cell(event);
        match (event.seat, lines.last_mut()) {
            (Seat::Second, Some([_, right])) if right.is_empty() => *right = cell,
            (Seat::First, _) => lines.push([cell, String::new()]),
            (Seat::Second, _) => lines.push([String::new(), cell]),
        }
    }
    let wins = game.result.as_ref().map(wins).unwrap_or_default();
    let winner = game.result.as_ref().map(|result| result.winner);
    let mut rest = wins;
    if winner == Some(Seat::Second)
        && let Some([_, right]) = lines.last_mut()
        && right.is_empty()
    {
        *right = std::mem::take(&mut rest);
    }
    for (number, [left, right]) in (1..).zip(lines) {
        let line = format!("{number:>3}) {left:<26}  {right}");
        let _ = writeln!(text, "{:<LINE_WIDTH_MIN$}", line.trim_end());
    }
    if !rest.is_empty() {
        let indent = if winner == Some(Seat::First) { 5 } else { 33 };
        let _ = writeln!(text, "{:indent$}{rest}", "");
    }
}

fn wins(result: &GameResult) -> String {
    let points = counted(result.points, "point");
    let end = if result.ends_match {
        " and the match"
    } else {
        ""
    };
    format!(" Wins {points}{end}")
}

fn cell(event: &ReplayEvent) -> String {
    match &event.kind {
        EventKind::Roll { dice, steps } => {
            let mut cell = format!("{dice}:");
            for (step, hits) in steps.iter().flatten() {
                let star = if *hits { "*" } else { "" };
                let _ = write!(cell, " {}/{}{star}", step.from, step.to());
            }
            cell
        }
        EventKind::Double { stake } => format!(" Doubles => {stake}"),
        EventKind::Take => " Takes".to_owned(),
        EventKind::Drop => " Drops".to_owned(),
    }
}
