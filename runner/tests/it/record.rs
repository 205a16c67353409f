use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_runner::record::{Fingerprint, MAX_DETAIL_BYTES, Record, RecordError, Transcript};
use dragontooth_runner_tournament::{Ending, Fault, FaultKind};
use dragontooth_service_vocabulary::Termination;

use crate::fixture::{played, schedule};

const DOCUMENTATION: &str = include_str!("../../../docs/runner/run-directory.md");

/// A line of `results.jsonl` as the documentation shows it.
const LINE: &str = include_str!("../data/record.jsonl");

#[test]
fn a_record_is_written_as_documented() {
    let schedule = schedule(3, 1);
    let planned = &schedule.matches()[1];
    let mut played = played(planned);
    played.winner = Some(Seat::Second);
    played.termination = Ending::By(Termination::Timeout);
    played.faults = vec![Fault {
        seat: Seat::First,
        kind: FaultKind::Time,
        detail: "its clock ran out".to_owned(),
    }];
    let transcript = Transcript::new(&schedule, planned, &played);
    let record = Record::new(&schedule, planned, &played).digested(&transcript);
    let record = record.after(Fingerprint::of(b"the line before"));
    assert_eq!(record.to_line(), LINE);
    assert_eq!(Record::from_line(LINE.as_bytes()), Ok(record.clone()));

    let result = record.result(&schedule).unwrap();
    assert_eq!(result.number, planned.number);
    assert_eq!(
        (result.winner, result.termination),
        (Some(Seat::Second), Ending::By(Termination::Timeout))
    );
    assert_eq!((result.score, result.plies), ([3, 1], 61));
    assert_eq!((result.games.won, result.games.drawn), ([2, 1], 0));
    assert_eq!(result.faults, [(Seat::First, FaultKind::Time)]);
}

#[test]
fn the_documentation_shows_that_record() {
    let (_, block) = DOCUMENTATION.split_once("```json\n").unwrap();
    let (shown, _) = block.split_once("```").unwrap();
    assert_eq!(shown.replace("\n ", ""), LINE);
}

#[test]
fn every_scheduled_field_is_compared() {
    let schedule = schedule(3, 1);
    let changed = |from: &str, to: &str| {
        assert_eq!(LINE.matches(from).count(), 1, "{from}");
        Record::from_line(LINE.replacen(from, to, 1).as_bytes())
            .unwrap()
            .result(&schedule)
    };
    for (from, to, field) in [
        (r#""event":"demo""#, r#""event":"other""#, "event"),
        (r#""cycle":1"#, r#""cycle":2"#, "cycle"),
        (r#""round":1"#, r#""round":2"#, "round"),
        (r#""pairing":1"#, r#""pairing":2"#, "pairing"),
        (r#""leg":2"#, r#""leg":1"#, "leg"),
        (r#""encounter":1"#, r#""encounter":7"#, "encounter"),
        (r#""game":"kamisado""#, r#""game":"chess""#, "game"),
        (
            r#""variant":"standard""#,
            r#""variant":"random""#,
            "variant",
        ),
        (r#""target":3"#, r#""target":7"#, "target"),
        (
            r#""bots":{"first":"c""#,
            r#""bots":{"first":"a""#,
            "bots.first",
        ),
        (r#""second":"b""#, r#""second":"a""#, "bots.second"),
    ] {
        match changed(from, to) {
            Err(RecordError::Contradiction(found)) => assert_eq!(found.field, field),
            other => panic!("{field}: {other:?}"),
        }
    }
    let unknown = changed("demo/c1/r1/p1/m2", "demo/c9/r1/p1/m2").unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "the schedule has no match \"demo/c9/r1/p1/m2\""
    );
    for (from, to, field) in [
        (r#""match_id":"0190"#, r#""match_id":"xyz0"#, "match_id"),
        (r#""winner":"second""#, r#""winner":"third""#, "winner"),
        (
            r#""termination":"timeout""#,
            r#""termination":"boredom""#,
            "termination",
        ),
        (r#""seat":"first""#, r#""seat":"none""#, "faults.seat"),
        (r#""kind":"time""#, r#""kind":"cough""#, "faults.kind"),
        (r#""transcript":"ff"#, r#""transcript":"x8"#, "transcript"),
        (r#""service":"embedded""#, r#""service":"mine""#, "service"),
        (r#""head_hash":"5b"#, r#""head_hash":"5B"#, "head_hash"),
        (r#""started":"2027"#, r#""started":"soon"#, "started"),
        (r#""ended":"2027"#, r#""ended":"late"#, "ended"),
    ] {
        match changed(from, to) {
            Err(RecordError::Field { field: found, .. }) => assert_eq!(found, field),
            other => panic!("{field}: {other:?}"),
        }
    }
}

#[test]
fn a_contradiction_names_both_values() {
    let other = Record::from_line(LINE.replacen("\"c\"", "\"x\"", 1).as_bytes()).unwrap();
    let error = other.result(&schedule(3, 1)).unwrap_err();
    let expected = "bots.first is \"x\" in the record and \"c\" in the schedule";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn an_invalid_record_is_refused() {
    for line in ["", "{", "nonsense", "\0\0\0"] {
        let error = Record::from_line(line.as_bytes()).unwrap_err();
        assert!(matches!(error, RecordError::Syntax(_)), "{line}: {error:?}");
    }
    let more = LINE.replacen('{', r#"{"extra":1,"#, 1);
    let negative = LINE.replacen(r#""plies":61"#, r#""plies":-1"#, 1);
    for line in ["3", "{}", more.as_str(), negative.as_str()] {
        let error = Record::from_line(line.as_bytes()).unwrap_err();
        assert!(matches!(error, RecordError::Shape(_)), "{line}: {error:?}");
    }
}

#[test]
fn odd_times_and_long_details_are_tamed() {
    let schedule = schedule(2, 1);
    let planned = &schedule.matches()[0];
    let mut played = played(planned);
    played.ended = played.started - Duration::from_secs(5);
    played.faults = vec![Fault {
        seat: Seat::Second,
        kind: FaultKind::Crash,
        detail: format!("x{}", "é".repeat(MAX_DETAIL_BYTES)),
    }];
    let line = Record::new(&schedule, planned, &played).to_line();
    assert!(line.contains(r#""duration_ms":0"#), "{line}");
    assert!(line.len() < 2 * MAX_DETAIL_BYTES, "{line}");
    assert!(
        Record::from_line(line.as_bytes())
            .unwrap()
            .result(&schedule)
            .is_ok()
    );
}
