//! Whole matches to the longest target, in both variants, by both ways of playing.

use std::collections::HashSet;

use dragontooth_games::Seat;
use dragontooth_proto::v1;
use dragontooth_service_client::MatchView;
use dragontooth_service_vocabulary::{NewMatch, Stage, Termination};
use tokio::task::JoinSet;
use v1::match_event::Event;

use crate::random_player::{Draws, play_by_calls, play_on_stream};
use crate::replayed::assert_replays;
use crate::served::Served;

/// The target of the matches.
const POINTS: u32 = 15;

#[tokio::test]
async fn matches_to_15_points_replay_from_their_logs() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let mut ids = Vec::new();
    for (variant, number) in [("standard", 0), ("random", 2)] {
        let seed = 150 + number;
        ids.push(play_pair_by_calls(&served, new(variant), seed).await);
        ids.push(play_pair_on_streams(&served, new(variant), seed + 1).await);
    }
    let raw = served.raw("creator").await;
    let mut records = Vec::new();
    for id in &ids {
        let record = raw.export(id).await.unwrap();
        assert_eq!(record.r#match, Some(raw.get(id).await.unwrap()));
        assert_replays(&record);
        assert_ended_by_the_rules(&record);
        records.push(record);
    }
    assert_eq!(openings(&records[..2]).len(), 1, "standard is one opening");
    assert_eq!(
        openings(&records[2..]).len(),
        2,
        "random is another each time"
    );
    served.stop().await;

    let served = Served::in_folder(folder.path()).await;
    let raw = served.raw("creator").await;
    for (id, record) in ids.iter().zip(records) {
        assert_eq!(raw.export(id).await.unwrap(), record);
        assert_eq!(Some(raw.get(id).await.unwrap()), record.r#match);
    }
    served.stop().await;
}

fn new(variant: &str) -> NewMatch {
    let mut new = NewMatch::new("kamisado", POINTS);
    new.variant = Some(variant.to_owned());
    new.title = format!("{variant} to {POINTS}").parse().unwrap();
    new
}

pub(crate) async fn play_pair_by_calls(served: &Served, new: NewMatch, seed: u64) -> String {
    let creator = served.client("creator").await;
    let view = creator.create_match(new).await.unwrap();
    assert_eq!(view.state, Stage::Open);
    let mut players = JoinSet::new();
    for (seat, number) in Seat::BOTH.into_iter().zip(0..) {
        let client = served.client(&format!("calling-{seat}")).await;
        let joined = client
            .join_match(view.id, Some(seat), "", None)
            .await
            .unwrap();
        assert_eq!(joined.seat, seat);
        let draws = Draws::new(seed * 10 + number);
        players.spawn(play_by_calls(client, view.id, seat, draws));
    }
    players.join_all().await;
    view.id.to_string()
}

pub(crate) async fn play_pair_on_streams(served: &Served, mut new: NewMatch, seed: u64) -> String {
    let mut clients = Vec::new();
    for seat in Seat::BOTH {
        let client = served.client(&format!("streaming-{seat}")).await;
        new.reserved[seat.index()] = Some(client.who_am_i().await.unwrap());
        clients.push(client);
    }
    let creator = served.client("creator").await;
    let view = creator.create_match(new).await.unwrap();
    let mut players = JoinSet::new();
    for (client, number) in clients.into_iter().zip(0..) {
        let draws = Draws::new(seed * 10 + number);
        players.spawn(play_on_stream(client, view.id, draws));
    }
    let ends: Vec<MatchView> = players
        .join_all()
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert_eq!(ends[0], ends[1]);
    let outcome = ends[0].outcome.as_ref().unwrap();
    assert_eq!(outcome.termination, Termination::Normal);
    view.id.to_string()
}

fn assert_ended_by_the_rules(record: &v1::ExportMatchResponse) {
    let told = record.r#match.as_ref().unwrap();
    assert_eq!(told.state(), v1::MatchState::Ended);
    let outcome = told.outcome.as_ref().unwrap();
    assert_eq!(outcome.termination(), v1::Termination::Normal);
    let score = told.score.unwrap();
    let (winner, loser) = match outcome.winner() {
        v1::Seat::First => (score.first, score.second),
        v1::Seat::Second => (score.second, score.first),
        v1::Seat::Unspecified => panic!("neither seat won"),
    };
    assert!(winner >= POINTS && loser < POINTS, "{score:?}");
    assert_eq!(told.server_seed.len(), 64);
    assert_eq!(told.seed_given, !record.seed.is_empty());
}

/// The opening positions of the matches.
fn openings(records: &[v1::ExportMatchResponse]) -> HashSet<&str> {
    records
        .iter()
        .map(|record| {
            let mut events = record
                .events
                .iter()
                .filter_map(|event| event.event.as_ref());
            let opening = events.find_map(|event| {
                if let Event::GameStarted(started) = event {
                    return Some(started.position.as_str());
                }
                None
            });
            opening.unwrap()
        })
        .collect()
}
