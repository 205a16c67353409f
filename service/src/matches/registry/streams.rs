use std::sync::Arc;

use dragontooth_service_vocabulary::{MatchId, PlayerId};
use futures::future::join_all;
use tokio::sync::oneshot;

use super::{Live, Matches};
use crate::matches::message::Message;
use crate::matches::{CloseReason, Outlet, Refusal, Sink};

impl Matches {
    /// Opens the stream of a player, on which its matches tell it what is due.
    pub(crate) fn open_stream(
        self: &Arc<Self>,
        player: PlayerId,
        with_legal_actions: bool,
    ) -> Result<(Sink, Outlet), Refusal> {
        self.refuse_when_draining()?;
        let capacity = self.limits.waiting_messages;
        let (sink, outlet, open) = self
            .players
            .open_stream(player, with_legal_actions, capacity);
        // Whoever drains closes this stream with the others, or has closed them before.
        if self.draining.is_cancelled() {
            sink.close(CloseReason::Draining);
        }
        let matches = Arc::clone(self);
        let told = sink.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = async {
                    matches.tell_what_is_due(player, &told, open).await;
                    std::future::pending::<()>().await;
                } => {}
                () = told.closed() => matches.tell_that_it_left(player).await,
                () = matches.draining.cancelled() => {}
            }
        });
        Ok((sink, outlet))
    }

    /// Lets the matches tell a player what is due, no faster than the player reads.
    async fn tell_what_is_due(&self, player: PlayerId, sink: &Sink, open: Vec<MatchId>) {
        // A match tells up to three things, and half of the queue is free.
        let at_once = (self.limits.waiting_messages / 8).max(1);
        for some in open.chunks(at_once) {
            sink.has_room().await;
            join_all(some.iter().map(|id| self.ask_what_is_due(*id, player))).await;
        }
    }

    /// Tells the matches in which a player can be away for too long that its stream has ended.
    async fn tell_that_it_left(&self, player: PlayerId) {
        let left = self.now();
        for id in self.players.matches(player) {
            if let Some(live) = self.live_with_grace(id) {
                let message = Box::new(Message::Heard(player, left));
                // A match that has just ended does not mind.
                let _ = live.mailbox.send(message).await;
            }
        }
    }

    /// Takes note that a player has called. Where the match has too much to do to take note, it
    /// knows of its players.
    pub(crate) fn hear_of(&self, id: MatchId, player: PlayerId) {
        if let Some(live) = self.live_with_grace(id) {
            let message = Box::new(Message::Heard(player, self.now()));
            let _ = live.mailbox.try_send(message);
        }
    }

    fn live_with_grace(&self, id: MatchId) -> Option<Live> {
        let live = self.lock().live.get(&id).cloned()?;
        let has_grace = live.shared.state().created().disconnect_grace.is_some();
        has_grace.then_some(live)
    }

    /// Lets a match tell a player what is due, and waits until it has.
    async fn ask_what_is_due(&self, id: MatchId, player: PlayerId) {
        let live = self.lock().live.get(&id).cloned();
        if let Some(live) = live {
            let (tell, told) = oneshot::channel();
            let message = Box::new(Message::StreamOpened(player, tell));
            // A match that has just ended has told the player already.
            if live.mailbox.send(message).await.is_ok() {
                let _ = told.await;
            }
        }
    }
}
