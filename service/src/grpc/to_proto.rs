use dragontooth_games::match_play::Score;
use dragontooth_games::{GameOutcome, Seat, hex};
use dragontooth_proto::{google, v1 as wire};
use dragontooth_service_domain::{Clocks, MatchState};
use dragontooth_service_store::ChainedEvent;
use dragontooth_service_vocabulary::{
    Created, DisplayName, History, HistoryEvent, IdentityName, IllegalActionLimit, MatchEvent,
    MatchOutcome, PlayerId, Scopes, Timestamp,
};
use dragontooth_service_wire::{
    absences, clocks, duration, offer, scope, seat, stage, termination, thinking, time_control,
    timestamp, visibility,
};
use prost::Message;
use tonic::Status;

use super::thinking_reader::ThinkingReader;
use crate::matches::{DecisionView, FoundMatch, MatchFacts, Matches, PresentPlayer, ThinkingNote};

pub(super) fn seat(seat: Option<Seat>) -> i32 {
    seat.map_or(0, seat::to_proto)
}

pub(super) fn scopes(scopes: Scopes) -> Vec<i32> {
    scopes.iter().map(scope::to_proto).collect()
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

/// The status of a refusal as a field of a message.
pub(super) fn status(status: &Status) -> google::rpc::Status {
    google::rpc::Status::decode(status.details()).unwrap_or_else(|_| google::rpc::Status {
        code: status.code().into(),
        message: status.message().to_owned(),
        details: Vec::new(),
    })
}

/// The name of the identity that is a player, if there is one.
pub(super) type NameOf<'a> = &'a dyn Fn(PlayerId) -> Option<IdentityName>;

/// A player that is present, with the name of its identity.
pub(super) fn present_player(matches: &Matches, present: &PresentPlayer) -> wire::PresentPlayer {
    let name = matches.name_of(present.player);
    wire::PresentPlayer {
        player_id: present.player.to_string(),
        name: name.map_or_else(String::new, |name| name.to_string()),
        offer: present.presence.offer.as_deref().map(offer::to_proto),
        open_time: Some(timestamp::to_proto(present.presence.opened)),
        expire_time: present.presence.expires.map(timestamp::to_proto),
    }
}

/// The id of the presence of a player since this time.
pub(super) fn presence_id(since: Timestamp) -> String {
    format!("{:016x}", since.micros())
}

/// A match as it is shown now: with the server's seed if that is revealed.
pub(super) fn shown_match(matches: &Matches, facts: &MatchFacts<'_>) -> wire::Match {
    let is_seed_shown = matches.reveals_seed(facts.created, facts.is_over());
    match_resource(facts, is_seed_shown, &|player| matches.name_of(player))
}

/// A match that was found, as it is shown now, with the seats whose players are away.
pub(super) fn found_match(matches: &Matches, found: &FoundMatch) -> wire::Match {
    let mut shown = found.with(|facts| shown_match(matches, facts));
    shown.absences = absences::to_proto(found.forfeits());
    shown
}

/// A match, with the server's seed if `is_seed_shown`.
pub(super) fn match_resource(
    facts: &MatchFacts<'_>,
    is_seed_shown: bool,
    name_of: NameOf<'_>,
) -> wire::Match {
    let created = facts.created;
    wire::Match {
        id: created.id.to_string(),
        title: created.title.to_string(),
        game: created.game.clone(),
        variant: created.variant.clone(),
        target: created.target,
        time_control: match created.time_controls {
            [first, second] if first == second => first.map(time_control::to_proto),
            [_, _] => None,
        },
        state: stage::to_proto(facts.stage()),
        seats: Seat::BOTH
            .map(|seat| seat_info(facts, seat, name_of))
            .into(),
        score: Some(score(facts.score)),
        game_number: facts.game_number,
        position: facts.position.clone().into_owned(),
        to_act: seat(facts.due.map(|due| due.seat)),
        decision_id: facts.due.map_or(0, |due| due.decision.0),
        clocks: clocks::to_proto(facts.remaining),
        deadline: facts.deadline.map(timestamp::to_proto),
        outcome: facts.end.map(|(outcome, _)| match_outcome(outcome)),
        head_sequence: facts.head.sequence.0,
        head_hash: facts.head.hash.to_string(),
        create_time: Some(timestamp::to_proto(facts.created_at)),
        end_time: facts.end.map(|(_, time)| timestamp::to_proto(time)),
        creator_id: created.creator.to_string(),
        seed_commitment: hex(&created.seed.commitment(created.id)),
        seed_given: created.seed.given().is_some(),
        server_seed: server_seed(created, is_seed_shown),
        visibility: visibility::to_proto(created.audience.visibility()),
        spectator_delay: Some(created.audience.spectator_delay())
            .filter(|delay| !delay.is_zero())
            .map(duration::to_proto),
        disconnect_grace: created
            .disconnect_grace
            .map(|grace| duration::to_proto(grace.duration())),
        absences: Vec::new(),
        illegal_action_limit: created
            .illegal_action_limit
            .map_or(0, IllegalActionLimit::get),
        join_deadline: facts.join_deadline.map(timestamp::to_proto),
        opening: created.opening.clone(),
    }
}

fn server_seed(created: &Created, is_shown: bool) -> String {
    if is_shown {
        hex(created.seed.server_seed().bytes())
    } else {
        String::new()
    }
}

fn seat_info(facts: &MatchFacts<'_>, place: Seat, name_of: NameOf<'_>) -> wire::SeatInfo {
    let seated = facts.seats[place.index()];
    let name = match seated {
        Some(seated) => Some(seated.name.clone()),
        None => facts
            .player(place)
            .and_then(name_of)
            .map(DisplayName::Identity),
    };
    wire::SeatInfo {
        seat: seat(Some(place)),
        player_id: facts
            .player(place)
            .map_or_else(String::new, |player| player.to_string()),
        name_verified: name.as_ref().is_some_and(DisplayName::is_verified),
        name: name.map_or_else(String::new, |name| name.to_string()),
        joined: seated.is_some(),
        seed: seated.map_or_else(String::new, |seated| seated.seed.to_string()),
        time_control: facts.created.time_controls[place.index()].map(time_control::to_proto),
    }
}

fn match_outcome(result: &MatchOutcome) -> wire::MatchOutcome {
    let failure = result.failure.as_ref().map(ToString::to_string);
    let reason = result.reason.as_ref().map(ToString::to_string);
    wire::MatchOutcome {
        winner: seat(result.winner),
        termination: termination::to_proto(result.termination),
        aborted_by: result
            .aborted_by
            .map_or_else(String::new, |player| player.to_string()),
        // No outcome has both.
        reason: failure.or(reason).unwrap_or_default(),
    }
}

/// The fault for which the thoughts in an answer of this seat were left out.
pub(super) fn thinking_fault(note: ThinkingNote, actor: Seat) -> Option<wire::ThinkingFault> {
    note.fault(actor)
        .map(|(field, description)| wire::ThinkingFault {
            field: field.to_owned(),
            description,
        })
}

pub(super) fn decision(view: DecisionView) -> wire::Decision {
    let legal_actions = view.legal_actions.iter().map(ToOwned::to_owned).collect();
    wire::Decision {
        legal_actions,
        ..decision_without_actions(view)
    }
}

/// The same without its legal actions.
pub(super) fn decision_without_actions(view: DecisionView) -> wire::Decision {
    wire::Decision {
        match_id: view.match_id.to_string(),
        decision_id: view.decision.0,
        seat: seat(Some(view.seat)),
        game_number: view.game_number,
        ply: view.ply,
        position: view.position,
        legal_actions: Vec::new(),
        score: Some(score(view.score)),
        clocks: clocks::to_proto(view.remaining),
        deadline: view.deadline.map(timestamp::to_proto),
        roll: view.roll.unwrap_or_default(),
        offers: view.offers,
        illegal_actions_left: view.illegal_actions_left.unwrap_or_default(),
        since: history(&view.since),
    }
}

/// Events of play.
pub(super) fn history(history: &History) -> Vec<wire::HistoryEvent> {
    let events = history.iter().map(|(sequence, event)| {
        let (by, event) = history_event(event);
        wire::HistoryEvent {
            sequence: sequence.0,
            seat: seat(by),
            event: Some(event),
        }
    });
    events.collect()
}

/// An event of play, with the seat that it is of.
fn history_event(event: HistoryEvent<'_>) -> (Option<Seat>, wire::history_event::Event) {
    use wire::history_event::Event;
    use wire::match_event as kind;
    match event {
        HistoryEvent::Action { seat, action } => (Some(seat), Event::Action(action.to_owned())),
        HistoryEvent::Pass { seat } => (Some(seat), Event::TurnPassed(true)),
        HistoryEvent::Roll { roll } => (None, Event::Roll(roll.to_owned())),
        HistoryEvent::GameStarted {
            game_number,
            position,
        } => {
            let started = kind::GameStarted {
                game_number,
                position: position.to_owned(),
            };
            (None, Event::GameStarted(started))
        }
        HistoryEvent::GameEnded {
            winner,
            points,
            reason,
            score: after,
        } => {
            let ended = kind::GameEnded {
                outcome: Some(wire::GameOutcome {
                    winner: seat(winner),
                    points,
                    reason: reason.to_owned(),
                }),
                score: Some(score(after)),
            };
            (None, Event::GameEnded(ended))
        }
    }
}

/// An event, with the clocks before it and what the match is after it. The last one has the server's seed if
/// that is revealed. What is hidden from `reader` is left out.
pub(super) fn match_event(
    matches: &Matches,
    entry: &ChainedEvent,
    clocks_before: Option<Clocks>,
    after: &MatchState,
    reader: ThinkingReader,
) -> wire::MatchEvent {
    let recorded = &entry.recorded;
    let created = || shown_match(matches, &MatchFacts::at(after, entry.head));
    let mut event = event(&recorded.event, clocks_before, after, created);
    if let wire::match_event::Event::MatchEnded(ended) = &mut event {
        let is_seed_shown = matches.reveals_seed(after.created(), true);
        ended.server_seed = server_seed(after.created(), is_seed_shown);
    }
    if let wire::match_event::Event::ActionPlayed(played) = &mut event {
        let shown = reader.thinking(&recorded.event, after);
        played.thinking = shown.map(|thinking| Box::new(thinking::to_proto(thinking)));
    }
    wire::MatchEvent {
        sequence: recorded.sequence.0,
        time: Some(timestamp::to_proto(recorded.time)),
        event: Some(event),
    }
}

fn event(
    event: &MatchEvent,
    clocks_before: Option<Clocks>,
    after: &MatchState,
    created: impl FnOnce() -> wire::Match,
) -> wire::match_event::Event {
    use wire::match_event as kind;
    let position = || after.play().position().unwrap_or_default();
    match event {
        MatchEvent::Created(_) => kind::Event::Created(Box::new(kind::Created {
            r#match: Some(created()),
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
            name_verified: name.is_verified(),
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
            remaining: remaining.map(duration::to_proto),
            position: position(),
            receive_time: received.map(timestamp::to_proto),
            remaining_before: clocks_before
                .and_then(|clocks| clocks.remaining(*place))
                .map(duration::to_proto),
            thinking: None,
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
            server_seed: String::new(),
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
