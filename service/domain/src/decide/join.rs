use dragontooth_games::Seat;
use dragontooth_service_vocabulary::{
    DisplayName, MatchEvent, PlayerId, RequestId, SeedText, Timestamp,
};

use super::{Decided, go_on::go_on, is_over};
use crate::request::Asker;
use crate::{MatchState, Rejection, RequestAnswer};

/// A request for a seat.
pub(super) struct Join<'a> {
    pub(super) player: PlayerId,
    pub(super) wanted: Option<Seat>,
    pub(super) name: &'a DisplayName,
    pub(super) seed: Option<&'a SeedText>,
    pub(super) request_id: Option<&'a RequestId>,
}

impl Join<'_> {
    fn seed(&self) -> SeedText {
        let seed = self.seed.cloned();
        seed.unwrap_or_else(SeedText::default_of_players)
    }
}

/// Gives the player a seat, and starts the match when both are taken.
pub(super) fn join(
    state: &MatchState,
    join: &Join<'_>,
    now: Timestamp,
) -> Result<Decided, Rejection> {
    let Join { player, wanted, .. } = *join;
    if let Some(held) = state.seat_of(player) {
        return join_again(state, held, join);
    }
    if is_over(state, now) {
        return Err(Rejection::Ended);
    }
    let seat = free_seat(state, player, wanted)?;
    let seed = join.seed();
    let mut events = vec![MatchEvent::SeatJoined {
        seat,
        player,
        name: join.name.clone(),
        seed: seed.clone(),
        request_id: join.request_id.cloned(),
    }];
    if state.seated(seat.other()).is_some() {
        let draws = || state.draws_with(seat, &seed);
        go_on(state.play_clone(), draws, &mut events);
    }
    Ok(Decided::Events(events))
}

/// Changes nothing for a player that has the seat, if it asks for what it has.
fn join_again(state: &MatchState, held: Seat, join: &Join<'_>) -> Result<Decided, Rejection> {
    let difference = difference(state, held, join);
    match state.requests().answer(Asker::Seat(held), join.request_id) {
        None => difference.map_or_else(|| Ok(Decided::Events(Vec::new())), Err),
        Some(RequestAnswer::Joined) if difference.is_none() => Ok(Decided::Events(Vec::new())),
        Some(
            RequestAnswer::Joined
            | RequestAnswer::Acted { .. }
            | RequestAnswer::Refused { .. }
            | RequestAnswer::Ended,
        ) => Err(Rejection::RequestIdReused),
    }
}

/// Returns the refusal of a request that differs from the one with which the player took its seat.
fn difference(state: &MatchState, held: Seat, join: &Join<'_>) -> Option<Rejection> {
    let seated = state.seated(held)?;
    if join.wanted.is_some_and(|wanted| wanted != held) {
        Some(Rejection::OtherSeatHeld(held))
    } else if *join.name != seated.name {
        Some(Rejection::JoinedDifferently { field: "name" })
    } else if join.seed() != seated.seed {
        Some(Rejection::JoinedDifferently { field: "seed" })
    } else {
        None
    }
}

/// Returns the seat for `player`: a reserved one or else an open one.
fn free_seat(
    state: &MatchState,
    player: PlayerId,
    wanted: Option<Seat>,
) -> Result<Seat, Rejection> {
    let keeper = |seat: Seat| state.created().reserved[seat.index()];
    let is_kept = |seat: &Seat| keeper(*seat) == Some(player);
    let is_free = |seat: &Seat| state.seated(*seat).is_none();
    let is_open = |seat: &Seat| is_free(seat) && keeper(*seat).is_none();
    // A reserved seat is free: no other player can have taken it.
    if let Some(kept) = Seat::BOTH.into_iter().find(is_kept) {
        return if wanted.is_none_or(|seat| seat == kept) {
            Ok(kept)
        } else {
            Err(Rejection::OtherSeatHeld(kept))
        };
    }
    match wanted {
        Some(seat) if is_open(&seat) => Ok(seat),
        Some(seat) if is_free(&seat) => Err(Rejection::SeatReserved(seat)),
        Some(seat) => Err(Rejection::SeatTaken(seat)),
        None if state.is_full() => Err(Rejection::SeatsTaken),
        None => Seat::BOTH
            .into_iter()
            .find(is_open)
            .ok_or(Rejection::SeatsReserved),
    }
}
