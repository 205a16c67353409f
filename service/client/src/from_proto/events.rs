use dragontooth_games::GameOutcome;
use dragontooth_proto::v1::{self, match_event::Event as Wire};
use dragontooth_service_vocabulary::{
    DisplayName, IdentityName, InvalidText, MatchEvent, PlayerName, Recorded, Sequence,
};
use dragontooth_service_wire::{close_reason, thinking};

use super::Field;
use super::fields;
use super::matches;
use crate::invalid_response::{FieldFault, InvalidResponse};
use crate::{Closing, EventFacts, MatchView, WatchedEvent};

/// Converts an event of a match.
pub(crate) fn event(wire: v1::MatchEvent) -> Result<WatchedEvent, InvalidResponse> {
    let event = wire
        .event
        .ok_or_else(|| InvalidResponse::missing("event"))?;
    let mut facts = EventFacts::default();
    Ok(WatchedEvent {
        recorded: Recorded {
            sequence: Sequence(wire.sequence),
            time: fields::timestamp(wire.time, "time")?,
            event: match_event(event, &mut facts)?,
        },
        facts,
    })
}

/// Converts the reason for the end of a stream. Later versions of the API may have unknown reasons.
pub(crate) fn closing(number: i32) -> Closing {
    match close_reason::from_proto(number) {
        Ok(Some(reason)) => Closing::Reason(reason),
        Ok(None) | Err(_) => Closing::Unknown(number),
    }
}

pub(super) fn game_outcome(wire: v1::GameOutcome) -> Result<GameOutcome<String>, InvalidResponse> {
    Ok(GameOutcome {
        winner: fields::seat(wire.winner, "winner")?,
        points: wire.points,
        reason: wire.reason,
    })
}

type Event = MatchEvent<Box<MatchView>>;

fn match_event(wire: Wire, facts: &mut EventFacts) -> Result<Event, InvalidResponse> {
    match wire {
        Wire::Created(created) => {
            let view = matches::match_view(created.r#match).within("created")?;
            Ok(MatchEvent::Created(Box::new(view)))
        }
        Wire::SeatJoined(joined) => seat_joined(&joined).within("seat_joined"),
        Wire::GameStarted(started) => Ok(MatchEvent::GameStarted {
            number: started.game_number,
            position: started.position,
        }),
        Wire::ActionPlayed(played) => action_played(played, facts).within("action_played"),
        Wire::ActionRefused(refused) => {
            facts.rule = fields::filled(refused.rule);
            facts.illegal_actions_left = Some(refused.illegal_actions_left);
            Ok(MatchEvent::ActionRefused {
                seat: fields::some_seat(refused.seat, "action_refused.seat")?,
                action: refused.action,
                request_id: None,
            })
        }
        Wire::Rolled(rolled) => {
            facts.position = Some(rolled.position);
            Ok(MatchEvent::Rolled { roll: rolled.roll })
        }
        Wire::TurnPassed(passed) => {
            facts.position = Some(passed.position);
            let seat = fields::some_seat(passed.seat, "turn_passed.seat")?;
            Ok(MatchEvent::TurnPassed { seat })
        }
        Wire::GameEnded(ended) => {
            facts.score = Some(matches::score(ended.score));
            game_ended(ended.outcome).within("game_ended")
        }
        Wire::MatchEnded(ended) => match_ended(ended.outcome).within("match_ended"),
    }
}

fn seat_joined(wire: &v1::match_event::SeatJoined) -> Result<Event, InvalidResponse> {
    Ok(MatchEvent::SeatJoined {
        seat: fields::some_seat(wire.seat, "seat")?,
        player: fields::id("player_id", &wire.player_id)?,
        name: seat_name(wire)
            .map_err(|error| InvalidResponse::new("name", FieldFault::Text(error)))?,
        seed: fields::text("seed", &wire.seed)?,
        request_id: None,
    })
}

/// Converts a name, which an earlier version of the service may have recorded.
fn seat_name(wire: &v1::match_event::SeatJoined) -> Result<DisplayName, InvalidText> {
    if wire.name_verified {
        IdentityName::recorded(&wire.name).map(DisplayName::Identity)
    } else {
        PlayerName::recorded(&wire.name).map(DisplayName::SelfGiven)
    }
}

fn action_played(
    wire: v1::match_event::ActionPlayed,
    facts: &mut EventFacts,
) -> Result<Event, InvalidResponse> {
    facts.position = Some(wire.position);
    facts.remaining_before = wire
        .remaining_before
        .map(|left| fields::duration(left, "remaining_before"))
        .transpose()?;
    let remaining = wire
        .remaining
        .map(|left| fields::duration(left, "remaining"));
    let thinking = wire
        .thinking
        .map(|thinking| thinking::from_proto(*thinking))
        .transpose();
    let thinking = thinking
        .map_err(|error| InvalidResponse::new(error.field, FieldFault::Thinking(error.fault)))?;
    Ok(MatchEvent::ActionPlayed {
        seat: fields::some_seat(wire.seat, "seat")?,
        action: wire.action,
        received: fields::maybe_timestamp(wire.receive_time, "receive_time")?,
        remaining: remaining.transpose()?,
        request_id: None,
        written: None,
        thinking: thinking.map(Box::new),
    })
}

fn game_ended(outcome: Option<v1::GameOutcome>) -> Result<Event, InvalidResponse> {
    let outcome = outcome.ok_or_else(|| InvalidResponse::missing("outcome"))?;
    let GameOutcome {
        winner,
        points,
        reason,
    } = game_outcome(outcome).within("outcome")?;
    Ok(MatchEvent::GameEnded {
        winner,
        points,
        reason,
    })
}

fn match_ended(outcome: Option<v1::MatchOutcome>) -> Result<Event, InvalidResponse> {
    let outcome = outcome.ok_or_else(|| InvalidResponse::missing("outcome"))?;
    let outcome = matches::match_outcome(outcome).within("outcome")?;
    Ok(MatchEvent::MatchEnded {
        outcome,
        request_id: None,
    })
}
