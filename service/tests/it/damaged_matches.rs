//! Matches with a damaged log: every call about them is refused with the place, and other matches continue.

use dragontooth_proto::v1;
use prost::Message;
use tonic::{Code, Status};
use v1::Seat;
use v1::play_response::Response;

use crate::backups::change;
use crate::pair::Pair;
use crate::player::Player;
use crate::refusals::{fact, reason_of};
use crate::served::Served;

/// The last intact event of each damaged match.
const WHOLE: u64 = 4;

/// Makes each call that reads or changes a match, with this answer to its last known decision.
async fn every_call(pair: &Pair, answer: v1::SubmitActionRequest) -> Vec<(&'static str, Status)> {
    let (first, id) = (&pair.first, &pair.match_id);
    let mut told = vec![
        ("get", first.get(id).await.unwrap_err()),
        ("decision", first.decision(id).await.unwrap_err()),
        ("submit", first.submit(answer.clone()).await.unwrap_err()),
        ("watch", first.watch(id, 0).await.err().unwrap()),
        ("watch on", first.watch(id, WHOLE).await.err().unwrap()),
        ("join", first.join(id, Seat::First).await.unwrap_err()),
        ("resign", first.resign(id, "again").await.unwrap_err()),
        ("abort", pair.creator.abort(id, "").await.unwrap_err()),
        ("export", first.export(id).await.unwrap_err()),
        ("export raw", first.export_raw(id).await.unwrap_err()),
        ("verify", first.verify(id).await.unwrap_err()),
    ];
    told.push(("over a stream", answered_on_a_stream(pair, answer).await));
    told
}

/// The response of a `Play` stream to an answer.
async fn answered_on_a_stream(pair: &Pair, answer: v1::SubmitActionRequest) -> Status {
    let mut player = Player::open(&pair.first).await;
    let due = v1::Decision {
        match_id: answer.match_id,
        decision_id: answer.decision_id,
        ..v1::Decision::default()
    };
    player.answer(&due, &answer.action, "");
    loop {
        // The decisions of the other matches come too.
        if let Response::Refused(refused) = player.next().await {
            assert_eq!(refused.match_id, due.match_id);
            let status = refused.status.unwrap();
            let details = status.encode_to_vec().into();
            return Status::with_details(status.code.into(), status.message, details);
        }
    }
}

#[tokio::test]
async fn a_damaged_match_is_refused_and_others_continue() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let (changed, cut) = (Pair::seat(&served).await, Pair::seat(&served).await);
    let (mut sound, mut over) = (Pair::seat(&served).await, Pair::seat(&served).await);
    for pair in [&changed, &cut, &sound, &over] {
        for _ in 0..4 {
            pair.play().await.unwrap();
        }
    }
    let answers = [changed.answer("").await, cut.answer("").await];
    over.first.resign(&over.match_id, "").await.unwrap();
    let ended = over.view().await;
    let last = cut.view().await.head_sequence;
    served.stop().await;

    let from = WHOLE + 1;
    change(folder.path(), &changed.match_id, from, Some("no event"));
    for sequence in from..=last {
        change(folder.path(), &cut.match_id, sequence, None);
    }
    // The second time the service already knows about the damage.
    for _ in 0..2 {
        let served = Served::in_folder(folder.path()).await;
        for answer in &answers {
            let mut damaged = Pair::connect(served.address()).await;
            damaged.match_id.clone_from(&answer.match_id);
            for (call, status) in every_call(&damaged, answer.clone()).await {
                assert_eq!(status.code(), Code::DataLoss, "{call}: {status}");
                assert_eq!(reason_of(&status).as_deref(), Some("LOG_DAMAGED"), "{call}");
                assert_eq!(fact(&status, "sequence"), from.to_string(), "{call}");
            }
        }
        // The others are unchanged, continue, and are listed.
        over = over.go_on(&served).await;
        assert_eq!(over.view().await, ended);
        sound = sound.go_on(&served).await;
        sound.play().await.unwrap();
        let all = v1::ListMatchesRequest::default();
        let listed = sound.first.matches.clone().list_matches(all).await;
        let listed = listed.unwrap().into_inner().matches;
        let listed: Vec<&str> = listed.iter().map(|one| one.id.as_str()).collect();
        // Newest first.
        assert_eq!(listed, [&over.match_id, &sound.match_id]);
        served.stop().await;
    }
}
