//! Matches with a limit on illegal actions, and the player that aborted a match, over the wire.

use dragontooth_proto::v1;
use tonic::Status;
use tonic_types::StatusExt;
use v1::match_event::Event;

use crate::pair::{Pair, to_points};
use crate::player::{Player, reason_in};
use crate::refusals::{fact, reason_of};
use crate::served::Served;

/// A pair of players in a match with this limit and an hour for each action.
async fn seat(served: &Served, limit: u32) -> Pair {
    let hour = prost_types::Duration {
        seconds: 3600,
        nanos: 0,
    };
    let per_action = v1::time_control::PerAction { limit: Some(hour) };
    let new = v1::CreateMatchRequest {
        illegal_action_limit: limit,
        time_control: Some(v1::TimeControl {
            kind: Some(v1::time_control::Kind::PerAction(per_action)),
        }),
        ..to_points(3)
    };
    Pair::seat_on(served.address(), new).await
}

/// Answers the decision that is due with an illegal action.
async fn refused(pair: &Pair, action: &str, request_id: &str) -> Status {
    let due = pair.decision().await;
    let mut answer = pair.answer(request_id).await;
    action.clone_into(&mut answer.action);
    pair.player(due.seat()).submit(answer).await.unwrap_err()
}

#[tokio::test]
async fn each_refusal_reports_how_many_are_left_and_the_last_one_loses() {
    let served = Served::in_memory().await;
    let pair = seat(&served, 3).await;
    assert_eq!(pair.view().await.illegal_action_limit, 3);
    pair.play().await.unwrap();
    let due = pair.decision().await;
    for (left, action, reason) in [
        (2, "a1a1", "ILLEGAL_ACTION"),
        (1, "rook", "ACTION_UNREADABLE"),
    ] {
        let before = pair.view().await;
        assert_eq!(pair.decision().await.illegal_actions_left, left + 1);
        let status = refused(&pair, action, "").await;
        assert_eq!(reason_of(&status).as_deref(), Some(reason));
        assert_eq!(fact(&status, "illegal_actions_left"), left.to_string());
        // The decision is the same, and its clock has not been reset.
        let after = pair.view().await;
        assert_eq!(after.decision_id, due.decision_id);
        assert_eq!(after.deadline, before.deadline);
        assert_eq!(after.clocks, before.clocks);
        assert_eq!(after.head_sequence, before.head_sequence + 1);
    }
    let last = refused(&pair, "b1b1", "").await;
    assert_eq!(fact(&last, "illegal_actions_left"), "0");
    assert!(last.message().ends_with("; the match is lost by it"));
    let view = pair.view().await;
    let outcome = view.outcome.unwrap();
    assert_eq!(outcome.winner(), due.seat().other());
    assert_eq!(outcome.termination(), v1::Termination::IllegalAction);
    assert_eq!(outcome.aborted_by, "");

    // A watcher sees all of it.
    let mut refused = Vec::new();
    for event in pair.events().await {
        if let Some(Event::ActionRefused(each)) = event.event {
            refused.push(each);
        }
    }
    let reasons = refused
        .iter()
        .map(|each| (each.reason(), each.action.as_str()));
    assert_eq!(
        reasons.collect::<Vec<_>>(),
        [
            (v1::ErrorReason::IllegalAction, "a1a1"),
            (v1::ErrorReason::ActionUnreadable, "rook"),
            (v1::ErrorReason::IllegalAction, "b1b1"),
        ]
    );
    for (left, refused) in [2, 1, 0].into_iter().zip(&refused) {
        assert_eq!(refused.seat(), due.seat());
        assert_eq!(refused.illegal_actions_left, left);
        assert_eq!(refused.rule.is_empty(), refused.action == "rook");
    }
    let exported = pair.creator.export(&pair.match_id).await.unwrap().text;
    assert!(exported.contains("0-0 illegal_action"), "{exported}");
    assert!(!exported.contains("rook"), "{exported}");
    pair.creator.verify(&pair.match_id).await.unwrap();
}

trait Opponent {
    fn other(self) -> v1::Seat;
}

impl Opponent for v1::Seat {
    fn other(self) -> v1::Seat {
        match self {
            Self::First => Self::Second,
            Self::Second | Self::Unspecified => Self::First,
        }
    }
}

#[tokio::test]
async fn a_stream_reports_every_refusal_and_the_end() {
    let served = Served::in_memory().await;
    let pair = seat(&served, 2).await;
    let mut player = Player::open(&pair.first).await;
    let mut opponent = Player::open(&pair.second).await;
    player.opened().await;
    opponent.opened().await;
    let due = player.decision().await;
    assert_eq!(due.illegal_actions_left, 2);
    player.answer(&due, "a1a1", "one");
    player.answer(&due, "a1a1", "one");
    player.answer(&due, "a1b1", "two");
    for (id, left) in [("one", "1"), ("one", "1"), ("two", "0")] {
        let refused = player.refused().await;
        assert_eq!(refused.request_id, id);
        assert_eq!(reason_in(&refused), "ILLEGAL_ACTION");
        assert_eq!(left_in(&refused), left);
    }
    for closed in [player.closed().await, opponent.closed().await] {
        let outcome = closed.outcome.unwrap();
        assert_eq!(outcome.winner(), v1::Seat::Second);
        assert_eq!(outcome.termination(), v1::Termination::IllegalAction);
    }
}

fn left_in(refused: &v1::play_response::Refused) -> String {
    let status = refused.status.as_ref().unwrap();
    let any = &status.details[0];
    let info: tonic_types::pb::ErrorInfo = prost::Message::decode(&*any.value).unwrap();
    info.metadata["illegal_actions_left"].clone()
}

/// The reports and the requests are kept.
#[tokio::test]
async fn illegal_actions_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let pair = seat(&served, 3).await;
    let first = refused(&pair, "a1a1", "one").await;
    let before = pair.view().await;
    served.stop().await;

    let served = Served::in_folder(folder.path()).await;
    let pair = pair.go_on(&served).await;
    let after = pair.view().await;
    assert_eq!(after.decision_id, before.decision_id);
    assert_eq!(after.head_hash, before.head_hash);
    let again = refused(&pair, "a1a1", "one").await;
    assert_eq!(again.message(), first.message());
    assert_eq!(fact(&again, "illegal_actions_left"), "2");
    assert_eq!(pair.decision().await.illegal_actions_left, 2);
    let second = refused(&pair, "a1b1", "two").await;
    assert_eq!(fact(&second, "illegal_actions_left"), "1");
    pair.play().await.unwrap();
    assert_eq!(pair.decision().await.illegal_actions_left, 3);
    served.stop().await;
}

#[tokio::test]
async fn without_a_limit_nothing_is_counted_or_recorded() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let before = pair.view().await;
    for action in ["a1a1", "rook"].repeat(40) {
        let status = refused(&pair, action, "").await;
        let details = status.get_error_details();
        let info = details.error_info().unwrap();
        assert!(!info.metadata.contains_key("illegal_actions_left"));
    }
    assert_eq!(pair.view().await, before);
    assert_eq!(pair.decision().await.illegal_actions_left, 0);
}

#[tokio::test]
async fn an_aborted_match_names_the_player_who_aborted_it() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let creator = pair.creator.who_am_i().await.unwrap();
    pair.creator.abort(&pair.match_id, "").await.unwrap();
    let outcome = pair.view().await.outcome.unwrap();
    check_aborted(&outcome, &creator);
    let Some(Event::MatchEnded(ended)) = pair.events().await.pop().unwrap().event else {
        panic!("the last event is the end");
    };
    assert_eq!(ended.outcome, Some(outcome));

    // A player may until the other seat is taken.
    let open = pair.creator.create(to_points(1)).await.unwrap().id;
    pair.second.join(&open, v1::Seat::Second).await.unwrap();
    let player = pair.second.who_am_i().await.unwrap();
    let aborted = pair.second.abort(&open, "").await.unwrap();
    check_aborted(&aborted.outcome.unwrap(), &player);
}

fn check_aborted(outcome: &v1::MatchOutcome, by: &str) {
    assert_eq!(outcome.termination(), v1::Termination::Aborted);
    assert_eq!(
        (outcome.winner(), outcome.aborted_by.as_str()),
        (v1::Seat::Unspecified, by)
    );
}
