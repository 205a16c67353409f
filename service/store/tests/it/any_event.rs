//! Events with all their fields drawn, whether or not a match can have them.

use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::chance::Seed;
use dragontooth_games::record::{MAX_THINKING_POINTS, Thinking, ThinkingValue};
use dragontooth_service_vocabulary::{
    Audience, Created, DisplayName, EndReason, FailureText, Grace, IdentityName,
    IllegalActionLimit, MAX_GRACE, MAX_ILLEGAL_ACTIONS, MAX_SEED_MATCHES, MAX_SPECTATOR_DELAY,
    MAX_THINKING_TIME, MIN_GRACE, MatchEvent, MatchId, MatchOutcome, MatchSeed, PlayerId,
    PlayerName, RequestId, SeedText, SharedSeed, Termination, TimeControl, Timestamp, Title,
    Visibility,
};
use proptest::prelude::*;

pub(crate) fn any_event() -> impl Strategy<Value = MatchEvent> {
    let seat = || prop::sample::select(Seat::BOTH.to_vec());
    let winner = || prop::option::of(seat());
    let text = any::<String>;
    let joined = (seat(), players(), seat_names(), texts(64), requests()).prop_map(
        |(seat, player, name, seed, request_id)| MatchEvent::SeatJoined {
            seat,
            player,
            name,
            seed: SeedText::new(&seed).unwrap(),
            request_id,
        },
    );
    let started = (any::<u32>(), text())
        .prop_map(|(number, position)| MatchEvent::GameStarted { number, position });
    let remaining = prop::option::of(any::<u64>().prop_map(Duration::from_micros));
    let written = prop::option::of("[^\\p{C}]{1,20}");
    let received = prop::option::of(any::<u64>().prop_map(Timestamp::from_micros));
    let thinking = prop::option::of(thoughts().prop_map(Box::new));
    let played = (
        seat(),
        text(),
        received,
        remaining,
        requests(),
        written,
        thinking,
    )
        .prop_map(
            |(seat, action, received, remaining, request_id, written, thinking)| {
                MatchEvent::ActionPlayed {
                    seat,
                    action,
                    received,
                    remaining,
                    request_id,
                    written,
                    thinking,
                }
            },
        );
    let refused = (seat(), text(), requests()).prop_map(|(seat, action, request_id)| {
        MatchEvent::ActionRefused {
            seat,
            action,
            request_id,
        }
    });
    let game_ended = (winner(), any::<u32>(), text()).prop_map(|(winner, points, reason)| {
        MatchEvent::GameEnded {
            winner,
            points,
            reason,
        }
    });
    let termination = prop::sample::select(vec![
        Termination::Normal,
        Termination::Timeout,
        Termination::Resignation,
        Termination::Aborted,
        Termination::Disconnect,
        Termination::IllegalAction,
        Termination::Expired,
        Termination::Declined,
    ]);
    let aborted_by = prop::option::of(players());
    let failure = prop::option::of("\\PC{1,256}");
    let failure = failure.prop_map(|text| text.map(|text| FailureText::new(&text).unwrap()));
    let reason = prop::option::of("\\PC{1,256}");
    let reason = reason.prop_map(|text| text.map(|text| EndReason::recorded(&text).unwrap()));
    let outcome = (winner(), termination, aborted_by, failure, reason).prop_map(
        |(winner, termination, aborted_by, failure, reason)| MatchOutcome {
            winner,
            termination,
            aborted_by,
            failure,
            reason,
        },
    );
    let match_ended =
        (outcome, requests()).prop_map(|(outcome, request_id)| MatchEvent::MatchEnded {
            outcome,
            request_id,
        });
    prop_oneof![
        created().prop_map(|created| MatchEvent::Created(Box::new(created))),
        joined,
        started,
        played,
        refused,
        text().prop_map(|roll| MatchEvent::Rolled { roll }),
        seat().prop_map(|seat| MatchEvent::TurnPassed { seat }),
        game_ended,
        match_ended,
    ]
}

fn thoughts() -> impl Strategy<Value = Thinking> {
    let value = prop_oneof![
        (0.0..=1.0).prop_map(ThinkingValue::win_probability),
        (-MAX_THINKING_POINTS..=MAX_THINKING_POINTS).prop_map(ThinkingValue::points),
    ]
    .prop_map(Result::unwrap);
    let micros = prop::option::of(0..=2_592_000_000_000_u64);
    let line = prop::collection::vec("[^\\p{C},]{1,16}", 0..4);
    let tags = prop::collection::btree_map("[a-zA-Z0-9_.-]{1,32}", "[^\\p{C}]{0,16}", 0..4);
    (
        prop::option::of(value),
        any::<Option<u32>>(),
        any::<Option<u64>>(),
        micros,
        line,
        tags,
    )
        .prop_map(|(value, depth, nodes, micros, line, tags)| {
            let mut thinking = Thinking::new(value, depth, nodes);
            if let Some(micros) = micros {
                thinking.set_time(Duration::from_micros(micros)).unwrap();
            }
            for action in line {
                thinking.push_line(action).unwrap();
            }
            for (name, value) in tags {
                thinking.push_tag(name, value).unwrap();
            }
            thinking
        })
}

fn join_timeouts() -> impl Strategy<Value = Option<Duration>> {
    prop::option::of((1..=u64::MAX).prop_map(Duration::from_micros))
}

fn created() -> impl Strategy<Value = Created> {
    let names = (any::<String>(), any::<String>());
    let reserved = prop::array::uniform2(prop::option::of(players()));
    let what = (
        names,
        any::<u32>(),
        [time_controls(), time_controls()],
        seeds(),
        texts(200),
    );
    let ids = any::<[u8; 16]>().prop_map(MatchId::from_bytes);
    (
        what,
        players(),
        reserved,
        requests(),
        ids,
        (graces(), illegal_action_limits(), join_timeouts()),
        (audiences(), prop::collection::vec(texts(8), 0..3)),
    )
        .prop_map(
            |(what, creator, reserved, request_id, id, forfeits, (audience, opening))| {
                let (disconnect_grace, illegal_action_limit, join_timeout) = forfeits;
                let ((game, variant), target, time_controls, seed, title) = what;
                Created {
                    id,
                    game,
                    variant,
                    target,
                    time_controls,
                    seed,
                    title: Title::recorded(&title).unwrap(),
                    creator,
                    reserved,
                    audience,
                    disconnect_grace,
                    illegal_action_limit,
                    join_timeout,
                    opening,
                    request_id,
                }
            },
        )
}

fn graces() -> impl Strategy<Value = Option<Grace>> {
    let micros = MIN_GRACE.as_micros()..=MAX_GRACE.as_micros();
    let grace = micros
        .prop_map(|micros| Grace::new(Duration::from_micros(micros.try_into().unwrap())).unwrap());
    prop::option::of(grace)
}

fn illegal_action_limits() -> impl Strategy<Value = Option<IllegalActionLimit>> {
    (0..=MAX_ILLEGAL_ACTIONS).prop_map(|actions| IllegalActionLimit::new(actions).ok())
}

fn audiences() -> impl Strategy<Value = Audience> {
    let visibility = prop::sample::select(vec![Visibility::Public, Visibility::Private]);
    let longest_us = u64::try_from(MAX_SPECTATOR_DELAY.as_micros()).unwrap();
    (visibility, 0..=longest_us).prop_map(|(visibility, delay_us)| {
        Audience::new(visibility, Duration::from_micros(delay_us)).unwrap()
    })
}

fn seeds() -> impl Strategy<Value = MatchSeed> {
    let given = texts(64).prop_map(|text| MatchSeed::Given(SeedText::new(&text).unwrap()));
    let shared = (texts(64), 1..=MAX_SEED_MATCHES).prop_map(|(text, matches)| {
        MatchSeed::Shared(SharedSeed::new(SeedText::new(&text).unwrap(), matches).unwrap())
    });
    let drawn = any::<[u8; 32]>().prop_map(|bytes| MatchSeed::Drawn(Seed::from_bytes(bytes)));
    prop_oneof![given, shared, drawn]
}

fn time_controls() -> impl Strategy<Value = Option<TimeControl>> {
    let longest_us = u64::try_from(MAX_THINKING_TIME.as_micros()).unwrap();
    let some = || (1..=longest_us).prop_map(Duration::from_micros);
    let increments = prop_oneof![Just(Duration::ZERO), some()];
    prop::option::of(prop_oneof![
        some().prop_map(|limit| TimeControl::PerAction { limit }),
        (some(), increments).prop_map(|(base, increment)| TimeControl::Fischer { base, increment }),
        (some(), some()).prop_map(|(base, delay)| TimeControl::Delay { base, delay }),
    ])
}

/// Names of all versions.
fn seat_names() -> impl Strategy<Value = DisplayName> {
    let own = texts(64).prop_map(|name| PlayerName::recorded(&name).unwrap().into());
    let identity = texts(63).prop_map(|name| {
        DisplayName::Identity(IdentityName::recorded(&format!("i{name}")).unwrap())
    });
    prop_oneof![own, identity]
}

/// Texts without control characters of at most `max` bytes.
fn texts(max_bytes: usize) -> impl Strategy<Value = String> {
    any::<String>().prop_map(move |text| {
        let mut text: String = text.chars().filter(|char| !char.is_control()).collect();
        text.truncate(text.floor_char_boundary(max_bytes));
        text
    })
}

fn requests() -> impl Strategy<Value = Option<RequestId>> {
    prop::option::of("[!-~]{1,64}".prop_map(|id| RequestId::new(&id).unwrap()))
}

fn players() -> impl Strategy<Value = PlayerId> {
    any::<[u8; 16]>().prop_map(PlayerId::from_bytes)
}
