use std::marker::PhantomData;

use dragontooth_games::Position;
use dragontooth_games::record::Thinking;

use crate::{Bot, BotError, Budget};

/// A bot that chooses from parsed positions of one game.
///
/// [`TextBot`] turns it into a [`Bot`].
pub trait PositionBot<P: Position>: Send {
    /// Chooses one of the legal actions of `position`; `None` if no seat has to decide there.
    fn choose(&mut self, position: &P, budget: &Budget) -> Option<P::Action>;

    /// Takes the bot's thoughts about its last choice: see [`Bot::take_thinking`].
    fn take_thinking(&mut self) -> Option<Thinking> {
        None
    }
}

/// A [`Bot`] that reads and writes notation for a [`PositionBot`].
#[derive(Debug)]
pub struct TextBot<P, B> {
    bot: B,
    game: PhantomData<fn(P)>,
}

impl<P: Position, B: PositionBot<P>> TextBot<P, B> {
    /// Creates a bot that makes the choices of `bot`.
    pub const fn new(bot: B) -> Self {
        Self {
            bot,
            game: PhantomData,
        }
    }
}

impl<P: Position, B: PositionBot<P>> Bot for TextBot<P, B> {
    fn choose(&mut self, position: &str, budget: &Budget) -> Result<String, BotError> {
        let parsed: P =
            position
                .parse()
                .map_err(|source: P::Err| BotError::UnreadablePosition {
                    position: position.to_owned(),
                    source: Box::new(source),
                })?;
        let action = self.bot.choose(&parsed, budget);
        action
            .map(|action| action.to_string())
            .ok_or_else(|| BotError::NothingToDecide(position.to_owned()))
    }

    fn take_thinking(&mut self) -> Option<Thinking> {
        self.bot.take_thinking()
    }
}
