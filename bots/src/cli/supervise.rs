use std::time::Duration;

use dragontooth_bots_engines::supervise::{ResourceLimits, supervise_restarts};

use super::Exit;
use super::arguments::Supervise;
use super::failure::Failure;

/// Keeps an engine in check.
pub(super) fn run(what: &Supervise) -> Result<Exit, Failure> {
    let Some((program, arguments)) = what.words.split_first() else {
        return Err(Failure::usage("there is no program"));
    };
    let grace = Duration::from_millis(what.grace_ms);
    supervise_restarts(program, arguments, ResourceLimits::default(), grace)?;
    Ok(Exit::Done)
}
