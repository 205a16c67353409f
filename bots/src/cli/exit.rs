use std::process::ExitCode;

/// The exit codes, which are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Success, or stopped by a signal.
    Done = 0,
    /// The system refused something: a thread, the output.
    System = 1,
    /// The command line is wrong, or names an unknown game, position or bot.
    Usage = 2,
    /// The service cannot be reached, or not again in time.
    Unreachable = 3,
    /// The service refuses: the token, the match, the request.
    Refused = 4,
    /// Another program started to play with the same token.
    Superseded = 5,
    /// The bot failed and resigned in at least one match, even if a signal stopped it; or the engine cannot be used.
    BotFailed = 6,
    /// The draws of a match do not follow from its seeds.
    Unfair = 7,
}

impl Exit {
    /// The list in the program's help.
    pub(super) const HELP: &str = "\
Exit codes:
  0  done, or stopped by SIGINT or SIGTERM
  1  the system refused something: a thread, the output
  2  the command line is wrong, or names an unknown game, position or bot
  3  the service cannot be reached
  4  the service refuses the token, the match or the request
  5  another program started to play with the same token
  6  the bot failed and resigned in at least one match; or the engine cannot be used
  7  the draws of a match do not follow from its seeds";
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
