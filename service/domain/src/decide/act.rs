use dragontooth_service_vocabulary::{
    MatchEvent, MatchOutcome, PlayerId, RequestId, Sequence, Termination, Timestamp,
};

use super::{Decided, go_on::go_on, is_over};
use crate::request::Asker;
use crate::{DueDecision, MatchState, OfferedThinking, Rejection, RequestAnswer};

/// A player's answer to a decision.
pub(super) struct Act<'a> {
    pub(super) player: PlayerId,
    pub(super) decision: Sequence,
    pub(super) action: &'a str,
    pub(super) thinking: Option<&'a OfferedThinking>,
    pub(super) request_id: Option<&'a RequestId>,
}

/// Plays the action and everything that follows without a decision.
pub(super) fn act(state: &MatchState, act: &Act<'_>, now: Timestamp) -> Result<Decided, Rejection> {
    let seat = state.seat_of(act.player).ok_or(Rejection::NoSeat)?;
    if let Some(answer) = state.requests().answer(Asker::Seat(seat), act.request_id) {
        return repeat(answer, act);
    }
    if is_over(state, now) {
        return Err(Rejection::Ended);
    }
    let due = state.due().ok_or(Rejection::NotStarted)?;
    if act.decision != due.decision {
        return Err(Rejection::StaleDecision {
            named: act.decision,
            due: due.decision,
        });
    }
    if due.seat != seat {
        return Err(Rejection::NotYourTurn { due: due.decision });
    }
    let mut play = state.play_clone();
    let action = match play.play(act.action) {
        Ok(action) => action,
        Err(error) => return refuse(state, act, due, Rejection::of_play(error)),
    };
    let mut events = vec![MatchEvent::ActionPlayed {
        seat,
        written: (act.request_id.is_some() && act.action != action).then(|| act.action.to_owned()),
        action,
        received: Some(now),
        remaining: state.clocks().remaining_after(seat, now.since(due.since)),
        request_id: act.request_id.cloned(),
        thinking: act
            .thinking
            .filter(|offered| offered.is_of(seat) && !offered.thinking.is_empty())
            .map(|offered| Box::new(offered.thinking.clone())),
    }];
    go_on(play, || state.draws(), &mut events);
    Ok(Decided::Events(events))
}

/// Refuses an illegal action. In a match with a limit this is recorded, and the last one ends the
/// match.
fn refuse(
    state: &MatchState,
    act: &Act<'_>,
    due: DueDecision,
    rejection: Rejection,
) -> Result<Decided, Rejection> {
    let Some(left) = state.illegal_actions_left() else {
        return Err(rejection);
    };
    let left = left.saturating_sub(1);
    let mut events = vec![MatchEvent::ActionRefused {
        seat: due.seat,
        action: act.action.to_owned(),
        request_id: act.request_id.cloned(),
    }];
    if left == 0 {
        events.push(MatchEvent::MatchEnded {
            outcome: MatchOutcome::new(Some(due.seat.other()), Termination::IllegalAction),
            request_id: None,
        });
    }
    Ok(Decided::Refused {
        events,
        rejection: rejection.with_left(left),
    })
}

/// Returns the answer to a repeated request: the first answer, if it is the same request.
fn repeat(answer: &RequestAnswer, act: &Act<'_>) -> Result<Decided, Rejection> {
    match answer {
        RequestAnswer::Acted {
            decision, written, ..
        } if *decision == act.decision && written == act.action => {
            Ok(Decided::Answered(answer.clone()))
        }
        RequestAnswer::Refused {
            decision,
            written,
            rejection,
        } if *decision == act.decision && written == act.action => Err((**rejection).clone()),
        RequestAnswer::Joined
        | RequestAnswer::Acted { .. }
        | RequestAnswer::Refused { .. }
        | RequestAnswer::Ended => Err(Rejection::RequestIdReused),
    }
}
