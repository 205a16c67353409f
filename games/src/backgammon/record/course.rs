use crate::backgammon::steps::Step;
use crate::backgammon::{Action, Dice, MATCH_LENGTH_MAX, Position, RESIGNED, Variant};
use crate::match_play::find_variant;
use crate::record::{GameRecord, MatchRecord, RecordStep, WriteError};
use crate::{GameOutcome, Position as _, Seat, Turn};

/// What happened in the games of a record, as the rules take it.
pub(super) struct Course {
    /// The points that win the match; 0 for money.
    pub(super) length: u8,
    pub(super) jacoby: bool,
    pub(super) games: Vec<GameCourse>,
}

pub(super) struct GameCourse {
    pub(super) start: Position,
    pub(super) events: Vec<Event>,
    pub(super) result: Option<GameResult>,
}

/// What a seat did that a record tells. Answers to resignations and ties in the opening are left out.
pub(super) struct Event {
    pub(super) seat: Seat,
    pub(super) what: What,
}

pub(super) enum What {
    /// The dice, and the steps that were made with them, each with whether it hits: none at all
    /// if there was no choice but to pass, nothing if they were not played.
    Roll {
        dice: Dice,
        steps: Option<Vec<(Step, bool)>>,
    },
    /// A double, and the stake that it offers.
    Double {
        stake: u32,
    },
    Take,
    Drop,
}

pub(super) struct GameResult {
    pub(super) winner: Seat,
    pub(super) points: u32,
    /// Whether it was neither played to its end nor dropped.
    pub(super) is_resigned: bool,
    pub(super) ends_match: bool,
    /// Whether the loser resigned with dice rolled of which the only play wins.
    pub(super) is_of_a_winning_roll: bool,
}

impl Course {
    /// Plays the games of a record.
    ///
    /// # Errors
    ///
    /// The record is against the rules, or does not begin as matches do.
    pub(super) fn of(record: &MatchRecord) -> Result<Self, WriteError> {
        let variant = find_variant::<Position>(Some(&record.variant))
            .map_err(|error| inconsistent(0, error.to_string()))?;
        let (length, jacoby) = match variant {
            Variant::Standard => (u8::try_from(record.target).unwrap_or(u8::MAX), false),
            Variant::Money => (0, false),
            Variant::MoneyJacoby => (0, true),
        };
        let opening = match variant {
            Variant::Standard => Position::match_start(length),
            Variant::Money | Variant::MoneyJacoby => Some(Position::money(jacoby)),
        };
        let mut opening = opening.ok_or_else(|| {
            let target = record.target;
            let why = format!("a match is to 1 to {MATCH_LENGTH_MAX} points; found {target}");
            inconsistent(0, why)
        });
        let mut games = Vec::new();
        for (number, game) in (1..).zip(&record.games) {
            let (course, next) = play_game(number, opening?, game)?;
            games.push(course);
            opening = next.ok_or_else(|| {
                let why = "the match was over before, or the game before has no end";
                inconsistent(number + 1, why.to_owned())
            });
        }
        if record.games.is_empty() {
            opening?;
        }
        Ok(Self {
            length,
            jacoby,
            games,
        })
    }
}

/// The course of a game, and the opening of the next one if there can be one.
fn play_game(
    number: usize,
    opening: Position,
    game: &GameRecord,
) -> Result<(GameCourse, Option<Position>), WriteError> {
    let wrong = |why: String| inconsistent(number, why);
    let start: Position = game
        .start
        .parse()
        .map_err(|error: crate::backgammon::ParsePositionError| wrong(error.to_string()))?;
    if start != opening {
        return Err(WriteError::Unsayable(format!(
            "game {number} starts from another position than {opening}"
        )));
    }
    let mut position = start;
    let mut events = Vec::new();
    for step in &game.steps {
        play_step(&mut position, step, &mut events).map_err(wrong)?;
    }
    let outcome = outcome_of(number, &position, game)?;
    let next = outcome.map(|outcome| position.after(&outcome));
    let result = outcome.and_then(|outcome| {
        Some(GameResult {
            winner: outcome.winner?,
            points: outcome.points,
            is_resigned: outcome.reason == RESIGNED,
            is_of_a_winning_roll: position.is_won_by_force(),
            ends_match: next.as_ref().is_some_and(Position::is_match_won),
        })
    });
    let course = GameCourse {
        start,
        events,
        result,
    };
    Ok((course, next.filter(|next| !next.is_match_won())))
}

fn play_step(
    position: &mut Position,
    step: &RecordStep,
    events: &mut Vec<Event>,
) -> Result<(), String> {
    let turn = position.turn();
    match step {
        RecordStep::Roll { roll } => {
            let dice: Dice = roll
                .parse()
                .map_err(|error| format!("roll {roll}: {error}"))?;
            if turn != Turn::Chance {
                return Err(format!("roll {roll}: no roll is due"));
            }
            let is_opening = position.mover().is_none();
            position.roll(dice);
            if let (Some(seat), Some(dice)) = (position.mover(), position.rolled()) {
                let ordered = Dice::new(dice.high(), dice.low());
                let dice = ordered.filter(|_| is_opening).unwrap_or(dice);
                let what = What::Roll { dice, steps: None };
                events.push(Event { seat, what });
            }
        }
        RecordStep::Pass { seat } => {
            if turn != Turn::Pass(*seat) {
                return Err(format!("no pass of seat {seat} is due"));
            }
            set_steps(events, Vec::new());
            position.pass();
        }
        RecordStep::Action { seat, action } => {
            if turn != Turn::Decide(*seat) {
                return Err(format!("{action}: it is no decision of seat {seat}"));
            }
            play_action(position, *seat, action, events)?;
        }
    }
    Ok(())
}

fn play_action(
    position: &mut Position,
    seat: Seat,
    text: &str,
    events: &mut Vec<Event>,
) -> Result<(), String> {
    let before = *position;
    let action: Action = text.parse().map_err(|error| format!("{text}: {error}"))?;
    let action = position
        .play(action)
        .map_err(|illegal| format!("{text}: {illegal}"))?;
    let what = match action {
        Action::Double => What::Double {
            stake: 2 * before.cube().value(),
        },
        Action::Take => What::Take,
        Action::Drop => What::Drop,
        Action::Play(play) => {
            let steps = before.single_steps(&play);
            set_steps(
                events,
                steps.ok_or_else(|| format!("{text} has no order of steps"))?,
            );
            return Ok(());
        }
        Action::Roll | Action::Resign(_) | Action::Accept | Action::Decline => return Ok(()),
    };
    events.push(Event { seat, what });
    Ok(())
}

/// Puts the steps to the last roll.
fn set_steps(events: &mut [Event], made: Vec<(Step, bool)>) {
    if let Some(Event {
        what: What::Roll { steps, .. },
        ..
    }) = events.last_mut()
    {
        *steps = Some(made);
    }
}

/// How a game ended: by the rules, or else as the record tells.
fn outcome_of(
    number: usize,
    position: &Position,
    game: &GameRecord,
) -> Result<Option<GameOutcome>, WriteError> {
    if let Turn::Over(outcome) = position.turn() {
        return match game.outcome {
            Some(told) if (told.winner, told.points) != (outcome.winner, outcome.points) => {
                let points = outcome.points;
                let why = format!("its outcome is not that of its steps, {points} points");
                Err(inconsistent(number, why))
            }
            Some(_) | None => Ok(Some(outcome)),
        };
    }
    let Some(told) = game.outcome else {
        return Ok(None);
    };
    if told.winner.is_none() || position.loss_worth(told.points).is_none() {
        let points = told.points;
        return Err(WriteError::Unsayable(format!(
            "game {number} ends before its end with {points} points, which no resignation gives"
        )));
    }
    Ok(Some(GameOutcome {
        winner: told.winner,
        points: told.points,
        reason: RESIGNED,
    }))
}

impl Position {
    /// Whether the dice of a player who resigned have one play alone, and that one wins.
    fn is_won_by_force(&self) -> bool {
        let mut played = self.without_resignation();
        if played.rolled().is_none() {
            return false;
        }
        match played.legal_actions()[..] {
            [only] => {
                played.play_unchecked(only);
                matches!(played.turn(), Turn::Over(_))
            }
            [..] => false,
        }
    }
}

fn inconsistent(game: usize, why: String) -> WriteError {
    WriteError::Inconsistent { game, why }
}
