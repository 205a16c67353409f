use std::fs;
use std::path::{Path, PathBuf};

use dragontooth_runner::record::{
    Entry, Fingerprint, Journal, JournalError, MAX_RECORD_BYTES, RecordError, Recovered,
    Transcript, read_results,
};
use dragontooth_runner_tournament::{Results, Schedule, ScheduledMatch, standings};
use proptest::prelude::*;

use crate::fixture::{event, played, schedule};

struct Place {
    _folder: tempfile::TempDir,
    file: PathBuf,
    games: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            file: folder.path().join("results.jsonl"),
            games: folder.path().join("games.jsonl"),
            _folder: folder,
        }
    }

    /// A folder with results, and with the transcripts of their matches.
    fn with(bytes: &[u8], schedule: &Schedule) -> Self {
        let place = Self::new();
        fs::write(&place.file, bytes).unwrap();
        fs::write(&place.games, transcripts(schedule, bytes)).unwrap();
        place
    }

    fn open(&self, schedule: &Schedule) -> Result<(Journal, Recovered), JournalError> {
        Journal::open(&self.file, &self.games, schedule.event(), 0)
    }
}

fn entry(schedule: &Schedule, planned: &ScheduledMatch) -> Entry {
    Entry::new(schedule, planned, &played(planned))
}

fn transcript(schedule: &Schedule, planned: &ScheduledMatch) -> Transcript {
    entry(schedule, planned).transcript().clone()
}

/// The transcripts of the results at the start of `bytes`.
fn transcripts(schedule: &Schedule, bytes: &[u8]) -> String {
    let titles = bytes.split(|byte| *byte == b'\n').map_while(|line| {
        let line: serde_json::Value = serde_json::from_slice(line).ok()?;
        schedule.find(line["title"].as_str()?)
    });
    titles
        .map(|planned| transcript(schedule, planned).to_line())
        .collect()
}

/// The lines of all matches, in the order of the schedule.
fn lines(schedule: &Schedule) -> Vec<String> {
    lines_of(schedule, 0..schedule.matches().len())
}

/// The lines of these matches.
fn lines_of(schedule: &Schedule, order: impl IntoIterator<Item = usize>) -> Vec<String> {
    let mut previous = Fingerprint::NONE;
    let line = |number: usize| {
        let record = entry(schedule, &schedule.matches()[number])
            .record()
            .clone();
        let line = record.after(previous).to_line();
        previous = Fingerprint::of(line.trim_end().as_bytes());
        line
    };
    order.into_iter().map(line).collect()
}

/// Plays the missing matches, in the order of the schedule.
fn play_on(journal: &mut Journal, results: &mut Results, schedule: &Schedule) {
    let mut schedule = schedule.clone();
    for planned in schedule.matches().to_vec() {
        if results.of(planned.number).is_none() {
            let entry = entry(&schedule, &planned);
            entry.record().add_to(results, &mut schedule).unwrap();
            journal.append(entry).unwrap();
        }
    }
}

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

/// A line that has its newline was written whole: no interruption has damaged it.
#[test]
fn a_damaged_last_line_with_its_newline_is_refused() {
    let schedule = schedule(2, 1);
    let lines = lines(&schedule);
    let whole = lines.concat();
    for damaged in [
        whole.replacen("}\n", "\n", 2).into_bytes(),
        format!("{}x\n", lines[0]).into_bytes(),
        format!("{}\n", lines[0]).into_bytes(),
        format!("{}{}\n", lines[0], &lines[1][..lines[1].len() / 2]).into_bytes(),
    ] {
        let (_, error) = fault(&damaged, &schedule);
        assert!(matches!(error, RecordError::Syntax(_)), "{error:?}");
    }
}

/// An interruption leaves at most 32 records without a result: with more, results are missing.
#[test]
fn more_records_without_a_result_than_an_interruption_leaves_are_refused() {
    let schedule = schedule(2, 30);
    let lines = lines(&schedule);
    let all = transcripts(&schedule, lines.concat().as_bytes());
    for (kept, is_cut) in [(0, false), (27, false), (28, true), (60, true)] {
        let place = Place::new();
        fs::write(&place.file, lines[..kept].concat()).unwrap();
        fs::write(&place.games, &all).unwrap();
        match place.open(&schedule) {
            Ok((_, recovered)) => {
                assert!(is_cut, "{kept}");
                assert_eq!(recovered.results.played(), kept);
            }
            Err(JournalError::Leftovers { count, most, .. }) => {
                assert!(!is_cut, "{kept}");
                assert_eq!((count, most), (60 - kept, 32));
                assert_eq!(fs::read_to_string(&place.games).unwrap(), all);
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// Matches whose results a run reported and that are now missing are not played again.
#[test]
fn fewer_results_than_were_over_are_refused() {
    let schedule = schedule(2, 5);
    let lines = lines(&schedule);
    let all = transcripts(&schedule, lines.concat().as_bytes());
    for kept in 0..=lines.len() {
        let place = Place::new();
        fs::write(&place.file, lines[..kept].concat()).unwrap();
        fs::write(&place.games, &all).unwrap();
        let opened = Journal::open(&place.file, &place.games, schedule.event(), 7);
        match opened {
            Ok((_, recovered)) => assert!(kept >= 7 && recovered.results.played() == kept),
            Err(JournalError::Missing { count, over, .. }) => {
                assert!(kept < 7 && (count, over) == (kept, 7));
                assert_eq!(fs::read_to_string(&place.games).unwrap(), all);
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// Bytes that no interruption can leave are not a torn line, with any ending.
#[test]
fn a_last_line_that_is_not_the_start_of_a_record_is_refused() {
    let schedule = schedule(2, 1);
    let lines = lines(&schedule);
    for garbage in ["garbage", "[]", "{\"event\";", " "] {
        let (line, error) = fault(format!("{}{garbage}", lines[0]).as_bytes(), &schedule);
        assert!(
            line == 2 && matches!(error, RecordError::Syntax(_)),
            "{error:?}"
        );
    }
    let holed = format!("{}\0\0ev\0", lines[0]);
    let (_, recovered) = Place::with(holed.as_bytes(), &schedule)
        .open(&schedule)
        .unwrap();
    assert_eq!((recovered.results.played(), recovered.torn_bytes), (1, 5));
}

fn fault(bytes: &[u8], schedule: &Schedule) -> (usize, RecordError) {
    let place = Place::with(bytes, schedule);
    let errors = [
        place.open(schedule).map(|_| ()).unwrap_err(),
        read_results(&place.file, schedule.event())
            .map(|_| ())
            .unwrap_err(),
    ];
    assert_eq!(
        fs::read(&place.file).unwrap(),
        bytes,
        "a file that is refused is left alone"
    );
    let [first, second] = errors.map(|error| match error {
        JournalError::Line { line, fault, .. } => (line, fault),
        JournalError::Read { .. }
        | JournalError::Write { .. }
        | JournalError::NoTranscript { .. }
        | JournalError::Transcript { .. }
        | JournalError::Missing { .. }
        | JournalError::Leftovers { .. }
        | JournalError::Broken { .. } => panic!("{error}"),
    });
    assert_eq!(first, second);
    first
}

#[test]
fn damage_before_the_end_is_refused() {
    let schedule = schedule(2, 1);
    let lines = lines(&schedule);
    let mut holed = lines.concat().into_bytes();
    holed[10..20].fill(0);
    let (line, error) = fault(&holed, &schedule);
    assert!(
        line == 1 && matches!(error, RecordError::Syntax(_)),
        "{line} {error:?}"
    );

    let (line, error) = fault(format!("{}\n{}", lines[0], lines[1]).as_bytes(), &schedule);
    assert!(
        line == 2 && matches!(error, RecordError::Syntax(_)),
        "{line} {error:?}"
    );

    let endless = "x".repeat(2 * MAX_RECORD_BYTES);
    assert_eq!(
        fault(endless.as_bytes(), &schedule),
        (1, RecordError::TooLong)
    );
}

#[test]
fn records_of_something_else_are_refused() {
    let small = schedule(2, 1);
    let large = schedule(3, 1);
    let text = lines(&large).concat();
    let (line, error) = fault(text.as_bytes(), &small);
    assert!(
        line == 1 && matches!(error, RecordError::Contradiction(_)),
        "{line} {error:?}"
    );
    let (line, error) = fault(lines(&schedule(2, 2)).concat().as_bytes(), &small);
    assert!(
        line == 3 && matches!(error, RecordError::UnknownMatch(_)),
        "{line} {error:?}"
    );
}

#[test]
fn a_match_recorded_twice_is_refused() {
    let schedule = schedule(2, 1);
    let lines = lines_of(&schedule, [0, 0]);
    let (line, error) = fault(lines.concat().as_bytes(), &schedule);
    assert!(
        line == 2 && matches!(error, RecordError::Twice(_)),
        "{line} {error:?}"
    );
}

#[test]
fn a_missing_folder_is_an_error() {
    let place = Place::new();
    let nowhere = place.file.join("x").join("results.jsonl");
    let error = Journal::open(&nowhere, &place.games, &event(2, 1), 0)
        .map(|_| ())
        .unwrap_err();
    assert!(matches!(error, JournalError::Write { .. }), "{error:?}");
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
            matches!(&error, JournalError::Write { path, .. } if path == full),
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
        assert!(matches!(error, JournalError::Write { .. }), "{error:?}");
        let error = journal.append_at_once(entry()).unwrap_err();
        assert!(matches!(error, JournalError::Broken { .. }), "{error:?}");

        let (journal, _) = Journal::open(results, games, schedule.event(), 0).unwrap();
        let mut journal = journal.in_background().unwrap();
        journal.append(entry()).unwrap();
        let error = journal.close().unwrap_err();
        assert!(matches!(error, JournalError::Write { .. }), "{error:?}");
    }
}

/// A writer that does not wait leaves the same files.
#[test]
fn a_journal_written_in_the_background_is_the_same() {
    let schedule = schedule(40, 1);
    let expected = lines(&schedule).concat();
    for at_once in [true, false] {
        let place = Place::new();
        let (journal, _) = place.open(&schedule).unwrap();
        let mut journal = journal.in_background().unwrap();
        for planned in schedule.matches() {
            let mut left = Some(entry(&schedule, planned));
            if at_once {
                left = journal.append_at_once(left.unwrap()).unwrap();
            }
            if let Some(entry) = left {
                journal.append(entry).unwrap();
            }
        }
        journal.close().unwrap();
        assert_eq!(fs::read_to_string(&place.file).unwrap(), expected);
        assert_eq!(
            fs::read_to_string(&place.games).unwrap(),
            transcripts(&schedule, expected.as_bytes())
        );
        assert_eq!(place.open(&schedule).unwrap().1.results.remaining(), 0);
    }
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

#[test]
fn a_result_without_its_transcript_is_refused() {
    let schedule = schedule(2, 1);
    let lines = lines(&schedule);
    let all = transcripts(&schedule, lines.concat().as_bytes());
    let first = all.split_inclusive('\n').next().unwrap();
    let torn = &all[..all.len() - 1];
    let [once_more, nothing] = [[first, first].concat(), String::new()];
    for (games, missing) in [
        (first, 2),
        (torn, 2),
        (once_more.as_str(), 2),
        (nothing.as_str(), 1),
    ] {
        let place = Place::new();
        fs::write(&place.file, lines.concat()).unwrap();
        fs::write(&place.games, games).unwrap();
        let error = place.open(&schedule).map(|_| ()).unwrap_err();
        let JournalError::NoTranscript { line, title, .. } = &error else {
            panic!("{error}")
        };
        let planned = &schedule.matches()[missing - 1];
        assert_eq!((*line, title), (missing, &schedule.title(planned)));
        assert_eq!(fs::read_to_string(&place.games).unwrap(), games);
    }
}

/// Each line carries the hash of the one before it, so that none can be changed, removed, added or moved.
#[test]
fn lines_that_do_not_follow_each_other_are_refused() {
    let schedule = schedule(2, 2);
    let all = lines(&schedule);
    let changed = all[1].replacen("\"plies\":61", "\"plies\":60", 1);
    assert_ne!(changed, all[1]);
    let unchained = entry(&schedule, &schedule.matches()[0]).record().to_line();
    for (lines, line, told) in [
        (vec![&all[1]], 1, "was changed, removed, added or moved"),
        (
            vec![&all[0], &all[2]],
            2,
            "was changed, removed, added or moved",
        ),
        (vec![&all[0], &all[2], &all[1]], 2, "was changed, removed"),
        (vec![&all[0], &changed, &all[2]], 3, "was changed, removed"),
        (
            vec![&unchained],
            1,
            "an earlier version of the runner wrote it",
        ),
    ] {
        let text: String = lines.into_iter().map(String::as_str).collect();
        let place = Place::with(text.as_bytes(), &schedule);
        let error = place.open(&schedule).map(|_| ()).unwrap_err();
        let JournalError::Line {
            line: found, fault, ..
        } = &error
        else {
            panic!("{error}")
        };
        assert_eq!(*found, line);
        assert!(fault.to_string().contains(told), "{fault}");
        assert_eq!(fs::read_to_string(&place.file).unwrap(), text);
    }
    // Its own line is the only one that a journal adds after the last.
    let place = Place::with(all[..2].concat().as_bytes(), &schedule);
    let (mut journal, mut recovered) = place.open(&schedule).unwrap();
    play_on(&mut journal, &mut recovered.results, &schedule);
    assert_eq!(fs::read_to_string(&place.file).unwrap(), all.concat());
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
