use std::process::ExitCode;

/// How the program ends. The numbers are part of what it promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// It did what it was told, or stopped when it was told to.
    Done = 0,
    /// The system refused it something: a thread, its output.
    System = 1,
    /// The command line is wrong, or names a game, a position or a bot that there is not.
    Usage = 2,
    /// The service cannot be reached, or could not be reached again in time.
    Unreachable = 3,
    /// The service refuses: the token, the match, the request.
    Refused = 4,
    /// Another program has begun to play with the same token.
    Superseded = 5,
    /// All was played, but in some match the bot failed and resigned; or an engine cannot be used at
    /// all.
    BotFailed = 6,
    /// What was drawn in a match is not what its seeds want.
    Unfair = 7,
}

impl Exit {
    /// The list for the program's help.
    pub(super) const HELP: &str = "\
Exit codes:
  0  done, or stopped by SIGINT or SIGTERM
  1  the system refused something: a thread, the output
  2  the command line is wrong, or names a game, a position or a bot that there is not
  3  the service cannot be reached
  4  the service refuses the token, the match or the request
  5  another program has begun to play with the same token
  6  all was played, but in some match the bot failed and resigned; or the engine cannot be used
  7  what was drawn in a match is not what its seeds want";
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
