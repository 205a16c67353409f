use std::error::Error;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use crate::{Roll, Turn};

/// The complete state of one game, from its first action to its outcome.
///
/// `Display` and `FromStr` are the game's position notation and round-trip.
pub trait Position:
    Copy
    + Eq
    + Hash
    + Debug
    + Display
    + FromStr<Err: Error + Send + Sync + 'static>
    + Send
    + Sync
    + 'static
{
    /// What a seat submits at one decision. `Display` and `FromStr` are the action notation and
    /// round-trip.
    type Action: Copy
        + Eq
        + Hash
        + Debug
        + Display
        + FromStr<Err: Error + Send + Sync + 'static>
        + Send
        + Sync
        + 'static;

    /// Why an action is refused.
    type Illegal: IllegalAction;

    /// What chance gives in the course of a game; [`NoRoll`](crate::NoRoll) where it gives nothing.
    type Roll: Roll;

    /// Who has to do what next.
    fn turn(&self) -> Turn;

    /// Calls `visit` with every legal action of the seat that decides, in an order that depends
    /// on the position alone. Allocates nothing. There is none unless the turn is
    /// [`Turn::Decide`].
    fn for_each_legal(&self, visit: impl FnMut(Self::Action));

    /// The number of legal actions.
    fn count_legal(&self) -> usize {
        let mut count = 0;
        self.for_each_legal(|_| count += 1);
        count
    }

    /// The legal actions, in the order of [`Position::for_each_legal`].
    fn legal_actions(&self) -> Vec<Self::Action> {
        let mut actions = Vec::new();
        self.for_each_legal(|action| actions.push(action));
        actions
    }

    /// Calls `visit` with every *offer* that the seat that decides may make: an action that is
    /// legal but no move of the game, such as to resign it, and is therefore not among the legal
    /// actions that are listed and counted.
    fn for_each_offer(&self, visit: impl FnMut(Self::Action)) {
        let _ = visit;
    }

    /// Tells whether the seat that decides may play `action`.
    ///
    /// # Errors
    ///
    /// The rule that forbids it.
    fn check(&self, action: Self::Action) -> Result<(), Self::Illegal>;

    /// The action, as [`Position::for_each_legal`] or [`Position::for_each_offer`] gives it, that
    /// `action` stands for. They differ only where a game has several notations for one action.
    ///
    /// # Errors
    ///
    /// The rule that forbids it.
    fn resolve(&self, action: Self::Action) -> Result<Self::Action, Self::Illegal> {
        self.check(action)?;
        Ok(action)
    }

    /// Plays `action` and gives it as [`Position::resolve`] does. Passes that it forces are not
    /// played: see [`Turn::Pass`].
    ///
    /// # Errors
    ///
    /// The rule that forbids it; the position is unchanged.
    fn play(&mut self, action: Self::Action) -> Result<Self::Action, Self::Illegal> {
        let action = self.resolve(action)?;
        self.play_unchecked(action);
        Ok(action)
    }

    /// Plays an action that is known to be legal, as [`Position::resolve`] gives it. Any other
    /// leaves a position without meaning, but a safe one.
    fn play_unchecked(&mut self, action: Self::Action);

    /// Passes the turn. Only where [`Position::turn`] is [`Turn::Pass`].
    fn pass(&mut self);

    /// Calls `visit` with every roll that makes a difference here and the number of rolls of
    /// [`Roll::ALL`] that it stands for. There is none unless the turn is [`Turn::Chance`].
    fn for_each_roll(&self, visit: impl FnMut(Self::Roll, u32)) {
        let _ = visit;
    }

    /// Goes on by what chance gave. Only where [`Position::turn`] is [`Turn::Chance`].
    fn roll(&mut self, roll: Self::Roll);

    /// What chance gave for the decision that is due.
    fn rolled(&self) -> Option<Self::Roll> {
        None
    }

    /// The position that a legal action leads to, in the notation in which an analysis gives
    /// results: the game's own, after the passes that the action forces.
    fn result_of(&self, action: Self::Action) -> String {
        let mut next = *self;
        next.play_unchecked(action);
        next.settle();
        next.to_string()
    }

    /// The position in the notations of other programs, each with its name.
    fn other_notations(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Plays the passes that are due and tells how many they were.
    fn settle(&mut self) -> usize {
        let mut passes = 0;
        while let Turn::Pass(_) = self.turn() {
            self.pass();
            passes += 1;
        }
        passes
    }
}

/// A refusal of a well-formed action: its text gives the facts.
pub trait IllegalAction: Error + Clone + Send + Sync + 'static {
    /// The rule that forbids the action, by its name on the game's rules page.
    fn rule(&self) -> &'static str;
}
