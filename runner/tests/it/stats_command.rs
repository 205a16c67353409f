//! `dragontooth-runner stats` from outside.

use std::fs;
use std::path::Path;

use dragontooth_games::Seat;
use dragontooth_runner::record::{EvidenceError, JournalError, Record, read_evidence};
use dragontooth_runner_tournament::Schedule;
use dragontooth_runner_tournament::statistics::{FirstSeat, fit};
use serde_json::Value;

use crate::command_line::call;
use crate::documented::{STATISTICS, assert_described, keys};
use crate::fixture::{played, schedule};

fn stats(arguments: &[&str]) -> (i32, String, String) {
    call(Path::new("."), &[&["stats"], arguments].concat())
}

fn json(arguments: &[&str]) -> Value {
    let (_, out, err) = stats(&[arguments, &["--json"]].concat());
    let figures = serde_json::from_str(&out);
    let figures = figures.unwrap_or_else(|error| panic!("{error}: {out}{err}"));
    assert_described(STATISTICS, "## JSON", keys(&figures));
    figures
}

#[track_caller]
fn is_near(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap();
    assert!((value - expected).abs() < 1e-9, "{value}, not {expected}");
}

/// The results of a whole event, with the outcome of each match from its number.
fn results(schedule: &Schedule) -> String {
    let lines = schedule
        .matches()
        .iter()
        .map(|planned| Record::new(schedule, planned, &played(planned)).to_line());
    lines.collect()
}

fn written(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("results.jsonl"), text).unwrap();
    folder
}

fn path(folder: &tempfile::TempDir) -> &str {
    folder.path().to_str().unwrap()
}

/// The vector `elo_pentanomial_1`.
#[test]
fn elo_of_encounters_is_a_table() {
    let (code, out, err) = stats(&["elo", "--pentanomial", "34,54,63,64,75"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let expected = "\
290 encounters of two matches, each a unit; normal interval
┌────────────────┬──────────┬───────────┬─────────┐
│                ┆    value ┆ 95 % from ┆      to │
╞════════════════╪══════════╪═══════════╪═════════╡
│ score          ┆  57.93 % ┆   54.06 % ┆ 61.80 % │
│ Elo            ┆    +55.6 ┆     +28.3 ┆   +83.6 │
│ normalised Elo ┆    +57.9 ┆     +29.7 ┆   +86.2 │
│ LOS            ┆ 100.00 % ┆           ┆         │
└────────────────┴──────────┴───────────┴─────────┘
";
    assert_eq!(out, expected);
}

/// The vector `elo_trinomial_1`.
#[test]
fn elo_of_matches_is_json() {
    let figures = json(&["elo", "--wdl", "136,111,96"]);
    is_near(&figures["elo"], 40.702_458_186_527_075);
    is_near(&figures["elo_error"], 30.427_217_943_600_99);
    is_near(&figures["normalized_elo"], 49.768_415_381_022_194);
    is_near(&figures["superiority"], 0.996_010_235_733_497_2);
    assert_eq!(
        (&figures["unit"], &figures["matches"]),
        (&"match".into(), &343.into())
    );
}

#[test]
fn missing_values_are_null_and_a_dash() {
    let figures = json(&["elo", "--pentanomial", "0,0,0,0,10"]);
    for field in ["elo", "elo_error", "elo_high", "normalized_elo"] {
        assert!(figures[field].is_null(), "{field}: {figures}");
    }
    assert_eq!(figures["method"], "wilson");
    let (_, out, _) = stats(&["elo", "--wdl", "0,0,3"]);
    assert!(
        out.contains('–') && !out.contains("NaN") && !out.contains("inf"),
        "{out}"
    );
}

/// The vectors `sprt_norm_penta_1`, `sprt_log_penta_1`, `sprt_all_wins_penta` and a cutechess one.
#[test]
fn the_exit_code_of_a_test_is_its_decision() {
    let undecided = ["sprt", "--pentanomial", "365,16618,36229,16974,390"];
    let hypotheses = ["--elo0", "0", "--elo1", "2"];
    let (code, out, _) = stats(&[&undecided[..], &hypotheses].concat());
    assert_eq!(code, 2);
    assert!(
        out.contains("LLR: 2.250 (76 %) in (-2.944, 2.944) for nElo 0 (H0) or 2 (H1)\nundecided: "),
        "{out}"
    );

    let rejected = [
        "sprt",
        "--pentanomial",
        "223,9863,21279,10037,246",
        "--model",
        "logistic",
    ];
    let hypotheses = ["--elo0", "0.5", "--elo1", "2.5"];
    let (code, out, _) = stats(&[&rejected[..], &hypotheses].concat());
    assert_eq!(
        (code, out.contains("LLR: -3.074 (104 %)")),
        (1, true),
        "{out}"
    );
    // The score alone gives 0.92 Elo; the test stopped because it was so low.
    let rejection = json(&[&rejected[..], &hypotheses].concat());
    let estimate = |field: &str| rejection["estimate"][field].as_f64().unwrap();
    let (low, elo, high) = (estimate("low"), estimate("elo"), estimate("high"));
    assert!(low < 0.92 && 0.92 < elo && elo < high, "{rejection}");
    assert!(out.contains("corrected for the stop: Elo +"), "{out}");

    let accepted = [
        "sprt",
        "--pentanomial",
        "0,0,0,0,5550",
        "--elo0",
        "0",
        "--elo1",
        "5",
    ];
    assert!(json(&accepted)["estimate"].is_null());
    assert_eq!(stats(&accepted).0, 0);
    is_near(
        &json(&accepted)["log_likelihood_ratio"],
        111.797_555_086_713_59,
    );

    let bayes = ["sprt", "--wdl", "1477,2942,1351", "--model", "bayeselo"];
    let hypotheses = ["--elo0=0", "--elo1=10", "--alpha=0.01", "--beta=0.01"];
    let figures = json(&[&bayes[..], &hypotheses].concat());
    is_near(&figures["log_likelihood_ratio"], 2.523_585_020_156_542_4);
    is_near(&figures["upper_bound"], 4.595_119_850_134_59);
    assert_eq!(figures["decision"], "undecided");

    let below = [
        "sprt",
        "--pentanomial",
        "0,0,0,0,0",
        "--elo0",
        "-5",
        "--elo1",
        "0",
    ];
    assert_eq!(stats(&below).0, 2);
}

/// Matches of equal bots without draws vary by ¼, those of an encounter together by half as much:
/// 1.96 · 4 · 173.7 · √(⅛/100) are 48.2 Elo after a hundred encounters.
#[test]
fn a_plan_reports_its_errors() {
    let (code, out, err) = stats(&["plan", "--encounters", "100"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(
        out,
        "2 bots, 100 encounters of every two, 200 matches\n\
         95 %: ± 24.1 Elo for a rating, ± 48.2 for the difference of two\n"
    );
    let needed = json(&[
        "plan",
        "--error",
        "20",
        "--bots",
        "6",
        "--draw-rate=0.2",
        "--correlation=-0.5",
    ]);
    let encounters = needed["encounters"].as_u64().unwrap();
    let error = |encounters: u64| {
        let count = encounters.to_string();
        let shape = ["--bots", "6", "--draw-rate", "0.2", "--correlation", "-0.5"];
        let figures = json(&[&["plan", "--encounters", &count][..], &shape].concat());
        figures["difference_error"].as_f64().unwrap()
    };
    assert!(
        error(encounters) <= 20.0 && error(encounters - 1) > 20.0,
        "{needed}"
    );
    assert_eq!(needed["matches"], 30 * encounters);
}

#[test]
fn mistakes_and_findings_have_different_exit_codes() {
    for (arguments, code, text) in [
        (&["elo"][..], 2, "--wdl"),
        (&["elo", "--wdl", "1,2"], 2, "must be 3 whole numbers"),
        (&["elo", "--wdl", "1,2,-3"], 2, "must be 3 whole numbers"),
        (&["elo", "--wdl", "0,0,0"], 2, "all counts are 0"),
        (
            &["elo", "--wdl", "1,1,1", "--pentanomial", "1,1,1,1,1"],
            2,
            "cannot be used",
        ),
        (
            &["elo", "--wdl", "1,1,999999999999999"],
            2,
            "a count is at most",
        ),
        (&["sprt"], 3, "--elo0"),
        (
            &["sprt", "--wdl", "1,1,1", "--elo0", "5", "--elo1", "0"],
            3,
            "elo0 must be less than elo1",
        ),
        (
            &["sprt", "--wdl", "1,1,1", "--elo0", "x", "--elo1", "0"],
            3,
            "invalid",
        ),
        (
            &["sprt", "--wdl", "1,1,1", "--elo0", "NaN", "--elo1", "0"],
            3,
            "a hypothesis is",
        ),
        (
            &[
                "sprt",
                "--pentanomial=1,1,1,1,1",
                "--elo0=0",
                "--elo1=1",
                "--model=bayeselo",
            ],
            3,
            "not encounters",
        ),
        (
            &["ratings", "nowhere"],
            3,
            "nowhere: the file cannot be read",
        ),
        (&["ratings"], 2, "FILE"),
        (&["plan"], 2, "--encounters"),
        (&["plan", "--encounters", "0"], 2, "above 0"),
        (&["plan", "--error=-1"], 2, "above 0"),
        (
            &["plan", "--error=9", "--draw-rate=2"],
            2,
            "the draw rate is",
        ),
        (&["plan", "--error=9", "--bots=1"], 2, "--bots"),
        (
            &["plan", "--error=0.0000001"],
            2,
            "more than 281474976710656 encounters",
        ),
        (
            &["plan", "--encounters=281474976710657", "--bots=256"],
            2,
            "more than 281474976710656 encounters",
        ),
    ] {
        let (ended, out, err) = stats(arguments);
        assert_eq!((ended, out.as_str()), (code, ""), "{arguments:?}: {err}");
        assert!(err.contains(text), "{arguments:?}: {err}");
    }
    assert_eq!(stats(&["sprt", "--help"]).0, 0);
}

#[test]
fn ratings_come_from_a_file_or_a_folder() {
    let schedule = schedule(4, 3);
    let folder = written(&results(&schedule));
    let evidence = read_evidence(&[folder.path()]).unwrap();
    assert_eq!(evidence.bots, ["a", "b", "c", "d"]);
    assert_eq!((evidence.matches.len(), evidence.void), (36, 0));
    let ratings = fit(4, &evidence.matches, FirstSeat::Fitted).unwrap();

    let figures = json(&["ratings", path(&folder), "--first-seat"]);
    is_near(
        &figures["first_seat"]["elo"],
        ratings.first_seat().unwrap().elo,
    );
    for bot in figures["bots"].as_array().unwrap() {
        let place = evidence
            .bots
            .iter()
            .position(|name| bot["name"] == *name.as_str());
        let rating = ratings.of(place.unwrap());
        is_near(&bot["elo"], rating.elo);
        is_near(&bot["error"], rating.error());
        assert_eq!(bot["matches"], 18);
    }
    let file = folder.path().join("results.jsonl");
    let (code, out, err) = stats(&["ratings", file.to_str().unwrap()]);
    assert_eq!(code, 0, "{err}");
    assert!(
        out.starts_with("Ratings\n") && out.contains("Likelihood of superiority"),
        "{out}"
    );
    assert!(out.contains("fewer than 20 encounters"), "{out}");
}

/// The note on virtual draws gives their cause: here every bot has won and lost.
#[test]
fn a_seat_that_always_wins_is_no_bot_that_never_scores() {
    let schedule = schedule(2, 2);
    let lines = schedule.matches().iter().map(|planned| {
        let mut won = played(planned);
        (won.winner, won.score) = (Some(Seat::First), [3, 1]);
        Record::new(&schedule, planned, &won).to_line()
    });
    let folder = written(&lines.collect::<String>());
    let (code, out, err) = stats(&["ratings", path(&folder), "--first-seat"]);
    assert_eq!(code, 0, "{err}");
    assert!(
        out.contains("a value of the first seat: a virtual draw"),
        "{out}"
    );
    assert!(!out.contains("never scored"), "{out}");
}

/// Several runs are rated like one file with the lines of all.
#[test]
fn ratings_come_from_several_runs_together() {
    let one = results(&schedule(4, 3));
    let other = results(&schedule(3, 2)).replace("\"demo", "\"more");
    let [joined, one, other] = [format!("{one}{other}"), one, other].map(|text| written(&text));
    let expected = json(&["ratings", path(&joined)]);
    let together = json(&["ratings", path(&one), path(&other)]);
    assert_eq!(together, expected);
    assert_ne!(together, json(&["ratings", path(&one)]));
    let (code, _, err) = stats(&["ratings", path(&one), path(&one)]);
    assert_eq!(code, 3);
    assert!(err.contains("there is another record of"), "{err}");
    assert_eq!(stats(&["ratings"]).0, 2);
}

/// The order of the lines and a partly written line change nothing.
#[test]
fn ratings_do_not_depend_on_the_order_of_lines() {
    let text = results(&schedule(3, 2));
    let mut lines: Vec<&str> = text.lines().collect();
    lines.reverse();
    let torn = format!("{}\n{{\"event\":\"de", lines.join("\n"));
    let (straight, reversed) = (written(&text), written(&torn));
    let (one, other) = (
        json(&["ratings", path(&straight)]),
        json(&["ratings", path(&reversed)]),
    );
    for (one, other) in one["bots"]
        .as_array()
        .unwrap()
        .iter()
        .zip(other["bots"].as_array().unwrap())
    {
        is_near(&one["elo"], other["elo"].as_f64().unwrap());
        is_near(&one["error"], other["error"].as_f64().unwrap());
    }
}

#[test]
fn invalid_evidence_is_refused_with_its_line() {
    let schedule = schedule(3, 1);
    let text = results(&schedule);
    let line = text.lines().next().unwrap();
    let fault = |text: String| {
        let folder = written(&text);
        let error = read_evidence(&[folder.path()]).unwrap_err();
        assert!(
            matches!(error, EvidenceError::Journal(JournalError::Line { .. })),
            "{error}"
        );
        let shown = error.to_string();
        shown.rsplit_once("results.jsonl").unwrap().1.to_owned()
    };
    assert_eq!(
        fault(format!("{text}{line}\n")),
        ":7: there is another record of \"demo/c1/r1/p1/m1\""
    );
    let odd = text.replacen("\"normal\"", "\"abnormal\"", 1);
    assert_eq!(
        fault(odd),
        ":1: termination cannot be read: \"abnormal\" is not a termination"
    );
    assert!(fault(text.replacen('{', "[", 1)).starts_with(":1: the line is not JSON"));
    let nothing = written("");
    let (code, _, err) = stats(&["ratings", path(&nothing)]);
    assert_eq!(code, 3);
    assert!(
        err.contains("no match that counts has been played"),
        "{err}"
    );
    assert!(read_evidence(&[Path::new("/nowhere/at/all")]).is_err());
}

/// Aborted matches do not count.
#[test]
fn void_matches_are_not_evidence() {
    let schedule = schedule(2, 1);
    let [one, two] = schedule.matches() else {
        panic!("two bots meet twice")
    };
    let whole = Record::new(&schedule, one, &played(one)).to_line();
    let void = Record::new(&schedule, two, &played(two)).to_line();
    let void = void
        .replace("\"normal\"", "\"aborted\"")
        .replace("\"winner\":\"first\"", "\"winner\":null");
    let evidence = read_evidence(&[written(&format!("{whole}{void}")).path()]).unwrap();
    assert_eq!((evidence.matches.len(), evidence.void), (1, 1));
    assert_eq!(evidence.matches[0].first, one.bot(Seat::First).get());
}
