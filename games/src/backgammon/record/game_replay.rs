use crate::backgammon::steps::Step;
use crate::backgammon::{Action, CubeLimit, Dice, MATCH_LENGTH_MAX, Position, RESIGNED, Variant};
use crate::match_play::find_variant;
use crate::record::{GameRecord, MatchRecord, RecordStep, RecordWriteError, Thinking};
use crate::{GameOutcome, Position as _, Seat, Turn, counted};

/// The games of a record, replayed by the rules, in the form that the writers need.
pub(super) struct ReplayedMatch {
    /// The number of points that wins the match; 0 for money.
    pub(super) length: u8,
    pub(super) jacoby: bool,
    pub(super) cube_limit: CubeLimit,
    pub(super) games: Vec<ReplayedGame>,
}

pub(super) struct ReplayedGame {
    pub(super) start: Position,
    pub(super) events: Vec<ReplayEvent>,
    pub(super) result: Option<GameResult>,
}

/// A recorded action of a seat. Resignations and their answers, the choice to roll and ties in the
/// opening are left out.
pub(super) struct ReplayEvent {
    pub(super) seat: Seat,
    pub(super) kind: EventKind,
    /// The thoughts of the seat about the action.
    pub(super) thinking: Option<Thinking>,
}

impl ReplayEvent {
    const fn new(seat: Seat, kind: EventKind) -> Self {
        Self {
            seat,
            kind,
            thinking: None,
        }
    }
}

pub(super) enum EventKind {
    /// The dice and the steps played with them, each with true if it hits. An empty list is a pass;
    /// `None` means the dice were not played.
    Roll {
        dice: Dice,
        steps: Option<Vec<(Step, bool)>>,
    },
    /// A double, and the stake it offers.
    Double {
        stake: u32,
    },
    Take,
    Drop,
}

pub(super) struct GameResult {
    pub(super) winner: Seat,
    pub(super) points: u32,
    /// True if the game was neither played to its end nor dropped.
    pub(super) is_resigned: bool,
    pub(super) ends_match: bool,
    /// True if the loser resigned after a roll whose only play wins the game.
    pub(super) resigns_forced_win: bool,
}

impl ReplayedMatch {
    /// Replays the games of a record.
    ///
    /// # Errors
    ///
    /// The record breaks a rule, or does not start as a match does.
    pub(super) fn of(record: &MatchRecord) -> Result<Self, RecordWriteError> {
        let variant = find_variant::<Position>(Some(&record.variant))
            .map_err(|error| inconsistent(0, error.to_string()))?;
        let (length, jacoby, cube_limit) = match variant {
            Variant::Standard => {
                let length = u8::try_from(record.target).unwrap_or(u8::MAX);
                (length, false, CubeLimit::HIGHEST)
            }
            Variant::Money(limit) => (0, false, limit),
            Variant::MoneyJacoby(limit) => (0, true, limit),
        };
        let opening = match variant {
            Variant::Standard => Position::match_start(length),
            Variant::Money(_) | Variant::MoneyJacoby(_) => {
                Some(Position::money(jacoby, cube_limit))
            }
        };
        let mut opening = opening.ok_or_else(|| {
            let target = record.target;
            let why = format!("expected a match to 1 to {MATCH_LENGTH_MAX} points, found {target}");
            inconsistent(0, why)
        });
        let mut games = Vec::new();
        for (number, game) in (1..).zip(&record.games) {
            let (replay, next) = play_game(number, opening?, game)?;
            games.push(replay);
            opening = next.ok_or_else(|| {
                let why = "the match is already over, or the previous game is unfinished";
                inconsistent(number + 1, why.to_owned())
            });
        }
        if record.games.is_empty() {
            opening?;
        }
        Ok(Self {
            length,
            jacoby,
            cube_limit,
            games,
        })
    }
}

/// Replays a game. Also returns the opening of the next game, if there can be one.
fn play_game(
    number: usize,
    opening: Position,
    game: &GameRecord,
) -> Result<(ReplayedGame, Option<Position>), RecordWriteError> {
    let wrong = |why: String| inconsistent(number, why);
    let start: Position = game
        .start
        .parse()
        .map_err(|error: crate::backgammon::ParsePositionError| wrong(error.to_string()))?;
    if start != opening {
        return Err(RecordWriteError::Unsupported(format!(
            "game {number} does not start from {opening}"
        )));
    }
    let mut position = start;
    let mut events = Vec::new();
    for (index, step) in game.steps.iter().enumerate() {
        let is_written = play_step(&mut position, step, &mut events).map_err(wrong)?;
        if let (true, Some(event)) = (is_written, events.last_mut()) {
            event.thinking = game.thinking.get(&index).cloned();
        }
    }
    let outcome = outcome_of(number, &position, game)?;
    let next = outcome.map(|outcome| position.after(&outcome));
    let result = outcome.and_then(|outcome| {
        Some(GameResult {
            winner: outcome.winner?,
            points: outcome.points,
            is_resigned: outcome.reason == RESIGNED,
            resigns_forced_win: position.is_won_by_force(),
            ends_match: next.as_ref().is_some_and(Position::is_match_won),
        })
    });
    let replay = ReplayedGame {
        start,
        events,
        result,
    };
    Ok((replay, next.filter(|next| !next.is_match_won())))
}

/// Plays a step. Returns true if it is an action that the last event is about.
fn play_step(
    position: &mut Position,
    step: &RecordStep,
    events: &mut Vec<ReplayEvent>,
) -> Result<bool, String> {
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
                let kind = EventKind::Roll { dice, steps: None };
                events.push(ReplayEvent::new(seat, kind));
            }
        }
        RecordStep::Pass { seat } => {
            if turn != Turn::Pass(*seat) {
                return Err(format!("seat {seat} does not have to pass"));
            }
            set_steps(events, Vec::new());
            position.pass();
        }
        RecordStep::Action { seat, action } => {
            if turn != Turn::Decide(*seat) {
                return Err(format!("{action}: seat {seat} does not decide here"));
            }
            return play_action(position, *seat, action, events);
        }
    }
    Ok(false)
}

fn play_action(
    position: &mut Position,
    seat: Seat,
    text: &str,
    events: &mut Vec<ReplayEvent>,
) -> Result<bool, String> {
    let before = *position;
    let action: Action = text.parse().map_err(|error| format!("{text}: {error}"))?;
    let action = position
        .play(action)
        .map_err(|illegal| format!("{text}: {illegal}"))?;
    let kind = match action {
        Action::Double => EventKind::Double {
            stake: 2 * before.cube().value(),
        },
        Action::Take => EventKind::Take,
        Action::Drop => EventKind::Drop,
        Action::Play(play) => {
            let steps = before.single_steps(&play);
            set_steps(
                events,
                steps.ok_or_else(|| format!("{text}: no order of its steps is legal"))?,
            );
            return Ok(true);
        }
        Action::Roll | Action::Resign(_) | Action::Accept | Action::Decline => return Ok(false),
    };
    events.push(ReplayEvent::new(seat, kind));
    Ok(true)
}

/// Adds the steps to the last roll.
fn set_steps(events: &mut [ReplayEvent], made: Vec<(Step, bool)>) {
    if let Some(ReplayEvent {
        kind: EventKind::Roll { steps, .. },
        ..
    }) = events.last_mut()
    {
        *steps = Some(made);
    }
}

/// The outcome of a game: by the rules, or otherwise as recorded.
fn outcome_of(
    number: usize,
    position: &Position,
    game: &GameRecord,
) -> Result<Option<GameOutcome>, RecordWriteError> {
    if let Turn::Over(outcome) = position.turn() {
        return match game.outcome {
            Some(recorded)
                if (recorded.winner, recorded.points) != (outcome.winner, outcome.points) =>
            {
                let points = counted(outcome.points, "point");
                let why = format!("the recorded outcome differs from that of the steps, {points}");
                Err(inconsistent(number, why))
            }
            Some(_) | None => Ok(Some(outcome)),
        };
    }
    let Some(recorded) = game.outcome else {
        return Ok(None);
    };
    if recorded.winner.is_none() || position.loss_worth(recorded.points).is_none() {
        let points = counted(recorded.points, "point");
        return Err(RecordWriteError::Unsupported(format!(
            "game {number} is cut short with {points}, which no resignation gives"
        )));
    }
    Ok(Some(GameOutcome {
        winner: recorded.winner,
        points: recorded.points,
        reason: RESIGNED,
    }))
}

impl Position {
    /// Returns true if the player who resigned had only one play of the dice, and it wins.
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

fn inconsistent(game: usize, why: String) -> RecordWriteError {
    RecordWriteError::Inconsistent { game, why }
}
