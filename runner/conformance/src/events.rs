use dragontooth_games::Seat;
use dragontooth_service_client::{Client, Event, EventKind, Resume, WatchUpdate};
use dragontooth_service_vocabulary::{MatchId, Sequence};

use super::failure::Failure;

/// The events of a match after one, at least one, as soon as there are any.
pub(super) async fn next_events(
    runner: &Client,
    id: MatchId,
    after: Sequence,
) -> Result<Vec<Event>, Failure> {
    let mut watch = runner.watch(id, after, Resume::Never);
    loop {
        match watch.next().await {
            Some(Ok(WatchUpdate::Events(events))) => return Ok(events),
            Some(Ok(WatchUpdate::CaughtUp { .. } | WatchUpdate::Heartbeat { .. })) => {}
            Some(Ok(WatchUpdate::Closing(_))) | None => {
                return Err(Failure::kit("the match is over"));
            }
            Some(Err(error)) => return Err(error.into()),
        }
    }
}

/// The action of the seat, if the event is one.
pub(super) fn action_of(event: &Event, of: Seat) -> Option<&str> {
    match &event.kind {
        EventKind::ActionPlayed { seat, action, .. } if *seat == of => Some(action),
        EventKind::Created(_)
        | EventKind::SeatJoined { .. }
        | EventKind::GameStarted { .. }
        | EventKind::ActionPlayed { .. }
        | EventKind::ActionRefused { .. }
        | EventKind::Rolled { .. }
        | EventKind::TurnPassed { .. }
        | EventKind::GameEnded { .. }
        | EventKind::MatchEnded(_) => None,
    }
}
