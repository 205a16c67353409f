use std::ffi::OsString;
use std::time::Duration;

use clap::Args;
use dragontooth_bots_engines::supervise::{ResourceLimits, supervise, supervise_restarts};

use super::{Failure, cannot_run};
use crate::exit_code::Exit;

#[derive(Debug, Args)]
pub(super) struct Supervise {
    /// Time for the program to end after it is asked to, in milliseconds.
    #[arg(long)]
    grace_ms: u64,
    /// The memory that it may take with all that it has started.
    #[arg(long)]
    memory_mib: Option<u64>,
    /// The time of processors that it may take with all that it has started.
    #[arg(long)]
    cpu_s: Option<u64>,
    /// Start the program whenever that is ordered over the socket that is standard input.
    #[arg(long)]
    keep: bool,
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    words: Vec<OsString>,
}

pub(super) fn run(what: &Supervise) -> Result<Exit, Failure> {
    let allowance = ResourceLimits {
        memory_mib: what.memory_mib,
        cpu_s: what.cpu_s,
    };
    let Some((program, arguments)) = what.words.split_first() else {
        return Err((Exit::Usage, "there is no program".into()));
    };
    let grace = Duration::from_millis(what.grace_ms);
    let begin = if what.keep {
        supervise_restarts
    } else {
        supervise
    };
    begin(program, arguments, allowance, grace).map_err(cannot_run)?;
    Ok(Exit::Success)
}
