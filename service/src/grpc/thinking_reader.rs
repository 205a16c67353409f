use dragontooth_games::Seat;
use dragontooth_games::record::Thinking;
use dragontooth_service_domain::MatchState;
use dragontooth_service_vocabulary::{MatchEvent, PlayerId};

use crate::access::Viewer;

/// The reader of a match, as far as the thoughts of its players are concerned.
///
/// A player gets those of its opponent only when the match was over before it asked: what it is sent while the match
/// is played must not help it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ThinkingReader {
    /// The player from whom the thoughts of the opponent are hidden, if it has a seat.
    from: Option<PlayerId>,
}

impl ThinkingReader {
    /// A reader who sees everything.
    pub(super) const OF_ALL: Self = Self { from: None };

    /// A reader of a match that is over, or not.
    pub(super) fn new(viewer: &Viewer, is_over: bool) -> Self {
        Self {
            from: viewer.player().filter(|_| !is_over),
        }
    }

    /// The reader of this match: everybody without a seat sees everything, once nobody else can take one.
    pub(super) fn of_match(self, state: &MatchState) -> Self {
        let is_full = Seat::BOTH.map(|seat| state.seated(seat).is_some()) == [true; 2];
        Self {
            from: self
                .from
                .filter(|player| !is_full || state.seat_of(*player).is_some()),
        }
    }

    /// The thoughts about an action that the reader may see. `after` is the match after it, or later.
    pub(super) fn thinking<'a>(
        self,
        event: &'a MatchEvent,
        after: &MatchState,
    ) -> Option<&'a Thinking> {
        let MatchEvent::ActionPlayed { seat, thinking, .. } = event else {
            return None;
        };
        let opponent = after.seated(seat.other());
        let is_opponent = |player| opponent.is_some_and(|seated| seated.player == player);
        thinking
            .as_deref()
            .filter(|_| !self.from.is_some_and(is_opponent))
    }
}
