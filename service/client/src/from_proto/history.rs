use dragontooth_proto::v1;
use dragontooth_service_vocabulary::{History, HistoryEvent, Sequence};
use v1::history_event::Event;

use super::Field;
use super::events::game_outcome;
use super::fields;
use super::matches;
use crate::{FieldFault, InvalidResponse};

/// Converts the field `since`. Events of kinds that later versions add are left out.
pub(super) fn history(wire: Vec<v1::HistoryEvent>) -> Result<History, InvalidResponse> {
    let mut history = History::default();
    for (index, event) in wire.into_iter().enumerate() {
        push(&mut history, event).within(&format!("since[{index}]"))?;
    }
    Ok(history)
}

fn push(history: &mut History, wire: v1::HistoryEvent) -> Result<(), InvalidResponse> {
    let sequence = Sequence(wire.sequence);
    if history.last_sequence() >= Some(sequence) {
        return Err(InvalidResponse::new("sequence", FieldFault::Order));
    }
    let seat = || fields::some_seat(wire.seat, "seat");
    match wire.event {
        Some(Event::Action(action)) => {
            let (seat, action) = (seat()?, &*action);
            history.push(sequence, HistoryEvent::Action { seat, action });
        }
        Some(Event::TurnPassed(_)) => history.push(sequence, HistoryEvent::Pass { seat: seat()? }),
        Some(Event::Roll(roll)) => history.push(sequence, HistoryEvent::Roll { roll: &roll }),
        Some(Event::GameStarted(started)) => {
            let event = HistoryEvent::GameStarted {
                game_number: started.game_number,
                position: &started.position,
            };
            history.push(sequence, event);
        }
        Some(Event::GameEnded(ended)) => {
            let outcome = ended.outcome;
            let outcome = outcome.ok_or_else(|| InvalidResponse::missing("game_ended.outcome"))?;
            let outcome = game_outcome(outcome).within("game_ended.outcome")?;
            let event = HistoryEvent::GameEnded {
                winner: outcome.winner,
                points: outcome.points,
                reason: &outcome.reason,
                score: matches::score(ended.score),
            };
            history.push(sequence, event);
        }
        None => {}
    }
    Ok(())
}
