use dragontooth_games::Seat;
use dragontooth_service_vocabulary::{
    EndReason, FailureText, MatchEvent, MatchOutcome, PlayerId, RequestId, Termination, Timestamp,
};

use super::{Decided, has_expired, is_over};
use crate::request::Asker;
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
    match state.requests().answer(Asker::Seat(seat), request_id) {
        None => {}
        Some(answer @ RequestAnswer::Ended)
            if state
                .result()
                .is_some_and(|result| result.failure.as_ref() == failure) =>
        {
            return Ok(Decided::Answered(answer.clone()));
        }
        Some(
            RequestAnswer::Joined
            | RequestAnswer::Acted { .. }
            | RequestAnswer::Refused { .. }
            | RequestAnswer::Ended,
        ) => return Err(Rejection::RequestIdReused),
    }
    if is_over(state, now) {
        return Err(Rejection::Ended);
    }
    if state.due().is_none() {
        return Err(Rejection::NotStarted);
    }
    Ok(Decided::Events(vec![MatchEvent::MatchEnded {
        outcome: MatchOutcome {
            failure: failure.cloned(),
            ..MatchOutcome::new(Some(seat.other()), Termination::Resignation)
        },
        request_id: request_id.cloned(),
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
    let used = seat.and_then(|seat| state.requests().answer(Asker::Seat(seat), request_id));
    if used.is_some() {
        return Err(Rejection::RequestIdReused);
    }
    call_off(state, aborted(player, None), request_id, now)
}

/// Aborts the match, whoever plays it.
pub(super) fn abort_as_operator(
    state: &MatchState,
    operator: PlayerId,
    reason: &EndReason,
    request_id: Option<&RequestId>,
    now: Timestamp,
) -> Result<Decided, Rejection> {
    call_off(state, aborted(operator, Some(reason)), request_id, now)
}

/// Declines the seat reserved for the player, which ends the match: nobody else can take it.
pub(super) fn decline(
    state: &MatchState,
    player: PlayerId,
    reason: Option<&EndReason>,
    request_id: Option<&RequestId>,
    now: Timestamp,
) -> Result<Decided, Rejection> {
    if !state.is_invited(player) {
        return Err(Rejection::NotInvited);
    }
    let outcome = MatchOutcome {
        aborted_by: Some(player),
        reason: reason.cloned(),
        ..MatchOutcome::new(None, Termination::Declined)
    };
    call_off(state, outcome, request_id, now)
}

fn aborted(by: PlayerId, reason: Option<&EndReason>) -> MatchOutcome {
    MatchOutcome {
        aborted_by: Some(by),
        reason: reason.cloned(),
        ..MatchOutcome::new(None, Termination::Aborted)
    }
}

/// Ends the match with an outcome that somebody asks for.
fn call_off(
    state: &MatchState,
    outcome: MatchOutcome,
    request_id: Option<&RequestId>,
    now: Timestamp,
) -> Result<Decided, Rejection> {
    let asker = outcome.aborted_by.map(Asker::Player);
    if let Some(answer) = asker.and_then(|asker| state.requests().answer(asker, request_id)) {
        let is_same = state.result().is_some_and(|end| {
            (end.termination, &end.reason) == (outcome.termination, &outcome.reason)
        });
        return if is_same {
            Ok(Decided::Answered(answer.clone()))
        } else {
            Err(Rejection::RequestIdReused)
        };
    }
    if is_over(state, now) {
        return Err(Rejection::Ended);
    }
    Ok(Decided::Events(vec![MatchEvent::MatchEnded {
        outcome,
        request_id: request_id.cloned(),
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
            outcome: MatchOutcome::new(
                (!opponent_away).then_some(seat.other()),
                Termination::Disconnect,
            ),
            request_id: None,
        });
    }
    Decided::Events(events)
}

/// Ends the match if the time of the seat to act, or the time to join, is up.
pub(super) fn check_clock(state: &MatchState, now: Timestamp) -> Decided {
    let outcome = match state.due() {
        Some(due) if is_over(state, now) => Some(MatchOutcome::new(
            Some(due.seat.other()),
            Termination::Timeout,
        )),
        None if has_expired(state, now) => Some(MatchOutcome::new(None, Termination::Expired)),
        Some(_) | None => None,
    };
    let ended = |outcome| MatchEvent::MatchEnded {
        outcome,
        request_id: None,
    };
    Decided::Events(outcome.map(ended).into_iter().collect())
}
