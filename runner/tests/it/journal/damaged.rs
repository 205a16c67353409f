use std::fs;

use dragontooth_runner::record::{
    Journal, JournalError, MAX_RECORD_BYTES, RecordError, read_results,
};
use dragontooth_runner_tournament::Schedule;

use super::{Place, entry, lines, lines_of, play_on, transcripts};
use crate::fixture::schedule;

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
        JournalError::File(_)
        | JournalError::NoTranscript { .. }
        | JournalError::OtherTranscript { .. }
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

#[test]
fn a_changed_transcript_is_refused() {
    let schedule = schedule(2, 1);
    let lines = lines(&schedule);
    let all = transcripts(&schedule, lines.concat().as_bytes());
    let [first, second] = all.split_inclusive('\n').collect::<Vec<_>>()[..] else {
        panic!("{all}")
    };
    let changed = |line: &str| line.replacen("\"think_us\":[", "\"think_us\":[1", 1);
    for (games, line) in [
        ([&changed(first), second].concat(), 1),
        ([first, &changed(second)].concat(), 2),
    ] {
        let place = Place::new();
        fs::write(&place.file, lines.concat()).unwrap();
        fs::write(&place.games, &games).unwrap();
        let error = place.open(&schedule).map(|_| ()).unwrap_err();
        let JournalError::OtherTranscript { line: told, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!(*told, line);
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
