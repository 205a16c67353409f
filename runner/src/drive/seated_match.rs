use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_runner_live::MatchFeed;
use dragontooth_runner_tournament::{Fault, FaultKind};
use dragontooth_service_client::{Client, ClientError, MatchView, Reason};
use dragontooth_service_vocabulary::{Audience, NewMatch, Visibility};

use super::RunLimits;
use super::outage::Outage;
use super::players::Player;
use super::watched_match::{WatchError, WatchedMatch};
use crate::adjudicator::EarlyEnd;
use crate::record::{Origin, Played, ServiceKind};

/// A match on a service with both seats reserved.
pub(super) struct SeatedMatch<'a> {
    pub(super) client: &'a Client,
    pub(super) outage: &'a Outage,
    /// By seat.
    pub(super) players: [&'a Player; 2],
    pub(super) limits: RunLimits,
    pub(super) early_end: EarlyEnd,
    /// The service that the client is connected to.
    pub(super) service: ServiceKind,
}

impl SeatedMatch<'_> {
    /// Creates the match, or finds it if it was created before, and follows it to its end.
    pub(super) async fn play(
        &self,
        mut new: NewMatch,
        mut forfeits: Vec<Fault>,
        feed: Option<MatchFeed>,
    ) -> Result<Played, WatchError> {
        for player in self.players {
            player.pulse.replaced().await;
        }
        let view = loop {
            let create = || self.client.create_match(new.clone());
            match self.outage.retry(self.client, create).await {
                Ok(view) => break view,
                Err(error) => {
                    let seat = invitee_that_blocks(&error, &new).ok_or(error)?;
                    exclude(&mut new, seat);
                    forfeits.push(Fault {
                        seat,
                        kind: FaultKind::Stall,
                        detail: "it blocks the invitations of the runner".to_owned(),
                    });
                }
            }
        };
        self.follow(&view, forfeits, feed).await
    }

    /// Follows a match that was created before to its end.
    pub(super) async fn follow(
        &self,
        view: &MatchView,
        forfeits: Vec<Fault>,
        feed: Option<MatchFeed>,
    ) -> Result<Played, WatchError> {
        let players = Seat::BOTH.map(|seat| Player {
            // Nobody can take a seat that is not reserved.
            client: self.players[seat.index()]
                .client
                .clone()
                .filter(|_| view.seat(seat).player.is_some()),
            ..self.players[seat.index()].clone()
        });
        let players = players.each_ref();
        let time_controls = Seat::BOTH.map(|seat| view.seat(seat).time_control);
        let clocked = time_controls.map(|control| control.is_some());
        let watched = WatchedMatch::new(
            self.client,
            self.outage,
            view.id,
            players,
            clocked,
            self.limits,
        );
        let watched = watched
            .known_to(view.head_sequence)
            .ended_by(self.early_end)
            .shown_on(feed, time_controls)
            .with_forfeits(forfeits);
        let played = watched.follow().await?;
        let get = || self.client.get_match(view.id);
        let ended = self.outage.retry(self.client, get).await?;
        let origin = Origin {
            service: self.service,
            head_hash: ended.head_hash.parse().ok(),
        };
        Ok(Played { origin, ..played })
    }
}

/// The seat of the bot that blocks the runner, if that is why its match is not created.
fn invitee_that_blocks(error: &ClientError, new: &NewMatch) -> Option<Seat> {
    let refusal = error.refusal()?;
    if refusal.reason != Reason::Blocked {
        return None;
    }
    let player = refusal.metadata.get("player_id")?.parse().ok();
    let is_its = |seat: &Seat| player.is_some() && new.reserved[seat.index()] == player;
    Seat::BOTH.into_iter().find(is_its)
}

/// Leaves a seat of the match free that nobody can take.
fn exclude(new: &mut NewMatch, seat: Seat) {
    new.reserved[seat.index()] = None;
    new.audience = Audience::new(Visibility::Private, Duration::ZERO).expect("it has no delay");
    // Another match.
    let request_id = new.request_id.take();
    new.request_id = request_id.and_then(|id| format!("{id}-without-{seat}").parse().ok());
}
