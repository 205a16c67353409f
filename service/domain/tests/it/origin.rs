//! Where a log comes from: the other way round than a replay.

use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_domain::{
    Command, Decided, MatchState, OfferedThinking, Replay, create, decide,
};
use dragontooth_service_vocabulary::{
    Created, MatchEvent, MatchOutcome, MatchSeed, NewMatch, Recorded, RequestId, Termination,
    TimeControl, Timestamp,
};

/// What commands make of a log.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Exactly this log.
    Whole,
    /// This log and more: the last command leads to further events.
    CutShort,
}

/// Looks for the commands that lead to the events of `log`, decides each of them again, and tells
/// what they lead to, or at which event there is none.
///
/// How a game of the random variant begins is taken from the log: it may have been drawn in any
/// way.
pub(crate) fn origin(log: &[Recorded]) -> Result<Origin, String> {
    origin_after(Replay::new(), log)
}

/// Does the same for the rest of a log, which begins with a command after what was replayed.
pub(crate) fn origin_after(mut replay: Replay, log: &[Recorded]) -> Result<Origin, String> {
    let mut at = 0;
    while at < log.len() {
        let told = match replay.state() {
            None => created_again(&log[0].event)?,
            Some(state) => decided_again(state, &log[at])?,
        };
        for event in told {
            let Some(recorded) = log.get(at) else {
                return Ok(Origin::CutShort);
            };
            if !is_same(replay.state(), &event, &recorded.event) {
                return Err(format!("event {at} is not {event:?}"));
            }
            replay.push(recorded).map_err(|misfit| misfit.to_string())?;
            at += 1;
        }
    }
    Ok(Origin::Whole)
}

fn created_again(event: &MatchEvent) -> Result<Vec<MatchEvent>, String> {
    let MatchEvent::Created(created) = event else {
        return Err("nothing creates the match".to_owned());
    };
    let Created {
        id,
        game,
        variant,
        target,
        time_controls,
        seed,
        title,
        creator,
        reserved,
        audience,
        disconnect_grace,
        illegal_action_limit,
        join_timeout,
        opening,
        request_id,
    } = (**created).clone();
    if time_controls
        .iter()
        .flatten()
        .any(|control| control.check().is_err())
    {
        return Err("no service agrees on such a control".to_owned());
    }
    let new = NewMatch {
        game,
        variant: Some(variant),
        target,
        time_controls,
        seed: match &seed {
            MatchSeed::Shared(shared) => Some(shared.clone()),
            // Earlier versions.
            MatchSeed::Given(_) | MatchSeed::Drawn(_) => None,
        },
        title,
        reserved,
        audience,
        disconnect_grace,
        illegal_action_limit,
        join_timeout,
        opening,
        request_id,
    };
    let mut again =
        create(&new, creator, id, &seed.server_seed()).map_err(|refused| refused.to_string())?;
    if let (MatchEvent::Created(again), MatchSeed::Given(_)) = (&mut again, &seed) {
        again.seed = seed;
    }
    Ok(vec![again])
}

fn decided_again(state: &MatchState, recorded: &Recorded) -> Result<Vec<MatchEvent>, String> {
    if is_earlier_abort(state, &recorded.event) {
        return Ok(vec![recorded.event.clone()]);
    }
    let (command, now) = cause(state, recorded).ok_or("no command leads to this")?;
    let mut state = state.clone();
    if command == Command::CheckClock {
        // In a match of an earlier version the time to join is the service's.
        state.limit_joining(Duration::ZERO);
    }
    match decide(&state, &command, now) {
        Ok(Decided::Events(events)) if events.is_empty() => Err("nothing happens".to_owned()),
        Ok(Decided::Events(events) | Decided::Refused { events, .. }) => Ok(events),
        Ok(Decided::Answered(_)) => Err("it was answered before".to_owned()),
        Err(rejection) => Err(rejection.to_string()),
    }
}

/// Earlier versions let a player abort a match under way, before the first action or as its creator.
fn is_earlier_abort(state: &MatchState, event: &MatchEvent) -> bool {
    let MatchEvent::MatchEnded {
        outcome:
            MatchOutcome {
                winner: None,
                termination: Termination::Aborted,
                aborted_by,
                failure: None,
                reason: None,
            },
        ..
    } = event
    else {
        return false;
    };
    let creator = state.created().creator;
    let player = aborted_by.unwrap_or(creator);
    let was_allowed = player == creator || state.ply() == 0;
    state.due().is_some() && state.seat_of(player).is_some() && was_allowed
}

/// The command that leads to an event, and when it comes.
fn cause(state: &MatchState, recorded: &Recorded) -> Option<(Command, Timestamp)> {
    let early = state.due().map_or(state.created_at(), |due| due.since);
    match &recorded.event {
        MatchEvent::SeatJoined {
            seat,
            player,
            name,
            seed,
            request_id,
        } => Some((
            Command::Join {
                player: *player,
                seat: Some(*seat),
                name: name.clone(),
                seed: Some(seed.clone()),
                request_id: request_id.clone(),
            },
            early,
        )),
        MatchEvent::ActionPlayed {
            seat,
            action,
            received: _,
            remaining,
            request_id,
            written,
            thinking,
        } => {
            let due = state.due()?;
            let command = Command::Act {
                player: state.seated(*seat)?.player,
                decision: due.decision,
                action: written.as_ref().unwrap_or(action).clone(),
                thinking: thinking.as_deref().map(|thinking| {
                    Box::new(OfferedThinking {
                        seat: None,
                        thinking: thinking.clone(),
                    })
                }),
                request_id: request_id.clone(),
            };
            let before = state.clocks().remaining(*seat);
            let used = used(
                state.created().time_controls[seat.index()],
                before,
                *remaining,
            )?;
            Some((command, due.since.after(used)))
        }
        MatchEvent::ActionRefused {
            seat,
            action,
            request_id,
        } => {
            let command = Command::Act {
                player: state.seated(*seat)?.player,
                decision: state.due()?.decision,
                action: action.clone(),
                thinking: None,
                request_id: request_id.clone(),
            };
            Some((command, early))
        }
        MatchEvent::MatchEnded {
            outcome,
            request_id,
        } => {
            let (command, now) = cause_of_end(state, outcome, request_id.as_ref())?;
            Some((command, now.unwrap_or(early)))
        }
        MatchEvent::Created(_)
        | MatchEvent::GameStarted { .. }
        | MatchEvent::TurnPassed { .. }
        | MatchEvent::Rolled { .. }
        | MatchEvent::GameEnded { .. } => None,
    }
}

/// The command that leads to an end, and when it comes, if it must come late.
fn cause_of_end(
    state: &MatchState,
    outcome: &MatchOutcome,
    request_id: Option<&RequestId>,
) -> Option<(Command, Option<Timestamp>)> {
    let MatchOutcome {
        winner,
        termination,
        aborted_by,
        failure,
        reason,
    } = outcome;
    match termination {
        Termination::Normal | Termination::IllegalAction => None,
        Termination::Timeout => {
            let late = state.deadline()?.after(Duration::from_micros(1));
            Some((Command::CheckClock, Some(late)))
        }
        Termination::Resignation => {
            let player = state.seated((*winner)?.other())?.player;
            let request_id = request_id.cloned();
            let failure = failure.clone();
            let resign = Command::Resign {
                player,
                failure,
                request_id,
            };
            Some((resign, None))
        }
        Termination::Disconnect => {
            let end = Command::EndGrace {
                seat: winner.map_or(Seat::First, Seat::other),
                opponent_away: winner.is_none(),
            };
            Some((end, None))
        }
        Termination::Expired => {
            let late = state.join_deadline().unwrap_or(state.created_at());
            Some((Command::CheckClock, Some(late)))
        }
        Termination::Declined => {
            let decline = Command::Decline {
                player: (*aborted_by)?,
                reason: reason.clone(),
                request_id: request_id.cloned(),
            };
            Some((decline, None))
        }
        Termination::Aborted => {
            // Earlier versions did not tell.
            let player = aborted_by.unwrap_or(state.created().creator);
            let request_id = request_id.cloned();
            let abort = match reason.clone() {
                Some(reason) => Command::AbortAsOperator {
                    operator: (*aborted_by)?,
                    reason,
                    request_id,
                },
                None => Command::Abort { player, request_id },
            };
            Some((abort, None))
        }
    }
}

/// How long a decision took that changed a clock like this.
fn used(
    control: Option<TimeControl>,
    before: Option<Duration>,
    after: Option<Duration>,
) -> Option<Duration> {
    let no_time = Some(Duration::ZERO);
    match (control, before, after) {
        (Some(TimeControl::Fischer { increment, .. }), Some(before), Some(after)) => {
            (before + increment).checked_sub(after)
        }
        (Some(TimeControl::Delay { delay, .. }), Some(before), Some(after)) if after < before => {
            Some(before.abs_diff(after) + delay)
        }
        (None | Some(TimeControl::PerAction { .. } | TimeControl::Delay { .. }), ..) => no_time,
        (Some(TimeControl::Fischer { .. }), ..) => None,
    }
}

fn is_same(state: Option<&MatchState>, told: &MatchEvent, recorded: &MatchEvent) -> bool {
    let is_drawn = state.is_some_and(|state| state.created().variant == "random");
    match (told, recorded) {
        (MatchEvent::GameStarted { number: 1, .. }, MatchEvent::GameStarted { number: 1, .. }) => {
            is_drawn || told == recorded
        }
        (MatchEvent::ActionPlayed { .. }, MatchEvent::ActionPlayed { received, .. }) => {
            // As the time of the record it is for the service to say.
            let mut told = told.clone();
            if let MatchEvent::ActionPlayed { received: told, .. } = &mut told {
                *told = *received;
            }
            told == *recorded
        }
        (MatchEvent::MatchEnded { outcome, .. }, MatchEvent::MatchEnded { .. })
            if outcome.termination == Termination::Aborted =>
        {
            // Earlier versions did not tell.
            let mut earlier = told.clone();
            if let MatchEvent::MatchEnded { outcome, .. } = &mut earlier {
                outcome.aborted_by = None;
            }
            told == recorded || earlier == *recorded
        }
        _ => told == recorded,
    }
}
