//! Invalid requests are refused with the name of the field and leave no trace.

mod fields;
mod junk;

use dragontooth_proto::v1;
use tonic::Code;
use tonic_types::StatusExt;

use crate::pair::{Pair, to_points};
use crate::refusals::reason_of;
use crate::served::Served;

#[tokio::test]
async fn a_bad_field_is_named_and_changes_nothing() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    pair.play().await.unwrap();
    let (view, events) = (pair.view().await, pair.events().await);
    for (field, what, status) in fields::refused(&pair).await {
        println!("{field}, {what}: {status}");
        assert_eq!(status.code(), Code::InvalidArgument, "{field}, {what}");
        assert_eq!(reason_of(&status).as_deref(), Some("FIELD_INVALID"));
        let details = status.get_error_details();
        let violations = &details.bad_request().unwrap().field_violations;
        assert_eq!(violations[0].field, field, "{what}");
        assert!(status.message().len() < 200, "{}", status.message());
    }
    assert_eq!(pair.view().await, view);
    assert_eq!(pair.events().await, events);
    assert_eq!(list(&pair).await, [view]);
    pair.play().await.unwrap();
}

#[tokio::test]
async fn an_answer_that_is_refused_leaves_the_decision_due() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let (view, events) = (pair.view().await, pair.events().await);
    let good = pair.answer("").await;
    let with_action = |action: &str| v1::SubmitActionRequest {
        action: action.to_owned(),
        ..good.clone()
    };
    for (action, reason) in [
        ("castles", "ACTION_UNREADABLE"),
        ("A1A2", "ACTION_UNREADABLE"),
        ("a1a2 ", "ACTION_UNREADABLE"),
        ("a1\u{0}2", "ACTION_UNREADABLE"),
        ("äöü", "ACTION_UNREADABLE"),
        ("a9a2", "ACTION_UNREADABLE"),
        ("left", "ILLEGAL_ACTION"),
        ("a1a1", "ILLEGAL_ACTION"),
        ("a1b3", "ILLEGAL_ACTION"),
        ("a1a8", "ILLEGAL_ACTION"),
        ("h8h7", "ILLEGAL_ACTION"),
    ] {
        let refused = pair.first.submit(with_action(action)).await.unwrap_err();
        assert_eq!(reason_of(&refused).as_deref(), Some(reason), "{action}");
    }
    for decision_id in [1, good.decision_id - 1, good.decision_id + 1, u64::MAX] {
        let stale = v1::SubmitActionRequest {
            decision_id,
            ..good.clone()
        };
        let refused = pair.first.submit(stale).await.unwrap_err();
        assert_eq!(reason_of(&refused).as_deref(), Some("STALE_DECISION"));
    }
    let wrong_seat = pair.second.submit(good.clone()).await.unwrap_err();
    assert_eq!(reason_of(&wrong_seat).as_deref(), Some("NOT_YOUR_TURN"));
    assert_eq!(pair.view().await, view);
    assert_eq!(pair.events().await, events);
    let accepted = pair.first.submit(good).await.unwrap();
    assert_eq!(accepted.sequence, view.head_sequence + 1);
}

#[tokio::test]
async fn a_message_beyond_the_limit_is_refused_and_the_connection_stays() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let huge = v1::CreateMatchRequest {
        title: "x".repeat(1 << 20),
        ..to_points(1)
    };
    let refused = pair.creator.create(huge).await.unwrap_err();
    assert_eq!(refused.code(), Code::OutOfRange, "{refused}");
    assert!(refused.message().contains("131072"), "{refused}");
    let large = v1::CreateMatchRequest {
        title: "x".repeat(130_000),
        ..to_points(1)
    };
    let refused = pair.creator.create(large).await.unwrap_err();
    assert_eq!(reason_of(&refused).as_deref(), Some("FIELD_INVALID"));
    pair.play().await.unwrap();
}

async fn list(pair: &Pair) -> Vec<v1::Match> {
    let request = v1::ListMatchesRequest::default();
    let answer = pair.creator.matches.clone().list_matches(request).await;
    answer.unwrap().into_inner().matches
}
