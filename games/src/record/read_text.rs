use std::collections::BTreeMap;

use super::headers::{
    COMMITMENT, FIRST_SEED, HEAD_HASH, LINE, OPENING, SECOND_SEED, SEED_GIVEN, SERVER_SEED, SHARED,
    SeedOrigin, TAG, THINKING, YES,
};
use super::opening::opening_entries;
use super::{
    GameRecord, Headers, MatchRecord, RecordOutcome, RecordReadError, RecordStep, Thinking,
};
use crate::{Seat, read_hex};

/// Reads a record and its headers from the text that [`write_text`](super::write_text()) writes.
/// Ignores unknown headers. Control characters in the values of headers count as spaces, and are refused in the
/// players' seeds. Does not check the moves against the rules: see
/// [`verify_draws`](crate::verify::verify_draws()).
///
/// # Errors
///
/// The first line that cannot be parsed.
pub fn read_text(text: &str) -> Result<(MatchRecord, Headers), RecordReadError> {
    // Editors of Windows put a byte order mark before a text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut record = MatchRecord::default();
    let mut headers = Headers::default();
    let mut actions = 0;
    for (content, line) in text.lines().zip(1..) {
        let content = content.trim();
        let done = if content.is_empty() {
            Ok(())
        } else if let Some(header) = content.strip_prefix('[') {
            read_header(header, &mut record, &mut headers)
        } else {
            read_line(content, &mut record, &mut actions)
        };
        done.map_err(|why| RecordReadError { line, why })?;
    }
    if record.game.is_empty() {
        return Err(RecordReadError {
            line: 1,
            why: "the header Game is missing".to_owned(),
        });
    }
    Ok((record, headers))
}

fn read_header(
    header: &str,
    record: &mut MatchRecord,
    headers: &mut Headers,
) -> Result<(), String> {
    let parts = header
        .strip_suffix("\"]")
        .and_then(|header| header.split_once(" \""));
    let (name, value) = parts.ok_or("expected a header such as [Name \"value\"]")?;
    let value = unquoted(value);
    // The bytes of a seed determine the draws.
    if matches!(name, FIRST_SEED | SECOND_SEED) && value.contains(char::is_control) {
        return Err(format!("{name} must not contain control characters"));
    }
    let value = value.replace(char::is_control, " ");
    let seeds = &mut headers.seeds;
    let bytes = || read_hex(&value).ok_or_else(|| format!("{name} must be 64 hexadecimal digits"));
    match name {
        "Match" => headers.match_id = value,
        "Title" => record.title = value,
        "Game" => record.game = value,
        "Variant" => record.variant = value,
        "Target" => {
            let target = value
                .parse()
                .map_err(|_| "Target must be a number of points")?;
            record.target = target;
        }
        "First" => record.players[0] = value,
        "Second" => record.players[1] = value,
        "Date" => record.date = (!value.is_empty()).then_some(value),
        OPENING => record.opening = opening_entries(&value),
        "Result" => headers.result = value,
        THINKING => thinking_of_last(record)?.read_numbers(&value)?,
        LINE => {
            let thinking = thinking_of_last(record)?;
            for action in value.split(", ") {
                thinking
                    .push_line(action)
                    .map_err(|error| error.to_string())?;
            }
        }
        TAG => {
            let (name, value) = value
                .split_once(' ')
                .ok_or("expected a name and its text")?;
            thinking_of_last(record)?
                .push_tag(name, value)
                .map_err(|error| error.to_string())?;
        }
        HEAD_HASH => headers.head_hash = Some(bytes()?),
        FIRST_SEED => seeds.players[0] = value,
        SECOND_SEED => seeds.players[1] = value,
        COMMITMENT => seeds.commitment = Some(bytes()?),
        SERVER_SEED => seeds.server_seed = Some(bytes()?),
        SEED_GIVEN => {
            seeds.origin = match value.as_str() {
                YES => SeedOrigin::Given,
                SHARED => SeedOrigin::Shared,
                _ => SeedOrigin::Drawn,
            };
        }
        _ => {}
    }
    Ok(())
}

/// The thoughts about the last action that was read.
fn thinking_of_last(record: &mut MatchRecord) -> Result<&mut Thinking, String> {
    let game = record.games.last_mut();
    let acted = game.filter(|game| matches!(game.steps.last(), Some(RecordStep::Action { .. })));
    let game = acted.ok_or("expected an action before the thoughts about it")?;
    Ok(game.thinking.entry(game.steps.len() - 1).or_default())
}

/// Reads a line of a game, in which there have been `actions` so far.
fn read_line(line: &str, record: &mut MatchRecord, actions: &mut u32) -> Result<(), String> {
    if let Some(game) = line.strip_prefix("Game ") {
        *actions = 0;
        return read_game(game, record);
    }
    let game = record.games.last_mut().ok_or("no game has started")?;
    if game.outcome.is_some() {
        return Err("the game is over".to_owned());
    }
    if let Some((winner, points)) = line.split_once(" wins ") {
        let winner = match winner {
            "nobody" => None,
            winner => Some(read_seat(winner)?),
        };
        let points = points
            .parse()
            .map_err(|_| "expected a number of points after wins")?;
        game.outcome = Some(RecordOutcome { winner, points });
        return Ok(());
    }
    let (number, step) = read_step(line)?;
    if let Some(number) = number {
        *actions += 1;
        if number.parse() != Ok(*actions) {
            return Err(format!("expected action {actions}"));
        }
    }
    game.steps.push(step);
    Ok(())
}

fn read_game(game: &str, record: &mut MatchRecord) -> Result<(), String> {
    let (number, start) = game
        .split_once(": ")
        .ok_or("expected a game number, a colon and a position")?;
    let due = record.games.len() + 1;
    if number.parse() != Ok(due) {
        return Err(format!("expected game {due}"));
    }
    record.games.push(GameRecord {
        start: start.to_owned(),
        steps: Vec::new(),
        thinking: BTreeMap::new(),
        outcome: None,
    });
    Ok(())
}

/// Reads a step, and the number of an action.
fn read_step(line: &str) -> Result<(Option<&str>, RecordStep), String> {
    let (number, step) = match line.split_once(". ") {
        Some((number, step)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            (Some(number), step.trim_start())
        }
        Some(_) | None => (None, line),
    };
    let (who, what) = step
        .split_once(' ')
        .ok_or("expected a seat and its action, or `roll` and the dice")?;
    let what = what.trim_start().to_owned();
    let step = match (number, who) {
        (None, "roll") => RecordStep::Roll { roll: what },
        (None, who) if what == "--" => RecordStep::Pass {
            seat: read_seat(who)?,
        },
        (Some(_), who) => RecordStep::Action {
            seat: read_seat(who)?,
            action: what,
        },
        (None, _) => return Err("expected a number before the action".to_owned()),
    };
    Ok((number, step))
}

fn read_seat(text: &str) -> Result<Seat, String> {
    text.parse()
        .map_err(|error: crate::ParseSeatError| error.to_string())
}

fn unquoted(value: &str) -> String {
    let mut plain = String::with_capacity(value.len());
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        plain.extend(if letter == '\\' {
            letters.next()
        } else {
            Some(letter)
        });
    }
    plain
}
