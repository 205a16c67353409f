use dragontooth_games::Seat;
use dragontooth_service_client::{Client, Resume, WatchUpdate, WatchedEvent};
use dragontooth_service_vocabulary::{MatchEvent, MatchId, Sequence};

use super::failure::Failure;

/// The events of a match after one, at least one, as soon as there are any.
pub(super) async fn next_events(
    runner: &Client,
    id: MatchId,
    after: Sequence,
) -> Result<Vec<WatchedEvent>, Failure> {
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
pub(super) fn action_of(event: &WatchedEvent, of: Seat) -> Option<&str> {
    match event.event() {
        MatchEvent::ActionPlayed { seat, action, .. } if *seat == of => Some(action),
        MatchEvent::Created(_)
        | MatchEvent::SeatJoined { .. }
        | MatchEvent::GameStarted { .. }
        | MatchEvent::ActionPlayed { .. }
        | MatchEvent::ActionRefused { .. }
        | MatchEvent::Rolled { .. }
        | MatchEvent::TurnPassed { .. }
        | MatchEvent::GameEnded { .. }
        | MatchEvent::MatchEnded { .. } => None,
    }
}
