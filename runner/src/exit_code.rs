//! What the program tells a script at its end.

use std::process::ExitCode;

/// How a run of the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// What was asked for is done; every match was played without a fault; a sequential test
    /// accepts.
    Success,
    /// All matches are over, but bots had faults or matches were called off.
    Faults,
    /// A sequential test rejects.
    Rejected,
    /// The command line or the file is wrong. A sequential test ends with [`CannotRun`] for it,
    /// because 2 is what it has found out then.
    ///
    /// [`CannotRun`]: Self::CannotRun
    Usage,
    /// A sequential test has not come to a decision.
    Undecided,
    /// The run could not be held or not go on: the folder is in use or belongs to another event,
    /// the service cannot be reached, a program cannot be started, the disk is full. Or what is to be
    /// looked at cannot be read, or gives no answer.
    CannotRun,
    /// The first fault of a bot has ended the run, as was asked for, and matches are left; the same
    /// command goes on with it.
    Stopped,
    /// The run was interrupted; the same command goes on with it. (128 and the number of the
    /// signal, as shells have it; SIGTERM and SIGHUP count as SIGINT.)
    Interrupted,
}

impl Exit {
    /// The exit code.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Faults | Self::Rejected => 1,
            Self::Usage | Self::Undecided => 2,
            Self::CannotRun => 3,
            Self::Stopped => 4,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
