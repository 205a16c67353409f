use std::fmt::Write as _;
use std::time::Duration;

use dragontooth_games::match_play::Score;
use dragontooth_games::{GameOutcome, Seat};
use dragontooth_proto::v1 as wire;
use dragontooth_service_domain::{Clocks, MatchResult, MatchState};
use dragontooth_service_store::{ChainHash, ChainedEvent, StoredMatch};
use dragontooth_service_vocabulary::{
    IllegalActionLimit, MatchEvent, MatchId, Scope, Scopes, Termination, TimeControl, Timestamp,
    Visibility,
};

use crate::matches::{CloseReason, DecisionView, Stage};

pub(super) fn seat(seat: Option<Seat>) -> i32 {
    match seat {
        None => wire::Seat::Unspecified,
        Some(Seat::First) => wire::Seat::First,
        Some(Seat::Second) => wire::Seat::Second,
    }
    .into()
}

pub(super) fn scopes(scopes: Scopes) -> Vec<i32> {
    let scope = |scope: Scope| match scope {
        Scope::Play => wire::Scope::Play,
        Scope::Watch => wire::Scope::Watch,
        Scope::Create => wire::Scope::Create,
        Scope::Admin => wire::Scope::Admin,
    };
    scopes.iter().map(|each| scope(each).into()).collect()
}

pub(super) fn timestamp(time: Timestamp) -> prost_types::Timestamp {
    let micros = time.micros();
    prost_types::Timestamp {
        seconds: i64::try_from(micros / 1_000_000).expect("fewer than 2^63 seconds"),
        nanos: i32::try_from(micros % 1_000_000 * 1000).expect("less than a second"),
    }
}

pub(super) fn duration(duration: Duration) -> prost_types::Duration {
    prost_types::Duration {
        seconds: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        nanos: i32::try_from(duration.subsec_nanos()).expect("less than a second"),
    }
}

pub(super) const fn score(score: Score) -> wire::Score {
    wire::Score {
        first: score.of(Seat::First),
        second: score.of(Seat::Second),
    }
}

pub(super) fn game_outcome(outcome: &GameOutcome) -> wire::GameOutcome {
    wire::GameOutcome {
        winner: seat(outcome.winner),
        points: outcome.points,
        reason: outcome.reason.to_owned(),
    }
}

pub(super) fn match_resource(id: MatchId, stored: &StoredMatch) -> wire::Match {
    match_at(id, stored, stored.head_hash())
}

/// The match after an event up to which its events have this hash.
fn match_at(id: MatchId, state: &MatchState, head: ChainHash) -> wire::Match {
    let created = state.created();
    let play = state.play();
    let due = state.due();
    wire::Match {
        id: id.to_string(),
        title: created.title.to_string(),
        game: play.game().to_owned(),
        variant: play.variant().to_owned(),
        target: play.target().points(),
        time_control: match created.time_controls {
            [first, second] if first == second => first.map(time_control),
            [_, _] => None,
        },
        state: match Stage::of(state) {
            Stage::Open => wire::MatchState::Open,
            Stage::Active => wire::MatchState::Active,
            Stage::Ended => wire::MatchState::Ended,
        }
        .into(),
        seats: Seat::BOTH.map(|seat| seat_info(state, seat)).into(),
        score: Some(score(play.score())),
        game_number: play.game_number(),
        position: play.position().unwrap_or_default(),
        to_act: seat(due.map(|due| due.seat)),
        decision_id: due.map_or(0, |due| due.decision.0),
        clocks: clocks(Seat::BOTH.map(|seat| state.clocks().remaining(seat))),
        deadline: state.deadline().map(timestamp),
        outcome: state.result().map(match_outcome),
        head_sequence: state.head().0,
        head_hash: head.to_string(),
        create_time: Some(timestamp(state.created_at())),
        end_time: state.result().map(|result| timestamp(result.time)),
        creator_id: created.creator.to_string(),
        seed_commitment: hex(&created.seed.commitment(id)),
        seed_given: created.seed.given().is_some(),
        server_seed: state
            .result()
            .map_or_else(String::new, |_| server_seed(state)),
        visibility: match created.audience.visibility() {
            Visibility::Public => wire::Visibility::Public,
            Visibility::Private => wire::Visibility::Private,
        }
        .into(),
        spectator_delay: Some(created.audience.spectator_delay())
            .filter(|delay| !delay.is_zero())
            .map(duration),
        disconnect_grace: created
            .disconnect_grace
            .map(|grace| duration(grace.duration())),
        absences: Vec::new(),
        illegal_action_limit: created
            .illegal_action_limit
            .map_or(0, IllegalActionLimit::get),
    }
}

fn server_seed(state: &MatchState) -> String {
    hex(state.created().seed.server_seed().bytes())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string does not fail");
        text
    })
}

fn seat_info(state: &MatchState, place: Seat) -> wire::SeatInfo {
    let seated = state.seated(place);
    let kept_for = state.created().reserved[place.index()];
    wire::SeatInfo {
        seat: seat(Some(place)),
        player_id: seated
            .map(|seated| seated.player)
            .or(kept_for)
            .map_or_else(String::new, |player| player.to_string()),
        name: seated.map_or_else(String::new, |seated| seated.name.to_string()),
        joined: seated.is_some(),
        seed: seated.map_or_else(String::new, |seated| seated.seed.to_string()),
        time_control: state.created().time_controls[place.index()].map(time_control),
    }
}

fn time_control(control: TimeControl) -> wire::TimeControl {
    use wire::time_control::{Delay, Fischer, Kind, PerAction};
    let kind = match control {
        TimeControl::PerAction { limit } => Kind::PerAction(PerAction {
            limit: Some(duration(limit)),
        }),
        TimeControl::Fischer { base, increment } => Kind::Fischer(Fischer {
            base: Some(duration(base)),
            increment: Some(duration(increment)),
        }),
        TimeControl::Delay { base, delay } => Kind::Delay(Delay {
            base: Some(duration(base)),
            delay: Some(duration(delay)),
        }),
    };
    wire::TimeControl { kind: Some(kind) }
}

fn clocks(remaining: [Option<Duration>; 2]) -> Vec<wire::Clock> {
    let clock = |place: Seat| {
        let remaining = remaining[place.index()]?;
        Some(wire::Clock {
            seat: seat(Some(place)),
            remaining: Some(duration(remaining)),
        })
    };
    Seat::BOTH.into_iter().filter_map(clock).collect()
}

fn match_outcome(result: &MatchResult) -> wire::MatchOutcome {
    let termination = match result.termination {
        Termination::Normal => wire::Termination::Normal,
        Termination::Timeout => wire::Termination::Timeout,
        Termination::Resignation => wire::Termination::Resignation,
        Termination::Aborted => wire::Termination::Aborted,
        Termination::Disconnect => wire::Termination::Disconnect,
        Termination::IllegalAction => wire::Termination::IllegalAction,
    };
    wire::MatchOutcome {
        winner: seat(result.winner),
        termination: termination.into(),
        aborted_by: result
            .aborted_by
            .map_or_else(String::new, |player| player.to_string()),
        failure: result
            .failure
            .as_ref()
            .map_or_else(String::new, ToString::to_string),
    }
}

pub(super) fn decision(view: DecisionView) -> wire::Decision {
    wire::Decision {
        match_id: view.match_id.to_string(),
        decision_id: view.decision.0,
        seat: seat(Some(view.seat)),
        game_number: view.game_number,
        ply: view.ply,
        position: view.position,
        legal_actions: view.legal_actions,
        score: Some(score(view.score)),
        clocks: clocks(view.remaining),
        deadline: view.deadline.map(timestamp),
        roll: view.roll.unwrap_or_default(),
        offers: view.offers,
        illegal_actions_left: view.illegal_actions_left.unwrap_or_default(),
    }
}

/// An event, with the clocks before it and what the match is after it.
pub(super) fn match_event(
    id: MatchId,
    entry: &ChainedEvent,
    clocks_before: Option<Clocks>,
    after: &MatchState,
) -> wire::MatchEvent {
    let recorded = &entry.recorded;
    let head = entry.head.hash;
    wire::MatchEvent {
        sequence: recorded.sequence.0,
        time: Some(timestamp(recorded.time)),
        event: Some(event(id, &recorded.event, clocks_before, after, head)),
    }
}

fn event(
    id: MatchId,
    event: &MatchEvent,
    clocks_before: Option<Clocks>,
    after: &MatchState,
    head: ChainHash,
) -> wire::match_event::Event {
    use wire::match_event as kind;
    let position = || after.play().position().unwrap_or_default();
    match event {
        MatchEvent::Created(_) => kind::Event::Created(Box::new(kind::Created {
            r#match: Some(match_at(id, after, head)),
        })),
        MatchEvent::SeatJoined {
            seat: place,
            player,
            name,
            seed,
            ..
        } => kind::Event::SeatJoined(kind::SeatJoined {
            seat: seat(Some(*place)),
            player_id: player.to_string(),
            name: name.to_string(),
            seed: seed.to_string(),
        }),
        MatchEvent::GameStarted { number, position } => {
            kind::Event::GameStarted(kind::GameStarted {
                game_number: *number,
                position: position.clone(),
            })
        }
        MatchEvent::ActionPlayed {
            seat: place,
            action,
            received,
            remaining,
            ..
        } => kind::Event::ActionPlayed(kind::ActionPlayed {
            seat: seat(Some(*place)),
            action: action.clone(),
            remaining: remaining.map(duration),
            position: position(),
            receive_time: received.map(timestamp),
            remaining_before: clocks_before
                .and_then(|clocks| clocks.remaining(*place))
                .map(duration),
        }),
        MatchEvent::ActionRefused {
            seat: place,
            action,
            ..
        } => kind::Event::ActionRefused(action_refused(*place, action, after)),
        MatchEvent::Rolled { roll } => kind::Event::Rolled(kind::Rolled {
            roll_number: after.play().rolls(),
            roll: roll.clone(),
            position: position(),
        }),
        MatchEvent::TurnPassed { seat: place } => kind::Event::TurnPassed(kind::TurnPassed {
            seat: seat(Some(*place)),
            position: position(),
        }),
        MatchEvent::GameEnded {
            winner,
            points,
            reason,
        } => kind::Event::GameEnded(kind::GameEnded {
            outcome: Some(wire::GameOutcome {
                winner: seat(*winner),
                points: *points,
                reason: reason.clone(),
            }),
            score: Some(score(after.play().score())),
        }),
        MatchEvent::MatchEnded { .. } => kind::Event::MatchEnded(kind::MatchEnded {
            outcome: after.result().map(match_outcome),
            server_seed: server_seed(after),
        }),
    }
}

/// An illegal action, with the match after it.
fn action_refused(
    place: Seat,
    action: &str,
    after: &MatchState,
) -> wire::match_event::ActionRefused {
    let rule = after
        .refusal_of(action)
        .and_then(|rejection| rejection.rule());
    let reason = match rule {
        Some(_) => wire::ErrorReason::IllegalAction,
        None => wire::ErrorReason::ActionUnreadable,
    };
    wire::match_event::ActionRefused {
        seat: seat(Some(place)),
        action: action.to_owned(),
        reason: reason.into(),
        rule: rule.unwrap_or_default().to_owned(),
        illegal_actions_left: after.illegal_actions_left().unwrap_or_default(),
    }
}

/// The seats whose players are away, by [`Seat::index`] when the match is lost for them.
pub(super) fn absences(forfeits: [Option<Timestamp>; 2]) -> Vec<wire::Absence> {
    let absence = |place: Seat| {
        let time = forfeits[place.index()]?;
        Some(wire::Absence {
            seat: seat(Some(place)),
            forfeit_time: Some(timestamp(time)),
        })
    };
    Seat::BOTH.into_iter().filter_map(absence).collect()
}

pub(super) fn close_reason(reason: CloseReason) -> i32 {
    match reason {
        CloseReason::MatchEnded => wire::CloseReason::MatchEnded,
        CloseReason::Superseded => wire::CloseReason::Superseded,
        CloseReason::SlowReader => wire::CloseReason::SlowReader,
        CloseReason::Draining => wire::CloseReason::Draining,
        CloseReason::TokenEnded => wire::CloseReason::TokenEnded,
        CloseReason::LogDamaged => wire::CloseReason::LogDamaged,
        CloseReason::LogUnavailable => wire::CloseReason::LogUnavailable,
        CloseReason::ConnectionAged => wire::CloseReason::ConnectionAged,
    }
    .into()
}
