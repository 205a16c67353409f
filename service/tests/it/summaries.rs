//! Ended matches are shown from summaries, which say what the events do.

use std::path::Path;

use dragontooth_proto::v1;
use dragontooth_service::Limits;
use tonic::Code;

use crate::backups::{change, wait_until_closed};
use crate::pair::{Pair, to_points};
use crate::random_player::Draws;
use crate::raw::Raw;
use crate::refusals::{fact, reason_of};
use crate::served::Served;

/// Without cached states, so that every answer about an ended match comes from its summary or its log.
async fn serve(folder: &Path) -> Served {
    let limits = Limits {
        kept_states: 0,
        ..Limits::default()
    };
    Served::in_folder_with(folder, &limits).await
}

async fn list(raw: &Raw) -> Vec<v1::Match> {
    let all = v1::ListMatchesRequest {
        page_size: 500,
        ..v1::ListMatchesRequest::default()
    };
    let listed = raw.matches.clone().list_matches(all).await.unwrap();
    listed.into_inner().matches
}

/// Matches of every game that have ended in every way that does not take time, in the order of their creation.
async fn play(served: &Served) -> Vec<v1::Match> {
    let mut ended = Vec::new();
    let clock = v1::time_control::Fischer {
        base: Some(prost_types::Duration {
            seconds: 300,
            nanos: 0,
        }),
        increment: None,
    };
    let clock = v1::TimeControl {
        kind: Some(v1::time_control::Kind::Fischer(clock)),
    };
    let games = ["kamisado", "linja", "tzaar", "backgammon"];
    for (number, game) in (0..).zip(games) {
        let new = v1::CreateMatchRequest {
            game: game.to_owned(),
            time_control: Some(clock),
            title: format!("a match of {game}"),
            seed: format!("the seed of {game}"),
            request_id: game.to_owned(),
            ..to_points(1)
        };
        let pair = Pair::seat_on(served.address(), new).await;
        pair.play_to_the_end(&mut Draws::new(9400 + number)).await;
        ended.push(pair.view().await);
    }
    let resigned = Pair::seat(served).await;
    resigned.play().await.unwrap();
    let (player, id) = (&resigned.second, &resigned.match_id);
    player.resign_because(id, "r-1", "it broke").await.unwrap();
    ended.push(resigned.view().await);
    let aborted = resigned.creator.create(to_points(3)).await.unwrap();
    resigned.creator.abort(&aborted.id, "").await.unwrap();
    ended.push(resigned.creator.get(&aborted.id).await.unwrap());
    let mut reserved = to_points(1);
    reserved.reservations.push(v1::Reservation {
        seat: v1::Seat::Second.into(),
        player_id: resigned.second.who_am_i().await.unwrap(),
    });
    let declined = resigned.creator.create(reserved).await.unwrap().id;
    resigned
        .second
        .decline(&declined, "no time", "")
        .await
        .unwrap();
    ended.push(resigned.creator.get(&declined).await.unwrap());
    assert!(
        ended
            .iter()
            .all(|view| view.state() == v1::MatchState::Ended)
    );
    ended
}

/// Checks that every way to see these matches shows them as they ended.
async fn check(served: &Served, ended: &[v1::Match]) {
    let raw = served.raw("anyone").await;
    for view in ended {
        assert_eq!(raw.get(&view.id).await.unwrap(), *view);
        let replayed = raw.export(&view.id).await.unwrap().r#match;
        assert_eq!(replayed.as_ref(), Some(view));
        assert_eq!(raw.get(&view.id).await.unwrap(), *view);
    }
    let listed = list(&raw).await;
    assert!(listed.iter().rev().eq(ended), "{listed:#?}");
}

/// Does something with the tree of summaries of a service that has stopped.
fn with_summaries<T>(folder: &Path, change: impl FnOnce(&sled::Tree) -> T) -> T {
    let store = sled::open(folder).unwrap();
    let summaries = store.open_tree("summaries").unwrap();
    let changed = change(&summaries);
    summaries.flush().unwrap();
    drop((summaries, store));
    wait_until_closed(folder);
    changed
}

fn key(view: &v1::Match) -> [u8; 16] {
    *uuid::Uuid::parse_str(&view.id).unwrap().as_bytes()
}

/// Does something to the tree of summaries, of which it is given those that are right.
type Spoil = fn(&sled::Tree, &[(sled::IVec, sled::IVec)]);

#[tokio::test]
async fn a_summary_shows_what_the_events_do() {
    let folder = tempfile::tempdir().unwrap();
    let served = serve(folder.path()).await;
    let ended = play(&served).await;
    check(&served, &ended).await;
    served.stop().await;
    let kept = with_summaries(folder.path(), |summaries| {
        let kept = ended.iter().map(|view| summaries.get(key(view)).unwrap());
        kept.collect::<Option<Vec<_>>>()
    });
    assert!(kept.is_some(), "each match has its summary");
    let served = serve(folder.path()).await;
    check(&served, &ended).await;
    served.stop().await;
}

/// As after a crash before they were written, in folders of earlier versions, and after any damage to them.
#[tokio::test]
async fn summaries_that_are_missing_stale_or_damaged_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let served = serve(folder.path()).await;
    let ended = play(&served).await;
    served.stop().await;
    let all = |summaries: &sled::Tree| -> Vec<(sled::IVec, sled::IVec)> {
        summaries.iter().map(Result::unwrap).collect()
    };
    let sound = with_summaries(folder.path(), all);
    assert_eq!(sound.len(), ended.len());
    let spoils: [(&str, Spoil); 4] = [
        ("missing", |summaries, _| summaries.clear().unwrap()),
        ("one missing", |summaries, sound| {
            summaries.remove(&sound[1].0).unwrap();
        }),
        ("swapped", |summaries, sound| {
            let shifted = sound.iter().cycle().skip(1);
            for ((id, _), (_, other)) in sound.iter().zip(shifted) {
                summaries.insert(id, other).unwrap();
            }
        }),
        ("damaged", |summaries, sound| {
            for (number, (id, summary)) in sound.iter().enumerate() {
                let mut changed = summary.to_vec();
                let place = number * 31 % changed.len();
                changed[place] ^= 1;
                summaries.insert(id, changed).unwrap();
            }
        }),
    ];
    for (what, spoil) in spoils {
        with_summaries(folder.path(), |summaries| spoil(summaries, &sound));
        let served = serve(folder.path()).await;
        check(&served, &ended).await;
        served.stop().await;
        assert_eq!(with_summaries(folder.path(), all), sound, "{what}");
    }
}

/// The events between are read by who exports, and from then on the match is known to be damaged.
#[tokio::test]
async fn damage_in_an_ended_match_is_told_once_its_log_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let served = serve(folder.path()).await;
    let ended = play(&served).await;
    served.stop().await;
    let damaged = &ended[0];
    change(folder.path(), &damaged.id, 5, Some("no event"));
    let served = serve(folder.path()).await;
    let raw = served.raw("anyone").await;
    assert_eq!(raw.get(&damaged.id).await.unwrap(), *damaged);
    assert_eq!(list(&raw).await.len(), ended.len());
    let refused = raw.verify(&damaged.id).await.unwrap_err();
    assert_eq!(refused.code(), Code::DataLoss);
    for refused in [
        raw.get(&damaged.id).await.unwrap_err(),
        raw.export(&damaged.id).await.unwrap_err(),
        raw.watch(&damaged.id, 0).await.unwrap_err(),
    ] {
        assert_eq!(reason_of(&refused).as_deref(), Some("LOG_DAMAGED"));
        assert_eq!(fact(&refused, "sequence"), "5");
    }
    let listed = list(&raw).await;
    assert!(listed.iter().rev().eq(&ended[1..]));
    served.stop().await;
    let served = serve(folder.path()).await;
    let raw = served.raw("anyone").await;
    let refused = raw.get(&damaged.id).await.unwrap_err();
    assert_eq!(reason_of(&refused).as_deref(), Some("LOG_DAMAGED"));
    served.stop().await;
}
