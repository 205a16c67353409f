//! The results of an event without the luck in its dice.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use dragontooth_bots::builtin::backgammon::MatchLuck;
use dragontooth_games::Seat;
use dragontooth_games::record::read_text;
use dragontooth_runner::record::Transcript;
use dragontooth_runner::reports::{MAX_UNASKED_LUCK_ACTIONS, luck_figures};
use dragontooth_runner_report::{Document, LuckFigures};
use dragontooth_runner_tournament::{Event, Format, MatchResult, MatchRules, Results, Schedule};
use serde_json::Value;

use crate::command_line::call;
use crate::fixture::{DRAW_SECRET, Out, event, result, with_troubles};
use crate::recorded::json_lines;

fn run(folder: &Path, cycles: u32, event: &str) {
    let text = format!(
        "[event]\nname = 'cup'\ncycles = {cycles}\n{DRAW_SECRET}\n{event}\n[service]\ndirect = true\n\
         [[bot]]\nname = 'a'\nbuiltin = 'greedy'\n[[bot]]\nname = 'b'\nbuiltin = 'random'\n"
    );
    fs::write(folder.join("cup.toml"), text).unwrap();
    let (code, _, err) = call(folder, &["run", "cup.toml", "--folder", "run"]);
    assert_eq!(code, 0, "{err}");
}

fn lines(folder: &Path, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("run").join(name)).unwrap();
    json_lines(&text)
}

/// The mean luck of bot a in a match, in the chance to win and in points, from the records alone.
fn luck_of_a(folder: &Path) -> [f64; 2] {
    let results: HashMap<String, bool> = lines(folder, "results.jsonl")
        .iter()
        .map(|line| {
            let title = line["title"].as_str().unwrap().to_owned();
            (title, line["bots"]["first"] == "a")
        })
        .collect();
    let games = lines(folder, "games.jsonl");
    assert_eq!(games.len(), results.len());
    let mut sum = [0.0; 2];
    for line in &games {
        let (record, _) = read_text(line["record"].as_str().unwrap()).unwrap();
        let luck = MatchLuck::of(&record).unwrap();
        let sign = if results[line["title"].as_str().unwrap()] {
            1.0
        } else {
            -1.0
        };
        sum[0] += sign * luck.chance;
        sum[1] += sign * luck.points.unwrap_or_default();
    }
    sum.map(|sum| sum / f64::from(u32::try_from(games.len()).unwrap()))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// The cells of the first table below a heading, as texts; `None` without it.
fn markdown_cells(text: &str) -> Option<Vec<Vec<String>>> {
    let (_, rest) = text.split_once("## Luck in the dice\n\n")?;
    let lines = rest.lines().take_while(|line| line.starts_with('|'));
    let cells = |line: &str| {
        let cells = line.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().to_owned()).collect()
    };
    Some(lines.map(cells).collect())
}

/// The cells of the rows of the report's table.
fn html_cells(text: &str) -> Vec<Vec<String>> {
    let (_, rest) = text
        .split_once("<h2 id=\"luck\">Luck in the dice</h2>")
        .unwrap();
    let (_, rest) = rest.split_once("<tbody>").unwrap();
    let rows = rest.split_once("</tbody>").unwrap().0.split("<tr>").skip(1);
    let cells = |row: &str| {
        let cells = row.split("</td>").filter_map(|cell| cell.rsplit_once('>'));
        cells
            .map(|(_, text)| text.to_owned())
            .filter(|text| !text.is_empty())
            .collect()
    };
    rows.map(cells).collect()
}

/// A run of 20 encounters has the same results with and without luck in every report, and they follow from its records.
fn check_reports(variant: &str) {
    let place = tempfile::tempdir().unwrap();
    let event = format!("game = 'backgammon'\nvariant = '{variant}'\ntarget = 1");
    run(place.path(), 20, &event);
    let table = |arguments: &[&str]| {
        let (code, out, err) = call(place.path(), &[&["table", "run"], arguments].concat());
        assert_eq!(code, 0, "{err}");
        out
    };
    let file = |name: &str| fs::read_to_string(place.path().join("run").join(name)).unwrap();
    let written = file("report.md");
    assert_eq!(written, table(&["--format", "markdown"]));
    let rows = &markdown_cells(&written).unwrap()[2..];
    assert_eq!(rows.len(), 2);
    assert_eq!(rows, html_cells(&file("report.html")));

    let json = table(&["--format", "json"]);
    assert_eq!(json, table(&["--luck", "--format", "json"]));
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json.get("no_luck"), None);
    check_figures(&json, luck_of_a(place.path()), variant == "money");
    let text = table(&["--luck"]);
    let (_, text) = text.split_once("Luck in the dice\n").unwrap();
    assert!(rows.iter().all(|row| text.contains(&row[4])), "{text}");
    assert_eq!(text.contains("points/game"), variant == "money", "{text}");
    let lines = json["luck"].as_array().unwrap();
    check_cells(lines, rows, &table(&["--format", "csv"]));

    // The reports are those of the files, also where the luck was asked for.
    let verified = || {
        let (code, out, err) = call(place.path(), &["verify", "run"]);
        assert_eq!(code, 0, "{out}{err}");
    };
    verified();
    assert!(!file("report.json").contains("luck"));
    let before = file("report.html");
    let (code, _, err) = call(place.path(), &["report", "run", "--luck"]);
    assert_eq!(code, 0, "{err}");
    assert!(file("report.json").contains("\"luck\": true"));
    assert_eq!((before, written), (file("report.html"), file("report.md")));
    verified();
}

/// The figures are those of the records, and those of two bots add up to one.
fn check_figures(tables: &Value, [chance, points]: [f64; 2], is_for_money: bool) {
    let luck = tables["luck"].as_array().unwrap();
    let of = |bot: &str| luck.iter().find(|line| line["bot"] == bot).unwrap();
    let (a, b) = (of("a"), of("b"));
    assert_eq!(a["encounters"], 20);
    let raw = number(&a["score"]);
    assert!((raw - number(&tables["standings"][0]["score"])).abs() < 1e-12 || raw < 0.5);
    assert!((number(&b["score"]) - (1.0 - raw)).abs() < 1e-9);
    let adjusted = number(&a["adjusted_score"]);
    assert!(
        (adjusted - (raw - chance)).abs() < 1e-9,
        "{adjusted} {raw} {chance}"
    );
    assert!((number(&b["adjusted_score"]) - (1.0 - adjusted)).abs() < 1e-9);
    assert!((number(&b["adjusted_score_error"]) - number(&a["adjusted_score_error"])).abs() < 1e-9);
    if !is_for_money {
        assert_eq!(a.get("points"), None);
        return;
    }
    let raw = number(&a["points"]["points_per_game"]);
    let adjusted = number(&a["points"]["adjusted_points_per_game"]);
    // Both are means in which a single encounter counts for little; they are near the plain ones.
    let error = number(&a["points"]["points_per_game_error"]);
    assert!(
        (adjusted - (raw - points)).abs() < error,
        "{adjusted} {raw} {points}"
    );
    let of_b = number(&b["points"]["adjusted_points_per_game"]);
    assert!((adjusted + of_b).abs() < 1e-9);
}

/// The tables of the reports and of the CSV have the figures of the JSON.
fn check_cells(lines: &[Value], rows: &[Vec<String>], csv: &str) {
    let mut csv = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = csv.next().unwrap();
    for ((line, row), values) in lines.iter().zip(rows).zip(csv) {
        let value = |name: &str| values[head.iter().position(|one| *one == name).unwrap()];
        assert_eq!(line["bot"], row[0]);
        assert_eq!(line["bot"], value("bot"));
        // A bot that scores the same in every encounter has no error.
        let shown = |value: &Value, nothing: &str, digits: usize, factor: f64| {
            let number = value.as_f64().map(|value| value * factor);
            number.map_or_else(|| nothing.to_owned(), |value| format!("{value:.digits$}"))
        };
        let percent = |name: &str| shown(&line[name], "–", 1, 100.0);
        assert_eq!(percent("score"), row[2]);
        assert_eq!(percent("score_error"), row[3]);
        assert_eq!(percent("adjusted_score"), row[4]);
        assert_eq!(percent("adjusted_score_error"), row[5]);
        let four = |name: &str| shown(&line[name], "", 4, 1.0);
        assert_eq!(four("score"), value("encounter_score"));
        assert_eq!(four("score_error"), value("encounter_score_error"));
        assert_eq!(four("adjusted_score"), value("adjusted_score"));
        assert_eq!(four("adjusted_score_error"), value("adjusted_score_error"));
        if line.get("points").is_some() {
            let points = |name: &str| number(&line["points"][name]);
            let adjusted = points("adjusted_points_per_game");
            assert_eq!(format!("{adjusted:.3}"), row[9]);
            assert_eq!(format!("{adjusted:.4}"), value("adjusted_points_per_game"));
            let error = points("adjusted_points_per_game_error");
            assert_eq!(format!("{error:.3}"), row[10]);
            assert_eq!(
                format!("{error:.4}"),
                value("adjusted_points_per_game_error")
            );
        } else {
            assert_eq!(value("adjusted_points_per_game"), "");
        }
    }
}

#[test]
fn the_results_of_matches_without_luck_are_in_all_reports() {
    check_reports("standard");
}

#[test]
fn the_results_of_games_for_money_without_luck_are_in_all_reports() {
    check_reports("money");
}

/// Without its record a match has no luck that anybody knows. The other tables are there all the same.
#[test]
fn a_match_without_a_record_is_named() {
    let place = tempfile::tempdir().unwrap();
    run(place.path(), 2, "game = 'backgammon'\ntarget = 1");
    let games = place.path().join("run/games.jsonl");
    let text = fs::read_to_string(&games).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    fs::write(&games, rest).unwrap();
    let first = Transcript::from_line(first.as_bytes()).unwrap();
    let unknown = format!(
        "the luck of {} is unknown: games.jsonl has no record of what was played",
        first.title()
    );
    for command in ["table", "report"] {
        let (code, _, err) = call(place.path(), &[command, "run", "--luck"]);
        assert_eq!(code, 3);
        assert!(err.contains(&unknown), "{err}");
    }
    let note = format!("No results without the luck in the dice: {unknown}.\n");
    let table = |format: &str| {
        let (code, out, err) = call(place.path(), &["table", "run", "--format", format]);
        assert_eq!(code, 0, "{err}");
        out
    };
    for format in ["text", "markdown"] {
        assert!(table(format).contains(&note), "{}", table(format));
    }
    let json: Value = serde_json::from_str(&table("json")).unwrap();
    assert_eq!(
        (&json["luck"], &json["no_luck"]),
        (&Value::Null, &unknown.into())
    );
    let csv = table("csv");
    assert!(csv.contains(",encounters,encounter_score,"), "{csv}");
    assert!(csv.contains(",,,,,,,"), "{csv}");
}

/// Beyond the limit the figures are left out unless they are asked for, and the reports say so.
#[test]
fn luck_is_computed_unasked_up_to_a_limit() {
    let rules = MatchRules::new("backgammon", None, 1).unwrap();
    let like = event(2, 1);
    let event = Event::new(
        like.name().clone(),
        like.seed(),
        rules,
        like.bots().to_vec(),
        Format::RoundRobin { cycles: 1 },
    );
    let schedule = Schedule::new(event.unwrap());
    let figures = |plies: u64, is_asked: bool| {
        let mut results = Results::none(schedule.matches());
        results
            .add(MatchResult {
                plies: u32::try_from(plies).unwrap(),
                moves: None,
                ..result(&schedule.matches()[0], Out::Won(Seat::First))
            })
            .unwrap();
        let empty = tempfile::tempdir().unwrap();
        let luck = luck_figures(empty.path(), &schedule, &results, is_asked).unwrap();
        let document = Document::new(&schedule, &results);
        let text = document.with_luck(&schedule, &results, &luck).text();
        (luck, text)
    };
    let table = "\nLuck in the dice\n";
    let (within, text) = figures(MAX_UNASKED_LUCK_ACTIONS, false);
    assert!(matches!(within, LuckFigures::Known(_)), "{within:?}");
    assert!(text.contains(table), "{text}");
    let (beyond, text) = figures(MAX_UNASKED_LUCK_ACTIONS + 1, false);
    let LuckFigures::LeftOut(reason) = beyond else {
        panic!("{beyond:?}");
    };
    assert!(reason.contains("at most 50000 actions, and the matches have 50001"));
    assert!(text.contains(&format!(
        "No results without the luck in the dice: {reason}."
    )));
    assert!(!text.contains(table), "{text}");
    let (asked, _) = figures(MAX_UNASKED_LUCK_ACTIONS + 1, true);
    assert_eq!(asked, within);
}

/// The reports of games without such luck are what they are without a word on it.
#[test]
fn reports_of_other_games_do_not_mention_luck() {
    let (schedule, results) = with_troubles();
    let empty = tempfile::tempdir().unwrap();
    let luck = luck_figures(empty.path(), &schedule, &results, false).unwrap();
    assert_eq!(luck, LuckFigures::Unmentioned);
    let document = Document::new(&schedule, &results);
    let same = document.clone().with_luck(&schedule, &results, &luck);
    assert_eq!(document, same);

    let place = tempfile::tempdir().unwrap();
    run(place.path(), 2, "game = 'linja'\ntarget = 1");
    for file in ["report.md", "report.html", "report.json"] {
        let text = fs::read_to_string(place.path().join("run").join(file)).unwrap();
        assert!(!text.to_lowercase().contains("luck"), "{file}: {text}");
    }
    let (_, out, _) = call(place.path(), &["table", "run", "--format", "json"]);
    let json: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&json["luck"], json.get("no_luck")), (&Value::Null, None));
    let (_, out, _) = call(place.path(), &["table", "run", "--format", "csv"]);
    assert!(!out.contains("encounter"), "{out}");
    let luck = ["table", "run", "--luck", "--format", "openings-csv"];
    let (code, _, err) = call(place.path(), &luck);
    assert_eq!(code, 2);
    assert!(err.contains("--luck is not for openings-csv"), "{err}");
}

#[test]
fn a_game_without_dice_has_no_luck() {
    let place = tempfile::tempdir().unwrap();
    run(place.path(), 2, "game = 'linja'\ntarget = 1");
    for command in ["table", "report"] {
        let (code, _, err) = call(place.path(), &[command, "run", "--luck"]);
        assert_eq!(code, 2);
        assert!(
            err.contains("luck is computed for backgammon, not for linja"),
            "{err}"
        );
    }
}
