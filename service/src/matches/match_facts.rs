use std::borrow::Cow;
use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::match_play::Score;
use dragontooth_service_domain::{DueDecision, MatchState, Rejection, Seated};
use dragontooth_service_store::{ChainHead, MatchSummary, StoredMatch};
use dragontooth_service_vocabulary::{
    Created, MatchOutcome, NewMatch, PlayerId, Sight, Stage, Timestamp,
};

use crate::access::Viewer;

/// The facts of a match that are shown of it, from its state or from its summary.
#[derive(Clone, Debug)]
pub(crate) struct MatchFacts<'a> {
    pub(crate) created: &'a Created,
    pub(crate) created_at: Timestamp,
    pub(crate) head: ChainHead,
    /// By [`Seat::index`].
    pub(crate) seats: [Option<&'a Seated>; 2],
    pub(crate) score: Score,
    pub(crate) game_number: u32,
    pub(crate) position: Cow<'a, str>,
    pub(crate) due: Option<DueDecision>,
    pub(crate) deadline: Option<Timestamp>,
    pub(crate) join_deadline: Option<Timestamp>,
    /// By [`Seat::index`]; `None` without a clock.
    pub(crate) remaining: [Option<Duration>; 2],
    /// The result and the time of the end.
    pub(crate) end: Option<(&'a MatchOutcome, Timestamp)>,
}

impl<'a> MatchFacts<'a> {
    /// The facts of a match whose last event is `head`.
    pub(crate) fn at(state: &'a MatchState, head: ChainHead) -> Self {
        let play = state.play();
        Self {
            created: state.created(),
            created_at: state.created_at(),
            head,
            seats: Seat::BOTH.map(|seat| state.seated(seat)),
            score: play.score(),
            game_number: play.game_number(),
            position: play.position().unwrap_or_default().into(),
            due: state.due(),
            deadline: state.deadline(),
            join_deadline: state.join_deadline(),
            remaining: Seat::BOTH.map(|seat| state.clocks().remaining(seat)),
            end: state.result().zip(state.ended_at()),
        }
    }

    pub(crate) const fn is_over(&self) -> bool {
        self.end.is_some()
    }

    /// The stage that the match has reached.
    pub(crate) fn stage(&self) -> Stage {
        if self.is_over() {
            Stage::Ended
        } else if self.seats.iter().all(Option::is_some) {
            Stage::Active
        } else {
            Stage::Open
        }
    }

    /// The player in a seat, or for whom it is reserved.
    pub(crate) fn player(&self, seat: Seat) -> Option<PlayerId> {
        let seated = self.seats[seat.index()].map(|seated| seated.player);
        seated.or(self.created.reserved[seat.index()])
    }

    /// The seat that a player has taken.
    pub(crate) fn seat_of(&self, player: PlayerId) -> Option<Seat> {
        let sits =
            |seat: &Seat| self.seats[seat.index()].is_some_and(|seated| seated.player == player);
        Seat::BOTH.into_iter().find(sits)
    }

    /// The terms of another match of the same players, whom one of them asks for.
    pub(crate) fn rematch(&self, player: PlayerId) -> Result<NewMatch, Rejection> {
        if self.seat_of(player).is_none() {
            return Err(Rejection::NoSeat);
        }
        let [Some(first), Some(second)] = self.seats else {
            return Err(Rejection::NotStarted);
        };
        Ok(NewMatch::rematch(
            self.created,
            [first.player, second.player],
        ))
    }

    /// The part of the match that a viewer may see.
    pub(crate) fn sight(&self, viewer: &Viewer) -> Sight {
        let is_concerned = |player: PlayerId| {
            self.created.creator == player
                || self.created.reserved.contains(&Some(player))
                || Seat::BOTH
                    .map(|seat| self.player(seat))
                    .contains(&Some(player))
        };
        let is_concerned = viewer.is_admin() || viewer.player().is_some_and(is_concerned);
        self.created.audience.sight(is_concerned, self.is_over())
    }
}

impl<'a> From<&'a StoredMatch> for MatchFacts<'a> {
    fn from(stored: &'a StoredMatch) -> Self {
        Self::at(stored, stored.chain_head())
    }
}

impl<'a> From<&'a MatchSummary> for MatchFacts<'a> {
    fn from(summary: &'a MatchSummary) -> Self {
        Self {
            created: &summary.created,
            created_at: summary.created_at,
            head: summary.head,
            seats: summary.seats.each_ref().map(Option::as_ref),
            score: summary.score,
            game_number: summary.game_number,
            position: summary.position.as_str().into(),
            due: None,
            deadline: None,
            join_deadline: None,
            remaining: summary.remaining,
            end: Some((&summary.outcome, summary.ended_at)),
        }
    }
}
