use std::sync::Arc;

use dragontooth_games::Seat;
use dragontooth_runner_live::MatchFeed;
use dragontooth_runner_tournament::{Schedule, ScheduledMatch};
use dragontooth_service_client::Client;
use dragontooth_service_vocabulary::{NewMatch, TimeControl};
use uuid::Uuid;

use super::fault_counter::FaultCounter;
use super::outage::Outage;
use super::players::Player;
use super::seated_match::SeatedMatch;
use super::turns::Turns;
use super::watched_match::WatchError;
use super::{RunLimits, Venue, VenueError};
use crate::adjudicator::EarlyEnd;
use crate::openings::{Opening, Openings};
use crate::record::{Played, RunDraws, ServiceKind};

/// Plays matches on a service.
#[derive(Debug)]
pub(super) struct GrpcVenue {
    /// The runner's connections, at least one; the matches are spread over them.
    pub(super) clients: Vec<Client>,
    /// Determines the titles of the matches.
    pub(super) schedule: Schedule,
    /// The id of the run directory. Without one, an earlier version may have created matches from the schedule alone.
    pub(super) run_id: Option<String>,
    /// Determines their seeds.
    pub(super) draws: RunDraws,
    /// Number of restarts that matches begin after: that of a match that is played once more.
    pub(super) replays: u32,
    /// The time control of each bot, in the order of the event's list.
    pub(super) time_controls: Vec<Option<TimeControl>>,
    pub(super) openings: Option<Arc<Openings>>,
    pub(super) limits: RunLimits,
    pub(super) fault_counter: FaultCounter,
    pub(super) outage: Outage,
    /// The service that the clients are connected to.
    pub(super) service: ServiceKind,
    /// The players, in the order of the event's list.
    pub(super) players: Vec<Player>,
}

impl Venue for GrpcVenue {
    async fn play(
        &self,
        planned: ScheduledMatch,
        feed: Option<MatchFeed>,
    ) -> Result<Played, VenueError> {
        let turns = Turns::take(Seat::BOTH.map(|seat| self.player(&planned, seat))).await;
        let opening = (self.openings.as_ref())
            .map(|openings| openings.of(planned.encounter))
            .transpose()?;
        let played = self.follow(&planned, opening.as_ref(), feed, &turns).await;
        turns.end(&played);
        Ok(played?)
    }

    async fn news(&self) -> String {
        self.outage.news().await
    }
}

impl GrpcVenue {
    /// Plays a match. If it was aborted through no fault of a bot, plays it again within the limit.
    async fn follow(
        &self,
        planned: &ScheduledMatch,
        opening: Option<&Opening>,
        feed: Option<MatchFeed>,
        turns: &Turns,
    ) -> Result<Played, WatchError> {
        let mut replays = self.replays;
        loop {
            let shown = feed.clone();
            let played = self.attempt(planned, opening, replays, shown).await;
            let spoilt = match &played {
                Ok(played) => played.is_void() && played.faults.is_empty(),
                Err(error) => error.is_infrastructure(),
            };
            if spoilt && replays < self.limits.max_replays {
                replays += 1;
                // Another match, also for programs that play one each.
                turns.renew().await;
                continue;
            }
            let mut played = Played { replays, ..played? };
            let seed = self.draws.seed_of(&self.schedule, planned, replays);
            played.gameplay.seed_commitment = Some(seed.commitment());
            played.gameplay.opening = opening.cloned();
            self.fault_counter.count(planned, &played.faults);
            return Ok(played);
        }
    }

    async fn attempt(
        &self,
        planned: &ScheduledMatch,
        opening: Option<&Opening>,
        replays: u32,
        feed: Option<MatchFeed>,
    ) -> Result<Played, WatchError> {
        let client = &self.clients[planned.number.get() % self.clients.len()];
        let new = NewMatch {
            opening: opening.map_or_else(Vec::new, |opening| opening.entries.clone()),
            ..self.new_match(planned, replays)
        };
        let seated = SeatedMatch {
            client,
            outage: &self.outage,
            players: Seat::BOTH.map(|seat| self.player(planned, seat)),
            limits: self.limits,
            early_end: EarlyEnd::of(self.schedule.event(), &self.schedule.title(planned)),
            service: self.service,
        };
        let forfeits = self.fault_counter.forfeits(planned, self.limits.max_faults);
        seated.play(new, forfeits, feed).await
    }

    fn player(&self, planned: &ScheduledMatch, seat: Seat) -> &Player {
        &self.players[planned.bot(seat).get()]
    }

    fn new_match(&self, planned: &ScheduledMatch, replays: u32) -> NewMatch {
        let rules = self.schedule.event().rules();
        let mut request_id = self.schedule.request_id(planned);
        if let Some(run_id) = &self.run_id {
            request_id = Uuid::new_v5(&request_id, run_id.as_bytes());
        }
        if replays > 0 {
            // Another match.
            request_id = Uuid::new_v5(&request_id, format!("replay {replays}").as_bytes());
        }
        let request_id = request_id.to_string();
        let seed = self.draws.seed_of(&self.schedule, planned, replays);
        let title = self.schedule.title(planned).parse();
        NewMatch {
            variant: Some(rules.variant().to_owned()),
            time_controls: planned.by_seat(&self.time_controls),
            seed: Some(seed.shared()),
            title: title.expect("a name and a slot are a title"),
            reserved: Seat::BOTH.map(|seat| Some(self.player(planned, seat).id)),
            request_id: Some(request_id.parse().expect("a UUID is a request id")),
            illegal_action_limit: self.limits.illegal_actions,
            ..NewMatch::new(rules.game(), rules.target())
        }
    }
}
