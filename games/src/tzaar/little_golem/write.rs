use std::fmt::Write as _;

use super::letters::{board_order, letter_of, letters_of};
use super::{RecordedGame, WriteGameError};
use crate::tzaar::{Action, Due, Position};
use crate::{Position as _, Seat};

/// Writes a game as one line, without a line end.
///
/// Placements are written as the resulting board, since the format cannot express their order.
///
/// # Errors
///
/// The game cannot be written in this format.
pub fn write(game: &RecordedGame) -> Result<String, WriteGameError> {
    let (start, placements) = board_before_the_opening(game)?;
    let mut text = String::from("(;FF[TZAAR]");
    let variant = crate::match_play::Variant::name(game.variant).to_ascii_uppercase();
    let [white, black] = &game.players;
    property(&mut text, "VA", &variant);
    property(&mut text, "EV", &game.event);
    property(&mut text, "PB", black);
    property(&mut text, "PW", white);
    property(&mut text, "POS", &board(&start));
    property(&mut text, "SO", "Dragontooth");
    if let Some(date) = &game.date {
        property(&mut text, "DT", date);
    }
    let mut position = start;
    for (index, action) in (placements..).zip(&game.actions[placements..]) {
        text.push_str(match position.due() {
            Due::Second => "-",
            Due::First | Due::Opening | Due::Placement => turn_of(position.to_move()),
        });
        position
            .play(*action)
            .map_err(|illegal| WriteGameError::Illegal { index, illegal })?;
        step(&mut text, *action);
        if position.due() != Due::Second {
            text.push(']');
        }
    }
    if position.due() == Due::Second {
        text.push(']');
    }
    if let Some(seat) = game.resigned {
        text.push_str(turn_of(seat));
        text.push_str("resign]");
    }
    text.push(')');
    Ok(text)
}

/// The full board before the opening capture, and the number of placements that led to it.
fn board_before_the_opening(game: &RecordedGame) -> Result<(Position, usize), WriteGameError> {
    let mut position = game.start;
    let mut placements = 0;
    while position.due() == Due::Placement {
        let action = game.actions.get(placements).ok_or(WriteGameError::Start)?;
        position
            .play(*action)
            .map_err(|illegal| WriteGameError::Illegal {
                index: placements,
                illegal,
            })?;
        placements += 1;
    }
    if position.due() == Due::Opening {
        Ok((position, placements))
    } else {
        Err(WriteGameError::Start)
    }
}

fn board(start: &Position) -> String {
    let units = board_order().filter_map(|at| start.unit(at));
    units.map(|unit| letter_of(unit.seat, unit.kind)).collect()
}

const fn turn_of(seat: Seat) -> &'static str {
    match seat {
        Seat::First => ";W[",
        Seat::Second => ";B[",
    }
}

/// Writes an action, other than a placement.
fn step(text: &mut String, action: Action) {
    match action {
        Action::Capture { from, to } | Action::Stack { from, to } => {
            text.extend([from, to].into_iter().flat_map(letters_of));
        }
        Action::Pass | Action::Place { .. } => text.push_str("pass"),
    }
}

/// Writes a property and escapes the characters that would end its value.
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
