use std::time::Duration;

use dragontooth_service_vocabulary::{IllegalActionLimit, MAX_ILLEGAL_ACTIONS};

use super::field::Field;
use super::section::Section;
use super::time_control::MAX_DURATION_MS;

/// The usual number of times that a match that infrastructure has spoilt is played again.
pub const DEFAULT_REPLAYS: u32 = 3;
/// The most times that a match is played again.
pub const MAX_REPLAYS: u32 = 100;

/// The usual number of illegal actions at one decision that lose a match.
pub const DEFAULT_ILLEGAL_ACTIONS: IllegalActionLimit = {
    let Ok(limit) = IllegalActionLimit::new(3) else {
        panic!("3 is a limit on illegal actions")
    };
    limit
};

/// Time limits of the runner where no clock applies, and limits on faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// To take its seat.
    pub join: Duration,
    /// For a decision in a match without clocks.
    pub stall: Duration,
    /// Number of faults after which a bot plays no more and loses its remaining matches; `None` means
    /// no limit.
    pub max_faults: Option<u32>,
    /// Number of illegal actions at one decision that lose the match; `None` means no limit.
    pub illegal_actions: Option<IllegalActionLimit>,
    /// Number of replays of a match that was void through no fault of a bot.
    pub max_replays: u32,
    /// True if the first fault ends the run.
    pub strict: bool,
    /// The consequence of a program that ends before it has ever taken a seat.
    pub start_failure: StartFailure,
}

/// The consequence of a program that ends before it has ever taken a seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartFailure {
    /// The run ends with an error, before a match is lost by it.
    #[default]
    Stop,
    /// The bot loses its matches, as one that crashes later does.
    Forfeit,
}

impl RunLimits {
    /// The usual limits.
    pub const USUAL: Self = Self {
        join: Duration::from_mins(1),
        stall: Duration::from_mins(10),
        max_faults: None,
        illegal_actions: Some(DEFAULT_ILLEGAL_ACTIONS),
        max_replays: DEFAULT_REPLAYS,
        strict: false,
        start_failure: StartFailure::Stop,
    };
}

/// Reads `[limits]`; without it, the usual ones. `direct` is true if there is no service.
pub(super) fn read(field: Option<&Field<'_>>, direct: bool) -> Option<RunLimits> {
    let usual = RunLimits::USUAL;
    let Some(field) = field else {
        return Some(usual);
    };
    let section = Section::of(field)?;
    let join = section.get("join_ms");
    let stall = section.get("decision_ms");
    let faults = section.get("faults");
    let illegal_actions = section.get("illegal_actions");
    let replays = section.get("replays");
    let start_failure = section.get("start_failure");
    section.refuse_others();
    if let Some(field) = replays.as_ref().filter(|_| direct) {
        field.report("is for matches on a service: with direct = true no match is replayed");
    }
    let time = |field: Option<Field<'_>>, usual| match field {
        Some(field) => field
            .integer(1..=MAX_DURATION_MS)
            .map(Duration::from_millis),
        None => Some(usual),
    };
    let (join, stall) = (time(join, usual.join), time(stall, usual.stall));
    let faults = match faults {
        Some(field) => field.count(1..=u32::MAX).map(Some),
        None => Some(usual.max_faults),
    };
    let illegal_actions = match illegal_actions {
        Some(field) => field
            .count(0..=MAX_ILLEGAL_ACTIONS)
            .map(|actions| IllegalActionLimit::new(actions).ok()),
        None => Some(usual.illegal_actions),
    };
    let replays = match replays {
        Some(field) => field.count(0..=MAX_REPLAYS),
        None => Some(usual.max_replays),
    };
    let start_failure = match start_failure {
        Some(field) => read_start_failure(&field),
        None => Some(usual.start_failure),
    };
    Some(RunLimits {
        join: join?,
        stall: stall?,
        max_faults: faults?,
        illegal_actions: illegal_actions?,
        max_replays: replays?,
        strict: false,
        start_failure: start_failure?,
    })
}

fn read_start_failure(field: &Field<'_>) -> Option<StartFailure> {
    match field.text()? {
        "stop" => Some(StartFailure::Stop),
        "forfeit" => Some(StartFailure::Forfeit),
        other => {
            field.report(format!("must be \"stop\" or \"forfeit\", not {other:?}"));
            None
        }
    }
}
