use super::letters::{board_order, piece_of, point_of};
use super::nodes::{Node, Property, games};
use super::{ReadFault, ReadGameError, RecordedGame};
use crate::tzaar::{Action, Due, Kind, Point, Position, Variant};
use crate::{Position as _, Seat, Turn};

/// Maximum number of characters of a record that an error quotes.
const QUOTED_LETTERS_MAX: usize = 16;

/// Reads a text of one or more games.
///
/// A turn without a second action ends with a pass, unless it is the last turn, whose second action
/// may not have been played yet. Ignores unknown properties.
///
/// # Errors
///
/// The first mistake in the text, with its line.
pub fn read(text: &str) -> Result<Vec<RecordedGame>, ReadGameError> {
    let games = read_with_lines(text)?;
    Ok(games.into_iter().map(|(_, game)| game).collect())
}

/// Reads the games of a text, each with the line on which it starts.
pub(super) fn read_with_lines(text: &str) -> Result<Vec<(usize, RecordedGame)>, ReadGameError> {
    let games = games(text)?;
    let with_line = |nodes: &Vec<Node>| {
        let line = nodes.first().map_or(1, |node| node.line);
        Ok((line, read_game(nodes)?))
    };
    games.iter().map(with_line).collect()
}

fn read_game(nodes: &[Node]) -> Result<RecordedGame, ReadGameError> {
    let [first, turns @ ..] = nodes else {
        return Err(ReadGameError {
            line: 1,
            fault: ReadFault::NoTurn,
        });
    };
    let format = required(first, "FF")?;
    if !format.value.eq_ignore_ascii_case("TZAAR") {
        return Err(fault(
            format,
            ReadFault::OtherGame {
                found: quoted(&format.value),
            },
        ));
    }
    let board = required(first, "POS")?;
    let start = read_board(&board.value).map_err(|why| fault(board, why))?;
    let text = |name| simple_text(first.value(name).unwrap_or_default());
    let mut play = GameReader {
        position: start,
        actions: Vec::new(),
        resigned: None,
    };
    for node in turns {
        play.turn(node)?;
    }
    Ok(RecordedGame {
        variant: variant(first.value("VA").unwrap_or_default(), &start),
        event: text("EV"),
        date: Some(text("DT")).filter(|date| !date.is_empty()),
        players: [text("PW"), text("PB")],
        start,
        actions: play.actions,
        resigned: play.resigned,
    })
}

/// The variant that a record names. If it names none of ours, the one that fits the board.
fn variant(name: &str, start: &Position) -> Variant {
    let named = |variant: &Variant| {
        let known = crate::match_play::Variant::name(*variant);
        known.eq_ignore_ascii_case(name)
    };
    let all = <Variant as crate::match_play::Variant>::ALL;
    let by_name = all.iter().copied().find(named);
    let by_board = if *start == Position::fixed() {
        Variant::Fixed
    } else {
        Variant::Random
    };
    by_name.unwrap_or(by_board)
}

fn read_board(text: &str) -> Result<Position, ReadFault> {
    let letters = || text.chars().filter(|letter| !letter.is_whitespace());
    let mut position = Position::empty();
    let found = letters().count();
    if found != 60 {
        return Err(ReadFault::BoardLength { found });
    }
    for (at, letter) in board_order().zip(letters()) {
        let piece = piece_of(letter).ok_or(ReadFault::BoardLetter { found: letter })?;
        position.put(at, piece);
    }
    for seat in Seat::BOTH {
        for kind in Kind::ALL {
            let found = position.units_of(seat, kind).len();
            if found != usize::from(kind.pieces()) {
                return Err(ReadFault::BoardPieces { seat, kind, found });
            }
        }
    }
    position.due = Due::Opening;
    Ok(position)
}

/// A game that is being read.
struct GameReader {
    position: Position,
    actions: Vec<Action>,
    resigned: Option<Seat>,
}

impl GameReader {
    fn turn(&mut self, node: &Node) -> Result<(), ReadGameError> {
        let no_turn = || ReadGameError {
            line: node.line,
            fault: ReadFault::NoTurn,
        };
        let (seat, steps) = match (node.property("W"), node.property("B")) {
            (Some(steps), None) => (Seat::First, steps),
            (None, Some(steps)) => (Seat::Second, steps),
            (None, None) | (Some(_), Some(_)) => return Err(no_turn()),
        };
        self.steps(seat, &steps.value)
            .map_err(|why| fault(steps, why))
    }

    fn steps(&mut self, seat: Seat, steps: &str) -> Result<(), ReadFault> {
        if self.is_over() {
            return Err(ReadFault::AfterTheEnd);
        }
        if is_word(steps, "resign") {
            self.resigned = Some(seat);
            return Ok(());
        }
        if self.position.due() == Due::Second {
            self.play(Action::Pass, "pass")?;
            if self.is_over() {
                return Err(ReadFault::AfterTheEnd);
            }
        }
        let due = self.position.to_move();
        if seat != due {
            return Err(ReadFault::WrongSide { due });
        }
        for (number, step) in steps.split('-').map(str::trim).enumerate() {
            if number > 0 && self.is_over() {
                return Err(ReadFault::AfterTheEnd);
            }
            if number > 0 && self.position.due() != Due::Second {
                let step = quoted(step);
                return Err(ReadFault::TooManySteps { step });
            }
            let action = self.action(step)?;
            self.play(action, step)?;
        }
        Ok(())
    }

    /// The action of a step. The format does not distinguish captures from stackings; the owner of the
    /// target does.
    fn action(&self, step: &str) -> Result<Action, ReadFault> {
        if is_word(step, "pass") {
            return Ok(Action::Pass);
        }
        let [from_file, from_rank, to_file, to_rank] = *step.as_bytes() else {
            let step = quoted(step);
            return Err(ReadFault::Step { step });
        };
        let point = |letters: [u8; 2]| -> Result<Point, ReadFault> {
            if !letters.iter().all(|letter| (b'k'..=b's').contains(letter)) {
                let step = quoted(step);
                return Err(ReadFault::Step { step });
            }
            point_of(letters).ok_or_else(|| ReadFault::Point {
                letters: letters.map(char::from).iter().collect(),
            })
        };
        let from = point([from_file, from_rank])?;
        let to = point([to_file, to_rank])?;
        let is_own = self.position.owner(to) == Some(self.position.to_move());
        Ok(if is_own {
            Action::Stack { from, to }
        } else {
            Action::Capture { from, to }
        })
    }

    fn play(&mut self, action: Action, step: &str) -> Result<(), ReadFault> {
        self.position
            .play(action)
            .map_err(|illegal| ReadFault::Illegal {
                step: quoted(step),
                illegal,
            })?;
        self.actions.push(action);
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.resigned.is_some() || matches!(self.position.turn(), Turn::Over(_))
    }
}

fn required<'a>(node: &'a Node, name: &'static str) -> Result<&'a Property, ReadGameError> {
    node.property(name).ok_or(ReadGameError {
        line: node.line,
        fault: ReadFault::Missing { name },
    })
}

fn fault(property: &Property, fault: ReadFault) -> ReadGameError {
    ReadGameError {
        line: property.line,
        fault,
    }
}

fn is_word(text: &str, word: &str) -> bool {
    text.trim().eq_ignore_ascii_case(word)
}

/// The text of a value for people, in which white space other than a space counts as one.
fn simple_text(value: &str) -> String {
    value.replace(char::is_control, " ")
}

/// The start of a text, for an error.
fn quoted(text: &str) -> String {
    text.chars().take(QUOTED_LETTERS_MAX).collect()
}
