use dragontooth_proto::v1;
use dragontooth_service::Limits;

use crate::pair::Pair;
use crate::random_player::Draws;
use crate::served::Served;
use crate::watched::Watched;

/// The answers are the same whether states are cached or replayed from the log.
#[tokio::test]
async fn ended_matches_are_the_same_from_memory_and_from_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let mut pairs = Vec::new();
    for number in 0..4 {
        let pair = Pair::seat(&served).await;
        pair.play_to_the_end(&mut Draws::new(620 + number)).await;
        pairs.push(pair);
    }
    served.stop().await;

    let mut answers = Vec::new();
    for kept_states in [0, 2, 100] {
        let limits = Limits {
            kept_states,
            ..Limits::default()
        };
        let served = Served::in_folder_with(folder.path(), &limits).await;
        let raw = served.raw("anyone").await;
        let mut told = Vec::new();
        // The second round may come from memory, or only partly if there is room for two.
        for round in 0..2 {
            for pair in &pairs {
                let view = raw.get(&pair.match_id).await.unwrap();
                let end = view.head_sequence;
                assert_eq!(view.state(), v1::MatchState::Ended);
                let mut watched = Watched::open(&raw, &pair.match_id, end - 1).await;
                watched.read_to_the_end().await;
                let mut at_the_end = Watched::open(&raw, &pair.match_id, end).await;
                at_the_end.read_to_the_end().await;
                assert_eq!(at_the_end.caught_up, [end]);
                told.push((round, view, watched.events));
            }
            let mut matches = raw.matches.clone();
            let request = v1::ListMatchesRequest::default();
            let listed = matches.list_matches(request).await.unwrap();
            let listed = listed.into_inner().matches;
            assert_eq!(listed.len(), pairs.len());
            told.extend(listed.into_iter().map(|view| (round, view, Vec::new())));
        }
        answers.push(told);
        served.stop().await;
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0], answers[2]);
}

/// A repeated request to create a match is recognized while its match is among the latest.
#[tokio::test]
async fn the_latest_requests_to_create_a_match_are_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits {
        create_requests: 2,
        ..Limits::default()
    };
    let served = Served::in_folder_with(folder.path(), &limits).await;
    let raw = served.raw("anyone").await;
    let ask = |number: usize| v1::CreateMatchRequest {
        request_id: format!("request-{number}"),
        ..crate::pair::to_points(1)
    };
    let mut ids = Vec::new();
    for number in 0..3 {
        ids.push(raw.create(ask(number)).await.unwrap().id);
    }
    for number in [1, 2] {
        assert_eq!(raw.create(ask(number)).await.unwrap().id, ids[number]);
    }
    served.stop().await;
    let served = Served::in_folder_with(folder.path(), &limits).await;
    let raw = served.raw("anyone").await;
    for number in [1, 2] {
        assert_eq!(raw.create(ask(number)).await.unwrap().id, ids[number]);
    }
    assert_ne!(raw.create(ask(0)).await.unwrap().id, ids[0]);
    served.stop().await;
}
