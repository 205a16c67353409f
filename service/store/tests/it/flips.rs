//! Flipped bits and cut tails, anywhere in the folder of a log.
//!
//! A damaged folder never serves anything but what was written. Either the folder is refused by name, or it
//! is opened: then a match that is not whole is refused with the sequence at which its damage begins, and the
//! others continue.
//! `STORE_TEST_FLIPS` sets the number of damaged places, `STORE_TEST_SEED` which ones.

use std::{
    collections::BTreeMap,
    env,
    ffi::OsString,
    fs::{self, DirEntry},
    path::{Path, PathBuf},
    sync::Arc,
};

use dragontooth_service_store::{
    ChainHead, EventLog, MatchLog, MatchSummary, OpenError, RESERVED_STREAM, SledLog, TokenLog,
};
use dragontooth_service_vocabulary::{MatchId, Recorded};
use futures::{TryStreamExt, future::join_all};

use crate::{
    corpus,
    random::Random,
    token_log::{NOON, issued},
};

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
    let flips = number_of_flips();
    let mut random = Random::for_test("nothing_that_was_changed_is_served");
    let [sound, killed] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let truth = write(sound.path(), 4, Some(killed.path())).await;
    let mut tally = Tally::default();
    for number in 0..flips {
        let damaged = tempfile::tempdir().unwrap();
        let cuts = tally.cuts;
        let from = [&sound, &killed][number % 2];
        let file = damage(from.path(), damaged.path(), &mut random, &mut tally);
        let kind = if tally.cuts > cuts { "cut" } else { "flip" };
        let kind = format!("{kind} in {file}");
        judge(damaged.path(), &truth, number, &kind, &mut tally).await;
    }
    eprintln!("{tally:?}");
    assert!(tally.in_file.contains_key("journal"));
    // Else the test has damaged nothing.
    assert!(tally.refused.values().sum::<usize>() + tally.with_damaged_matches > flips / 20);
}

/// A cut data file leads to what other damage leads to, and a folder that is refused is left as it was. The length is
/// any: none, a byte, about a segment of sled's, all but a byte, and at random.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_folder_whose_data_file_was_cut_is_left_as_it_was() {
    const SEGMENT_BYTES: usize = 512 * 1024;
    let mut random = Random::for_test("a_refused_folder_whose_data_file_was_cut_is_left_as_it_was");
    let mut tally = Tally::default();
    for (sessions, name) in [(1, "without a snapshot"), (4, "with a snapshot")] {
        let sound = tempfile::tempdir().unwrap();
        let truth = write(sound.path(), sessions, None).await;
        let whole = fs::read(sound.path().join("db")).unwrap();
        let mut lengths = vec![0, 1, 20, 1000, 4096, whole.len() - 1];
        for segment in 1..=whole.len() / SEGMENT_BYTES {
            let end = segment * SEGMENT_BYTES;
            lengths.extend([end - 1, end, end + 1]);
        }
        // Of what was written last, sled takes some cuts for the end that a crash leaves.
        let used = whole.iter().rposition(|byte| *byte != 0).unwrap();
        lengths.extend((1..=10).map(|part| used - part * 4000));
        lengths.extend((0..number_of_flips() / 4).map(|_| random.index(whole.len())));
        for length in lengths {
            let cut = tempfile::tempdir().unwrap();
            copy(sound.path(), cut.path());
            fs::write(cut.path().join("db"), &whole[..length.min(whole.len())]).unwrap();
            let before = files(cut.path());
            let refused = tally.refused.values().sum::<usize>();
            judge(cut.path(), &truth, length, name, &mut tally).await;
            if tally.refused.values().sum::<usize>() > refused {
                assert!(files(cut.path()) == before, "{name}, cut at {length}");
            } else {
                let log = Arc::new(SledLog::open(cut.path()).unwrap());
                let (tokens, _) = TokenLog::new(log).replay().await.unwrap();
                assert_eq!(tokens.identities(), 2, "{name}, cut at {length}");
            }
        }
    }
    eprintln!("{tally:?}");
    assert!(!tally.refused.is_empty() && tally.with_damaged_matches > 0);
}

fn number_of_flips() -> usize {
    env::var("STORE_TEST_FLIPS").map_or(DEFAULT_FLIPS, |flips| flips.parse().expect("a number"))
}

/// The files of a folder.
fn files(folder: &Path) -> BTreeMap<OsString, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let read = |entry: DirEntry| {
        let is_file = entry.file_type().unwrap().is_file();
        let bytes = is_file.then(|| fs::read(entry.path()).unwrap());
        (entry.file_name(), bytes.unwrap_or_default())
    };
    entries.map(read).collect()
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

/// Plays the matches, all at once as a service does, in a folder that is opened several times, and issues two tokens.
/// Makes a copy of the folder as a kill at the end would leave it, if one is asked for.
async fn write(
    folder: &Path,
    sessions: usize,
    killed: Option<&Path>,
) -> BTreeMap<MatchId, (Vec<Recorded>, ChainHead)> {
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
    let mut tokens = ChainHead::start(RESERVED_STREAM);
    for part in 0..sessions {
        let log: Arc<dyn EventLog> = Arc::new(SledLog::open(folder).unwrap());
        if part == sessions / 2 {
            let book = TokenLog::new(Arc::clone(&log));
            for number in 1..=2 {
                tokens = book.append(tokens, NOON, &[issued(number)]).await.unwrap();
            }
        }
        let log = MatchLog::new(log);
        for at in part * longest / sessions..(part + 1) * longest / sessions {
            let appends = matches.iter_mut().map(async |(id, (events, head))| {
                if let Some(Recorded { time, event, .. }) = events.get(at) {
                    let event = std::slice::from_ref(event);
                    *head = log.append(*id, *head, *time, event).await.unwrap();
                }
            });
            join_all(appends).await;
        }
        if part + 1 == sessions {
            for id in matches.keys() {
                let ended = log.replay(*id).await.unwrap().unwrap();
                log.summarise(*id, &ended).await.unwrap();
            }
            if let Some(killed) = killed {
                copy(folder, killed);
            }
        }
        log.close().await;
    }
    matches
}

/// Copies a folder and damages one place of the copy; gives the name of the file.
fn damage(from: &Path, to: &Path, random: &mut Random, tally: &mut Tally) -> String {
    copy(from, to);
    let files: Vec<PathBuf> = files(to).keys().map(|name| to.join(name)).collect();
    // Most of the places in the files with records, some in each of the others.
    let with_records = |file: &&PathBuf| {
        let is_empty = fs::metadata(file).unwrap().len() == 0;
        let name = file.file_name().unwrap().to_str().unwrap();
        !is_empty && (name == "db" || name.starts_with("journal"))
    };
    let with_records: Vec<_> = files.iter().filter(with_records).collect();
    let file = if random.below(10) < 7 {
        with_records[random.index(with_records.len())]
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
    let listed: Vec<MatchId> = log.ids().try_collect().await.unwrap();
    let known: Vec<MatchId> = log.damaged().into_iter().map(|(id, _)| id).collect();
    let mut damaged = 0;
    for (id, (events, head)) in truth {
        assert!(
            listed.contains(id) != known.contains(id),
            "{what}: match {id} is neither there nor known to be lost, or both"
        );
        match log.replay(*id).await {
            Ok(read) => {
                let read = read.unwrap_or_else(|| panic!("{what}: match {id} is not there"));
                assert_eq!(read.chain_head(), *head, "{what}: match {id} is cut");
                let entries = log.read(*id, MatchLog::start(*id), 10_000).await.unwrap();
                let served = entries.into_iter().map(|entry| entry.recorded);
                assert!(served.eq(events.iter().cloned()), "{what}: match {id}");
                let summary = log.checked_summary(*id, head.sequence).await;
                let summary = summary.ok().flatten();
                let expected = MatchSummary::of(&read, *head);
                assert!(
                    summary.is_none() || summary == expected,
                    "{what}: match {id}"
                );
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
