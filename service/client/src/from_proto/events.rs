use dragontooth_proto::v1::{self, match_event::Event as Wire};
use dragontooth_service_vocabulary::Sequence;

use super::Field;
use super::fields::{self, InvalidResponse};
use super::matches;
use crate::{CloseReason, Event, EventKind, GameOutcome};

/// Something that happened in a match.
pub(crate) fn event(wire: v1::MatchEvent) -> Result<Event, InvalidResponse> {
    let kind = wire
        .event
        .ok_or_else(|| InvalidResponse::missing("event"))?;
    Ok(Event {
        sequence: Sequence(wire.sequence),
        time: fields::time(wire.time, "time")?,
        kind: event_kind(kind)?,
    })
}

/// Why a stream ends. Later versions of the API may have reasons that nobody knows here.
pub(crate) fn close_reason(number: i32) -> CloseReason {
    match v1::CloseReason::try_from(number) {
        Ok(v1::CloseReason::MatchEnded) => CloseReason::MatchEnded,
        Ok(v1::CloseReason::Superseded) => CloseReason::Superseded,
        Ok(v1::CloseReason::SlowReader) => CloseReason::SlowReader,
        Ok(v1::CloseReason::Draining) => CloseReason::Draining,
        Ok(v1::CloseReason::LogDamaged) => CloseReason::LogDamaged,
        Ok(v1::CloseReason::TokenEnded) => CloseReason::TokenEnded,
        Ok(v1::CloseReason::ConnectionAged) => CloseReason::ConnectionAged,
        Ok(v1::CloseReason::LogUnavailable) => CloseReason::LogUnavailable,
        Ok(v1::CloseReason::Unspecified) | Err(_) => CloseReason::Other(number),
    }
}

pub(super) fn game_outcome(wire: v1::GameOutcome) -> Result<GameOutcome, InvalidResponse> {
    Ok(GameOutcome {
        winner: fields::seat(wire.winner, "winner")?,
        points: wire.points,
        reason: wire.reason,
    })
}

fn event_kind(wire: Wire) -> Result<EventKind, InvalidResponse> {
    match wire {
        Wire::Created(created) => {
            let view = matches::match_view(created.r#match).within("created")?;
            Ok(EventKind::Created(Box::new(view)))
        }
        Wire::SeatJoined(joined) => seat_joined(joined).within("seat_joined"),
        Wire::GameStarted(started) => Ok(EventKind::GameStarted {
            game_number: started.game_number,
            position: started.position,
        }),
        Wire::ActionPlayed(played) => action_played(played).within("action_played"),
        Wire::ActionRefused(refused) => Ok(EventKind::ActionRefused {
            seat: fields::some_seat(refused.seat, "action_refused.seat")?,
            action: refused.action,
            rule: fields::filled(refused.rule),
            illegal_actions_left: refused.illegal_actions_left,
        }),
        Wire::Rolled(rolled) => Ok(EventKind::Rolled {
            roll_number: rolled.roll_number,
            roll: rolled.roll,
            position: rolled.position,
        }),
        Wire::TurnPassed(passed) => Ok(EventKind::TurnPassed {
            seat: fields::some_seat(passed.seat, "turn_passed.seat")?,
            position: passed.position,
        }),
        Wire::GameEnded(ended) => game_ended(ended).within("game_ended"),
        Wire::MatchEnded(ended) => match_ended(ended.outcome).within("match_ended"),
    }
}

fn seat_joined(wire: v1::match_event::SeatJoined) -> Result<EventKind, InvalidResponse> {
    Ok(EventKind::SeatJoined {
        seat: fields::some_seat(wire.seat, "seat")?,
        player: fields::id("player_id", &wire.player_id)?,
        name: wire.name,
        seed: wire.seed,
    })
}

fn action_played(wire: v1::match_event::ActionPlayed) -> Result<EventKind, InvalidResponse> {
    let remaining = wire
        .remaining
        .map(|left| fields::duration(left, "remaining"));
    let remaining_before = wire
        .remaining_before
        .map(|left| fields::duration(left, "remaining_before"));
    let received = fields::maybe_time(wire.receive_time, "receive_time")?;
    Ok(EventKind::ActionPlayed {
        seat: fields::some_seat(wire.seat, "seat")?,
        action: wire.action,
        remaining: remaining.transpose()?,
        remaining_before: remaining_before.transpose()?,
        received,
        position: wire.position,
    })
}

fn game_ended(wire: v1::match_event::GameEnded) -> Result<EventKind, InvalidResponse> {
    let outcome = wire
        .outcome
        .ok_or_else(|| InvalidResponse::missing("outcome"))?;
    Ok(EventKind::GameEnded {
        outcome: game_outcome(outcome).within("outcome")?,
        score: matches::score(wire.score),
    })
}

fn match_ended(outcome: Option<v1::MatchOutcome>) -> Result<EventKind, InvalidResponse> {
    let outcome = outcome.ok_or_else(|| InvalidResponse::missing("outcome"))?;
    matches::match_outcome(outcome)
        .within("outcome")
        .map(EventKind::MatchEnded)
}
