//! What the program tells a script at its end.

use std::process::ExitCode;

/// How a run of the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// What was asked for is done; every match was played without a fault.
    Success = 0,
    /// All matches are over, but bots had faults or matches were called off.
    Faults = 1,
    /// The command line or the file is wrong. (The parser of the command line ends the program
    /// with it too.)
    Usage = 2,
    /// The run could not be held or not go on: the folder is in use or belongs to another event,
    /// the service cannot be reached, a program cannot be started, the disk is full.
    CannotRun = 3,
    /// The run was interrupted; the same command goes on with it. (128 and the number of the
    /// signal, as shells have it; SIGTERM counts as SIGINT.)
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
