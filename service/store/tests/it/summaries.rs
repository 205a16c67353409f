//! Summaries follow from the log, and one that does not is not used.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use dragontooth_service_store::{
    EventLog, KnownMatch, MatchBrief, MatchLog, MatchSummary, MemoryLog, SledLog, StreamId,
};
use dragontooth_service_vocabulary::{MatchId, Recorded, Sequence};
use prost::Message;
use sled::IVec;

use crate::{corpus, golden, match_log::stored, raw::with_sled};

const GAMES: [&str; 4] = ["kamisado", "tzaar", "linja", "backgammon"];

fn id(number: u8) -> MatchId {
    MatchId::from_bytes([number; 16])
}

async fn append(log: &MatchLog, id: MatchId, events: &[Recorded]) {
    let mut head = MatchLog::start(id);
    for Recorded { time, event, .. } in events {
        let event = std::slice::from_ref(event);
        head = log.append(id, head, *time, event).await.unwrap();
    }
}

/// Appends a whole match and summarises it; returns the summary.
async fn play(log: &MatchLog, game: &str, number: u8) -> MatchSummary {
    append(
        log,
        id(number),
        &corpus::play(game, id(number), number.into()),
    )
    .await;
    let ended = log.replay(id(number)).await.unwrap().unwrap();
    log.summarise(id(number), &ended).await.unwrap()
}

/// The facts about a match that a log gives with its summary.
async fn checked(log: &MatchLog, number: u8) -> Option<MatchSummary> {
    let head = log.replay(id(number)).await.unwrap().unwrap().head();
    log.checked_summary(id(number), head).await.unwrap()
}

fn open(folder: &Path) -> MatchLog {
    MatchLog::new(Arc::new(SledLog::open(folder).unwrap()))
}

#[tokio::test]
async fn a_summary_is_what_a_replay_gives_in_every_game_and_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut made = Vec::new();
    {
        let log = open(folder.path());
        for (number, game) in (1..=24).zip(GAMES.into_iter().cycle()) {
            made.push((number, play(&log, game, number).await));
        }
        log.event_log().close().await;
    }
    let log = open(folder.path());
    for (number, summary) in made {
        let state = log.replay(id(number)).await.unwrap().unwrap();
        assert_eq!(
            MatchSummary::of(&state, state.chain_head()),
            Some(summary.clone())
        );
        assert_eq!(checked(&log, number).await, Some(summary));
        let play = state.play();
        let kept = log.summary(id(number)).await.unwrap().unwrap();
        assert_eq!(
            (kept.score, Some(kept.position)),
            (play.score(), play.position())
        );
        assert_eq!(
            (&kept.outcome, Some(kept.ended_at)),
            (state.result().unwrap(), state.ended_at())
        );
        assert_eq!(
            (kept.created.game.as_str(), kept.created.variant.as_str()),
            (play.game(), play.variant())
        );
        assert_eq!(kept.created.target, play.target().points());
        assert_eq!((state.due(), state.deadline()), (None, None));
    }
}

#[tokio::test]
async fn every_log_that_was_ever_written_has_a_summary() {
    for file in [
        "match_format_1.txt",
        "backgammon_format_1.txt",
        "linja_format_2.txt",
    ] {
        let log = stored(golden::records(file)).await;
        let ended = log.replay(golden::ID).await.unwrap().unwrap();
        let summary = log.summarise(golden::ID, &ended).await;
        assert!(summary.is_some());
        let checked = log.checked_summary(golden::ID, ended.head()).await;
        assert_eq!(checked.unwrap(), summary, "{file}");
    }
}

#[tokio::test]
async fn a_match_that_is_not_over_has_none() {
    let log = MatchLog::new(Arc::new(MemoryLog::new()));
    let events = corpus::play("kamisado", id(1), 1);
    append(&log, id(1), &events[..events.len() - 1]).await;
    let state = log.replay(id(1)).await.unwrap().unwrap();
    assert_eq!(log.summarise(id(1), &state).await, None);
    assert_eq!(log.summary(id(1)).await.unwrap(), None);
}

/// The bytes of a kept summary.
async fn kept(log: &MatchLog, number: u8) -> Vec<u8> {
    let log = log.event_log();
    let kept = log.summary(StreamId([number; 16])).await;
    kept.unwrap().unwrap()
}

async fn keep(log: &MatchLog, number: u8, bytes: Vec<u8>) {
    let log = log.event_log();
    let kept = log.keep_summary(StreamId([number; 16]), Some(bytes)).await;
    kept.unwrap();
}

#[tokio::test]
async fn a_changed_or_cut_summary_is_none() {
    let log = MatchLog::new(Arc::new(MemoryLog::new()));
    play(&log, "kamisado", 1).await;
    let sound = kept(&log, 1).await;
    for place in 0..sound.len() {
        let mut changed = sound.clone();
        changed[place] ^= 1 << (place % 8);
        keep(&log, 1, changed).await;
        assert_eq!(log.summary(id(1)).await.unwrap(), None, "byte {place}");
        keep(&log, 1, sound[..place].to_vec()).await;
        assert_eq!(log.summary(id(1)).await.unwrap(), None, "cut to {place}");
    }
    keep(&log, 1, sound).await;
    assert!(checked(&log, 1).await.is_some());
}

/// Changes the format, which is field 1, and seals the summary again.
fn in_format(sealed: &[u8], format: u32) -> Vec<u8> {
    let mut message = dragontooth_proto::store::v1::MatchSummary::decode(&sealed[4..]).unwrap();
    message.format = format;
    let bytes = message.encode_to_vec();
    [&crc32fast::hash(&bytes).to_be_bytes()[..], &bytes].concat()
}

#[tokio::test]
async fn a_summary_of_another_format_is_none() {
    let log = MatchLog::new(Arc::new(MemoryLog::new()));
    play(&log, "linja", 1).await;
    let sound = kept(&log, 1).await;
    for (format, is_read) in [(0, false), (1, true), (2, false)] {
        keep(&log, 1, in_format(&sound, format)).await;
        assert_eq!(
            log.summary(id(1)).await.unwrap().is_some(),
            is_read,
            "{format}"
        );
    }
}

#[tokio::test]
async fn a_summary_that_was_not_made_from_the_log_is_not_used() {
    let log = MatchLog::new(Arc::new(MemoryLog::new()));
    let other = MatchLog::new(Arc::new(MemoryLog::new()));
    let ours = play(&log, "kamisado", 1).await;
    // Another match under the same id, and one under another.
    append(&other, id(1), &corpus::play("kamisado", id(1), 77)).await;
    let theirs = other.replay(id(1)).await.unwrap().unwrap();
    other.summarise(id(1), &theirs).await.unwrap();
    keep(&log, 1, kept(&other, 1).await).await;
    assert!(
        log.summary(id(1)).await.unwrap().is_some(),
        "it is a summary"
    );
    assert_eq!(checked(&log, 1).await, None, "its log is another");
    let other_head = Sequence(ours.head.sequence.0 - 1);
    let ended = log.replay(id(1)).await.unwrap().unwrap();
    log.summarise(id(1), &ended).await;
    assert_eq!(checked(&log, 1).await, Some(ours));
    assert_eq!(log.checked_summary(id(1), other_head).await.unwrap(), None);
    play(&other, "kamisado", 2).await;
    keep(&log, 1, kept(&other, 2).await).await;
    assert_eq!(
        log.summary(id(1)).await.unwrap(),
        None,
        "it is that of another match"
    );
    log.forget_summary(id(1)).await;
    let kept = log.event_log().summary(StreamId([1; 16])).await;
    assert_eq!(kept.unwrap(), None);
}

/// The matches of a folder, as a service that starts finds them.
async fn visited(log: &MatchLog) -> BTreeMap<MatchId, KnownMatch> {
    let mut found = BTreeMap::new();
    let mut visit = |match_id, known| {
        let before = found.insert(match_id, known);
        assert_eq!(before, None, "{match_id} is visited once");
    };
    log.visit(&mut visit).await.unwrap();
    found
}

#[tokio::test]
async fn a_match_whose_end_was_noted_is_known_to_be_over() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ended");
    let mut expected = BTreeMap::new();
    let log = open(folder.path());
    for (number, game) in (1..=8).zip(GAMES.into_iter().cycle()) {
        let summary = play(&log, game, number).await;
        let brief = KnownMatch::Ended(MatchBrief::of(&summary));
        expected.insert(id(number), (summary.head.sequence, brief));
    }
    let live = corpus::play("linja", id(9), 9);
    append(&log, id(9), &live[..live.len() - 1]).await;
    log.event_log().close().await;
    drop(log);
    let unknown = |sequence| KnownMatch::Unknown(sequence);
    let live = unknown(live[live.len() - 2].sequence);
    let noted = std::fs::read(&file).unwrap();

    // The notes of another folder, where a match with the same id went on differently.
    let other = tempfile::tempdir().unwrap();
    let log = open(other.path());
    append(&log, id(1), &corpus::play("kamisado", id(1), 77)).await;
    let theirs = log.replay(id(1)).await.unwrap().unwrap();
    log.summarise(id(1), &theirs).await.unwrap();
    log.event_log().close().await;
    drop(log);
    let of_others = std::fs::read(other.path().join("ended")).unwrap();

    let cuts = (0..8).map(|part| (noted[..noted.len() * part / 8].to_vec(), part));
    for (bytes, known) in cuts.chain([(noted.clone(), 8), (of_others, 0)]) {
        std::fs::write(&file, bytes).unwrap();
        let log = open(folder.path());
        let mut found = visited(&log).await;
        assert_eq!(found.remove(&id(9)), Some(live.clone()));
        assert!(found.keys().eq(expected.keys()));
        let is_known = |number: u8| matches!(found[&id(number)], KnownMatch::Ended(_));
        let count = (1..=8).filter(|number| is_known(*number)).count();
        // The lines differ in their lengths.
        assert!(count.abs_diff(known) <= 1, "{count} of {known}");
        for (match_id, (head, brief)) in &expected {
            let found = &found[match_id];
            assert!(found == brief || *found == unknown(*head), "{found:?}");
        }
        log.event_log().close().await;
    }

    std::fs::write(&file, &noted).unwrap();
    let log = open(folder.path());
    log.forget_summary(id(3)).await;
    log.event_log().close().await;
    drop(log);
    let log = open(folder.path());
    let head = expected[&id(3)].0;
    assert_eq!(
        visited(&log).await[&id(3)],
        unknown(head),
        "it was forgotten"
    );
    assert_eq!(
        visited(&log).await.len(),
        9,
        "a second visit has all of them"
    );
}

/// As after an update that writes briefs in another format.
#[tokio::test]
async fn of_several_notes_of_an_end_the_last_counts() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    let summary = play(&log, "linja", 1).await;
    let (stream, head) = (StreamId([1; 16]), summary.head.sequence);
    let events = log.event_log();
    let last = events.read(stream, Sequence(head.0 - 1), 1).await.unwrap();
    let other_format = [1, 0];
    let noted = events.note_end(stream, head, &last[0].1, &other_format);
    noted.await.unwrap();
    events.close().await;
    drop((log, events));

    let log = open(folder.path());
    assert_eq!(visited(&log).await[&id(1)], KnownMatch::Unknown(head));
    log.note_end(id(1), &summary).await;
    log.event_log().close().await;
    drop(log);
    let ended = KnownMatch::Ended(MatchBrief::of(&summary));
    assert_eq!(visited(&open(folder.path())).await[&id(1)], ended);
}

/// Lines that readers of matches note and forget again and again do not add up.
#[tokio::test]
async fn an_end_is_noted_and_forgotten_once() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    play(&log, "linja", 1).await;
    let noted_bytes = || {
        std::fs::metadata(folder.path().join("ended"))
            .unwrap()
            .len()
    };
    let noted = noted_bytes();
    let ended = log.replay(id(1)).await.unwrap().unwrap();
    log.summarise(id(1), &ended).await.unwrap();
    assert_eq!(noted_bytes(), noted);
    log.forget_summary(id(1)).await;
    let forgotten = noted_bytes();
    assert!(forgotten > noted);
    log.forget_summary(id(1)).await;
    assert_eq!(noted_bytes(), forgotten);
}

/// As a version before summaries leaves the folder, and one that keeps something else there.
#[tokio::test]
async fn a_folder_without_summaries_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    let summary = play(&log, "tzaar", 1).await;
    log.event_log().close().await;
    drop(log);
    for junk in [None, Some("junk")] {
        with_sled(folder.path(), |db| {
            assert!(db.drop_tree("summaries").unwrap());
            if let Some(junk) = junk {
                let tree = db.open_tree("summaries").unwrap();
                tree.insert([1; 16], junk).unwrap();
                tree.insert("of no match", IVec::from(junk)).unwrap();
            }
            db.flush().unwrap();
        });
        let log = open(folder.path());
        assert_eq!(checked(&log, 1).await, None);
        let ended = log.replay(id(1)).await.unwrap().unwrap();
        log.summarise(id(1), &ended).await;
        assert_eq!(checked(&log, 1).await, Some(summary.clone()));
        log.event_log().close().await;
    }
}

#[tokio::test]
async fn the_secret_key_outlives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    for fresh in [[1; 32], [2; 32]] {
        let log = SledLog::open(folder.path()).unwrap();
        assert_eq!(log.secret_key(fresh).await.unwrap(), [1; 32]);
        assert_eq!(log.secret_key([3; 32]).await.unwrap(), [1; 32]);
        log.close().await;
    }
}
