//! `dragontooth-bot record` on files.

use std::collections::BTreeMap;
use std::fs;

use dragontooth_games::catalogue;
use dragontooth_games::chance::Seed;
use dragontooth_games::match_play::Step;
use dragontooth_games::record::{
    GameRecord, Headers, MatchRecord, RecordStep, SeedHeaders, write_text,
};

use crate::cli::run;

/// A game of TZAAR in which the first legal action was always played.
fn tzaar() -> (MatchRecord, Headers) {
    let mut headers = Headers {
        match_id: "a match".to_owned(),
        seeds: SeedHeaders {
            commitment: Some(Seed::from_bytes([3; 32]).commitment("a match")),
            server_seed: Some([3; 32]),
            ..SeedHeaders::default()
        },
        ..Headers::default()
    };
    let draws = headers.draws().unwrap();
    let mut play = catalogue::find("tzaar")
        .unwrap()
        .new_match(None, 1)
        .unwrap();
    let start = play.deal(&mut draws.deal(1));
    play.begin_game(&start).unwrap();
    let mut steps = Vec::new();
    let outcome = loop {
        match play.step() {
            Step::Decide(seat) => {
                let action = play.play(&play.legal_actions()[0]).unwrap();
                steps.push(RecordStep::Action { seat, action });
            }
            Step::Score(outcome) => break outcome.into(),
            step @ (Step::Deal | Step::Pass(_) | Step::Chance | Step::Over { .. }) => {
                panic!("{step:?}")
            }
        }
    };
    play.score_game().unwrap();
    let Step::Over { winner } = play.step() else {
        panic!("a match to one point has one game")
    };
    headers.result = format!("{} {} normal", winner.unwrap(), play.score());
    let record = MatchRecord {
        game: "tzaar".to_owned(),
        variant: "random".to_owned(),
        target: 1,
        games: vec![GameRecord {
            start,
            steps,
            thinking: BTreeMap::new(),
            outcome: Some(outcome),
        }],
        ..MatchRecord::default()
    };
    (record, headers)
}

#[test]
fn draws_are_verified() {
    let (record, mut headers) = tzaar();
    let checked = run(
        &["record", "verify", "-"],
        write_text(&record, &headers).as_bytes(),
    );
    assert_eq!(checked.code, Some(0), "{}", checked.stderr);
    assert_eq!(
        checked.stdout,
        format!(
            "the seed matches its commitment; the deals (1) and the rolls (0) follow from it; \
             the result is {}\n",
            headers.result
        )
    );

    let fair = headers.result.clone();
    for (result, games) in [
        ("second 9-0 normal", 1),
        ("", 1),
        (&fair, 0),
        ("second 9-0 timeout", 0),
        ("won", 0),
        ("both 0-0 timeout", 0),
        ("nobody 0-0 resignation", 0),
        ("first 0-0 declined", 0),
    ] {
        let mut forged = (record.clone(), headers.clone());
        forged.0.games.truncate(games);
        result.clone_into(&mut forged.1.result);
        let text = write_text(&forged.0, &forged.1);
        let refused = run(&["record", "verify", "-"], text.as_bytes());
        assert_eq!(refused.code, Some(7), "{}", refused.stderr);
        assert!(
            refused.stderr.contains("the header says the result is"),
            "{}",
            refused.stderr
        );
    }
    let mut cut = (record.clone(), headers.clone());
    cut.0.games.clear();
    for result in ["unfinished", "second 0-0 timeout", "nobody 0-0 aborted"] {
        result.clone_into(&mut cut.1.result);
        let early = run(
            &["record", "verify", "-"],
            write_text(&cut.0, &cut.1).as_bytes(),
        );
        assert_eq!(early.code, Some(0), "{}", early.stderr);
        let says =
            format!("the score is 0-0; the record says {result:?}, which actions cannot prove\n");
        assert!(early.stdout.ends_with(&says), "{}", early.stdout);
    }
    let mut forged = record.clone();
    forged.games[0].outcome = None;
    let refused = run(
        &["record", "verify", "-"],
        write_text(&forged, &headers).as_bytes(),
    );
    assert!(
        refused.stderr.contains("the recorded outcome is wrong"),
        "{}",
        refused.stderr
    );

    headers.seeds.players[0] = "another".to_owned();
    let other = run(
        &["record", "verify", "-"],
        write_text(&record, &headers).as_bytes(),
    );
    assert_eq!(other.code, Some(7), "{}", other.stderr);
    assert!(
        other.stderr.contains("game 1 started from"),
        "{}",
        other.stderr
    );

    headers.seeds.server_seed = Some([4; 32]);
    let other = run(
        &["record", "verify", "-"],
        write_text(&record, &headers).as_bytes(),
    );
    assert_eq!(other.code, Some(7), "{}", other.stderr);
    assert!(other.stderr.contains("commitment"), "{}", other.stderr);

    headers.seeds.server_seed = None;
    let early = run(
        &["record", "verify", "-"],
        write_text(&record, &headers).as_bytes(),
    );
    assert_eq!(early.code, Some(2), "{}", early.stderr);
}

#[test]
fn a_record_is_changed_into_another_format_and_back() {
    let folder = std::env::temp_dir().join(format!("dragontooth-records-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("match.lg");
    let (record, headers) = tzaar();
    let text = write_text(&record, &headers);
    let convert = |file: &str, from: &str, to: &str, input: &str| {
        let arguments = ["record", "convert", file, "--from", from, "--to", to];
        let converted = run(&arguments, input.as_bytes());
        assert_eq!(converted.code, Some(0), "{}", converted.stderr);
        converted.stdout
    };
    let golem = convert("-", "text", "little_golem", &text);
    assert!(golem.contains("FF[TZAAR]"), "{golem}");
    fs::write(&file, &golem).unwrap();
    let back = convert(file.to_str().unwrap(), "little_golem", "text", "");
    let moves = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.contains(". "));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(moves(&back), moves(&text));
    fs::remove_dir_all(&folder).unwrap();
}

/// A drop with the loser's entry before that of the winner.
const LOSSES: &str = " 1 point match\n\n Game 1\n A : 0      B : 0\n  \
                      1) 31: 8/5 6/5                  Losses 1 point\n      Wins 1 point and the match\n";

#[test]
fn warnings_name_file_and_line_and_a_strict_reader_refuses() {
    let arguments = ["record", "convert", "-", "--from", "mat", "--to", "mat"];
    let lenient = run(&arguments, LOSSES.as_bytes());
    assert_eq!(lenient.code, Some(0), "{}", lenient.stderr);
    let expected = "-:5: the format has no entry Losses: read as a win of seat first";
    assert_eq!(lenient.stderr, format!("warning: {expected}\n"));
    assert!(!lenient.stdout.contains("Losses"), "{}", lenient.stdout);

    let strict = [&arguments[..], &["--strict"]].concat();
    let refused = run(&strict, LOSSES.as_bytes());
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert_eq!(
        refused.stderr,
        format!("dragontooth-bot: {expected}; without --strict it is read\n")
    );
    let again = run(&strict, lenient.stdout.as_bytes());
    assert_eq!((again.code, &*again.stderr), (Some(0), ""));
    assert_eq!(again.stdout, lenient.stdout);
}

/// Other programs write names in the encoding of the machine.
#[test]
fn names_in_another_encoding_are_read_with_a_warning() {
    let latin = LOSSES
        .replace("Losses 1 point", "")
        .replace(" A :", " Ren\u{e9} :");
    let latin: Vec<u8> = latin.chars().map(|letter| letter as u8).collect();
    let arguments = ["record", "convert", "-", "--from", "mat", "--to", "mat"];
    let lenient = run(&arguments, &latin);
    assert_eq!(lenient.code, Some(0), "{}", lenient.stderr);
    let expected = "-:4: not UTF-8: what cannot be read is replaced by U+FFFD";
    assert_eq!(lenient.stderr, format!("warning: {expected}\n"));
    assert!(lenient.stdout.contains("Ren\u{fffd}"), "{}", lenient.stdout);
    let strict = run(&[&arguments[..], &["--strict"]].concat(), &latin);
    assert_eq!(strict.code, Some(2), "{}", strict.stderr);
    // Our own format is UTF-8.
    let own = run(
        &["record", "convert", "-", "--from", "text", "--to", "text"],
        b"[Game \"linja\"]\n[Title \"\xff\"]\n",
    );
    assert_eq!(own.code, Some(2), "{}", own.stderr);
    assert!(
        own.stderr.contains("-:2: the text is not UTF-8"),
        "{}",
        own.stderr
    );
}

#[test]
fn unreadable_files_are_named_in_the_error() {
    for (arguments, input, expected) in [
        (
            ["-", "text", "x"],
            "[Game \"g\"]",
            "unknown format \"x\"; expected one of text",
        ),
        (
            ["-", "text", "mat"],
            "[Game \"kamisado\"]",
            "a match of kamisado cannot be written as \"mat\"; expected one of text\n",
        ),
        (["-", "x", "text"], "", "unknown format \"x\""),
        (
            ["-", "text", "text"],
            "[Game",
            "-:1: expected a header such as [Name \"value\"]",
        ),
        (
            ["/nowhere/f", "text", "text"],
            "",
            "/nowhere/f cannot be read",
        ),
    ] {
        let [file, from, to] = arguments;
        let arguments = ["record", "convert", file, "--from", from, "--to", to];
        let refused = run(&arguments, input.as_bytes());
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    }
}

#[test]
fn the_luck_of_a_match_follows_from_its_record() {
    // Three good rolls, and of the second player none.
    let mat = " 1 point match\n\n Game 1\n ann : 0                           ben : 0\n  1) 31: 8/5 6/5                     21: 13/11 6/5\n  \
               2) 66: 24/18 24/18 13/7 13/7\n";
    let told = run(&["record", "luck", "-", "--from", "mat"], mat.as_bytes());
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let value = told
        .stdout
        .strip_prefix("the luck of the first seat in 3 rolls: +")
        .and_then(|rest| rest.strip_suffix(" in the chance to win the match\n"));
    let value: f64 = value.unwrap().parse().unwrap();
    assert!(value > 0.1 && value < 1.0, "{value}");

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("match.mat");
    fs::write(&file, mat).unwrap();
    let refused = run(&["record", "luck", file.to_str().unwrap()], b"");
    assert_eq!(refused.code, Some(2));
    let hint = "match.mat:1: no game has started; --from mat reads a record of Backgammon\n";
    assert!(refused.stderr.ends_with(hint), "{}", refused.stderr);

    let (record, headers) = tzaar();
    let refused = run(
        &["record", "luck", "-"],
        write_text(&record, &headers).as_bytes(),
    );
    assert_eq!(refused.code, Some(2));
    let why = "-: luck is computed for backgammon, not for tzaar";
    assert!(refused.stderr.contains(why), "{}", refused.stderr);
}
