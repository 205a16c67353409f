use std::collections::BTreeMap;

use dragontooth_games::Seat;
use dragontooth_runner_report::{AllMatchDetails, LuckFigures, MatchDetails, RunPhase};
use dragontooth_runner_tournament::arena::{ArenaState, Contender};
use dragontooth_runner_tournament::{MatchNumber, Results, Schedule, ScheduledMatch};

use crate::MatchFeed;

/// Reports of the run that the painter has not taken yet.
#[derive(Debug)]
pub(crate) struct Inbox {
    pub(crate) phase: RunPhase,
    /// True once nothing is to be painted any more.
    pub(crate) is_closed: bool,
    /// True if somebody has asked for the page since it was last painted.
    pub(crate) is_visited: bool,
    /// True if there are results that are not in `results`, or a state of the arena that is not in `arena`.
    pub(crate) is_behind: bool,
    /// The results, as far as they were asked for.
    pub(crate) results: Option<(Schedule, Results)>,
    /// The details of the matches of earlier sessions.
    pub(crate) recovered: Option<AllMatchDetails>,
    /// The details of the matches since.
    pub(crate) details: Vec<(MatchNumber, MatchDetails)>,
    /// The results without the luck in the dice, at the end of a run.
    pub(crate) luck: Option<LuckFigures>,
    /// By the numbers of the matches, or of the encounters of an arena.
    pub(crate) under_way: BTreeMap<u64, Running>,
    pub(crate) arena: ArenaNews,
    pub(crate) played: usize,
    pub(crate) expected: u64,
}

/// The state of an arena.
#[derive(Debug)]
pub(crate) enum ArenaNews {
    /// The event is not an arena, or has not begun.
    NoArena,
    /// The last state is painted.
    Taken,
    /// The state and those who are present, for the next painting.
    News(Box<ArenaState>, Vec<Contender>),
}

/// A match under way.
#[derive(Clone, Debug)]
pub(crate) struct Running {
    /// Its place in the schedule.
    pub(crate) slot: String,
    /// The names of the bots by seat.
    pub(crate) players: [String; 2],
    pub(crate) feed: MatchFeed,
}

impl Inbox {
    pub(crate) const fn new() -> Self {
        Self {
            phase: RunPhase::Live,
            is_closed: false,
            is_visited: false,
            is_behind: false,
            results: None,
            recovered: None,
            details: Vec::new(),
            luck: None,
            under_way: BTreeMap::new(),
            arena: ArenaNews::NoArena,
            played: 0,
            expected: 0,
        }
    }

    /// Counts the matches.
    pub(crate) fn count(&mut self, schedule: &Schedule, results: &Results) {
        self.played = results.played();
        self.expected = schedule.expected_matches();
    }

    /// These are the results.
    pub(crate) fn take(&mut self, schedule: &Schedule, results: &Results) {
        self.count(schedule, results);
        self.results = Some((schedule.clone(), results.clone()));
        self.is_behind = false;
    }

    /// Returns true once there is something to show.
    pub(crate) const fn has_begun(&self) -> bool {
        self.expected > 0 || !matches!(self.arena, ArenaNews::NoArena)
    }
}

impl Running {
    pub(crate) fn new(schedule: &Schedule, planned: &ScheduledMatch) -> Self {
        let name = |seat| schedule.event().bot(planned.bot(seat)).to_string();
        Self {
            slot: planned.slot.to_string(),
            players: Seat::BOTH.map(name),
            feed: MatchFeed::default(),
        }
    }
}
