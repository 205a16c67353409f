use dragontooth_games::Seat;
use dragontooth_service_domain::MatchState;
use dragontooth_service_store::StoredMatch;
use dragontooth_service_vocabulary::{PlayerId, Sequence};

use super::Actor;
use crate::matches::{DecisionView, Notice};

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
    pub(super) fn notify_players(&mut self) {
        let has_news = {
            let state = self.shared.state();
            Seat::BOTH.map(|seat| !self.sent[seat.index()].are_all_of(&state, seat))
        };
        for seat in Seat::BOTH {
            if has_news[seat.index()] {
                self.notify(seat);
            }
        }
    }

    /// Sends the player of `seat` the notices that it has not had on its stream.
    pub(super) fn notify(&mut self, seat: Seat) {
        let state = self.shared.state();
        let id = self.shared.id();
        let kept_for = state.created().reserved[seat.index()];
        let joined = state.seated(seat).map(|seated| seated.player);
        let Some(player) = joined.or(kept_for) else {
            return;
        };
        let Some(stream) = self.players.stream(player) else {
            return;
        };
        let notices = &mut self.sent[seat.index()];
        if notices.stream != Some(stream.number()) {
            *notices = SentNotices {
                stream: Some(stream.number()),
                ..SentNotices::default()
            };
            if joined.is_none() && state.result().is_none() {
                stream.send(Notice::Invitation {
                    seat,
                    state: boxed(&state),
                });
            }
        }
        if !notices.opened && state.is_full() && joined.is_some() {
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
