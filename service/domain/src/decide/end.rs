use dragontooth_games::Seat;
use dragontooth_service_vocabulary::{
    FailureText, MatchEvent, PlayerId, RequestId, Termination, Timestamp,
};

use super::{Decided, is_over};
use crate::{MatchState, Rejection, RequestAnswer};

/// Resigns the match in favour of the opponent.
pub(super) fn resign(
    state: &MatchState,
    player: PlayerId,
    failure: Option<&FailureText>,
    request_id: Option<&RequestId>,
    now: Timestamp,
) -> Result<Decided, Rejection> {
    let seat = state.seat_of(player).ok_or(Rejection::NoSeat)?;
    match state.requests().answer(Some(seat), request_id) {
        None => {}
        Some(answer @ RequestAnswer::Ended) => return Ok(Decided::Answered(answer.clone())),
        Some(
            RequestAnswer::Joined | RequestAnswer::Acted { .. } | RequestAnswer::Refused { .. },
        ) => {
            return Err(Rejection::RequestIdReused);
        }
    }
    if is_over(state, now) {
        return Err(Rejection::Ended);
    }
    if state.due().is_none() {
        return Err(Rejection::NotStarted);
    }
    Ok(Decided::Events(vec![MatchEvent::MatchEnded {
        winner: Some(seat.other()),
        termination: Termination::Resignation,
        request_id: request_id.cloned(),
        aborted_by: None,
        failure: failure.cloned(),
    }]))
}

/// Aborts the match: its creator may unless it plays, and a player until both seats are taken.
///
/// From then on a player has seen what was drawn: to leave the match costs it.
pub(super) fn abort(
    state: &MatchState,
    player: PlayerId,
    request_id: Option<&RequestId>,
    now: Timestamp,
) -> Result<Decided, Rejection> {
    let seat = state.seat_of(player);
    let is_allowed = match seat {
        Some(_) => !state.is_full(),
        None => state.created().creator == player,
    };
    if !is_allowed {
        return Err(Rejection::AbortDenied);
    }
    if let Some(answer) = state.requests().answer(None, request_id) {
        return Ok(Decided::Answered(answer.clone()));
    }
    if seat.is_some() && state.requests().answer(seat, request_id).is_some() {
        return Err(Rejection::RequestIdReused);
    }
    if is_over(state, now) {
        return Err(Rejection::Ended);
    }
    Ok(Decided::Events(vec![MatchEvent::MatchEnded {
        winner: None,
        termination: Termination::Aborted,
        request_id: request_id.cloned(),
        aborted_by: Some(player),
        failure: None,
    }]))
}

/// Ends the match against a seat whose player has been away for too long.
///
/// If both are away, nobody wins.
pub(super) fn end_grace(
    state: &MatchState,
    seat: Seat,
    opponent_away: bool,
    now: Timestamp,
) -> Decided {
    let mut events = Vec::new();
    let has_grace = state.created().disconnect_grace.is_some();
    if has_grace && state.due().is_some() && !is_over(state, now) {
        events.push(MatchEvent::MatchEnded {
            winner: (!opponent_away).then_some(seat.other()),
            termination: Termination::Disconnect,
            request_id: None,
            aborted_by: None,
            failure: None,
        });
    }
    Decided::Events(events)
}

/// Ends the match if the time of the seat to act is up.
pub(super) fn check_clock(state: &MatchState, now: Timestamp) -> Decided {
    let mut events = Vec::new();
    if let Some(due) = state.due()
        && is_over(state, now)
    {
        events.push(MatchEvent::MatchEnded {
            winner: Some(due.seat.other()),
            termination: Termination::Timeout,
            request_id: None,
            aborted_by: None,
            failure: None,
        });
    }
    Decided::Events(events)
}
