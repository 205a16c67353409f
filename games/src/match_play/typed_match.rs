use std::fmt::{Display, Write};
use std::str::FromStr;

use super::opening::{OpenedGame, go_on, refused, start_of};
use super::{
    FinishedGame, InvalidOpening, MAX_OPENING_ENTRIES, Match, MatchPlay, PlayError, Score, Step,
    Target,
};
use crate::chance::Chance;
use crate::{GameOutcome, IllegalAction, Roll as _, Seat, Turn};

/// Initial capacity for a position's text, large enough that most positions need one allocation.
const POSITION_BYTES: usize = 128;

/// Initial capacity for legal actions, large enough for most positions.
const LEGAL_ACTIONS: usize = 32;

/// A match of the game `P` in progress.
#[derive(Clone, Debug)]
pub struct TypedMatch<P: MatchPlay> {
    variant: P::Variant,
    target: Target,
    score: Score,
    game_number: u32,
    rolls: u32,
    opened: Option<OpenedGame<P>>,
    game: Game<P>,
}

/// The current or last game. Its seats are those of its positions.
#[derive(Clone, Copy, Debug)]
enum Game<P> {
    Unplayed,
    Playing {
        position: P,
        opener: Seat,
    },
    Scored {
        position: P,
        opener: Seat,
        outcome: GameOutcome,
    },
}

impl<P: MatchPlay> TypedMatch<P> {
    /// Creates a match in which no game has been played.
    #[must_use]
    pub const fn new(variant: P::Variant, target: Target) -> Self {
        Self {
            variant,
            target,
            score: Score::ZERO,
            game_number: 0,
            rolls: 0,
            opened: None,
            game: Game::Unplayed,
        }
    }

    /// The end of the match if the game just scored ended it.
    fn result(&self) -> Option<Step> {
        let winner = Seat::BOTH
            .into_iter()
            .find(|seat| self.score.of(*seat) >= self.target.points());
        if winner.is_some() {
            return Some(Step::Over { winner });
        }
        let is_last = self
            .games_max()
            .is_some_and(|games| self.game_number >= games);
        is_last.then(|| Step::Over {
            winner: self.score.leader(),
        })
    }

    /// The score by the seats of the game's positions.
    fn side_score(&self) -> Score {
        match self.swapped(Seat::First) {
            Seat::First => self.score,
            Seat::Second => self.score.swapped(),
        }
    }

    /// Converts a seat of the match to a seat of the game's positions, or back.
    fn swapped(&self, seat: Seat) -> Seat {
        if P::sides_are_swapped(self.game_number.max(1)) {
            seat.other()
        } else {
            seat
        }
    }
}

impl<P: MatchPlay> Match for TypedMatch<P> {
    fn game(&self) -> &'static str {
        P::NAME
    }

    fn variant(&self) -> &'static str {
        super::Variant::name(self.variant)
    }

    fn target(&self) -> Target {
        self.target
    }

    fn score(&self) -> Score {
        self.score
    }

    fn least_points(&self) -> u32 {
        match &self.game {
            Game::Unplayed => 1,
            Game::Playing { position, .. } | Game::Scored { position, .. } => {
                position.least_points()
            }
        }
    }

    fn games_max(&self) -> Option<u32> {
        P::games_max(self.target)
    }

    fn game_number(&self) -> u32 {
        self.game_number
    }

    fn side(&self, seat: Seat) -> Seat {
        self.swapped(seat)
    }

    fn position(&self) -> Option<String> {
        match &self.game {
            Game::Unplayed => None,
            Game::Playing { position, .. } | Game::Scored { position, .. } => {
                let mut text = String::with_capacity(POSITION_BYTES);
                write!(text, "{position}").expect("a String takes any text");
                Some(text)
            }
        }
    }

    fn legal_actions(&self) -> Vec<String> {
        let mut actions = Vec::with_capacity(LEGAL_ACTIONS);
        self.for_each_legal_action(&mut |action| actions.push(action.to_string()));
        actions
    }

    fn for_each_legal_action(&self, each: &mut dyn FnMut(&dyn Display)) {
        if let Game::Playing { position, .. } = &self.game {
            position.for_each_legal(|action| each(&action));
        }
    }

    fn offers(&self) -> Vec<String> {
        let mut offers = Vec::new();
        if let Game::Playing { position, .. } = &self.game {
            position.for_each_offer(|offer| offers.push(offer.to_string()));
        }
        offers
    }

    fn rolled(&self) -> Option<String> {
        match &self.game {
            Game::Playing { position, .. } => position.rolled().map(|roll| roll.to_string()),
            Game::Unplayed | Game::Scored { .. } => None,
        }
    }

    fn step(&self) -> Step {
        match &self.game {
            Game::Unplayed => Step::Deal,
            Game::Playing { position, .. } => match position.turn() {
                Turn::Decide(seat) => Step::Decide(self.swapped(seat)),
                Turn::Pass(seat) => Step::Pass(self.swapped(seat)),
                Turn::Chance => Step::Chance,
                Turn::Over(outcome) => Step::Score(GameOutcome {
                    winner: outcome.winner.map(|seat| self.swapped(seat)),
                    ..outcome
                }),
            },
            Game::Scored { .. } => self.result().unwrap_or(Step::Deal),
        }
    }

    fn deal(&self, chance: &mut dyn Chance) -> String {
        let opening = match &self.game {
            Game::Unplayed => match &self.opened {
                Some(opened) => opened.position,
                None => P::first_game(self.variant, self.target, chance),
            },
            Game::Scored {
                position,
                opener,
                outcome,
            } => {
                let finished = FinishedGame {
                    outcome: *outcome,
                    opener: *opener,
                    game_number: self.game_number,
                    variant: self.variant,
                    target: self.target,
                    score: self.side_score(),
                };
                position.next_game(&finished, chance)
            }
            Game::Playing { .. } => panic!("a game is dealt only after the last one is scored"),
        };
        opening.to_string()
    }

    fn open_with(
        &mut self,
        entries: &[String],
        plies: Option<usize>,
    ) -> Result<Vec<String>, InvalidOpening> {
        assert_eq!(
            self.game_number, 0,
            "a match is opened before its first game"
        );
        let Some(first) = entries.first() else {
            return Ok(Vec::new());
        };
        if plies.is_none() && entries.len() > MAX_OPENING_ENTRIES {
            return Err(InvalidOpening::TooLong(entries.len()));
        }
        let (mut position, given) = start_of::<P>(first, self.variant, self.target)?;
        let opener = opener(&position);
        let mut played = Vec::with_capacity(entries.len());
        played.extend(given);
        let from = played.len();
        let mut found = 0;
        for (number, entry) in (1..).zip(entries).skip(from) {
            if plies == Some(found) {
                break;
            }
            go_on(&mut position, number)?;
            let is_action = play_entry(&mut position, entry, &mut played);
            found += usize::from(is_action.map_err(|why| refused::<P>(number, entry, why))?);
            if played.len() > MAX_OPENING_ENTRIES {
                return Err(InvalidOpening::TooLong(played.len()));
            }
        }
        if let Some(plies) = plies.filter(|plies| found < *plies) {
            return Err(InvalidOpening::TooShort { found, plies });
        }
        go_on(&mut position, entries.len() + 1)?;
        self.opened = Some(OpenedGame { position, opener });
        Ok(played)
    }

    fn begin_game(&mut self, position: &str) -> Result<(), PlayError> {
        if self.step() != Step::Deal {
            return Err(PlayError::OutOfStep);
        }
        let position: P = position
            .parse()
            .map_err(|error: P::Err| PlayError::UnreadablePosition(error.to_string()))?;
        let opener = match &self.opened {
            Some(opened) if self.game_number == 0 => opened.opener,
            Some(_) | None => opener(&position),
        };
        self.game = Game::Playing { position, opener };
        self.game_number += 1;
        Ok(())
    }

    fn canonical(&self, action: &str) -> Result<String, PlayError> {
        let Game::Playing { position, .. } = &self.game else {
            return Err(PlayError::OutOfStep);
        };
        let action = position
            .resolve(read_action(position, action)?)
            .map_err(|refusal| illegal(&refusal))?;
        Ok(action.to_string())
    }

    fn play(&mut self, action: &str) -> Result<String, PlayError> {
        let Game::Playing { position, .. } = &mut self.game else {
            return Err(PlayError::OutOfStep);
        };
        let action = read_action(position, action)?;
        let played = position.play(action).map_err(|refusal| illegal(&refusal))?;
        Ok(played.to_string())
    }

    fn pass(&mut self) -> Result<(), PlayError> {
        match &mut self.game {
            Game::Playing { position, .. } if matches!(position.turn(), Turn::Pass(_)) => {
                position.pass();
                Ok(())
            }
            Game::Unplayed | Game::Playing { .. } | Game::Scored { .. } => {
                Err(PlayError::OutOfStep)
            }
        }
    }

    fn rolls(&self) -> u32 {
        self.rolls
    }

    fn draw(&self, chance: &mut dyn Chance) -> String {
        assert_eq!(
            self.step(),
            Step::Chance,
            "a roll is drawn only where it is due"
        );
        let roll = P::Roll::draw(chance).expect("a game whose turn is chance has rolls");
        roll.to_string()
    }

    fn roll(&mut self, roll: &str) -> Result<String, PlayError> {
        let Game::Playing { position, .. } = &mut self.game else {
            return Err(PlayError::OutOfStep);
        };
        let Turn::Chance = position.turn() else {
            return Err(PlayError::OutOfStep);
        };
        let roll = read_roll::<P>(roll)?;
        position.roll(roll);
        self.rolls += 1;
        Ok(roll.to_string())
    }

    fn score_game(&mut self) -> Result<(), PlayError> {
        let Game::Playing { position, opener } = self.game else {
            return Err(PlayError::OutOfStep);
        };
        let Turn::Over(outcome) = position.turn() else {
            return Err(PlayError::OutOfStep);
        };
        if let Some(winner) = outcome.winner {
            self.score.add(self.swapped(winner), outcome.points);
        }
        self.game = Game::Scored {
            position,
            opener,
            outcome,
        };
        Ok(())
    }

    fn boxed_clone(&self) -> Box<dyn Match> {
        Box::new(self.clone())
    }
}

/// The seat that has the first turn of a game.
fn opener<P: MatchPlay>(position: &P) -> Seat {
    match position.turn() {
        Turn::Decide(seat) | Turn::Pass(seat) => seat,
        Turn::Chance | Turn::Over(_) => Seat::First,
    }
}

/// Plays an entry of an opening: a roll where one is due or only has to be chosen, or else an action. Adds it to
/// `played` in canonical notation, after that choice, which is left out where there is none. Returns true for an
/// action that is more than the choice.
fn play_entry<P: MatchPlay>(
    position: &mut P,
    entry: &str,
    played: &mut Vec<String>,
) -> Result<bool, PlayError> {
    let roll = read_roll::<P>(entry);
    let is_choice = |action: &P::Action| Some(*action) == P::ROLL_CHOICE;
    if let (Some(choice), Ok(_)) = (P::ROLL_CHOICE, &roll)
        && position.check(choice).is_ok()
    {
        position.play_unchecked(choice);
        played.push(choice.to_string());
    }
    if let Turn::Chance = position.turn() {
        if entry.parse().is_ok_and(|action| is_choice(&action)) {
            return Ok(false);
        }
        let roll = roll?;
        position.roll(roll);
        played.push(roll.to_string());
        return Ok(false);
    }
    let action = read_action(position, entry)?;
    let action = position.play(action).map_err(|refusal| illegal(&refusal))?;
    played.push(action.to_string());
    Ok(!is_choice(&action))
}

fn read_roll<P: MatchPlay>(roll: &str) -> Result<P::Roll, PlayError> {
    roll.parse()
        .map_err(|error: <P::Roll as FromStr>::Err| PlayError::UnreadableRoll(error.to_string()))
}

fn read_action<P: MatchPlay>(position: &P, action: &str) -> Result<P::Action, PlayError> {
    let Turn::Decide(_) = position.turn() else {
        return Err(PlayError::OutOfStep);
    };
    action
        .parse()
        .map_err(|error: <P::Action as FromStr>::Err| {
            PlayError::UnreadableAction(error.to_string())
        })
}

fn illegal<I: IllegalAction>(illegal: &I) -> PlayError {
    PlayError::Illegal {
        rule: illegal.rule(),
        facts: illegal.to_string(),
    }
}
