use std::sync::Arc;
use std::time::Duration;

use dragontooth_service_store::MatchLogError;
use dragontooth_service_vocabulary::{
    CloseReason, MatchId, Offer, OfferPeriod, PlayerId, Timestamp,
};
use futures::future::{join_all, try_join_all};
use tokio::sync::{oneshot, watch};
use tracing::{debug, warn};

use super::{ATTEMPTS, Live, Matches};
use crate::matches::actor::Duty;
use crate::matches::lobby::{Change, LobbyReader, PlayerNews, PlayerPage, TooFarBehind};
use crate::matches::message::Message;
use crate::matches::players::OfferWatch;
use crate::matches::{PlayerStream, Refusal, Sink};

/// Matches that are read at once for a player.
const MATCHES_AT_ONCE: usize = 32;

/// The longest time between two exchanges of sessions with other services.
const EXCHANGE_INTERVAL: Duration = Duration::from_millis(500);

impl Matches {
    /// Opens the stream of a player, on which its matches send what is due.
    pub(crate) fn open_stream(
        self: &Arc<Self>,
        player: PlayerId,
        with_legal_actions: bool,
        offer: Option<Offer>,
    ) -> Result<(Sink, PlayerStream), Refusal> {
        self.refuse_when_draining()?;
        let capacity = self.limits.waiting_messages;
        let (sink, stream, open) =
            (self.players).open_stream(player, with_legal_actions, offer, capacity);
        // The drain closes this stream with the others, or has already closed those.
        if self.draining.is_cancelled() {
            sink.close(CloseReason::Draining);
        }
        let matches = Arc::clone(self);
        let due_to = sink.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = async {
                    let open = matches.matches_of(player, open).await;
                    matches.send_what_is_due(player, &due_to, open).await;
                    std::future::pending::<()>().await;
                } => {}
                () = due_to.closed() => matches.wake_matches(player, matches.now()),
                () = matches.draining.cancelled() => {}
            }
        });
        Ok((sink, stream))
    }

    /// Makes a player without a stream present, with what it accepts, for a time. `since` is the time of the first call of its program, if this
    /// is not that.
    pub(crate) fn set_offer(
        self: &Arc<Self>,
        player: PlayerId,
        since: Option<Timestamp>,
        offer: Offer,
        ttl: Duration,
    ) -> Result<OfferPeriod, Refusal> {
        self.refuse_when_draining()?;
        let set = (self.players).set_offer(player, since, offer, ttl, &self.guard)?;
        self.watch_offer(player, set.unwatched);
        self.wake_matches(player, self.now());
        Ok(set.period)
    }

    /// Withdraws the offer of a player, if it has one.
    pub(crate) fn withdraw_offer(
        self: &Arc<Self>,
        player: PlayerId,
        since: Option<Timestamp>,
    ) -> Result<(), Refusal> {
        let unwatched = self.players.withdraw_offer(player, since)?;
        self.watch_offer(player, unwatched);
        self.wake_matches(player, self.now());
        Ok(())
    }

    /// Ends an offer in its time.
    fn watch_offer(self: &Arc<Self>, player: PlayerId, unwatched: Option<OfferWatch>) {
        let Some(watch) = unwatched else {
            return;
        };
        let matches = Arc::clone(self);
        tokio::spawn(async move {
            while let Some(end) = matches.players.offer_end(player, &watch) {
                tokio::select! {
                    () = tokio::time::sleep(end.since(matches.now())) => {}
                    () = watch.moved.notified() => {}
                    () = matches.draining.cancelled() => return,
                }
            }
        });
    }

    /// At most `limit` present players after `last`, at any service on the log, that accept a game, or any.
    pub(crate) fn present_players(
        &self,
        game: Option<&str>,
        last: Option<PlayerId>,
        limit: usize,
    ) -> PlayerPage {
        self.players.lobby().page(game, last, limit)
    }

    /// A reader of the news of who is present, and the number of players that are.
    pub(crate) fn read_players(&self, game: Option<&'static str>) -> (LobbyReader, usize) {
        self.players.lobby().reader(game)
    }

    /// The news that a reader has not had, after a look at no more than `limit` changes.
    pub(crate) fn news_of_players(
        &self,
        reader: &mut LobbyReader,
        limit: usize,
    ) -> Result<Vec<PlayerNews>, TooFarBehind> {
        self.players.lobby().read(reader, limit)
    }

    /// The last change of who is present.
    pub(crate) fn players_head(&self) -> watch::Receiver<Change> {
        self.players.lobby().head()
    }

    /// The matches of a player that are not over, of which this service knows those in `here`. Each has an actor then.
    async fn matches_of(self: &Arc<Self>, player: PlayerId, here: Vec<MatchId>) -> Vec<MatchId> {
        if !self.log.is_shared() {
            return here;
        }
        let catalogue = self.log.catalogue();
        loop {
            let found = async {
                let found = catalogue.matches_of(vec![player]).await?;
                for some in found.chunks(MATCHES_AT_ONCE) {
                    let taken = some.iter().map(|id| self.take_up_if_new(*id, Duty::None));
                    try_join_all(taken).await?;
                }
                Ok::<_, MatchLogError>(found)
            };
            match found.await {
                Ok(found) => return found,
                Err(error) => debug!(%error, "the matches of a player cannot be read"),
            }
            tokio::time::sleep(EXCHANGE_INTERVAL).await;
        }
    }

    /// Has the matches send a player what is due, no faster than the player reads. Its invitations come last, and not
    /// at any rate: how many there are is for others to say.
    async fn send_what_is_due(self: &Arc<Self>, player: PlayerId, sink: &Sink, open: Vec<MatchId>) {
        let is_invited = |id: &MatchId| {
            let live = self.live(*id);
            live.is_some_and(|shared| shared.state().is_invited(player))
        };
        let (invitations, own): (Vec<MatchId>, Vec<MatchId>) =
            open.into_iter().partition(is_invited);
        // A match sends up to three notices, and half of the queue is free.
        let at_once = (self.limits.waiting_messages / 8).max(1);
        for some in own.chunks(at_once) {
            sink.has_room().await;
            join_all(some.iter().map(|id| self.ask_what_is_due(*id, player))).await;
        }
        for id in invitations {
            sink.has_room().await;
            while let Err(wait) = self.guard.send_invitation_again(player, self.now()) {
                tokio::time::sleep(wait).await;
            }
            self.ask_what_is_due(id, player).await;
        }
    }

    /// Exchanges the sessions of the players with other services on the log, if there may be some, for as long as it is polled.
    pub(crate) async fn exchange_sessions(&self) {
        let Some(board) = self.log.event_log().sessions() else {
            return std::future::pending().await;
        };
        let mut has_warned = false;
        loop {
            match board.exchange().await {
                Ok(sessions) => {
                    has_warned = false;
                    for session in sessions {
                        self.players.heard(&session);
                        self.wake_matches(session.player, session.seen);
                    }
                }
                Err(error) => {
                    if !has_warned {
                        let error = &error as &dyn std::error::Error;
                        warn!(
                            error,
                            "the sessions of players cannot be exchanged with other services"
                        );
                    }
                    has_warned = true;
                }
            }
            tokio::select! {
                () = board.has_news() => {}
                () = tokio::time::sleep(EXCHANGE_INTERVAL) => {}
            }
        }
    }

    /// Informs the matches that have a grace for their players that this player was there at a time: it called, or its stream ended then.
    fn wake_matches(&self, player: PlayerId, seen: Timestamp) {
        for id in self.players.matches(player) {
            if let Some(live) = self.live_with_grace(id) {
                live.shared.hear(player, seen);
            }
        }
    }

    /// Notes that a caller has called about a match, if it plays there.
    pub(crate) fn note_call(&self, id: MatchId, caller: PlayerId) {
        let now = self.now();
        if let Some(live) = self.live_with_grace(id)
            && live.shared.hear(caller, now)
        {
            self.players.note_call(caller, now);
        }
    }

    fn live_with_grace(&self, id: MatchId) -> Option<Live> {
        let live = self.live_entry(id)?;
        let has_grace = live.shared.state().created().disconnect_grace.is_some();
        has_grace.then_some(live)
    }

    /// Has a match send a player what is due, and waits until it has.
    async fn ask_what_is_due(self: &Arc<Self>, id: MatchId, player: PlayerId) {
        for _ in 0..ATTEMPTS {
            let Some(live) = self.live_entry(id) else {
                return;
            };
            let (done, sent) = oneshot::channel();
            let message = Box::new(Message::StreamOpened(player, done));
            // A match that has just ended has already sent its notices.
            if live.mailbox.messages.send(message).await.is_ok() && sent.await.is_ok() {
                return;
            }
            // One that has just been let go of goes on.
            if live.shared.is_at_rest()
                && let Err(error) = self.take_up_if_new(id, Duty::None).await
            {
                return debug!(%error, "the match is found again when the log is looked at");
            }
        }
    }
}
