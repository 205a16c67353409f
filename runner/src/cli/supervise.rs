use std::env;
use std::ffi::OsString;
use std::time::Duration;

use clap::Args;
use dragontooth_bots_engines::supervise::namespace::{run_inside, settle};
use dragontooth_bots_engines::supervise::{ResourceLimits, Terms, supervise, supervise_restarts};
use rustix::process::{Pid, getpid};

use super::{Failure, cannot_run};
use crate::exit_code::RunnerExit;

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
    /// Number of processes that it may have at the same time.
    #[arg(long)]
    processes: Option<u64>,
    /// The size of its working folder.
    #[arg(long)]
    disk_mib: Option<u64>,
    /// Run in a PID namespace of its own.
    #[arg(long)]
    namespace: bool,
    /// The process that has made the namespace in which this is the first.
    #[arg(long, value_name = "PID", conflicts_with = "namespace")]
    inside: Option<i32>,
    /// Start no program: only find out whether there can be a namespace.
    #[arg(long)]
    probe: bool,
    /// Start the program whenever that is ordered over the socket that is standard input.
    #[arg(long)]
    keep: bool,
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    words: Vec<OsString>,
}

pub(super) fn run(what: &Supervise) -> Result<RunnerExit, Failure> {
    let allowance = ResourceLimits {
        memory_mib: what.memory_mib,
        cpu_s: what.cpu_s,
        processes: what.processes,
        disk_mib: what.disk_mib,
    };
    let Some((program, arguments)) = what.words.split_first() else {
        return Err((RunnerExit::Usage, "there is no program".into()));
    };
    if what.namespace {
        return enter();
    }
    let supervisor = match what.inside {
        Some(pid) => {
            settle().map_err(cannot_run)?;
            Pid::from_raw(pid)
        }
        None => None,
    };
    if what.probe {
        return Ok(RunnerExit::Success);
    }
    let terms = Terms {
        limits: allowance,
        grace: Duration::from_millis(what.grace_ms),
        supervisor,
    };
    let begin = if what.keep {
        supervise_restarts
    } else {
        supervise
    };
    begin(program, arguments, terms).map_err(cannot_run)?;
    Ok(RunnerExit::Success)
}

/// Runs the same command inside a namespace.
fn enter() -> Result<RunnerExit, Failure> {
    let own = getpid().as_raw_nonzero();
    let mut arguments: Vec<OsString> = env::args_os().skip(1).collect();
    // The first one: behind the options, the program may have an argument of that name.
    if let Some(place) = arguments.iter().position(|word| word == "--namespace") {
        let inside = ["--inside".into(), own.to_string().into()];
        arguments.splice(place..=place, inside);
    }
    let is_done = run_inside(&arguments).map_err(cannot_run)?;
    Ok(if is_done {
        RunnerExit::Success
    } else {
        RunnerExit::CannotRun
    })
}
