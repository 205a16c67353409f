use dragontooth_bots::session::SessionError;
use dragontooth_bots_engines::stdio::EngineFault;

use super::log_excerpt::LogExcerpt;
use dragontooth_runner_programs::ProgramError;
use dragontooth_runner_tournament::Name;

/// Advice about a bot that does not start.
const FORFEIT: &str =
    "\nwith start_failure = \"forfeit\" in [limits] of the event file it loses its matches instead";

/// The reason why a bot cannot play.
#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    /// It lost the service or its seat there.
    #[error("the bot {bot} cannot play on")]
    Session {
        /// The bot.
        bot: Name,
        /// Why.
        source: SessionError,
    },
    /// Its token identifies the player of another bot.
    #[error(
        "{holder} stands for the same player as {other}: each bot needs an identity of its own"
    )]
    SamePlayer {
        /// The holder of the token.
        holder: String,
        /// The other bot's.
        other: String,
    },
    /// Its program cannot be started.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// Its program speaks over standard input and output, and cannot be used.
    #[error("the bot {bot} cannot play: {fault}{log}{}", remedy(fault))]
    Engine {
        /// The bot.
        bot: Name,
        /// The fault.
        fault: EngineFault,
        /// The end of its log.
        log: LogExcerpt,
    },
    /// Its program ended before it had ever taken a seat.
    #[error("the bot {bot} does not start: its program ended: {status}{log}{FORFEIT}")]
    NeverStarted {
        /// The bot.
        bot: Name,
        /// The exit of the program.
        status: String,
        /// The end of its log.
        log: LogExcerpt,
    },
}

/// An engine of another game has started: to have it lose its matches would hide a mistake in the file.
const fn remedy(fault: &EngineFault) -> &'static str {
    if matches!(fault, EngineFault::OtherGame { .. }) {
        ""
    } else {
        FORFEIT
    }
}
