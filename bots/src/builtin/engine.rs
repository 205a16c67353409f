use std::marker::PhantomData;

use dragontooth_games::Position;

use crate::{Bot, BotError, Budget};

/// A program that plays the game whose positions are `P`.
pub trait Engine<P: Position>: Send {
    /// Chooses one of the legal actions of `position`; none if no seat decides there.
    fn choose(&mut self, position: &P, budget: &Budget) -> Option<P::Action>;
}

/// An engine that reads and writes notation.
#[derive(Debug)]
pub struct TextBot<P, E> {
    engine: E,
    game: PhantomData<fn(P)>,
}

impl<P: Position, E: Engine<P>> TextBot<P, E> {
    /// The bot that chooses what `engine` does.
    pub const fn new(engine: E) -> Self {
        Self {
            engine,
            game: PhantomData,
        }
    }
}

impl<P: Position, E: Engine<P>> Bot for TextBot<P, E> {
    fn choose(&mut self, position: &str, budget: &Budget) -> Result<String, BotError> {
        let parsed: P =
            position
                .parse()
                .map_err(|source: P::Err| BotError::UnreadablePosition {
                    position: position.to_owned(),
                    source: Box::new(source),
                })?;
        let action = self.engine.choose(&parsed, budget);
        action
            .map(|action| action.to_string())
            .ok_or_else(|| BotError::NothingToDecide(position.to_owned()))
    }
}
