use std::fmt::Write as _;

use super::game_replay::{EventKind, ReplayedGame, ReplayedMatch};
use crate::Seat;
use crate::backgammon::{BAR, OFF};
use crate::record::{MatchRecord, RecordFormat, RecordWriteError, Thinking};

/// SGF of backgammon, as GNU Backgammon saves matches.
pub const SGF: RecordFormat = RecordFormat {
    name: "sgf",
    extension: "sgf",
    summary: "Smart Game Format, GM[6], one game tree per game; GNU Backgammon loads it.",
    write,
    read: None,
};

/// Writes a match. Seat first is White.
///
/// # Errors
///
/// The record breaks a rule, or does not start as a match does.
fn write(record: &MatchRecord) -> Result<String, RecordWriteError> {
    let replay = ReplayedMatch::of(record)?;
    let mut text = String::new();
    for (number, game) in replay.games.iter().enumerate() {
        write_root(&mut text, record, &replay, number, game);
        for event in &game.events {
            write_event(&mut text, event.seat, &event.kind);
            if let Some(thinking) = &event.thinking {
                property(&mut text, "C", &comment(thinking));
            }
        }
        text.push_str(")\n");
    }
    Ok(text)
}

/// Writes the first node of a game. `number` counts from 0.
fn write_root(
    text: &mut String,
    record: &MatchRecord,
    replay: &ReplayedMatch,
    number: usize,
    game: &ReplayedGame,
) {
    let version = env!("CARGO_PKG_VERSION");
    let _ = write!(text, "(;FF[4]GM[6]CA[UTF-8]AP[Dragontooth:{version}]");
    let [white, black] = Seat::BOTH.map(|seat| game.start.points(seat));
    let length = replay.length;
    let _ = write!(
        text,
        "MI[length:{length}][game:{number}][ws:{white}][bs:{black}]"
    );
    let [white, black] = &record.players;
    property(text, "PW", white);
    property(text, "PB", black);
    if !record.title.is_empty() {
        property(text, "EV", &record.title);
    }
    if let Some(date) = &record.date {
        property(text, "DT", date);
    }
    text.push_str(match (length, replay.jacoby, game.start.is_crawford()) {
        (0, false, _) => "",
        (0, true, _) => "RU[Jacoby]",
        (_, _, false) => "RU[Crawford]",
        (_, _, true) => "RU[Crawford:CrawfordGame]",
    });
    if let Some(result) = &game.result {
        let winner = colour(result.winner);
        let mark = if result.is_resigned { "R" } else { "" };
        let _ = write!(text, "RE[{winner}+{}{mark}]", result.points);
    }
}

fn write_event(text: &mut String, seat: Seat, kind: &EventKind) {
    let colour = colour(seat);
    let _ = match kind {
        EventKind::Roll { dice, steps: None } => write!(text, "\n;PL[{colour}]DI[{dice}]"),
        EventKind::Roll {
            dice,
            steps: Some(steps),
        } => {
            let steps = steps.iter().flat_map(|(step, _)| [step.from, step.to()]);
            let letters: String = steps.map(|place| letter(seat, place)).collect();
            write!(text, "\n;{colour}[{dice}{letters}]")
        }
        EventKind::Double { .. } => write!(text, "\n;{colour}[double]"),
        EventKind::Take => write!(text, "\n;{colour}[take]"),
        EventKind::Drop => write!(text, "\n;{colour}[drop]"),
    };
}

/// The thoughts about an action as the comment of its node, on one line.
fn comment(thinking: &Thinking) -> String {
    let numbers = Some(thinking.to_string()).filter(|numbers| !numbers.is_empty());
    let line = Some(thinking.line()).filter(|line| !line.is_empty());
    let line = line.map(|line| format!("line {}", line.join(", ")));
    let tags = thinking
        .tags()
        .iter()
        .map(|tag| format!("{}: {}", tag.name, tag.value));
    let parts: Vec<_> = numbers.into_iter().chain(line).chain(tags).collect();
    parts.join("; ")
}

const fn colour(seat: Seat) -> char {
    match seat {
        Seat::First => 'W',
        Seat::Second => 'B',
    }
}

/// The letter of a place: `a` to `x` are White's points 1 to 24, `y` is the bar and `z` is off.
const fn letter(seat: Seat, place: u8) -> char {
    match (seat, place) {
        (_, OFF) => 'z',
        (Seat::First, 1..=24) => (b'a' + place - 1) as char,
        (Seat::Second, 1..=24) => (b'x' + 1 - place) as char,
        (_, BAR..) => 'y',
    }
}

/// Writes a property in one line and escapes the characters that would end its value.
fn property(text: &mut String, name: &str, value: &str) {
    let _ = write!(text, "{name}[");
    for letter in value.chars() {
        if matches!(letter, ']' | '\\') {
            text.push('\\');
        }
        text.push(if letter.is_control() { ' ' } else { letter });
    }
    text.push(']');
}
