use dragontooth_games::Seat;
use dragontooth_service_domain::MatchState;
use dragontooth_service_store::StoredMatch;
use dragontooth_service_vocabulary::{PlayerId, Sequence};
use tracing::debug;

use super::Actor;
use crate::matches::{DecisionView, Notice, Sink};

/// The notices that a seat's player has been sent, and its stream.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SentNotices {
    stream: Option<u64>,
    opened: bool,
    closed: bool,
    decision: Option<Sequence>,
}

impl SentNotices {
    /// Returns true if the stream has had all that a seat's player is to be sent. Another stream announces itself by
    /// [`Message::StreamOpened`].
    fn are_all_of(&self, state: &MatchState, seat: Seat) -> bool {
        let due = state.due().filter(|due| due.seat == seat);
        self.opened
            && state.result().is_none()
            && due.is_none_or(|due| self.decision == Some(due.decision))
    }
}

impl Actor {
    pub(super) async fn notify_players(&mut self) {
        let has_news = {
            let state = self.shared.state();
            Seat::BOTH.map(|seat| !self.sent[seat.index()].are_all_of(&state, seat))
        };
        for seat in Seat::BOTH {
            if has_news[seat.index()] {
                self.read_for_stream(seat).await;
            }
        }
        self.learn_seed().await;
        for seat in Seat::BOTH {
            if has_news[seat.index()] {
                self.notify(seat);
            }
        }
    }

    /// Learns if the seed may be shown with the end of the match.
    async fn learn_seed(&self) {
        let ended = {
            let state = self.shared.state();
            let is_over = state.result().is_some() && self.is_shared;
            is_over.then(|| state.created().clone())
        };
        if let Some(created) = ended {
            self.seeds.learn([&created]).await;
        }
    }

    /// Reads what other services have appended, if the player of `seat` has had nothing of the match on its stream: it
    /// may have seen more on the one before, at another service.
    pub(super) async fn read_for_stream(&mut self, seat: Seat) {
        if !self.is_shared {
            return;
        }
        let is_ahead = self.stream_of(seat).is_some_and(|stream| {
            self.sent[seat.index()].stream != Some(stream.number())
                && self.read_at.is_none_or(|read| read < stream.opened())
        });
        if is_ahead && let Err(refusal) = self.catch_up().await {
            debug!(%refusal, "a new stream begins with what is known");
        }
    }

    /// The stream of the player who has a seat, or for whom it is kept.
    fn stream_of(&self, seat: Seat) -> Option<Sink> {
        let player = {
            let state = self.shared.state();
            let joined = state.seated(seat).map(|seated| seated.player);
            joined.or(state.created().reserved[seat.index()])?
        };
        self.players.stream(player)
    }

    /// Sends the player of `seat` the notices that it has not had on its stream.
    pub(super) fn notify(&mut self, seat: Seat) {
        let Some(stream) = self.stream_of(seat) else {
            return;
        };
        let state = self.shared.state();
        let id = self.shared.id();
        let is_joined = state.seated(seat).is_some();
        let notices = &mut self.sent[seat.index()];
        if notices.stream != Some(stream.number()) {
            *notices = SentNotices {
                stream: Some(stream.number()),
                ..SentNotices::default()
            };
            if !is_joined && state.result().is_none() {
                stream.send(Notice::Invitation {
                    seat,
                    state: boxed(&state),
                });
            }
        }
        if !notices.opened && state.is_full() && is_joined {
            notices.opened = true;
            stream.send(Notice::Opened {
                seat,
                state: boxed(&state),
            });
        }
        if state.result().is_some() {
            if !notices.closed {
                notices.closed = true;
                stream.send(Notice::Closed {
                    state: boxed(&state),
                    since: state.history_since(seat),
                });
            }
            return;
        }
        if let Some(due) = state.due()
            && due.seat == seat
            && notices.decision != Some(due.decision)
        {
            notices.decision = Some(due.decision);
            if let Some(view) = DecisionView::of(id, &state, stream.with_legal_actions()) {
                stream.send(Notice::Decision(Box::new(view)));
            }
        }
    }

    /// The seat that a player has or that is kept for it.
    pub(super) fn place_of(&self, player: PlayerId) -> Option<Seat> {
        let state = self.shared.state();
        let kept = |seat: &Seat| {
            state.seated(*seat).is_none() && state.created().reserved[seat.index()] == Some(player)
        };
        state
            .seat_of(player)
            .or_else(|| Seat::BOTH.into_iter().find(kept))
    }
}

fn boxed(state: &StoredMatch) -> Box<StoredMatch> {
    Box::new(state.clone())
}
