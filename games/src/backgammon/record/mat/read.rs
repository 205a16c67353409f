use super::cells::cells;
use super::fault::{Fault, MAT_BYTES_MAX, quoted};
use super::game_reader::GameReader;
use crate::backgammon::{CubeLimit, Position, Variant};
use crate::match_play::Variant as _;
use crate::record::{MatchRecord, ReadRecord, RecordReadError, RecordWarning};
use crate::{MatchPlay as _, Seat};

/// Number of columns between tab stops.
const TAB_COLUMNS: usize = 8;

/// Reads a match or a session of money games, finished or not, and plays it by the rules.
///
/// If a session does not say whether the Jacoby rule applies, it is read without the rule and, if that
/// fails, with it.
///
/// # Errors
///
/// The first line that is not part of a record or breaks a rule; where both readings of a session fail,
/// that of the reading that comes further.
pub(super) fn read(text: &str) -> Result<ReadRecord, RecordReadError> {
    if text.len() > MAT_BYTES_MAX {
        return Err(RecordReadError {
            line: 1,
            why: Fault::TooLong.to_string(),
        });
    }
    let mut without = RecordReader::default();
    let Err(error) = without.all(text) else {
        return Ok(without.finish());
    };
    let is_money = matches!(
        Variant::find(&without.record.variant),
        Some(Variant::Money(_))
    );
    if !is_money || without.jacoby.is_some() {
        return Err(error);
    }
    let mut with = RecordReader {
        jacoby: Some(true),
        ..RecordReader::default()
    };
    match with.all(text) {
        Ok(()) => Ok(with.finish()),
        Err(later) if later.line > error.line => Err(later),
        Err(_) => Err(error),
    }
}

/// A record that is being read.
#[derive(Default)]
struct RecordReader {
    record: MatchRecord,
    game_lines: Vec<usize>,
    warnings: Vec<RecordWarning>,
    jacoby: Option<bool>,
    crawford: Option<bool>,
    cube_limit: Option<CubeLimit>,
    /// The opening of the next game. `None` before the line with the length.
    opening: Option<Position>,
    is_unfinished: bool,
    expected: Expected,
    game: Option<GameReader>,
}

#[derive(Clone, Copy, Default)]
enum Expected {
    #[default]
    Length,
    Game,
    Names,
    Cells,
}

impl RecordReader {
    fn all(&mut self, text: &str) -> Result<(), RecordReadError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut last = 1;
        let at = |line: usize| {
            move |fault: Fault| RecordReadError {
                line: fault.line().unwrap_or(line),
                why: fault.to_string(),
            }
        };
        for (number, line) in (1..).zip(text.lines()) {
            if !line.trim().is_empty() {
                self.line(number, &without_tabs(line)).map_err(at(number))?;
                last = number;
            }
        }
        self.end_game();
        match self.expected {
            Expected::Length => Err(at(last)(Fault::NoLength)),
            Expected::Names => {
                let found = String::new();
                Err(at(last)(Fault::Names { found }))
            }
            Expected::Game | Expected::Cells => Ok(()),
        }
    }

    fn finish(self) -> ReadRecord {
        ReadRecord {
            record: self.record,
            game_lines: self.game_lines,
            warnings: self.warnings,
        }
    }

    fn line(&mut self, number: usize, line: &str) -> Result<(), Fault> {
        let trimmed = line.trim();
        let is_comment =
            !matches!(self.expected, Expected::Names) || names_and_scores(line).is_none();
        if let Some(comment) = trimmed.strip_prefix([';', '#'])
            && is_comment
        {
            return self.comment(comment.trim());
        }
        match self.expected {
            Expected::Length => self.length(trimmed),
            Expected::Game => self.begin_game(number, trimmed),
            Expected::Names => self.names(trimmed),
            Expected::Cells if game_number(trimmed).is_some() => {
                self.end_game();
                self.begin_game(number, trimmed)
            }
            Expected::Cells => {
                let cells = cells(line)?;
                let Some(game) = &mut self.game else {
                    return Err(Fault::GameOver);
                };
                let mut deviations = Vec::new();
                for (seat, cell) in cells {
                    game.play_entry(number, seat, cell, &mut deviations)?;
                }
                let warnings = deviations.into_iter().map(|deviation| RecordWarning {
                    line: number,
                    why: deviation.to_string(),
                });
                self.warnings.extend(warnings);
                Ok(())
            }
        }
    }

    fn comment(&mut self, comment: &str) -> Result<(), Fault> {
        if comment.starts_with("Set Pos=") {
            return Err(Fault::SetUp);
        }
        let header = comment.strip_prefix('[').and_then(|comment| {
            let (name, rest) = comment.split_once('"')?;
            let (value, _) = rest.rsplit_once('"')?;
            Some((name.trim(), value.trim()))
        });
        match header {
            Some(("Event", title)) => title.clone_into(&mut self.record.title),
            Some(("EventDate", date)) => self.record.date = day(date),
            Some(("Jacoby", value)) if matches!(self.expected, Expected::Length) => {
                self.jacoby = yes_or_no(value).or(self.jacoby);
            }
            Some(("Crawford", value)) if matches!(self.expected, Expected::Length) => {
                self.crawford = yes_or_no(value);
            }
            Some(("CubeLimit", value)) if matches!(self.expected, Expected::Length) => {
                self.cube_limit = value.parse().ok().and_then(CubeLimit::of_value);
            }
            Some(("Variation", name)) if !name.eq_ignore_ascii_case("backgammon") => {
                return Err(Fault::Variation {
                    found: quoted(name),
                });
            }
            Some(_) | None => {}
        }
        Ok(())
    }

    /// Reads the line with the length. Ignores unknown lines before it.
    fn length(&mut self, line: &str) -> Result<(), Fault> {
        let words: Vec<String> = line
            .split_whitespace()
            .map(str::to_ascii_lowercase)
            .collect();
        let [number, point, play] = &words[..] else {
            return Ok(());
        };
        if !matches!(&**point, "point" | "points") || play != "match" {
            return Ok(());
        }
        let jacoby = self.jacoby.unwrap_or(false);
        let limit = self.cube_limit.unwrap_or(CubeLimit::HIGHEST);
        let length: Option<u8> = number.parse().ok();
        let (opening, variant, target) = match length {
            Some(0) if jacoby => (
                Some(Position::money(true, limit)),
                Variant::MoneyJacoby(limit),
                1,
            ),
            Some(0) => (
                Some(Position::money(false, limit)),
                Variant::Money(limit),
                1,
            ),
            // To one point no game would be under the rule.
            Some(2..) if self.crawford == Some(false) => return Err(Fault::Crawford),
            Some(length) => {
                let opening = Position::match_start(length);
                (opening, Variant::Standard, u32::from(length))
            }
            None => (None, Variant::Standard, 0),
        };
        if opening.is_none() {
            return Err(Fault::Length {
                found: quoted(number),
            });
        }
        Position::NAME.clone_into(&mut self.record.game);
        variant.name().clone_into(&mut self.record.variant);
        self.record.target = target;
        self.opening = opening;
        self.expected = Expected::Game;
        Ok(())
    }

    fn begin_game(&mut self, number: usize, line: &str) -> Result<(), Fault> {
        let expected = self.record.games.len() + 1;
        let found = game_number(line);
        if found != Some(expected) {
            return Err(match found {
                Some(number) if expected == 1 && number > 1 => Fault::LaterGame { number },
                Some(_) | None => Fault::Game {
                    expected,
                    found: quoted(line),
                },
            });
        }
        let too_many = |why| {
            Err(Fault::GameTooMany {
                number: expected,
                why,
            })
        };
        match self.opening {
            _ if self.is_unfinished => too_many("the previous game is unfinished"),
            Some(opening) if opening.is_match_won() => too_many("the match is over"),
            Some(_) | None => {
                self.game_lines.push(number);
                self.expected = Expected::Names;
                Ok(())
            }
        }
    }

    fn names(&mut self, line: &str) -> Result<(), Fault> {
        let no_names = || Fault::Names {
            found: quoted(line),
        };
        let (players, found) = names_and_scores(line).ok_or_else(no_names)?;
        let opening = self.opening.ok_or_else(no_names)?;
        let known = Seat::BOTH.map(|seat| u32::from(opening.points(seat)));
        let is_first = self.record.games.is_empty();
        if is_first {
            self.record.players = players;
        } else if self.record.players != players {
            return Err(Fault::OtherPlayers);
        }
        if known != found {
            return Err(if is_first {
                Fault::LaterScore { found }
            } else {
                Fault::Score { known, found }
            });
        }
        self.game = Some(GameReader::new(opening));
        self.expected = Expected::Cells;
        Ok(())
    }

    fn end_game(&mut self) {
        if let Some(game) = self.game.take() {
            let (game, next) = game.finish();
            self.record.games.push(game);
            self.is_unfinished = next.is_none();
            self.opening = next.or(self.opening);
        }
    }
}

fn without_tabs(line: &str) -> String {
    let mut text = String::new();
    let mut column = 0;
    for letter in line.chars() {
        if letter == '\t' {
            let spaces = TAB_COLUMNS - column % TAB_COLUMNS;
            text.extend(std::iter::repeat_n(' ', spaces));
            column += spaces;
        } else {
            text.push(letter);
            column += 1;
        }
    }
    text
}

/// The game number, if the line starts a game.
fn game_number(line: &str) -> Option<usize> {
    let (word, number) = line.split_once(char::is_whitespace)?;
    let number = number.trim();
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    let number = number.parse().ok()?;
    (word.eq_ignore_ascii_case("game") && is_number).then_some(number)
}

/// Reads a line such as `Ann : 0   Bob : 1`.
fn names_and_scores(line: &str) -> Option<([String; 2], [u32; 2])> {
    let (first, rest) = line.split_once(':')?;
    let rest = rest.trim_start();
    let (points, rest) = rest.split_once(char::is_whitespace)?;
    let (second, last) = rest.rsplit_once(':')?;
    let scores = [points.parse().ok()?, last.trim().parse().ok()?];
    Some(([first, second].map(|name| name.trim().to_owned()), scores))
}

/// Reads the value of a rule: `On` and `Off` in eXtreme Gammon's files and ours.
fn yes_or_no(value: &str) -> Option<bool> {
    match &*value.to_ascii_lowercase() {
        "1" | "on" | "true" | "yes" => Some(true),
        "0" | "off" | "false" | "no" => Some(false),
        _ => None,
    }
}

/// Reads a date and writes it with hyphens: `2026-11-21`.
fn day(date: &str) -> Option<String> {
    let parts: Vec<&str> = date.split(['.', '-', '/']).collect();
    let [year, month, day] = parts[..] else {
        return None;
    };
    let is_whole = [(year, 4), (month, 2), (day, 2)]
        .iter()
        .all(|(part, length)| {
            part.len() == *length && part.bytes().all(|byte| byte.is_ascii_digit())
        });
    is_whole.then(|| format!("{year}-{month}-{day}"))
}
