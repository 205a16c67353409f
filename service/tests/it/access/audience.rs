use std::time::Duration;

use dragontooth_proto::v1;
use tonic::{Code, Status, Streaming};
use v1::watch_match_response::Response;
use v1::{MatchOrder, MatchState, Scope, Seat, Visibility};

use super::{Guarded, token_request};
use crate::pair::{Pair, to_points};
use crate::raw::Raw;
use crate::refusals::reason_of;
use crate::served::Served;
use crate::still_clock::{StillClock, TICK};

const HOUR: i64 = 3600;

fn private() -> v1::CreateMatchRequest {
    v1::CreateMatchRequest {
        visibility: Visibility::Private.into(),
        ..to_points(1)
    }
}

fn delayed(seconds: i64) -> v1::CreateMatchRequest {
    v1::CreateMatchRequest {
        spectator_delay: Some(prost_types::Duration { seconds, nanos: 0 }),
        ..to_points(1)
    }
}

async fn reserved(mut new: v1::CreateMatchRequest, players: [&Raw; 2]) -> v1::CreateMatchRequest {
    for (seat, player) in [Seat::First, Seat::Second].into_iter().zip(players) {
        new.reservations.push(v1::Reservation {
            seat: seat.into(),
            player_id: player.who_am_i().await.unwrap(),
        });
    }
    new
}

async fn list(raw: &Raw, request: v1::ListMatchesRequest) -> Vec<v1::Match> {
    let answer = raw.matches.clone().list_matches(request).await.unwrap();
    answer.into_inner().matches
}

/// Makes every call about a match and returns the refusal of each, if any.
async fn all_calls(raw: &Raw, id: &str) -> Vec<(&'static str, Option<Status>)> {
    let answer = v1::SubmitActionRequest {
        match_id: id.to_owned(),
        decision_id: 1,
        action: "a1a2".to_owned(),
        request_id: String::new(),
        thinking: None,
    };
    vec![
        ("get", raw.get(id).await.err()),
        ("decision", raw.decision(id).await.err()),
        ("watch", raw.watch(id, 0).await.err()),
        ("export", raw.export(id).await.err()),
        ("verify", raw.verify(id).await.err()),
        ("submit", raw.submit(answer).await.err()),
        ("join", raw.join(id, Seat::Unspecified).await.err()),
        ("resign", raw.resign(id, "").await.err()),
        ("abort", raw.abort(id, "").await.err()),
    ]
}

#[tokio::test]
async fn a_private_match_is_visible_only_to_its_participants() {
    let served = Served::in_memory().await;
    let mut pair = Pair::connect(served.address()).await;
    let new = reserved(private(), [&pair.first, &pair.second]).await;
    pair.match_id = pair.creator.create(new).await.unwrap().id;
    let id = pair.match_id.clone();
    let stranger = served.raw("stranger").await;
    let nobody = Raw::over(crate::raw::channel(served.address()).await, None);
    let is_hidden = async |raw: &Raw| {
        for (call, refused) in all_calls(raw, &id).await {
            let refused = refused.unwrap_or_else(|| panic!("{call} is granted"));
            if reason_of(&refused).unwrap() != "TOKEN_MISSING" {
                // The text is the same as for a match that does not exist.
                assert_eq!(refused.code(), Code::NotFound, "{call}: {refused}");
                assert_eq!(
                    refused.message(),
                    format!("there is no match {id}"),
                    "{call}"
                );
                assert_eq!(reason_of(&refused).unwrap(), "MATCH_NOT_FOUND");
            }
        }
        assert!(
            list(raw, v1::ListMatchesRequest::default())
                .await
                .is_empty()
        );
    };
    is_hidden(&stranger).await;
    is_hidden(&nobody).await;
    for insider in [&pair.creator, &pair.first, &pair.second] {
        let seen = insider.get(&id).await.unwrap();
        assert_eq!(seen.visibility(), Visibility::Private);
        let listed = list(insider, v1::ListMatchesRequest::default()).await;
        assert_eq!(listed.len(), 1);
        insider.watch(&id, 0).await.unwrap();
    }
    pair.first.join(&id, Seat::Unspecified).await.unwrap();
    pair.second.join(&id, Seat::Unspecified).await.unwrap();
    pair.play().await.unwrap();
    is_hidden(&stranger).await;
    pair.first.resign(&id, "").await.unwrap();
    is_hidden(&stranger).await;
    is_hidden(&nobody).await;
    assert_eq!(
        pair.second.export(&id).await.unwrap().r#match.unwrap().id,
        id
    );
}

#[tokio::test]
async fn an_operator_sees_private_matches_and_a_restart_keeps_them_private() {
    let guarded = Guarded::start().await;
    let [ann, eve] = [guarded.player("Ann").await, guarded.player("Eve").await];
    let id = ann.create(private()).await.unwrap().id;
    let scopes = [Scope::Admin, Scope::Watch];
    let (_, operator) = guarded.issue(token_request("watcher", &scopes)).await;
    assert_eq!(operator.get(&id).await.unwrap().id, id);
    assert_eq!(
        list(&operator, v1::ListMatchesRequest::default())
            .await
            .len(),
        1
    );
    assert!(eve.get(&id).await.is_err());
    let guarded = guarded.restart().await;
    let eve = guarded.player("Eve").await;
    assert_eq!(
        reason_of(&eve.get(&id).await.unwrap_err()).unwrap(),
        "MATCH_NOT_FOUND"
    );
    assert!(
        list(&eve, v1::ListMatchesRequest::default())
            .await
            .is_empty()
    );
}

/// Pages end where they would if the matches under way were open and without players, which they are for spectators.
#[tokio::test]
async fn the_end_of_a_page_tells_nothing_of_matches_that_are_withheld() {
    let served = Served::in_memory().await;
    let seat = async |new| Pair::seat_on(served.address(), new).await;
    let oldest = seat(to_points(1)).await;
    let mut withheld = Vec::new();
    for _ in 0..9 {
        withheld.push(seat(delayed(HOUR)).await.match_id);
    }
    let newest = seat(to_points(1)).await;
    for over in [&oldest, &newest] {
        over.first.resign(&over.match_id, "").await.unwrap();
    }
    let spectator = served.raw("spectator").await;
    let all = v1::ListMatchesRequest {
        page_size: 1,
        ..v1::ListMatchesRequest::default()
    };
    let of_player = v1::ListMatchesRequest {
        player_id: oldest.first.who_am_i().await.unwrap(),
        ..all.clone()
    };
    let of_both = v1::ListMatchesRequest {
        opponent_id: oldest.second.who_am_i().await.unwrap(),
        ..of_player.clone()
    };
    let active = v1::ListMatchesRequest {
        state: MatchState::Active.into(),
        ..all
    };
    let over = [newest.match_id, oldest.match_id];
    for (filter, expected) in [(active, &over[..0]), (of_player, &over), (of_both, &over)] {
        for order in [MatchOrder::NewestFirst, MatchOrder::OldestFirst] {
            let mut request = filter.clone();
            request.set_order(order);
            let mut shown = Vec::new();
            loop {
                let page = spectator
                    .matches
                    .clone()
                    .list_matches(request.clone())
                    .await;
                let page = page.unwrap().into_inner();
                shown.extend(page.matches.into_iter().map(|view| view.id));
                request.page_token = page.next_page_token;
                for id in &withheld {
                    assert!(!request.page_token.contains(&id.replace('-', "")), "{id}");
                }
                if request.page_token.is_empty() {
                    break;
                }
                assert!(shown.len() < expected.len(), "nothing is left: {request:?}");
            }
            if order == MatchOrder::OldestFirst {
                shown.reverse();
            }
            assert_eq!(shown, expected, "{request:?}");
        }
    }
}

#[tokio::test]
async fn a_spectator_sees_a_delayed_match_late_and_in_full() {
    let served = Served::in_memory().await;
    let pair = Pair::seat_on(served.address(), delayed(HOUR)).await;
    pair.play().await.unwrap();
    let id = &pair.match_id;
    let spectator = served.raw("spectator").await;
    let now = pair.view().await;
    let seen = spectator.get(id).await.unwrap();
    assert_eq!(seen.spectator_delay.unwrap().seconds, HOUR);
    assert_eq!((seen.state(), seen.head_sequence), (MatchState::Open, 1));
    assert!(
        seen.seats
            .iter()
            .all(|seat| !seat.joined && seat.player_id.is_empty())
    );
    assert!(seen.server_seed.is_empty() && seen.position.is_empty());
    assert_ne!(seen.head_hash, now.head_hash);
    let refused = spectator.decision(id).await.unwrap_err();
    assert_eq!(reason_of(&refused).unwrap(), "MATCH_NOT_STARTED");
    let export = spectator.export(id).await.unwrap();
    assert_eq!(export.events.len(), 1);
    assert!(!export.text.contains("c1") || export.text == spectator.export(id).await.unwrap().text);
    assert_eq!(spectator.verify(id).await.unwrap().head_sequence, 1);
    let refused = spectator.watch(id, now.head_sequence).await.unwrap_err();
    assert_eq!(reason_of(&refused).unwrap(), "SEQUENCE_OUT_OF_RANGE");
    // The players and the creator see it without delay.
    for insider in [&pair.first, &pair.second, &pair.creator] {
        assert_eq!(insider.get(id).await.unwrap(), now);
    }

    // Filters reveal no more than the match itself.
    let by = |state: MatchState, player_id: &str| v1::ListMatchesRequest {
        state: state.into(),
        player_id: player_id.to_owned(),
        ..v1::ListMatchesRequest::default()
    };
    let first = pair.first.who_am_i().await.unwrap();
    assert_eq!(list(&spectator, by(MatchState::Open, "")).await.len(), 1);
    assert!(
        list(&spectator, by(MatchState::Active, ""))
            .await
            .is_empty()
    );
    assert!(
        list(&spectator, by(MatchState::Unspecified, &first))
            .await
            .is_empty()
    );
    assert_eq!(
        list(&pair.first, by(MatchState::Active, &first))
            .await
            .len(),
        1
    );

    let mut watching = spectator.watch(id, 0).await.unwrap();
    let (before, caught_up) = events_until(&mut watching, |response| {
        matches!(response, Response::CaughtUp(_))
    })
    .await;
    assert_eq!(before, [1]);
    assert!(matches!(caught_up, Response::CaughtUp(told) if told.head_sequence == 1));
    pair.play().await.unwrap();
    pair.second.resign(id, "").await.unwrap();
    let (rest, closing) = events_until(&mut watching, |response| {
        matches!(response, Response::Closing(_))
    })
    .await;
    let last = pair.view().await.head_sequence;
    assert_eq!(rest, (2..=last).collect::<Vec<_>>());
    assert!(
        matches!(closing, Response::Closing(told) if told.reason() == v1::CloseReason::MatchEnded)
    );
    assert_eq!(spectator.get(id).await.unwrap(), pair.view().await);
    assert_eq!(
        list(&spectator, by(MatchState::Ended, &first)).await.len(),
        1
    );
}

#[tokio::test]
async fn a_spectator_receives_each_event_after_the_delay() {
    const DELAY: Duration = Duration::from_secs(20);
    let served = Served::in_memory().await;
    let clock = StillClock::new();
    let pair = Pair::seat_on(served.address(), delayed(20)).await;
    let spectator = served.raw("spectator").await;
    let mut watching = spectator.watch(&pair.match_id, 0).await.unwrap();
    let is_caught_up = |response: &Response| matches!(response, Response::CaughtUp(_));
    let (created, _) = events_until(&mut watching, is_caught_up).await;
    assert_eq!(created, [1]);
    // The match begins, and the first action is played when it is half as old as the delay.
    let begun = pair.view().await.head_sequence;
    clock.pass(DELAY / 2).await;
    pair.play().await.unwrap();
    let head = pair.view().await.head_sequence;
    for (first, last, wait) in [
        (2, begun, DELAY / 2),
        (begun + 1, head, (DELAY / 2).saturating_sub(TICK)),
    ] {
        clock.pass_almost(wait).await;
        let before = spectator.get(&pair.match_id).await.unwrap();
        assert!(before.head_sequence < first, "an event comes early");
        clock.pass_the_rest().await;
        let told = sequences_up_to(&mut watching, last).await;
        assert!(
            told.into_iter().eq(first..=last),
            "each once, without a gap"
        );
        let after = spectator.get(&pair.match_id).await.unwrap();
        assert_eq!(after.head_sequence, last);
    }
    let due = spectator.decision(&pair.match_id).await.unwrap();
    assert_eq!(due, pair.decision().await);
}

/// Reads the events up to the one with this sequence.
async fn sequences_up_to(stream: &mut Streaming<v1::WatchMatchResponse>, last: u64) -> Vec<u64> {
    let mut sequences = Vec::new();
    while sequences.last() != Some(&last) {
        let message = stream.message().await.unwrap().unwrap();
        if let Some(Response::Batch(batch)) = message.response {
            sequences.extend(batch.events.iter().map(|event| event.sequence));
        }
    }
    sequences
}

/// Reads up to a message. Returns the sequences of the events before it, and the message.
async fn events_until(
    stream: &mut Streaming<v1::WatchMatchResponse>,
    is_last: impl Fn(&Response) -> bool,
) -> (Vec<u64>, Response) {
    let mut sequences = Vec::new();
    loop {
        let message = stream.message().await.unwrap();
        let response = message.unwrap().response.unwrap();
        if let Response::Batch(batch) = &response {
            sequences.extend(batch.events.iter().map(|event| event.sequence));
        }
        if is_last(&response) {
            return (sequences, response);
        }
    }
}

#[tokio::test]
async fn an_impossible_audience_is_refused() {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let mut unknown = to_points(1);
    unknown.visibility = 9;
    for (new, field) in [
        (unknown, "visibility"),
        (delayed(24 * HOUR + 1), "spectator_delay"),
        (delayed(-1), "spectator_delay"),
    ] {
        let refused = raw.create(new).await.unwrap_err();
        assert_eq!(crate::refusals::fact(&refused, "field"), field);
    }
    let refused = raw.create(delayed(-1)).await.unwrap_err();
    assert!(refused.message().contains("it is negative"), "{refused}");
    raw.create(delayed(24 * HOUR)).await.unwrap();
}
