use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dragontooth_bots::session::ShareSecret;
use dragontooth_games::Seat;
use dragontooth_runner_live::MatchFeed;
use dragontooth_runner_tournament::{Schedule, ScheduledMatch};
use dragontooth_service::WallClock;
use dragontooth_service_vocabulary::TimeControl;

use super::bots::DirectBot;
use super::direct_match::{DirectError, DirectMatch, Setting};
use super::direct_player::DirectPlayer;
use super::lanes::Lanes;
use crate::adjudicator::EarlyEnd;
use crate::drive::fault_counter::FaultCounter;
use crate::drive::{RunLimits, Venue, VenueError};
use crate::openings::Openings;
use crate::record::{Played, RunDraws};

/// Plays matches of built-in bots and engines without a service.
#[derive(Debug)]
pub(in crate::drive) struct DirectVenue {
    schedule: Arc<Schedule>,
    draws: RunDraws,
    /// Number of restarts that matches have had.
    replays: u32,
    /// In the order of the event's list.
    time_controls: Vec<Option<TimeControl>>,
    openings: Option<Arc<Openings>>,
    lanes: Arc<Lanes>,
    limits: RunLimits,
    fault_counter: FaultCounter,
    clock: WallClock,
    /// True once no result is wanted any more.
    is_broken_off: AtomicBool,
}

impl DirectVenue {
    pub(in crate::drive) fn new(
        schedule: Arc<Schedule>,
        draws: RunDraws,
        time_controls: Vec<Option<TimeControl>>,
        openings: Option<Arc<Openings>>,
        lanes: Arc<Lanes>,
        limits: RunLimits,
        fault_counter: FaultCounter,
    ) -> Self {
        Self {
            schedule,
            draws,
            replays: 0,
            time_controls,
            openings,
            lanes,
            limits,
            fault_counter,
            clock: WallClock::start(),
            is_broken_off: AtomicBool::new(false),
        }
    }

    /// Plays matches that have been restarted `replays` times.
    pub(in crate::drive) fn after(self, replays: u32) -> Self {
        Self { replays, ..self }
    }

    /// Plays a match on this thread.
    fn play_here(
        &self,
        planned: &ScheduledMatch,
        feed: Option<MatchFeed>,
    ) -> Result<Played, DirectError> {
        let schedule = &self.schedule;
        let event = schedule.event();
        let opening = (self.openings.as_ref())
            .map(|openings| openings.of(planned.encounter))
            .transpose()?;
        let seed = self.draws.seed_of(schedule, planned, self.replays);
        let commitment = seed.commitment();
        let share = |seat| {
            let secret = self.draws.bot_secret(event.bot(planned.bot(seat)));
            Some(ShareSecret::new(secret).share(&seed.commitment_text()))
        };
        let title = schedule.title(planned);
        let setting = Setting {
            id: schedule.request_id(planned),
            is_audited: EarlyEnd::of(event, &title).is_audited(),
            title,
            rules: event.rules(),
            shares: Seat::BOTH.map(share),
            seed: seed.text,
            illegal_actions: self.limits.illegal_actions,
            opening: opening
                .as_ref()
                .map_or_else(Vec::new, |opening| opening.entries.clone()),
            time_controls: planned.by_seat(&self.time_controls),
            names: Seat::BOTH.map(|seat| event.bot(planned.bot(seat))),
            stall: self.limits.stall,
            forfeits: self.fault_counter.forfeits(planned, self.limits.max_faults),
            feed,
        };
        let lane = self.lanes.take();
        let player = |seat| match lane.bots()[planned.bot(seat).get()].clone() {
            DirectBot::Builtin(spec) => DirectPlayer::builtin(spec),
            DirectBot::Engines(engines, seed) => DirectPlayer::engine(engines, seed),
        };
        let players = Seat::BOTH.map(player);
        let now = || self.clock.now();
        let begun = DirectMatch::begin(&setting, players, &now)?;
        let mut result = begun.play(&self.is_broken_off)?;
        result.gameplay.seed_commitment = Some(commitment);
        result.gameplay.opening = opening;
        self.fault_counter.count(planned, &result.faults);
        Ok(result)
    }
}

impl Venue for DirectVenue {
    const ON_THREADS: bool = true;

    async fn play(
        &self,
        planned: ScheduledMatch,
        feed: Option<MatchFeed>,
    ) -> Result<Played, VenueError> {
        Ok(self.play_here(&planned, feed)?)
    }

    fn break_off(&self) {
        self.is_broken_off.store(true, Ordering::Relaxed);
    }
}
