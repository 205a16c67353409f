use dragontooth_games::Seat;
use dragontooth_service_vocabulary::{
    MatchEvent, PlayerId, PlayerName, RequestId, SeedText, Timestamp,
};

use super::{Decided, go_on::go_on, is_over};
use crate::request::Asker;
use crate::{MatchState, Rejection, RequestAnswer};

/// A request for a seat.
pub(super) struct Join<'a> {
    pub(super) player: PlayerId,
    pub(super) wanted: Option<Seat>,
    pub(super) name: &'a PlayerName,
    pub(super) seed: Option<&'a SeedText>,
    pub(super) request_id: Option<&'a RequestId>,
}

/// Gives the player a seat, and starts the match when both are taken.
pub(super) fn join(
    state: &MatchState,
    join: &Join<'_>,
    now: Timestamp,
) -> Result<Decided, Rejection> {
    let Join { player, wanted, .. } = *join;
    if let Some(held) = state.seat_of(player) {
        return if is_used(state, held, join.request_id) {
            Err(Rejection::RequestIdReused)
        } else if wanted.is_none_or(|seat| seat == held) {
            Ok(Decided::Events(Vec::new()))
        } else {
            Err(Rejection::OtherSeatHeld(held))
        };
    }
    if is_over(state, now) {
        return Err(Rejection::Ended);
    }
    let seat = free_seat(state, player, wanted)?;
    let seed = join
        .seed
        .cloned()
        .unwrap_or_else(SeedText::default_of_players);
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

/// Returns true if the request id was used for another request than to join.
fn is_used(state: &MatchState, seat: Seat, request_id: Option<&RequestId>) -> bool {
    match state.requests().answer(Asker::Seat(seat), request_id) {
        None | Some(RequestAnswer::Joined) => false,
        Some(
            RequestAnswer::Acted { .. } | RequestAnswer::Refused { .. } | RequestAnswer::Ended,
        ) => true,
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
