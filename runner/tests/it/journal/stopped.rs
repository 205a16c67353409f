use std::fs;
use std::path::Path;

use dragontooth_runner::record::{Journal, JournalError, RunFileError, read_results};
use dragontooth_runner_tournament::standings;
use proptest::prelude::*;

use super::{Place, entry, lines, lines_of, play_on, transcripts};
use crate::fixture::{event, schedule};

#[test]
fn a_new_journal_is_empty_and_keeps_what_is_added() {
    let (place, schedule) = (Place::new(), schedule(3, 1));
    assert_eq!(
        read_results(&place.file, schedule.event())
            .unwrap()
            .results
            .played(),
        0
    );
    let (mut journal, mut recovered) = place.open(&schedule).unwrap();
    assert_eq!((recovered.results.played(), recovered.torn_bytes), (0, 0));
    play_on(&mut journal, &mut recovered.results, &schedule);
    assert_eq!(
        fs::read_to_string(&place.file).unwrap(),
        lines(&schedule).concat()
    );
    assert_eq!(
        read_results(&place.file, schedule.event())
            .unwrap()
            .results
            .remaining(),
        0
    );
}

/// A run that is stopped at any byte and then continued to its end leaves the same file.
#[test]
fn a_torn_tail_is_cut_at_every_byte() {
    let schedule = schedule(2, 1);
    let whole = lines(&schedule).concat();
    let ends: Vec<usize> = whole.match_indices('\n').map(|(at, _)| at + 1).collect();
    for length in 0..=whole.len() {
        let place = Place::with(&whole.as_bytes()[..length], &schedule);
        let complete = ends.iter().filter(|end| **end <= length).count();
        let kept = ends[..complete].last().copied().unwrap_or(0);

        let seen = read_results(&place.file, schedule.event()).unwrap();
        assert_eq!(fs::metadata(&place.file).unwrap().len(), length as u64);
        let (mut journal, mut recovered) = place.open(&schedule).unwrap();
        for found in [&seen, &recovered] {
            assert_eq!(found.results.played(), complete, "cut at {length}");
            assert_eq!(found.torn_bytes, (length - kept) as u64);
        }
        assert_eq!(fs::metadata(&place.file).unwrap().len(), kept as u64);

        // Every record is synced, which takes time.
        if length % 16 == 0 {
            play_on(&mut journal, &mut recovered.results, &schedule);
            let played_on = fs::read_to_string(&place.file).unwrap();
            assert_eq!(played_on, whole, "cut at {length}");
        }
    }
}

/// After a power loss the end of a line may be on the disk without its middle.
#[test]
fn a_last_line_with_a_hole_is_cut() {
    let schedule = schedule(2, 1);
    let lines = lines(&schedule);
    let mut bytes = lines.concat().into_bytes();
    let first = lines[0].len();
    bytes[first + 10..first + 50].fill(0);
    let place = Place::with(&bytes, &schedule);
    let (_, recovered) = place.open(&schedule).unwrap();
    assert_eq!(recovered.results.played(), 1);
    assert_eq!(fs::read_to_string(&place.file).unwrap(), lines[0]);
}

#[test]
fn a_missing_folder_is_an_error() {
    let place = Place::new();
    let nowhere = place.file.join("x").join("results.jsonl");
    let error = Journal::open(&nowhere, &place.games, &event(2, 1), 0)
        .map(|_| ())
        .unwrap_err();
    assert!(is_unwritable(&error), "{error:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_follows_a_failed_write() {
    let schedule = schedule(2, 1);
    let entry = || entry(&schedule, &schedule.matches()[0]);
    let full = Path::new("/dev/full");
    for full_are_results in [true, false] {
        let place = Place::new();
        let (results, games) = if full_are_results {
            (full, place.games.as_path())
        } else {
            (place.file.as_path(), full)
        };
        let (mut journal, _) = Journal::open(results, games, schedule.event(), 0).unwrap();
        let error = journal.append(entry()).unwrap_err();
        assert!(
            matches!(&error, JournalError::File(RunFileError::Write { path, .. }) if path == full),
            "{error:?}"
        );
        let error = journal.append(entry()).unwrap_err();
        assert!(matches!(error, JournalError::Broken { .. }), "{error:?}");
        let left = if full_are_results { games } else { results };
        assert_eq!(fs::read(left).unwrap(), b"", "nothing is left of it");

        let (journal, _) = Journal::open(results, games, schedule.event(), 0).unwrap();
        let mut journal = journal.in_background().unwrap();
        let error = loop {
            if let Err(error) = journal.append(entry()) {
                break error;
            }
        };
        assert!(is_unwritable(&error), "{error:?}");
        let error = journal.append(entry()).unwrap_err();
        assert!(matches!(error, JournalError::Broken { .. }), "{error:?}");

        let (journal, _) = Journal::open(results, games, schedule.event(), 0).unwrap();
        let mut journal = journal.in_background().unwrap();
        journal.append(entry()).unwrap();
        let error = journal.close().unwrap_err();
        assert!(is_unwritable(&error), "{error:?}");
    }
}

/// A writer that does not wait leaves the same files.
#[test]
fn a_journal_written_in_the_background_is_the_same() {
    let schedule = schedule(40, 1);
    let expected = lines(&schedule).concat();
    let place = Place::new();
    let (journal, _) = place.open(&schedule).unwrap();
    let mut journal = journal.in_background().unwrap();
    for planned in schedule.matches() {
        journal.append(entry(&schedule, planned)).unwrap();
    }
    journal.close().unwrap();
    assert_eq!(fs::read_to_string(&place.file).unwrap(), expected);
    assert_eq!(
        fs::read_to_string(&place.games).unwrap(),
        transcripts(&schedule, expected.as_bytes())
    );
    assert_eq!(place.open(&schedule).unwrap().1.results.remaining(), 0);
}

/// The files of a run that was stopped at any byte of `games.jsonl`, and those of one that was
/// stopped before the result was written.
#[test]
fn transcripts_without_a_result_are_cut_at_every_byte() {
    let schedule = schedule(2, 2);
    let lines = lines(&schedule);
    let results = lines[..2].concat();
    let all = transcripts(&schedule, lines.concat().as_bytes());
    let ends: Vec<usize> = all.match_indices('\n').map(|(at, _)| at + 1).collect();
    for length in ends[1]..=all.len() {
        let place = Place::new();
        fs::write(&place.file, &results).unwrap();
        fs::write(&place.games, &all[..length]).unwrap();
        let (mut journal, mut recovered) = place.open(&schedule).unwrap();
        assert_eq!(recovered.results.played(), 2);
        assert_eq!(recovered.leftover_bytes, (length - ends[1]) as u64);
        assert_eq!(fs::read_to_string(&place.games).unwrap(), all[..ends[1]]);
        if length % 64 == 0 {
            play_on(&mut journal, &mut recovered.results, &schedule);
            assert_eq!(fs::read_to_string(&place.file).unwrap(), lines.concat());
            assert_eq!(fs::read_to_string(&place.games).unwrap(), all);
        }
    }
}

fn is_unwritable(error: &JournalError) -> bool {
    matches!(error, JournalError::File(RunFileError::Write { .. }))
}

proptest! {
    // Every record is synced, which takes time.
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The tables are the same for any order of completion and any point of interruption.
    #[test]
    fn any_order_and_any_stop_give_the_same_tables(
        order in Just((0_usize..12).collect::<Vec<_>>()).prop_shuffle(),
        stop in 0.0_f64..1.0,
    ) {
        let schedule = schedule(4, 1);
        let all = lines(&schedule);
        let shuffled = lines_of(&schedule, order).concat();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "a share of a short text"
        )]
        let length = (shuffled.len() as f64 * stop) as usize;
        let place = Place::with(&shuffled.as_bytes()[..length], &schedule);
        let (mut journal, mut recovered) = place.open(&schedule).unwrap();
        play_on(&mut journal, &mut recovered.results, &schedule);

        let straight = Place::with(all.concat().as_bytes(), &schedule);
        let expected = read_results(&straight.file, schedule.event()).unwrap().results;
        let tables = standings(&schedule, &expected);
        prop_assert_eq!(standings(&schedule, &recovered.results), tables.clone());
        let read = read_results(&place.file, schedule.event()).unwrap();
        prop_assert_eq!(standings(&schedule, &read.results), tables);
    }

    /// No bytes make the runner panic.
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let schedule = schedule(2, 1);
        let place = Place::with(&bytes, &schedule);
        let _ = read_results(&place.file, schedule.event());
        let _ = place.open(&schedule);
    }
}
