//! The exit codes of the program.

use std::process::ExitCode;

/// The result of a run of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunnerExit {
    /// The command succeeded; every match was played without a fault; a sequential test accepts.
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
    /// The run could not start or continue: the folder is in use or belongs to another event, the
    /// service cannot be reached, a program cannot be started, the disk is full. Or the input cannot be
    /// read, or gives no answer.
    CannotRun,
    /// The first fault of a bot ended the run, as requested, and matches are left; the same command
    /// continues it.
    Stopped,
    /// The run was interrupted; the same command continues it. (128 plus the number of the signal, as
    /// shells report it; SIGTERM and SIGHUP count as SIGINT.)
    Interrupted,
}

impl RunnerExit {
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

impl From<RunnerExit> for ExitCode {
    fn from(exit: RunnerExit) -> Self {
        Self::from(exit.code())
    }
}
