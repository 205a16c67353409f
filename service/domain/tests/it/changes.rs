//! Events with a field changed.

use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::chance::Seed;
use dragontooth_service_domain::MatchState;
use dragontooth_service_vocabulary::{
    Created, DisplayName, EndReason, FailureText, MatchEvent, MatchOutcome, MatchSeed, PlayerId,
    PlayerName, SeedText, Termination, TimeControl, Title,
};

use crate::people::{ANN, BOB, EVE, HOST, request, usual_seed};

/// `event`, which follows on `state`, with one field changed, in many ways.
pub(crate) fn changes(state: Option<&MatchState>, event: &MatchEvent) -> Vec<MatchEvent> {
    let mut changed = match event {
        MatchEvent::Created(created) => created_changes(created)
            .into_iter()
            .map(|created| MatchEvent::Created(Box::new(created)))
            .collect(),
        MatchEvent::SeatJoined {
            seat, player, name, ..
        } => seat_changes(*seat, *player, name),
        MatchEvent::GameStarted { number, position } => game_changes(*number, position),
        MatchEvent::ActionPlayed { .. } => action_changes(state, event),
        MatchEvent::TurnPassed { seat } => vec![MatchEvent::TurnPassed { seat: seat.other() }],
        MatchEvent::GameEnded {
            winner,
            points,
            reason,
        } => end_changes(*winner, *points, reason),
        MatchEvent::ActionRefused { seat, action, .. } => {
            let refused = |seat: Seat, action: &str| MatchEvent::ActionRefused {
                seat,
                action: action.to_owned(),
                request_id: None,
            };
            let texts = ["", "a1", "a1a1", "a1a7", "left"];
            let mut changed: Vec<MatchEvent> = texts.map(|text| refused(*seat, text)).into();
            changed.push(refused(seat.other(), action));
            changed
        }
        MatchEvent::Rolled { .. } | MatchEvent::MatchEnded { .. } => Vec::new(),
    };
    changed.extend(kinds());
    changed.extend(match_ends());
    changed.retain(|changed| changed != event);
    changed
}

fn created_changes(created: &Created) -> Vec<Created> {
    let mut changed = Vec::new();
    let mut with = |change: &dyn Fn(&mut Created)| {
        let mut other = created.clone();
        change(&mut other);
        changed.push(other);
    };
    for game in ["", "Kamisado", "chess"] {
        with(&|created| game.clone_into(&mut created.game));
    }
    for variant in ["", "standard", "random", "other"] {
        with(&|created| variant.clone_into(&mut created.variant));
    }
    for target in [0, 1, 2, 3, 7, 15, u32::MAX] {
        with(&|created| created.target = target);
    }
    let (short, long) = (Duration::from_millis(1), Duration::from_hours(1));
    for control in [
        None,
        Some(TimeControl::PerAction { limit: long }),
        Some(TimeControl::PerAction {
            limit: Duration::ZERO,
        }),
        Some(TimeControl::PerAction {
            limit: Duration::MAX,
        }),
        Some(TimeControl::Fischer {
            base: short,
            increment: short,
        }),
        Some(TimeControl::Fischer {
            base: long,
            increment: long,
        }),
        Some(TimeControl::Fischer {
            base: Duration::MAX,
            increment: Duration::MAX,
        }),
        Some(TimeControl::Delay {
            base: long,
            delay: short,
        }),
        Some(TimeControl::Delay {
            base: long,
            delay: Duration::ZERO,
        }),
        Some(TimeControl::Delay {
            base: Duration::MAX,
            delay: Duration::MAX,
        }),
    ] {
        with(&|created| created.time_controls = [control; 2]);
        with(&|created| created.time_controls[1] = control);
    }
    with(&|created| created.seed = MatchSeed::Given(SeedText::new("another").unwrap()));
    with(&|created| created.seed = MatchSeed::Shared(SeedText::new("another").unwrap().into()));
    with(&|created| created.seed = MatchSeed::Drawn(Seed::from_bytes([9; 32])));
    with(&|created| created.title = Title::new("another").unwrap());
    for creator in [ANN, EVE] {
        with(&|created| created.creator = creator);
    }
    for first in [None, Some(ANN), Some(BOB), Some(EVE)] {
        for second in [None, Some(ANN), Some(BOB), Some(EVE)] {
            with(&|created| created.reserved = [first, second]);
        }
    }
    for timeout in [None, Some(short), Some(long), Some(Duration::MAX)] {
        with(&|created| created.join_timeout = timeout);
    }
    with(&|created| created.request_id = request("another"));
    changed
}

fn seat_changes(seat: Seat, player: PlayerId, name: &DisplayName) -> Vec<MatchEvent> {
    let joined = |seat, player, name: &DisplayName| MatchEvent::SeatJoined {
        seat,
        player,
        name: name.clone(),
        seed: usual_seed(),
        request_id: None,
    };
    let other_name = PlayerName::new("another").unwrap().into();
    let mut changed = vec![
        joined(seat.other(), player, name),
        joined(seat, player, &other_name),
    ];
    for player in [ANN, BOB, EVE, HOST] {
        changed.push(joined(seat, player, name));
        changed.push(joined(seat.other(), player, name));
    }
    changed
}

fn game_changes(number: u32, position: &str) -> Vec<MatchEvent> {
    let started = |number, position: &str| MatchEvent::GameStarted {
        number,
        position: position.to_owned(),
    };
    let mut changed: Vec<MatchEvent> = [number.wrapping_sub(1), number + 1, u32::MAX]
        .map(|number| started(number, position))
        .to_vec();
    for other in [
        "",
        "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -",
        "OLMPYRGB/8/8/8/8/8/8/bgrypmlo w -",
        "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b b",
        "OLMPYRGB/8/8/8/8/8/8/bgrypmol b -",
        "OLMPYRGB+/8/8/8/8/8/8/bgrypmlo b -",
        "BGRYPMLO/8/8/8/8/8/8/olmpyrgb b -",
    ] {
        changed.push(started(number, other));
    }
    changed
}

fn action_changes(state: Option<&MatchState>, event: &MatchEvent) -> Vec<MatchEvent> {
    let MatchEvent::ActionPlayed {
        seat,
        action,
        received,
        remaining,
        request_id,
        written,
        thinking: None,
    } = event
    else {
        return Vec::new();
    };
    let played = |seat, action: &str, remaining, request_id| MatchEvent::ActionPlayed {
        seat,
        action: action.to_owned(),
        received: *received,
        remaining,
        request_id,
        written: written.clone(),
        thinking: None,
    };
    let mut changed = vec![
        played(seat.other(), action, *remaining, request_id.clone()),
        played(*seat, action, *remaining, request("another")),
        played(*seat, action, *remaining, None),
    ];
    let mut others = state.map_or_else(Vec::new, |state| state.play().legal_actions());
    others.extend(["", "a1a1", "h1h8", "left", "pass", " a1a7"].map(str::to_owned));
    for other in others {
        changed.push(played(*seat, &other, *remaining, request_id.clone()));
    }
    let us = Duration::from_micros(1);
    let mut times = vec![None, Some(Duration::ZERO), Some(us), Some(Duration::MAX)];
    if let Some(remaining) = *remaining {
        times.extend([remaining.checked_sub(us), Some(remaining + us)]);
        times.push(Some(remaining + Duration::from_hours(1)));
    }
    for time in times {
        changed.push(played(*seat, action, time, request_id.clone()));
    }
    changed
}

fn end_changes(winner: Option<Seat>, points: u32, reason: &str) -> Vec<MatchEvent> {
    let ended = |winner, points, reason: &str| MatchEvent::GameEnded {
        winner,
        points,
        reason: reason.to_owned(),
    };
    let mut changed = vec![
        ended(winner.map(Seat::other), points, reason),
        ended(None, points, reason),
    ];
    for points in [0, 1, 2, 4, 8, u32::MAX] {
        changed.push(ended(winner, points, reason));
    }
    for reason in ["", "home_row", "deadlock"] {
        changed.push(ended(winner, points, reason));
    }
    changed
}

/// An event of each kind but the end of the match.
fn kinds() -> Vec<MatchEvent> {
    vec![
        MatchEvent::SeatJoined {
            seat: Seat::First,
            player: EVE,
            name: PlayerName::new("").unwrap().into(),
            seed: usual_seed(),
            request_id: None,
        },
        MatchEvent::GameStarted {
            number: 1,
            position: "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -".to_owned(),
        },
        MatchEvent::ActionPlayed {
            seat: Seat::First,
            action: "a1a7".to_owned(),
            received: None,
            remaining: None,
            request_id: None,
            written: None,
            thinking: None,
        },
        MatchEvent::ActionPlayed {
            seat: Seat::First,
            action: "a1a7".to_owned(),
            received: None,
            remaining: None,
            request_id: request("r"),
            written: Some("A1A7".to_owned()),
            thinking: None,
        },
        MatchEvent::ActionRefused {
            seat: Seat::First,
            action: "a1a1".to_owned(),
            request_id: None,
        },
        MatchEvent::Rolled {
            roll: "3-1".to_owned(),
        },
        MatchEvent::TurnPassed { seat: Seat::First },
        MatchEvent::TurnPassed { seat: Seat::Second },
        MatchEvent::GameEnded {
            winner: Some(Seat::First),
            points: 1,
            reason: "home_row".to_owned(),
        },
    ]
}

/// Every end of a match.
fn match_ends() -> Vec<MatchEvent> {
    let mut ends = Vec::new();
    for winner in [None, Some(Seat::First), Some(Seat::Second)] {
        for termination in [
            Termination::Normal,
            Termination::Timeout,
            Termination::Resignation,
            Termination::Aborted,
            Termination::IllegalAction,
            Termination::Disconnect,
            Termination::Expired,
            Termination::Declined,
        ] {
            for request_id in [None, request("another")] {
                let by = [None, Some(ANN), Some(HOST), Some(EVE)];
                let end = MatchOutcome::new(winner, termination);
                let failed = MatchOutcome {
                    failure: FailureText::new("it fell").ok(),
                    ..end.clone()
                };
                let reasons = [None, EndReason::new("it hangs").ok()];
                let called_off = by.into_iter().flat_map(|aborted_by| {
                    let end = end.clone();
                    reasons.clone().map(|reason| MatchOutcome {
                        aborted_by,
                        reason,
                        ..end.clone()
                    })
                });
                ends.extend(
                    called_off
                        .chain([failed])
                        .map(|outcome| MatchEvent::MatchEnded {
                            outcome,
                            request_id: request_id.clone(),
                        }),
                );
            }
        }
    }
    ends
}
