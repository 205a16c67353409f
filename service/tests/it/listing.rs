//! Lists with filters and pages.

use dragontooth_proto::v1;
use v1::{MatchState, Seat};

use crate::pair::to_points;
use crate::raw::Raw;
use crate::refusals::{fact, reason_of};
use crate::served::Served;

#[tokio::test]
async fn a_list_has_every_match_once_the_newest_first() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let raw = served.raw("anyone").await;
    let mut ids = Vec::new();
    for _ in 0..23 {
        ids.push(raw.create(to_points(1)).await.unwrap().id);
    }
    ids.reverse();
    for size in [1, 5, 23, 24, 500, i32::MAX] {
        assert_eq!(pages(&raw, &of_size(size)).await, ids);
    }
    served.stop().await;
    let served = Served::in_folder(folder.path()).await;
    let raw = served.raw("anyone").await;
    assert_eq!(pages(&raw, &of_size(4)).await, ids);
    served.stop().await;
}

#[tokio::test]
async fn a_page_has_fifty_matches_by_default_and_at_most_500() {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    for _ in 0..501 {
        raw.create(to_points(1)).await.unwrap();
    }
    let page = list(&raw, of_size(0)).await;
    assert_eq!(page.matches.len(), 50);
    assert!(!page.next_page_token.is_empty());
    let page = list(&raw, of_size(100_000)).await;
    assert_eq!(page.matches.len(), 500);
    let rest = v1::ListMatchesRequest {
        page_token: page.next_page_token,
        ..of_size(500)
    };
    let rest = list(&raw, rest).await;
    assert_eq!(rest.matches.len(), 1);
    assert_eq!(rest.next_page_token, "");
}

/// A page continues where the previous one ended, even if matches have been created since.
#[tokio::test]
async fn new_matches_do_not_move_the_pages() {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let mut ids = Vec::new();
    for _ in 0..4 {
        ids.push(raw.create(to_points(1)).await.unwrap().id);
    }
    let first = list(&raw, of_size(2)).await;
    raw.create(to_points(1)).await.unwrap();
    let next = v1::ListMatchesRequest {
        page_token: first.next_page_token,
        ..of_size(2)
    };
    let second = list(&raw, next).await;
    let listed = first.matches.iter().chain(&second.matches);
    let listed: Vec<&String> = listed.map(|view| &view.id).collect();
    assert_eq!(listed, ids.iter().rev().collect::<Vec<_>>());
}

#[tokio::test]
async fn filters_pick_by_state_game_and_player() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let one = served.raw("one").await;
    let two = served.raw("two").await;
    let ids = in_every_state(&one, &two).await;
    check_filters(&one, &two, &ids).await;
    served.stop().await;

    let served = Served::in_folder(folder.path()).await;
    let one = served.raw("one").await;
    let two = served.raw("two").await;
    check_filters(&one, &two, &ids).await;
    served.stop().await;
}

/// Creates a match that is open to all, one with a seat kept, one under way and one that is over.
pub(crate) async fn in_every_state(one: &Raw, two: &Raw) -> [String; 4] {
    let open = one.create(to_points(1)).await.unwrap().id;
    let mut kept = to_points(1);
    kept.reservations.push(v1::Reservation {
        seat: Seat::Second.into(),
        player_id: two.who_am_i().await.unwrap(),
    });
    let kept = one.create(kept).await.unwrap().id;
    let active = one.create(to_points(1)).await.unwrap().id;
    let ended = one.create(to_points(1)).await.unwrap().id;
    for id in [&active, &ended] {
        one.join(id, Seat::First).await.unwrap();
        two.join(id, Seat::Second).await.unwrap();
    }
    two.resign(&ended, "").await.unwrap();
    [open, kept, active, ended]
}

pub(crate) async fn check_filters(one: &Raw, two: &Raw, [open, kept, active, ended]: &[String; 4]) {
    let of_one = one.who_am_i().await.unwrap();
    let of_two = two.who_am_i().await.unwrap();
    let nobody = "0".repeat(32);
    for (state, game, player, expected) in [
        (
            MatchState::Unspecified,
            "",
            "",
            vec![ended, active, kept, open],
        ),
        (
            MatchState::Unspecified,
            "kamisado",
            "",
            vec![ended, active, kept, open],
        ),
        (MatchState::Unspecified, "linja", "", vec![]),
        (MatchState::Open, "", "", vec![kept, open]),
        (MatchState::Active, "", "", vec![active]),
        (MatchState::Ended, "kamisado", "", vec![ended]),
        (MatchState::Unspecified, "", &of_one, vec![ended, active]),
        (
            MatchState::Unspecified,
            "",
            &of_two,
            vec![ended, active, kept],
        ),
        (MatchState::Open, "", &of_two, vec![kept]),
        (MatchState::Unspecified, "", &nobody, vec![]),
    ] {
        let filter = v1::ListMatchesRequest {
            state: state.into(),
            game: game.to_owned(),
            player_id: player.to_owned(),
            ..of_size(1)
        };
        let listed = pages(one, &filter).await;
        assert_eq!(listed.iter().collect::<Vec<_>>(), expected, "{filter:?}");
        let oldest_first = v1::ListMatchesRequest {
            order: v1::MatchOrder::OldestFirst.into(),
            ..filter
        };
        let mut listed = pages(one, &oldest_first).await;
        listed.reverse();
        assert_eq!(
            listed.iter().collect::<Vec<_>>(),
            expected,
            "{oldest_first:?}"
        );
    }
    for (creator, player, opponent, variant, expected) in [
        (&*of_one, "", "", "", vec![ended, active, kept, open]),
        (&of_two, "", "", "", vec![]),
        (&of_one, &of_two, "", "standard", vec![ended, active, kept]),
        ("", &of_one, &of_two, "", vec![ended, active]),
        (&of_one, &of_two, &of_one, "standard", vec![ended, active]),
        ("", &of_two, &nobody, "", vec![]),
        ("", "", "", "standard", vec![ended, active, kept, open]),
        ("", "", "", "random", vec![]),
    ] {
        let filter = v1::ListMatchesRequest {
            game: "kamisado".to_owned(),
            variant: variant.to_owned(),
            creator_id: creator.to_owned(),
            player_id: player.to_owned(),
            opponent_id: opponent.to_owned(),
            ..of_size(1)
        };
        let listed = pages(one, &filter).await;
        assert_eq!(listed.iter().collect::<Vec<_>>(), expected, "{filter:?}");
    }
}

#[tokio::test]
async fn a_list_is_cut_by_the_time_of_creation() {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    check_times(&raw).await;
}

/// Creates matches, and lists those of every period.
pub(crate) async fn check_times(raw: &Raw) {
    let now = || ms_of(&uuid::Uuid::now_v7().to_string());
    let begun = now();
    while now() == begun {}
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(raw.create(to_points(1)).await.unwrap().id);
        let created = ms_of(&ids[ids.len() - 1]);
        // Some are created in the same millisecond, if it lasts.
        while ids.len().is_multiple_of(2) && now() == created {}
    }
    ids.reverse();
    let time = |ms: u64| {
        Some(prost_types::Timestamp {
            seconds: i64::try_from(ms / 1000).unwrap(),
            nanos: i32::try_from(ms % 1000 * 1_000_000).unwrap(),
        })
    };
    let moments: Vec<u64> = ids
        .iter()
        .flat_map(|id| [ms_of(id), ms_of(id) + 1])
        .collect();
    for from in &moments {
        for before in &moments {
            let filter = v1::ListMatchesRequest {
                create_time_from: time(*from),
                create_time_before: time(*before),
                ..of_size(2)
            };
            let expected = ids
                .iter()
                .filter(|id| (*from..*before).contains(&ms_of(id)));
            let expected: Vec<_> = expected.collect();
            let oldest_first = v1::ListMatchesRequest {
                order: v1::MatchOrder::OldestFirst.into(),
                ..filter.clone()
            };
            let listed = pages(raw, &filter).await;
            assert_eq!(listed.iter().collect::<Vec<_>>(), expected);
            let listed = pages(raw, &oldest_first).await;
            assert_eq!(listed.iter().rev().collect::<Vec<_>>(), expected);
        }
    }
    let since = |create_time_from| v1::ListMatchesRequest {
        create_time_from,
        ..of_size(500)
    };
    // Less than a millisecond counts.
    let mut late = time(ms_of(&ids[0])).unwrap();
    late.nanos += 1000;
    assert!(pages(raw, &since(Some(late))).await.is_empty());
    assert!(
        pages(raw, &since(time(u64::MAX / 1_000_000)))
            .await
            .is_empty()
    );
}

/// The milliseconds of a UUID of version 7: its first 48 bits.
fn ms_of(id: &str) -> u64 {
    u64::from_str_radix(&id.replace('-', "")[..12], 16).unwrap()
}

/// A page token belongs to the list, the filter and the caller that it was issued for, also after a restart.
#[tokio::test]
async fn a_page_token_of_another_list_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let raw = served.raw("anyone").await;
    for _ in 0..3 {
        raw.create(to_points(1)).await.unwrap();
    }
    let first = list(&raw, of_size(1)).await;
    let next = |request: v1::ListMatchesRequest| v1::ListMatchesRequest {
        page_token: first.next_page_token.clone(),
        ..request
    };
    served.stop().await;
    let served = Served::in_folder(folder.path()).await;
    let raw = served.raw("anyone").await;
    let second = list(&raw, next(of_size(1))).await;
    assert_ne!(second.matches[0].id, first.matches[0].id);
    assert_eq!(list(&raw, next(of_size(2))).await.matches.len(), 2);
    let others = [
        v1::ListMatchesRequest {
            state: MatchState::Open.into(),
            ..of_size(1)
        },
        v1::ListMatchesRequest {
            game: "kamisado".to_owned(),
            ..of_size(1)
        },
        v1::ListMatchesRequest {
            player_id: raw.who_am_i().await.unwrap(),
            ..of_size(1)
        },
    ];
    let other = served.raw("other").await;
    let elsewhere = Served::in_memory().await;
    let stranger = elsewhere.raw("anyone").await;
    let changed = v1::ListMatchesRequest {
        page_token: first.next_page_token.replace(['0', '1', '2', '3'], "4"),
        ..of_size(1)
    };
    let made_up = v1::ListMatchesRequest {
        page_token: first.matches[0].id.clone(),
        ..of_size(1)
    };
    let calls = others.map(|other| (&raw, next(other))).into_iter();
    for (caller, request) in calls.chain([
        (&other, next(of_size(1))),
        (&stranger, next(of_size(1))),
        (&raw, changed),
        (&raw, made_up),
    ]) {
        let refused = caller.matches.clone().list_matches(request.clone()).await;
        let refused = refused.expect_err(&format!("{request:?}"));
        assert_eq!(reason_of(&refused).as_deref(), Some("FIELD_INVALID"));
        assert_eq!(fact(&refused, "field"), "page_token");
    }
    served.stop().await;
}

#[tokio::test]
async fn a_game_that_does_not_exist_is_refused() {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let filter = v1::ListMatchesRequest {
        game: "chess".to_owned(),
        ..of_size(1)
    };
    let refused = raw.matches.clone().list_matches(filter).await.unwrap_err();
    assert_eq!(reason_of(&refused).as_deref(), Some("FIELD_INVALID"));
    assert_eq!(fact(&refused, "field"), "game");
    assert!(refused.message().contains("kamisado"), "{refused}");
}

#[tokio::test]
async fn a_listed_match_is_the_match() {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let id = raw.create(to_points(7)).await.unwrap().id;
    raw.join(&id, Seat::Unspecified).await.unwrap();
    let page = list(&raw, of_size(0)).await;
    assert_eq!(page.matches, [raw.get(&id).await.unwrap()]);
    raw.abort(&id, "").await.unwrap();
    let page = list(&raw, of_size(0)).await;
    assert_eq!(page.matches, [raw.get(&id).await.unwrap()]);
}

#[tokio::test]
async fn the_catalogue_is_paged_too() {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let list = |page_size, page_token: &str| v1::ListGamesRequest {
        page_size,
        page_token: page_token.to_owned(),
    };
    let all = raw.games.clone().list_games(list(0, "")).await.unwrap();
    let all = all.into_inner();
    assert_eq!(all.next_page_token, "");
    let kamisado = all.games.iter().find(|game| game.name == "kamisado");
    let kamisado = kamisado.unwrap();
    assert_eq!(kamisado.variants[0].targets, [1, 3, 7, 15]);
    assert_eq!(kamisado.variants[0].target_max, 0);
    let variants: Vec<&str> = kamisado.variants.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(variants, ["standard", "random"]);
    let mut one_by_one = Vec::new();
    let mut token = String::new();
    loop {
        let page = raw.games.clone().list_games(list(1, &token)).await;
        let page = page.unwrap().into_inner();
        assert_eq!(page.games.len(), 1);
        one_by_one.extend(page.games);
        token = page.next_page_token;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(one_by_one, all.games);
    let refused = raw.games.clone().list_games(list(0, "chess")).await;
    assert_eq!(
        reason_of(&refused.unwrap_err()).as_deref(),
        Some("FIELD_INVALID")
    );
}

pub(crate) fn of_size(page_size: i32) -> v1::ListMatchesRequest {
    v1::ListMatchesRequest {
        page_size,
        ..v1::ListMatchesRequest::default()
    }
}

pub(crate) async fn list(raw: &Raw, request: v1::ListMatchesRequest) -> v1::ListMatchesResponse {
    let answer = raw.matches.clone().list_matches(request).await;
    answer.unwrap().into_inner()
}

/// The ids of all pages.
pub(crate) async fn pages(raw: &Raw, filter: &v1::ListMatchesRequest) -> Vec<String> {
    let mut ids = Vec::new();
    let mut request = filter.clone();
    loop {
        let page = list(raw, request.clone()).await;
        let size = usize::try_from(request.page_size).unwrap();
        assert!(page.matches.len() <= size);
        ids.extend(page.matches.into_iter().map(|view| view.id));
        if page.next_page_token.is_empty() {
            return ids;
        }
        request.page_token = page.next_page_token;
    }
}
