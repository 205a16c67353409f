//! Stored events with a field that has no meaning.

use dragontooth_proto::store::v1 as wire;
use dragontooth_service_vocabulary::MAX_THINKING_TIME;
use wire::stored_event::Event as Wire;

/// Events with one field that has no meaning, and its name.
pub(crate) fn meaningless() -> Vec<(Option<Wire>, &'static str)> {
    let (id, too_long) = (vec![7; 16], "x".repeat(1_025));
    let seat = wire::Seat::First.into();
    let joined = wire::SeatJoined {
        seat,
        player: id.clone(),
        name: "name".to_owned(),
        seed: String::new(),
        request_id: String::new(),
        name_verified: false,
    };
    let played = wire::ActionPlayed {
        seat,
        ..wire::ActionPlayed::default()
    };
    let mut events = vec![(None, "event")];
    let mut add = |event, field| events.push((Some(event), field));
    for seat in [0, 3, -1] {
        let joined = wire::SeatJoined {
            seat,
            ..joined.clone()
        };
        add(Wire::SeatJoined(joined), "seat");
        let played = wire::ActionPlayed {
            seat,
            ..played.clone()
        };
        add(Wire::ActionPlayed(played), "seat");
        add(Wire::TurnPassed(wire::TurnPassed { seat }), "seat");
    }
    for winner in [3, i32::MAX] {
        let game_ended = wire::GameEnded {
            winner,
            ..wire::GameEnded::default()
        };
        add(Wire::GameEnded(game_ended), "seat");
    }
    for length in [0, 15, 17] {
        let id = vec![7; length];
        let joined = wire::SeatJoined {
            player: id,
            ..joined.clone()
        };
        add(Wire::SeatJoined(joined), "player");
    }
    for name in ["\n", &too_long] {
        let name = name.to_owned();
        let joined = wire::SeatJoined {
            name,
            ..joined.clone()
        };
        add(Wire::SeatJoined(joined), "name");
    }
    for seed in ["\n", &too_long] {
        let seed = seed.to_owned();
        let joined = wire::SeatJoined {
            seed,
            ..joined.clone()
        };
        add(Wire::SeatJoined(joined), "seed");
    }
    for request_id in [" ", "é", &too_long] {
        let request_id = request_id.to_owned();
        let played = wire::ActionPlayed {
            request_id,
            ..played.clone()
        };
        add(Wire::ActionPlayed(played), "request_id");
    }
    events.extend(meaningless_ends(&too_long));
    events.extend(meaningless_refusals(&too_long));
    events.extend(meaningless_created(&id, &too_long));
    events
}

fn meaningless_ends(too_long: &str) -> Vec<(Option<Wire>, &'static str)> {
    let mut events = Vec::new();
    let mut with = |field, change: &dyn Fn(&mut wire::MatchEnded)| {
        let mut ended = wire::MatchEnded {
            winner: wire::Seat::First.into(),
            termination: wire::Termination::Normal.into(),
            ..wire::MatchEnded::default()
        };
        change(&mut ended);
        events.push((Some(Wire::MatchEnded(ended)), field));
    };
    for winner in [3, i32::MAX] {
        with("seat", &|ended| ended.winner = winner);
    }
    for termination in [0, 9, -1] {
        with("termination", &|ended| ended.termination = termination);
    }
    for length in [1, 15, 17] {
        with("player", &|ended| ended.aborted_by = vec![7; length]);
    }
    for request_id in [" ", "é", too_long] {
        with("request_id", &|ended| {
            request_id.clone_into(&mut ended.request_id);
        });
    }
    for failure in ["one\ntwo", too_long] {
        with("failure", &|ended| failure.clone_into(&mut ended.failure));
        with("reason", &|ended| failure.clone_into(&mut ended.reason));
    }
    events
}

fn meaningless_refusals(too_long: &str) -> Vec<(Option<Wire>, &'static str)> {
    let refused = |seat, request_id: &str| {
        Some(Wire::ActionRefused(wire::ActionRefused {
            seat,
            action: "a1a1".to_owned(),
            request_id: request_id.to_owned(),
        }))
    };
    let mut events = [0, 3, -1].map(|seat| (refused(seat, ""), "seat")).to_vec();
    let seat = wire::Seat::Second.into();
    let ids = [" ", "é", too_long];
    events.extend(ids.map(|id| (refused(seat, id), "request_id")));
    events
}

fn meaningless_created(id: &[u8], too_long: &str) -> Vec<(Option<Wire>, &'static str)> {
    let mut events = Vec::new();
    let mut with = |field, change: &dyn Fn(&mut wire::Created)| {
        let mut created = wire::Created {
            creator: id.to_vec(),
            match_id: id.to_vec(),
            ..wire::Created::default()
        };
        change(&mut created);
        events.push((Some(Wire::Created(Box::new(created))), field));
    };
    for length in [0, 15, 17] {
        with("match_id", &|created| {
            created.match_id = vec![7; length];
        });
    }
    for length in [1, 31, 33] {
        with("drawn_seed", &|created| {
            created.drawn_seed = vec![7; length];
        });
    }
    for limit in [33, u32::MAX] {
        with("illegal_action_limit", &|created| {
            created.illegal_action_limit = limit;
        });
    }
    with("player", &|created| created.creator.clear());
    with("player", &|created| created.creator.push(7));
    with("player", &|created| {
        created.first_reserved = vec![7; 15];
    });
    with("player", &|created| {
        created.second_reserved = vec![7];
    });
    for text in ["\u{7f}", too_long] {
        with("seed", &|created| text.clone_into(&mut created.seed));
        with("title", &|created| text.clone_into(&mut created.title));
        with("request_id", &|created| {
            text.clone_into(&mut created.request_id);
        });
    }
    let longest_us = u64::try_from(MAX_THINKING_TIME.as_micros()).unwrap();
    for (kind, base_us, extra_us) in [
        (0, 1, 1),
        (4, 1, 1),
        (1, 0, 0),
        (1, longest_us + 1, 0),
        (2, 0, 1),
        (2, 1, longest_us + 1),
        (3, 1, 0),
        (3, u64::MAX, u64::MAX),
    ] {
        with("time_control", &|created| {
            created.time_control = Some(wire::TimeControl {
                kind,
                base_us,
                extra_us,
            });
        });
    }
    let by_seat = wire::TimeControl {
        kind: wire::TimeControlKind::BySeat.into(),
        ..wire::TimeControl::default()
    };
    let per_action = wire::TimeControl {
        kind: wire::TimeControlKind::PerAction.into(),
        base_us: 5,
        extra_us: 0,
    };
    // A control of both seats is in the common field, one of a single seat only beside BY_SEAT, which has no time.
    for (both, of_seats) in [
        (Some(by_seat), [None, None]),
        (Some(by_seat), [Some(per_action); 2]),
        (Some(by_seat), [Some(by_seat), None]),
        (
            Some(wire::TimeControl {
                base_us: 1,
                ..by_seat
            }),
            [Some(per_action), None],
        ),
        (Some(per_action), [Some(per_action), None]),
        (None, [None, Some(per_action)]),
    ] {
        with("time_control", &|created| {
            created.time_control = both;
            [created.first_time_control, created.second_time_control] = of_seats;
        });
    }
    events
}
