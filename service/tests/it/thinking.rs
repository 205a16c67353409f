//! Thoughts that come with actions: recorded, covered by the chain, and shown to those who may see them.

use std::time::Duration;

use dragontooth_proto::v1;
use v1::match_event::Event;
use v1::play_request::{Answer, Request};
use v1::play_response::Response;
use v1::thinking::{Tag, Value};

use crate::chained::head_hash;
use crate::pair::{Pair, to_points};
use crate::player::Player;
use crate::raw::Raw;
use crate::served::Served;
use crate::still_clock::StillClock;
use crate::watched::Watched;

fn thinking(probability: f64) -> v1::Thinking {
    v1::Thinking {
        value: Some(Value::WinProbability(probability)),
        depth: Some(7),
        nodes: Some(u64::MAX),
        time: Some(prost_types::Duration {
            seconds: 1,
            nanos: 500_000_000,
        }),
        line: vec!["a1a2".to_owned(), "somewhere".to_owned()],
        tags: vec![Tag {
            name: "net".to_owned(),
            value: "v2".to_owned(),
        }],
        ..v1::Thinking::default()
    }
}

/// The thoughts about each action that a reader gets.
fn thoughts(events: &[v1::MatchEvent]) -> Vec<Option<v1::Thinking>> {
    let played = events.iter().filter_map(|event| match &event.event {
        Some(Event::ActionPlayed(played)) => Some(played.thinking.as_deref().cloned()),
        _ => None,
    });
    played.collect()
}

async fn exported(raw: &Raw, id: &str) -> Vec<Option<v1::Thinking>> {
    thoughts(&raw.export(id).await.unwrap().events)
}

/// Plays the first legal action with these thoughts.
async fn play(pair: &Pair, thinking: Option<v1::Thinking>) -> v1::SubmitActionResponse {
    let due = pair.decision().await;
    let answer = v1::SubmitActionRequest {
        thinking: thinking.map(Box::new),
        ..pair.answer("").await
    };
    pair.player(due.seat()).submit(answer).await.unwrap()
}

#[tokio::test]
async fn an_opponent_sees_thoughts_only_after_the_end() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let id = &pair.match_id;
    let stranger = served.raw("stranger").await;
    // It watches before anything is thought, and has no seat when the other one watches.
    let mut watched = Watched::open(&pair.second, id, 0).await;
    let (first, second) = (thinking(0.25), thinking(0.5));
    for thoughts in [Some(first.clone()), Some(second.clone()), None] {
        assert_eq!(play(&pair, thoughts).await.thinking_fault, None);
    }
    let all = [Some(first), Some(second), None];
    let [of_first, of_second] = [[0, 2], [1, 2]].map(|kept| {
        let kept = |index: usize| all[index].clone().filter(|_| kept.contains(&index));
        [0, 1, 2].map(kept)
    });
    assert_eq!(exported(&pair.first, id).await, of_first);
    assert_eq!(exported(&pair.second, id).await, of_second);
    for reader in [&pair.creator, &stranger] {
        assert_eq!(exported(reader, id).await, all);
    }
    let text = pair.second.export(id).await.unwrap().text;
    let shown = ["win 0.25,", "win 0.5,"].map(|value| text.contains(value));
    assert_eq!(shown, [false, true], "{text}");

    pair.first.resign(id, "").await.unwrap();
    watched.read_to_the_end().await;
    assert_eq!(thoughts(&watched.events), of_second);
    for reader in [&pair.first, &pair.second, &pair.creator, &stranger] {
        assert_eq!(exported(reader, id).await, all);
        let mut watched = Watched::open(reader, id, 0).await;
        watched.read_to_the_end().await;
        assert_eq!(thoughts(&watched.events), all);
    }
    let record = pair.second.export_raw(id).await.unwrap();
    assert!(
        record
            .text
            .contains("[Thinking \"win 0.25, depth 7, nodes 18446744073709551615, time 1.5 s\"]")
    );
    assert!(
        record
            .text
            .contains("[Line \"a1a2, somewhere\"]\n[Tag \"net v2\"]")
    );
    // The chain covers them: they are in the stored bytes of the action.
    let head = record.r#match.unwrap().head_hash;
    assert_eq!(head_hash(id, &record.raw_records), head);
    let has = |bytes: &Vec<u8>| bytes.windows(9).any(|window| window == b"somewhere");
    assert_eq!(
        record.raw_records.iter().filter(|bytes| has(bytes)).count(),
        2
    );
}

/// A player that watches before it has taken its seat gets no more than one that watches afterwards.
#[tokio::test]
async fn a_watch_before_the_seat_is_taken_shows_no_more() {
    let served = Served::in_memory().await;
    let mut pair = Pair::connect(served.address()).await;
    pair.match_id = pair.creator.create(to_points(1)).await.unwrap().id;
    let id = pair.match_id.clone();
    let mut watched = Watched::open(&pair.second, &id, 0).await;
    pair.first.join(&id, v1::Seat::First).await.unwrap();
    pair.second.join(&id, v1::Seat::Second).await.unwrap();
    play(&pair, Some(thinking(0.25))).await;
    pair.second.resign(&id, "").await.unwrap();
    watched.read_to_the_end().await;
    assert_eq!(thoughts(&watched.events), [None]);
}

/// A spectator under a delay sees thoughts with the action that they are about, not earlier.
#[tokio::test]
async fn spectators_see_thoughts_under_the_delay() {
    let served = Served::in_memory().await;
    let clock = StillClock::new();
    let delay = Duration::from_mins(1);
    let new = v1::CreateMatchRequest {
        spectator_delay: Some(prost_types::Duration {
            seconds: 60,
            nanos: 0,
        }),
        ..to_points(1)
    };
    let pair = Pair::seat_on(served.address(), new).await;
    let id = &pair.match_id;
    let stranger = served.raw("stranger").await;
    play(&pair, Some(thinking(0.25))).await;
    clock.pass_almost(delay).await;
    assert_eq!(exported(&stranger, id).await, []);
    clock.pass_the_rest().await;
    clock.pass(Duration::from_secs(1)).await;
    assert_eq!(exported(&stranger, id).await, [Some(thinking(0.25))]);
}

/// Every fault, by the name of its field. The action counts all the same, by a call and on a stream.
#[tokio::test]
async fn thoughts_that_break_a_rule_are_left_out_and_named() {
    type Spoil = fn(&mut v1::Thinking);
    let cases: [(&str, Spoil); 12] = [
        ("thinking.win_probability", |thinking| {
            thinking.value = Some(Value::WinProbability(f64::NAN));
        }),
        ("thinking.win_probability", |thinking| {
            thinking.value = Some(Value::WinProbability(1.01));
        }),
        ("thinking.points", |thinking| {
            thinking.value = Some(Value::Points(f64::INFINITY));
        }),
        ("thinking.time", |thinking| {
            thinking.time = Some(prost_types::Duration {
                seconds: -1,
                nanos: 0,
            });
        }),
        ("thinking.time", |thinking| {
            thinking.time = Some(prost_types::Duration {
                seconds: 2_592_001,
                nanos: 0,
            });
        }),
        ("thinking.line", |thinking| {
            thinking.line = vec!["x".repeat(129)];
        }),
        ("thinking.line", |thinking| {
            thinking.line = vec!["x".repeat(100); 100];
        }),
        ("thinking.line", |thinking| {
            thinking.line = vec!["\n".to_owned()];
        }),
        ("thinking.tags", |thinking| {
            thinking.tags.push(thinking.tags[0].clone());
        }),
        ("thinking.tags", |thinking| {
            thinking.tags[0].value = "x".repeat(1024);
        }),
        ("thinking.seat", |thinking| thinking.seat = 7),
        ("thinking.seat", |thinking| {
            thinking.seat = v1::Seat::Second.into();
        }),
    ];
    let served = Served::in_memory().await;
    for (field, spoil) in cases {
        let mut spoilt = thinking(0.25);
        spoil(&mut spoilt);
        let pair = Pair::seat(&served).await;
        let accepted = play(&pair, Some(spoilt.clone())).await;
        let fault = accepted.thinking_fault.unwrap();
        assert_eq!(fault.field, field, "{}", fault.description);
        assert!(accepted.sequence > 0);
        assert_eq!(exported(&pair.first, &pair.match_id).await, [None]);
        pair.first.resign(&pair.match_id, "").await.unwrap();

        let pair = Pair::seat(&served).await;
        let (mut player, due) = Player::deciding(&pair.first).await;
        player.send(Some(Request::Answer(Answer {
            match_id: due.match_id.clone(),
            decision_id: due.decision_id,
            action: "a1a2".to_owned(),
            request_id: "r".to_owned(),
            thinking: Some(Box::new(spoilt)),
        })));
        let Response::AnswerAccepted(accepted) = player.next().await else {
            panic!("the answer counts");
        };
        assert_eq!(accepted.thinking_fault, Some(fault));
        assert_eq!(exported(&pair.first, &pair.match_id).await, [None]);
        pair.first.resign(&pair.match_id, "").await.unwrap();
    }
}

/// The seat that answers may be named, and what is there is kept to the last digit.
#[tokio::test]
async fn thoughts_of_the_own_seat_are_kept() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let mut named = thinking(0.123_456);
    named.seat = v1::Seat::First.into();
    assert_eq!(play(&pair, Some(named)).await.thinking_fault, None);
    let points = v1::Thinking {
        value: Some(Value::Points(-1_000_000.0)),
        ..v1::Thinking::default()
    };
    play(&pair, Some(points.clone())).await;
    // Thoughts without a part are none.
    play(&pair, Some(v1::Thinking::default())).await;
    let kept = [Some(thinking(0.123_456)), Some(points), None];
    assert_eq!(exported(&pair.creator, &pair.match_id).await, kept);
}
