use std::collections::BTreeMap;

use super::read::read_with_lines;
use super::{RecordedGame, write};
use crate::match_play::{Targets, Variant as _, find_variant};
use crate::record::{
    GameRecord, MatchRecord, ReadRecord, RecordFormat, RecordOutcome, RecordReadError, RecordStep,
    RecordWriteError,
};
use crate::tzaar::{Position, Variant};
use crate::{MatchPlay, Position as _, Seat, Turn};

/// Little Golem's record format for whole matches: one game per line.
pub const FORMAT: RecordFormat = RecordFormat {
    name: "little_golem",
    extension: "sgf",
    summary: "Little Golem's record, FF[TZAAR], one game per line; viewers of its games read it.",
    write: write_match,
    read: Some(read_match),
};

fn write_match(record: &MatchRecord) -> Result<String, RecordWriteError> {
    let variant = find_variant::<Position>(Some(&record.variant))
        .map_err(|error| inconsistent(0, error.to_string()))?;
    if record.games.is_empty() {
        let why = "a match without a game".to_owned();
        return Err(RecordWriteError::Unsupported(why));
    }
    let mut text = String::new();
    for (number, game) in (1..).zip(&record.games) {
        let game = game_of(record, variant, number, game)?;
        let line = write(&game).map_err(|error| match error {
            super::WriteGameError::Start => RecordWriteError::Unsupported(error.to_string()),
            super::WriteGameError::Illegal { .. } => inconsistent(number, error.to_string()),
        })?;
        text.push_str(&line);
        text.push('\n');
    }
    Ok(text)
}

fn game_of(
    record: &MatchRecord,
    variant: Variant,
    number: u32,
    game: &GameRecord,
) -> Result<RecordedGame, RecordWriteError> {
    let wrong = |why: String| inconsistent(number, why);
    let start: Position = game
        .start
        .parse()
        .map_err(|error: crate::tzaar::ParsePositionError| wrong(error.to_string()))?;
    let mut position = start;
    let mut actions = Vec::new();
    for step in &game.steps {
        let RecordStep::Action { seat, action } = step else {
            return Err(wrong(
                "the game has no forced passes and no rolls".to_owned(),
            ));
        };
        if *seat != seat_of(position.to_move(), number) {
            return Err(wrong(format!("{action}: it is not seat {seat}'s turn")));
        }
        let action = action
            .parse()
            .map_err(|error: crate::tzaar::ParseActionError| wrong(error.to_string()))?;
        let action = position
            .play(action)
            .map_err(|illegal| wrong(format!("{action}: {illegal}")))?;
        actions.push(action);
    }
    let is_over = matches!(position.turn(), Turn::Over(_));
    let winner = game.outcome.and_then(|outcome| outcome.winner);
    Ok(RecordedGame {
        variant,
        event: record.title.clone(),
        date: record.date.clone(),
        players: Seat::BOTH.map(|side| record.players[seat_of(side, number).index()].clone()),
        start,
        actions,
        resigned: winner
            .filter(|_| !is_over)
            .map(|winner| seat_of(winner, number).other()),
    })
}

fn read_match(text: &str) -> Result<ReadRecord, RecordReadError> {
    let games = read_with_lines(text).map_err(|error| RecordReadError {
        line: error.line,
        why: error.fault.to_string(),
    })?;
    let players = |number: u32, game: &RecordedGame| {
        Seat::BOTH.map(|seat| game.players[seat_of(seat, number).index()].clone())
    };
    let mut record = MatchRecord {
        game: Position::NAME.to_owned(),
        ..MatchRecord::default()
    };
    for (number, (line, game)) in (1..).zip(&games) {
        if number == 1 {
            game.variant.name().clone_into(&mut record.variant);
            record.players = players(1, game);
            record.title.clone_from(&game.event);
            record.date.clone_from(&game.date);
        } else if record.players != players(number, game) {
            return Err(RecordReadError {
                line: *line,
                why: format!("game {number} must have the same players with the sides swapped"),
            });
        }
        if record
            .games
            .last()
            .is_some_and(|game| game.outcome.is_none())
        {
            return Err(RecordReadError {
                line: *line,
                why: format!("game {number} starts, but the previous game is unfinished"),
            });
        }
        record.games.push(game_record(number, game));
    }
    record.target = target(&record.games).ok_or_else(|| RecordReadError {
        line: games.last().map_or(1, |(line, _)| *line),
        why: "the match is too long: a player had already won enough games".to_owned(),
    })?;
    Ok(ReadRecord {
        record,
        game_lines: games.iter().map(|(line, _)| *line).collect(),
        warnings: Vec::new(),
    })
}

fn game_record(number: u32, game: &RecordedGame) -> GameRecord {
    let mut position = game.start;
    let mut steps = Vec::new();
    for action in &game.actions {
        steps.push(RecordStep::Action {
            seat: seat_of(position.to_move(), number),
            action: action.to_string(),
        });
        position.play_unchecked(*action);
    }
    let by_rule = match position.turn() {
        Turn::Over(outcome) => outcome.winner,
        Turn::Decide(_) | Turn::Pass(_) | Turn::Chance => None,
    };
    let winner = by_rule.or(game.resigned.map(Seat::other));
    GameRecord {
        start: game.start.to_string(),
        steps,
        thinking: BTreeMap::new(),
        outcome: winner.map(|winner| RecordOutcome {
            winner: Some(seat_of(winner, number)),
            points: 1,
        }),
    }
}

/// The smallest target that the games before the last one did not reach. The format does not record
/// the target.
fn target(games: &[GameRecord]) -> Option<u32> {
    let before = games.split_last().map_or(games, |(_, before)| before);
    let won = |seat| {
        let outcomes = before.iter().filter_map(|game| game.outcome);
        outcomes
            .filter(|outcome| outcome.winner == Some(seat))
            .count()
    };
    let most = Seat::BOTH.map(won).into_iter().max().unwrap_or_default();
    let mut targets = Targets::STANDARD.usual.iter().copied();
    targets.find(|target| *target as usize > most)
}

/// Converts a side in the game with this number to a seat of the match, or back.
fn seat_of(side: Seat, number: u32) -> Seat {
    if Position::sides_are_swapped(number) {
        side.other()
    } else {
        side
    }
}

fn inconsistent(number: u32, why: String) -> RecordWriteError {
    RecordWriteError::Inconsistent {
        game: number as usize,
        why,
    }
}
