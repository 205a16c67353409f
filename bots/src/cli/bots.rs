use super::failure::Failure;
use super::{Exit, output};
use crate::builtin::BOTS;

/// Lists the built-in bots.
pub(super) fn run() -> Result<Exit, Failure> {
    output::write(|output| {
        for bot in BOTS {
            writeln!(output, "{}: {}", bot.name, bot.summary)?;
            let games: Vec<&str> = bot.games().collect();
            writeln!(output, "  plays {}", games.join(", "))?;
            for option in bot.options {
                let (name, min, max) = (option.name, option.min, option.max);
                writeln!(output, "  {name}: {} ({min} to {max})", option.summary)?;
            }
        }
        Ok(())
    })
}
