//! Another match of the same players.

use std::time::Duration;

use dragontooth_proto::v1;
use tonic::Code;
use v1::{MatchState, Seat};

use crate::pair::{Pair, to_points};
use crate::refusals::reason_of;
use crate::served::Served;

#[tokio::test]
async fn a_rematch_has_the_same_terms_and_the_seats_swapped() {
    let served = Served::in_memory().await;
    let second = |seconds| v1::TimeControl {
        kind: Some(v1::time_control::Kind::PerAction(
            v1::time_control::PerAction {
                limit: Some(prost_types::Duration { seconds, nanos: 0 }),
            },
        )),
    };
    let odds = |seat: Seat, seconds| v1::SeatTimeControl {
        seat: seat.into(),
        time_control: Some(second(seconds)),
    };
    let new = v1::CreateMatchRequest {
        game: "tzaar".to_owned(),
        variant: "fixed".to_owned(),
        title: "a title".to_owned(),
        seat_time_controls: vec![odds(Seat::First, 600), odds(Seat::Second, 900)],
        disconnect_grace: Some(Duration::from_mins(1).try_into().unwrap()),
        illegal_action_limit: 3,
        spectator_delay: Some(Duration::from_secs(1).try_into().unwrap()),
        ..to_points(1)
    };
    let pair = Pair::seat_on(served.address(), new).await;
    pair.first.resign(&pair.match_id, "").await.unwrap();
    let before = pair.first.get(&pair.match_id).await.unwrap();
    let rematch = pair.second.rematch(&before.id, "again").await.unwrap();
    assert_ne!(rematch.id, before.id);
    assert_eq!(rematch.creator_id, before.seats[1].player_id);
    assert_eq!(rematch.state(), MatchState::Open);
    assert_ne!(rematch.seed_commitment, before.seed_commitment);
    for seat in [0, 1] {
        let (then, now) = (&before.seats[1 - seat], &rematch.seats[seat]);
        assert_eq!(then.player_id, now.player_id);
        assert_eq!(then.time_control, now.time_control);
        assert!(!now.joined);
    }
    let terms = |of: &v1::Match| {
        (
            (of.game.clone(), of.variant.clone(), of.target),
            (of.title.clone(), of.visibility, of.spectator_delay),
            (of.disconnect_grace, of.illegal_action_limit),
        )
    };
    assert_eq!(terms(&rematch), terms(&before));
    // The same request is one match, and a seat that is kept is taken like any other.
    let again = pair.second.rematch(&before.id, "again").await.unwrap();
    assert_eq!(again.id, rematch.id);
    pair.second
        .join(&rematch.id, Seat::Unspecified)
        .await
        .unwrap();
    let active = pair
        .first
        .join(&rematch.id, Seat::Unspecified)
        .await
        .unwrap();
    assert_eq!(active.state(), MatchState::Active);
    // The next one swaps them again.
    let third = pair.first.rematch(&rematch.id, "").await.unwrap();
    let players = |of: &v1::Match| {
        of.seats
            .iter()
            .map(|seat| seat.player_id.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(players(&third), players(&before));
    served.stop().await;
}

#[tokio::test]
async fn only_a_player_of_a_match_that_has_begun_asks_for_a_rematch() {
    let served = Served::in_memory().await;
    let pair = Pair::seat_on(served.address(), to_points(1)).await;
    let refused = pair.creator.rematch(&pair.match_id, "").await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
    assert_eq!(reason_of(&refused).as_deref(), Some("NO_SEAT"));
    let open = pair.creator.create(to_points(1)).await.unwrap().id;
    pair.first.join(&open, Seat::First).await.unwrap();
    let refused = pair.first.rematch(&open, "").await.unwrap_err();
    assert_eq!(reason_of(&refused).as_deref(), Some("MATCH_NOT_STARTED"));
    let refused = pair.first.rematch("1", "").await.unwrap_err();
    assert_eq!(reason_of(&refused).as_deref(), Some("FIELD_INVALID"));
    // Who is blocked is blocked here too.
    let first = pair.first.who_am_i().await.unwrap();
    pair.second.block(&first).await.unwrap();
    let refused = pair.first.rematch(&pair.match_id, "").await.unwrap_err();
    assert_eq!(reason_of(&refused).as_deref(), Some("BLOCKED"));
    served.stop().await;
}
