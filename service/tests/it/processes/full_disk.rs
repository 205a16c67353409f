use std::fs;
use std::time::Duration;

use dragontooth_proto::v1;
use futures::future::join_all;
use tokio::time::timeout;
use tonic::Status;

use crate::pair::{Pair, to_points};
use crate::program::{Program, ask};
use crate::random_player::Draws;
use crate::raw::Raw;
use crate::refusals::reason_of;
use crate::replayed::assert_replays;
use crate::scrape::Scrape;
use crate::small_disk::{SmallDisk, skip};

const TEST: &str = "a_full_disk_loses_nothing_acknowledged";

/// The disk, and the other file on it that is deleted to make room.
const DISK_MEBIBYTES: u32 = 10;
const BALLAST_BYTES: usize = 8 << 20;

/// Number of pairs of players who play until they are refused.
const PAIRS: u64 = 8;

/// Maximum number of events of one action.
const MOST_EVENTS: u64 = 8;

/// Number of starts while the disk is full.
const STARTS: usize = 3;

const NOT_STARTED: i32 = 3;
const LOG_FAILED: i32 = 8;

/// Timeout for the end.
const PATIENCE: Duration = Duration::from_mins(1);

/// The acknowledged actions of a match.
struct Acknowledged {
    match_id: String,
    head: u64,
}

/// Matches are played until the disk is full. The players get a refusal and the service ends as
/// configured. However often it is started without room, everything acknowledged is there once
/// there is some, and the matches continue.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_loses_nothing_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let disk = match SmallDisk::of_mebibytes(DISK_MEBIBYTES, folder.path()) {
        Ok(disk) => disk,
        Err(why) => return skip(TEST, &why),
    };
    let ballast = disk.path().join("ballast");
    fs::write(&ballast, vec![1; BALLAST_BYTES]).unwrap();
    let data = disk.path().join("data");
    let program = Program::serve_with(&data, &["--end-on-log-failure"]).await;
    let scrape = Scrape::of(program.side()).await;
    let size = scrape.value("dragontooth_disk_size_bytes", &[]);
    assert_eq!(size, Some(f64::from(DISK_MEBIBYTES << 20)));
    let free = scrape.value("dragontooth_disk_free_bytes", &[]).unwrap();
    assert!(free < f64::from(2 << 20), "{free}");

    let address = program.address();
    // All of them are seated before the first one fills the disk.
    let pairs = join_all((0..PAIRS).map(|_| Pair::connect(address))).await;
    let played = (0..)
        .zip(pairs)
        .map(|(number, pair)| tokio::spawn(play_until_refused(pair, number)));
    let mut acknowledged = Vec::new();
    let mut reasons = Vec::new();
    for played in join_all(played).await {
        let (matches, refused) = played.unwrap();
        acknowledged.extend(matches);
        reasons.extend(reason_of(&refused));
    }
    // A call a moment later finds the service ending or gone.
    let known = ["LOG_UNAVAILABLE", "DRAINING"];
    assert!(
        reasons.iter().all(|reason| known.contains(&&**reason)),
        "{reasons:?}"
    );
    assert!(
        reasons.iter().any(|reason| reason == known[0]),
        "{reasons:?}"
    );
    let (status, log) = timeout(PATIENCE, program.wait()).await.expect("an end");
    assert_eq!(status.code(), Some(LOG_FAILED), "{log:#?}");
    let output = |line: &String| line.contains("the event log has failed");
    assert!(log.iter().any(output), "{log:#?}");
    let events: u64 = acknowledged.iter().map(|each| each.head).sum();
    assert!(events > 300, "the disk was full at once: {events} events");

    // It is restarted before anyone has made room.
    for _ in 0..STARTS {
        let started = Program::try_serve_with(&data, &["--end-on-log-failure"]);
        // It either refuses to start, or finds a little room and serves until that is used up.
        match timeout(PATIENCE, started).await.expect("it starts or ends") {
            Ok(program) => program.kill().await,
            Err((status, log)) => assert_eq!(status.code(), Some(NOT_STARTED), "{log:#?}"),
        }
    }

    fs::remove_file(&ballast).unwrap();
    let path = data.to_str().unwrap();
    let (code, output, errors) = ask(&["verify", "--data", path], &[]).await;
    assert_eq!(code, 0, "{output}{errors}");
    let program = Program::serve_with(&data, &["--end-on-log-failure"]).await;
    let reader = Raw::connect(program.address(), "reader").await;
    let mut draws = Draws::new(7000);
    for Acknowledged { match_id, head } in acknowledged {
        let found = reader.get(&match_id).await.unwrap().head_sequence;
        // The refused action may be there completely.
        assert!(
            (head..=head + MOST_EVENTS).contains(&found),
            "{head}, then {found}"
        );
        assert_replays(&reader.export(&match_id).await.unwrap());
        let pair = Pair {
            match_id,
            ..Pair::connect(program.address()).await
        };
        pair.play_to_the_end(&mut draws).await;
    }
    program.kill().await;
}

/// Plays match after match. Returns the acknowledged part of each, and its refusal.
async fn play_until_refused(mut pair: Pair, number: u64) -> (Vec<Acknowledged>, Status) {
    let mut draws = Draws::new(7001 + number);
    let mut matches = Vec::new();
    loop {
        if let Err(status) = sit_down(&mut pair).await {
            return (matches, status);
        }
        let mut head = 0;
        let refused = loop {
            match pair.play_one_of(&mut draws).await {
                Ok(answer) => {
                    let after = answer.r#match.unwrap();
                    head = after.head_sequence;
                    if after.state() != v1::MatchState::Active {
                        break None;
                    }
                }
                Err(status) => break Some(status),
            }
        };
        let match_id = pair.match_id.clone();
        matches.push(Acknowledged { match_id, head });
        if let Some(status) = refused {
            return (matches, status);
        }
    }
}

/// Starts another match of the same players.
async fn sit_down(pair: &mut Pair) -> Result<(), Status> {
    pair.match_id = pair.creator.create(to_points(3)).await?.id;
    for seat in [v1::Seat::First, v1::Seat::Second] {
        pair.player(seat).join(&pair.match_id, seat).await?;
    }
    Ok(())
}
