use std::error::Error;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use crate::Turn;

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

    /// Tells whether the seat that decides may play `action`.
    ///
    /// # Errors
    ///
    /// The rule that forbids it.
    fn check(&self, action: Self::Action) -> Result<(), Self::Illegal>;

    /// Plays `action`. Passes that it forces are not played: see [`Turn::Pass`].
    ///
    /// # Errors
    ///
    /// The rule that forbids it; the position is unchanged.
    fn play(&mut self, action: Self::Action) -> Result<(), Self::Illegal> {
        self.check(action)?;
        self.play_unchecked(action);
        Ok(())
    }

    /// Plays an action that is known to be legal. Any other leaves a position without meaning,
    /// but a safe one.
    fn play_unchecked(&mut self, action: Self::Action);

    /// Passes the turn. Only where [`Position::turn`] is [`Turn::Pass`].
    fn pass(&mut self);

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
