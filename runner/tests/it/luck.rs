//! The results of an event without the luck in its dice.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use dragontooth_bots::builtin::backgammon::MatchLuck;
use dragontooth_games::record::read_text;
use dragontooth_runner::record::Transcript;
use serde_json::Value;

use crate::fixture::DRAW_SECRET;

fn call(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_dragontooth-runner"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap();
    (code, text(output.stdout), text(output.stderr))
}

fn run(folder: &Path, event: &str) {
    let text = format!(
        "[event]\nname = 'cup'\ncycles = 20\n{DRAW_SECRET}\n{event}\n[service]\ndirect = true\n\
         [[bot]]\nname = 'a'\nbuiltin = 'greedy'\n[[bot]]\nname = 'b'\nbuiltin = 'random'\n"
    );
    fs::write(folder.join("cup.toml"), text).unwrap();
    let (code, _, err) = call(folder, &["run", "cup.toml", "--folder", "run"]);
    assert_eq!(code, 0, "{err}");
}

fn lines(folder: &Path, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("run").join(name)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
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

#[test]
fn a_table_has_the_results_with_and_without_luck() {
    let place = tempfile::tempdir().unwrap();
    run(place.path(), "game = 'backgammon'\ntarget = 1");
    let [chance, _] = luck_of_a(place.path());
    let (code, out, err) = call(
        place.path(),
        &["table", "run", "--luck", "--format", "json"],
    );
    assert_eq!(code, 0, "{err}");
    let tables: Value = serde_json::from_str(&out).unwrap();
    let luck = tables["luck"].as_array().unwrap();
    let of = |bot: &str| luck.iter().find(|line| line["bot"] == bot).unwrap();
    let (a, b) = (of("a"), of("b"));
    assert_eq!(a["encounters"], 20);
    let raw = number(&a["score"]);
    assert!((raw - number(&tables["standings"][0]["score"])).abs() < 1e-12 || raw < 0.5);
    let adjusted = number(&a["adjusted_score"]);
    assert!(
        (adjusted - (raw - chance)).abs() < 1e-9,
        "{adjusted} {raw} {chance}"
    );
    assert!((number(&b["adjusted_score"]) - (1.0 - adjusted)).abs() < 1e-9);
    assert!((number(&b["adjusted_score_error"]) - number(&a["adjusted_score_error"])).abs() < 1e-9);
    assert_eq!(a.get("points"), None);

    let (code, out, err) = call(place.path(), &["table", "run", "--luck"]);
    assert_eq!(code, 0, "{err}");
    let percent = format!("{:.1}", adjusted * 100.0);
    let table = out.split_once("Luck in the dice\n").unwrap().1;
    assert!(table.contains(&percent), "{percent}: {table}");
    let (_, out, _) = call(
        place.path(),
        &["table", "run", "--luck", "--format", "markdown"],
    );
    assert!(out.contains("## Luck in the dice\n"), "{out}");
    let (_, out, _) = call(place.path(), &["table", "run", "--format", "json"]);
    assert!(out.contains("\"luck\": null"), "{out}");

    let (code, _, err) = call(place.path(), &["table", "run", "--luck", "--format", "csv"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("--luck is for text, json and markdown"),
        "{err}"
    );
    // Without its record a match has no luck that anybody knows.
    let games = place.path().join("run/games.jsonl");
    let text = fs::read_to_string(&games).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    fs::write(&games, rest).unwrap();
    let first = Transcript::from_line(first.as_bytes()).unwrap();
    let (code, _, err) = call(place.path(), &["table", "run", "--luck"]);
    assert_eq!(code, 3);
    let unknown = format!(
        "the luck of {} is unknown: games.jsonl has no record",
        first.title()
    );
    assert!(err.contains(&unknown), "{err}");
}

#[test]
fn a_game_for_money_has_luck_in_points() {
    let place = tempfile::tempdir().unwrap();
    run(
        place.path(),
        "game = 'backgammon'\nvariant = 'money'\ntarget = 1",
    );
    let [chance, points] = luck_of_a(place.path());
    let (code, out, err) = call(
        place.path(),
        &["table", "run", "--luck", "--format", "json"],
    );
    assert_eq!(code, 0, "{err}");
    let tables: Value = serde_json::from_str(&out).unwrap();
    let luck = tables["luck"].as_array().unwrap();
    let a = luck.iter().find(|line| line["bot"] == "a").unwrap();
    let adjusted = number(&a["adjusted_score"]);
    assert!((adjusted - (number(&a["score"]) - chance)).abs() < 1e-9);
    let raw = number(&a["points"]["points_per_game"]);
    let adjusted = number(&a["points"]["adjusted_points_per_game"]);
    // Both are means in which a single encounter counts for little; they are near the plain ones.
    let error = number(&a["points"]["points_per_game_error"]);
    assert!(
        (adjusted - (raw - points)).abs() < error,
        "{adjusted} {raw} {points}"
    );
    let (_, out, _) = call(place.path(), &["table", "run", "--luck"]);
    assert!(out.contains("points/game"), "{out}");
}

#[test]
fn a_game_without_dice_has_no_luck() {
    let place = tempfile::tempdir().unwrap();
    run(place.path(), "game = 'linja'\ntarget = 1");
    let (code, _, err) = call(place.path(), &["table", "run", "--luck"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("luck is computed for backgammon, not for linja"),
        "{err}"
    );
}
