use super::letters::{board_order, piece_of, point_of};
use super::nodes::{Node, Property, games};
use super::{Game, ReadError, ReadFault};
use crate::tzaar::{Action, Due, Kind, Point, Position, Variant};
use crate::{Position as _, Seat, Turn};

/// The most letters of a text from the record that an error repeats.
const QUOTED_LETTERS_MAX: usize = 16;

/// Reads the games of a text, one or more.
///
/// A turn without a second action is one with a pass, unless it is the last: then what should
/// follow it is unknown. Properties that are not known are passed over.
///
/// # Errors
///
/// The first thing in the text that is no record of a game by the rules, with its line.
pub fn read(text: &str) -> Result<Vec<Game>, ReadError> {
    let games = read_with_lines(text)?;
    Ok(games.into_iter().map(|(_, game)| game).collect())
}

/// The games of a text, each with the line on which it begins.
pub(super) fn read_with_lines(text: &str) -> Result<Vec<(usize, Game)>, ReadError> {
    let games = games(text)?;
    let with_line = |nodes: &Vec<Node>| {
        let line = nodes.first().map_or(1, |node| node.line);
        Ok((line, read_game(nodes)?))
    };
    games.iter().map(with_line).collect()
}

fn read_game(nodes: &[Node]) -> Result<Game, ReadError> {
    let [first, turns @ ..] = nodes else {
        return Err(ReadError {
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
    let text = |name| first.value(name).unwrap_or_default().to_owned();
    let mut play = Play {
        position: start,
        actions: Vec::new(),
        resigned: None,
    };
    for node in turns {
        play.turn(node)?;
    }
    Ok(Game {
        variant: variant(first.value("VA").unwrap_or_default(), &start),
        event: text("EV"),
        date: Some(text("DT")).filter(|date| !date.is_empty()),
        players: [text("PW"), text("PB")],
        start,
        actions: play.actions,
        resigned: play.resigned,
    })
}

/// The setup that a record names; where it names none of ours, what the board looks like.
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

/// A game as far as it has been read.
struct Play {
    position: Position,
    actions: Vec<Action>,
    resigned: Option<Seat>,
}

impl Play {
    fn turn(&mut self, node: &Node) -> Result<(), ReadError> {
        let no_turn = || ReadError {
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

    /// What a step says, which does not tell captures from stackings.
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

fn required<'a>(node: &'a Node, name: &'static str) -> Result<&'a Property, ReadError> {
    node.property(name).ok_or(ReadError {
        line: node.line,
        fault: ReadFault::Missing { name },
    })
}

fn fault(property: &Property, fault: ReadFault) -> ReadError {
    ReadError {
        line: property.line,
        fault,
    }
}

fn is_word(text: &str, word: &str) -> bool {
    text.trim().eq_ignore_ascii_case(word)
}

/// The beginning of a text, for an error.
fn quoted(text: &str) -> String {
    text.chars().take(QUOTED_LETTERS_MAX).collect()
}
