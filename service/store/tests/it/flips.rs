//! Flipped bits and cut tails, anywhere in the folder of a log.
//!
//! A damaged folder never serves anything but what was written. Either the folder is refused by name, or it
//! is opened: then a match that is not whole is refused with the sequence at which its damage begins, and the
//! others continue.
//! `STORE_TEST_FLIPS` sets the number of damaged places, `STORE_TEST_SEED` which ones.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use dragontooth_service_store::{ChainHead, MatchLog, OpenError, SledLog};
use dragontooth_service_vocabulary::{MatchId, Recorded};
use futures::future::join_all;

use crate::{corpus, random::Random};

/// Number of damaged places unless `STORE_TEST_FLIPS` sets another; the nightly run sets 1,500.
const DEFAULT_FLIPS: usize = 80;

/// Matches in the folder.
const MATCHES: u8 = 30;

/// The outcomes of the damages.
#[derive(Debug, Default)]
struct Tally {
    flips: usize,
    cuts: usize,
    refused: BTreeMap<String, usize>,
    with_damaged_matches: usize,
    damaged_matches: usize,
    without_loss: usize,
    in_file: BTreeMap<String, usize>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_was_changed_is_served() {
    let flips = env::var("STORE_TEST_FLIPS")
        .map_or(DEFAULT_FLIPS, |flips| flips.parse().expect("a number"));
    let mut random = Random::for_test("nothing_that_was_changed_is_served");
    let sound = tempfile::tempdir().unwrap();
    let truth = write(sound.path()).await;
    let mut tally = Tally::default();
    for number in 0..flips {
        let damaged = tempfile::tempdir().unwrap();
        let cuts = tally.cuts;
        let file = damage(sound.path(), damaged.path(), &mut random, &mut tally);
        let kind = if tally.cuts > cuts { "cut" } else { "flip" };
        let kind = format!("{kind} in {file}");
        judge(damaged.path(), &truth, number, &kind, &mut tally).await;
    }
    eprintln!("{tally:?}");
    // Else the test has damaged nothing.
    assert!(tally.refused.values().sum::<usize>() + tally.with_damaged_matches > flips / 20);
}

/// Plays the matches, all at once as a service does, in a folder that is opened several times.
async fn write(folder: &Path) -> BTreeMap<MatchId, (Vec<Recorded>, ChainHead)> {
    let games = ["kamisado", "tzaar", "linja", "backgammon"];
    let mut matches: BTreeMap<_, _> = (1..=MATCHES)
        .map(|number| {
            let id = MatchId::from_bytes([number * 2; 16]);
            let game = games[usize::from(number) % games.len()];
            (
                id,
                (corpus::play(game, id, number.into()), MatchLog::start(id)),
            )
        })
        .collect();
    let longest = matches.values().map(|(events, _)| events.len()).max();
    let longest = longest.unwrap();
    for part in 0..4 {
        let log = MatchLog::new(Arc::new(SledLog::open(folder).unwrap()));
        for at in part * longest / 4..(part + 1) * longest / 4 {
            let appends = matches.iter_mut().map(async |(id, (events, head))| {
                if let Some(Recorded { time, event, .. }) = events.get(at) {
                    let event = std::slice::from_ref(event);
                    *head = log.append(*id, *head, *time, event).await.unwrap();
                }
            });
            join_all(appends).await;
        }
        log.close().await;
    }
    matches
}

/// Copies a folder and damages one place of the copy; gives the name of the file.
fn damage(from: &Path, to: &Path, random: &mut Random, tally: &mut Tally) -> String {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
            files.push(to.join(entry.file_name()));
        }
    }
    files.sort_unstable();
    // Most of the places in sled's file, some in each of the others.
    let db = files.iter().position(|file| file.ends_with("db")).unwrap();
    let file = if random.below(10) < 7 {
        &files[db]
    } else {
        &files[random.index(files.len())]
    };
    let mut bytes = fs::read(file).unwrap();
    // What sled has reserved is empty; damage there damages nothing.
    let used = bytes
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(0, |at| at + 1);
    if used > 0 && random.below(5) > 0 {
        tally.flips += 1;
        bytes[random.index(used)] ^= 1 << random.below(8);
    } else {
        tally.cuts += 1;
        bytes.truncate(random.index(used + 1));
    }
    fs::write(file, bytes).unwrap();
    let name = file.file_name().unwrap().to_str().unwrap();
    let kind = name.split('.').next().unwrap().to_owned();
    *tally.in_file.entry(kind.clone()).or_default() += 1;
    kind
}

/// Checks what is served of a damaged folder.
async fn judge(
    folder: &Path,
    truth: &BTreeMap<MatchId, (Vec<Recorded>, ChainHead)>,
    number: usize,
    kind: &str,
    tally: &mut Tally,
) {
    let what = format!("damage {number}, a {kind}");
    let log = match SledLog::open(folder) {
        Ok(log) => MatchLog::new(Arc::new(log)),
        Err(error) => {
            assert!(
                matches!(error, OpenError::Damaged { .. }),
                "{what}: {error:?}"
            );
            assert!(error.to_string().contains(folder.to_str().unwrap()));
            *tally.refused.entry(kind.to_owned()).or_default() += 1;
            return;
        }
    };
    let listed: Vec<MatchId> = log.ids().map(|id| id.unwrap()).collect();
    let known: Vec<MatchId> = log.damaged().into_iter().map(|(id, _)| id).collect();
    let mut damaged = 0;
    for (id, (events, head)) in truth {
        assert!(
            listed.contains(id) != known.contains(id),
            "{what}: match {id} is neither there nor known to be lost, or both"
        );
        match log.replay(*id) {
            Ok(read) => {
                let read = read.unwrap_or_else(|| panic!("{what}: match {id} is not there"));
                assert_eq!(read.chain_head(), *head, "{what}: match {id} is cut");
                let entries = log.read(*id, MatchLog::start(*id), 10_000).unwrap();
                let served = entries.into_iter().map(|entry| entry.recorded);
                assert!(served.eq(events.iter().cloned()), "{what}: match {id}");
            }
            Err(error) => {
                damaged += 1;
                let from = error.sequence().map(|sequence| sequence.0);
                let from = from.unwrap_or_else(|| panic!("{what}: where is it damaged? {error}"));
                assert!((1..=head.sequence.0).contains(&from), "{what}: {error}");
            }
        }
    }
    assert!(listed.iter().all(|id| truth.contains_key(id)), "{what}");
    tally.damaged_matches += damaged;
    if damaged > 0 {
        tally.with_damaged_matches += 1;
    } else {
        tally.without_loss += 1;
    }
    log.close().await;
}
