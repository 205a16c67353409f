use dragontooth_games::Seat;
use dragontooth_service_client::{Client, NewMatch, TimeControl};

use super::followed::{FollowError, Followed};
use super::insist::{PATIENCE, insist};
use super::players::Player;
use super::{Arena, ArenaError, Limits};
use crate::record::Played;
use crate::tournament::{Schedule, ScheduledMatch};

/// Plays matches on a service.
#[derive(Debug)]
pub(super) struct GrpcArena {
    /// The runner's connections, at least one; the matches are spread over them.
    pub(super) clients: Vec<Client>,
    /// What gives the matches their titles, ids and seeds.
    pub(super) schedule: Schedule,
    pub(super) time_control: Option<TimeControl>,
    pub(super) limits: Limits,
    /// In the order of the event's list.
    pub(super) players: Vec<Player>,
}

impl Arena for GrpcArena {
    async fn play(&self, planned: ScheduledMatch) -> Result<Played, ArenaError> {
        Ok(self.follow(&planned).await?)
    }
}

impl GrpcArena {
    async fn follow(&self, planned: &ScheduledMatch) -> Result<Played, FollowError> {
        let client = &self.clients[planned.number.get() % self.clients.len()];
        let new = self.new_match(planned);
        let view = insist(PATIENCE, || client.create_match(new.clone())).await?;
        let players = Seat::BOTH.map(|seat| self.player(planned, seat));
        let clocked = self.time_control.is_some();
        let followed = Followed::new(client, view.id, players, clocked, self.limits);
        followed.follow().await
    }

    fn player(&self, planned: &ScheduledMatch, seat: Seat) -> &Player {
        &self.players[planned.bot(seat).get()]
    }

    fn new_match(&self, planned: &ScheduledMatch) -> NewMatch {
        let rules = self.schedule.event().rules();
        let request_id = self.schedule.request_id(planned).to_string();
        NewMatch {
            game: rules.game().to_owned(),
            variant: Some(rules.variant().to_owned()),
            target: rules.target(),
            time_control: self.time_control,
            seed: Some(self.schedule.match_seed(planned)),
            title: self.schedule.title(planned),
            reserved: Seat::BOTH.map(|seat| Some(self.player(planned, seat).id)),
            request_id: Some(request_id.parse().expect("a UUID is a request id")),
            disconnect_grace: None,
            private: false,
            spectator_delay: None,
        }
    }
}
