use std::error::Error;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use crate::{Roll, Turn};

/// The complete state of one game, from its first action to its outcome.
///
/// `Display` and `FromStr` are the game's position notation and round-trip.
///
/// A random playout, the same for every game:
///
/// ```
/// use dragontooth_games::chance::{Chance, Draws};
/// use dragontooth_games::{GameOutcome, Position, Roll, Turn, linja};
///
/// fn play_out<P: Position>(mut position: P, chance: &mut dyn Chance) -> GameOutcome {
///     loop {
///         match position.turn() {
///             Turn::Over(outcome) => return outcome,
///             Turn::Pass(_) => position.pass(),
///             Turn::Chance => {
///                 let roll = P::Roll::draw(chance).expect("a game with rolls has some");
///                 position.roll(roll);
///             }
///             Turn::Decide(_) => {
///                 let legal = position.legal_actions();
///                 let pick = chance.below(u32::try_from(legal.len()).expect("few actions"));
///                 position.play_unchecked(legal[pick as usize]);
///             }
///         }
///     }
/// }
///
/// let start = linja::Position::start(dragontooth_games::Seat::First);
/// let outcome = play_out(start, &mut Draws::from_text("a seed").deal(1));
/// assert_eq!(outcome.reason, linja::SEPARATED);
/// ```
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
    /// The action that a seat submits at one decision. `Display` and `FromStr` are the action
    /// notation and round-trip.
    type Action: Copy
        + Eq
        + Hash
        + Debug
        + Display
        + FromStr<Err: Error + Send + Sync + 'static>
        + Send
        + Sync
        + 'static;

    /// The reason why an action is refused.
    type Illegal: IllegalAction;

    /// A random event during a game; [`NoRoll`](crate::NoRoll) if the game has none.
    type Roll: Roll;

    /// The next step of the game and the seat that takes it.
    fn turn(&self) -> Turn;

    /// Calls `visit` with every legal action of the seat that decides, in an order that depends
    /// only on the position. Does not allocate. Visits nothing unless the turn is
    /// [`Turn::Decide`].
    fn for_each_legal(&self, visit: impl FnMut(Self::Action));

    /// Calls `visit` with every legal action, in the order of [`Position::for_each_legal`], and the
    /// position that it leads to, before the passes that it forces. A game may do that faster than
    /// by playing each action.
    fn for_each_next(&self, mut visit: impl FnMut(Self::Action, Self)) {
        self.for_each_legal(|action| {
            let mut next = *self;
            next.play_unchecked(action);
            visit(action, next);
        });
    }

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

    /// Calls `visit` with every *offer* that the seat that decides may make. An offer, such as
    /// resigning, is a legal action but not a move of the game, so it is not listed or counted
    /// among the legal actions.
    fn for_each_offer(&self, visit: impl FnMut(Self::Action)) {
        let _ = visit;
    }

    /// Checks that the seat that decides may play `action`, written as it is listed.
    ///
    /// # Errors
    ///
    /// The rule that forbids it.
    fn check(&self, action: Self::Action) -> Result<(), Self::Illegal>;

    /// Returns the action that `action` stands for, in the form in which
    /// [`Position::for_each_legal`] or [`Position::for_each_offer`] lists it. The two differ only
    /// where a game has several notations for one action.
    ///
    /// # Errors
    ///
    /// The rule that forbids it.
    fn resolve(&self, action: Self::Action) -> Result<Self::Action, Self::Illegal> {
        self.check(action)?;
        Ok(action)
    }

    /// Plays `action` and returns it in the form of [`Position::resolve`]. Does not play the passes
    /// that it forces: see [`Turn::Pass`].
    ///
    /// # Errors
    ///
    /// The rule that forbids it; the position is unchanged.
    fn play(&mut self, action: Self::Action) -> Result<Self::Action, Self::Illegal> {
        let action = self.resolve(action)?;
        self.play_unchecked(action);
        Ok(action)
    }

    /// Plays an action that is known to be legal, in the form of [`Position::resolve`]. Any other
    /// action leaves a meaningless but safe position.
    fn play_unchecked(&mut self, action: Self::Action);

    /// Passes the turn. Call it only if [`Position::turn`] is [`Turn::Pass`].
    fn pass(&mut self);

    /// Calls `visit` with one roll for each set of rolls that lead to the same position, and the
    /// size of that set: the sizes add up to the length of [`Roll::ALL`]. Visits nothing unless the
    /// turn is [`Turn::Chance`].
    fn for_each_roll(&self, visit: impl FnMut(Self::Roll, u32)) {
        let _ = visit;
    }

    /// Applies a roll. Call it only if [`Position::turn`] is [`Turn::Chance`].
    fn roll(&mut self, roll: Self::Roll);

    /// The roll to be played at this decision, if there is one.
    fn rolled(&self) -> Option<Self::Roll> {
        None
    }

    /// The position that a legal action leads to, in the notation that an analysis uses for
    /// results. By default that is the game's own notation, after the passes that the action
    /// forces.
    fn result_of(&self, action: Self::Action) -> String {
        let mut next = *self;
        next.play_unchecked(action);
        next.settle();
        next.to_string()
    }

    /// The position in other programs' notations, each with its name.
    fn other_notations(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// The positions that the symmetries of the board make of this one, itself first, with the same seats. The
    /// rules do not tell them apart, so the same play leads from each of them to the same outcome. By default
    /// the board has no symmetry.
    fn images(&self) -> Vec<Self> {
        vec![*self]
    }

    /// Plays the passes that are due and returns their number.
    fn settle(&mut self) -> usize {
        let mut passes = 0;
        while let Turn::Pass(_) = self.turn() {
            self.pass();
            passes += 1;
        }
        passes
    }
}

/// The refusal of a well-formed action. Its text states the facts.
pub trait IllegalAction: Error + Clone + Send + Sync + 'static {
    /// The label of the rule that forbids the action, as on the game's rules page.
    fn rule(&self) -> &'static str;
}
