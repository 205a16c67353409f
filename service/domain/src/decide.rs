use dragontooth_service_vocabulary::{MatchEvent, Sight, Timestamp};

use crate::{Command, MatchState, Rejection, RequestAnswer};

mod act;
mod create;
mod end;
mod go_on;
mod join;

pub use create::create;

/// The result of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decided {
    /// Record these events, in order. An empty list means that nothing changes.
    Events(Vec<MatchEvent>),
    /// A repeated request: this was its answer.
    Answered(RequestAnswer),
    /// A refusal that is part of the match: these events are recorded, in order, and the caller is
    /// refused.
    Refused {
        /// The events.
        events: Vec<MatchEvent>,
        /// The refusal.
        rejection: Rejection,
    },
}

/// Decides `command`, received at `now`, in a match. [`MatchState`] has an example.
///
/// After the deadline of the due decision, and from the deadline to join on, the match counts as over. The
/// caller records that by deciding [`Command::CheckClock`] first.
///
/// # Errors
///
/// The reason for refusing the command.
pub fn decide(state: &MatchState, command: &Command, now: Timestamp) -> Result<Decided, Rejection> {
    if let Some(player) = command.player()
        && state.sight(player) == Sight::Nothing
    {
        return Err(Rejection::Hidden(state.created().id));
    }
    match command {
        Command::Join {
            player,
            seat,
            name,
            seed,
            request_id,
        } => {
            let join = join::Join {
                player: *player,
                wanted: *seat,
                name,
                seed: seed.as_ref(),
                request_id: request_id.as_ref(),
            };
            join::join(state, &join, now)
        }
        Command::Act {
            player,
            decision,
            action,
            thinking,
            request_id,
        } => {
            let act = act::Act {
                player: *player,
                decision: *decision,
                action,
                thinking: thinking.as_deref(),
                request_id: request_id.as_ref(),
            };
            act::act(state, &act, now)
        }
        Command::Resign {
            player,
            failure,
            request_id,
        } => end::resign(state, *player, failure.as_ref(), request_id.as_ref(), now),
        Command::Abort { player, request_id } => {
            end::abort(state, *player, request_id.as_ref(), now)
        }
        Command::AbortAsOperator {
            operator,
            reason,
            request_id,
        } => end::abort_as_operator(state, *operator, reason, request_id.as_ref(), now),
        Command::Decline {
            player,
            reason,
            request_id,
        } => end::decline(state, *player, reason.as_ref(), request_id.as_ref(), now),
        Command::EndGrace {
            seat,
            opponent_away,
        } => Ok(end::end_grace(state, *seat, *opponent_away, now)),
        Command::CheckClock => Ok(end::check_clock(state, now)),
    }
}

/// Returns true if the match is over at `now`: it has ended, or the time of the seat to act or to join is up.
fn is_over(state: &MatchState, now: Timestamp) -> bool {
    state.result().is_some()
        || state.deadline().is_some_and(|deadline| now > deadline)
        || has_expired(state, now)
}

/// Returns true if a seat is still free, and the time to join is up at `now`.
fn has_expired(state: &MatchState, now: Timestamp) -> bool {
    state
        .join_deadline()
        .is_some_and(|deadline| now >= deadline)
}
