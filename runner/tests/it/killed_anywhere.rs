//! Runs that are killed repeatedly end like one that was not.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::thread;

use crate::command_line::runner;
use crate::fixture::DRAW_SECRET;
use crate::recorded::{games, records};

/// The most kills of the runs of an event.
const MAX_KILLS: u64 = 12;
/// About the length of the record of a match.
const RECORD_BYTES: u64 = 800;

fn event(bots: usize, cycles: u32, service: &str) -> String {
    let kinds = [
        "'random'",
        "'greedy'",
        "'alphabeta'\noptions = { nodes = 60, table_mib = 1 }",
        "'random'",
        "'greedy'",
    ];
    let table =
        |(kind, name): (&&str, char)| format!("[[bot]]\nname = '{name}'\nbuiltin = {kind}\n");
    let bots: Vec<String> = kinds[..bots].iter().zip('a'..).map(table).collect();
    let bots = bots.concat();
    format!(
        "[event]\nname = 'cup'\n{DRAW_SECRET}\ngame = 'kamisado'\nvariant = 'random'\ntarget = 1\ncycles = {cycles}\n\
         concurrency = 3\n{service}{bots}"
    )
}

/// Starts a run and kills it when this many matches have been reported and then so much more of them recorded.
/// Returns false if it ended first.
fn kill_after(place: &Path, matches: usize, bytes: u64) -> bool {
    let mut child = runner(place, &["run", "cup.toml"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut told = lines
        .map_while(Result::ok)
        .filter(|line| line.starts_with('['));
    let goes_on = told.by_ref().take(matches).count() == matches;
    let recorded = place.join("runs/cup/games.jsonl");
    let length = || fs::metadata(&recorded).map_or(0, |file| file.len());
    let enough = length() + bytes;
    while goes_on && length() < enough {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    goes_on
}

/// Kills the runs of an event again and again, and compares everything with an undisturbed run.
///
/// Without a service, what is reported is recorded later, several matches at once; with one, each match at once. So the
/// kills hit what happens between two matches, and what happens while they are written.
fn kill_many_times(bots: usize, cycles: u32, service: &str, told: usize) {
    let places = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [straight, killed] = places.each_ref().map(tempfile::TempDir::path);
    for place in [straight, killed] {
        fs::write(place.join("cup.toml"), event(bots, cycles, service)).unwrap();
    }
    let mut kills = 0;
    let bytes = |kills: u64| kills * 37_997 % (told as u64 * RECORD_BYTES);
    while kills < MAX_KILLS && kill_after(killed, told, bytes(kills)) {
        kills += 1;
    }
    assert!(kills > 3, "the runs were over before they could be killed");
    let outputs = [straight, killed].map(|place| {
        let output = runner(place, &["run", "cup.toml"]).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        output.stdout
    });
    assert_eq!(outputs[0], outputs[1], "after {kills} kills");
    let folders = [straight, killed].map(|place| place.join("runs/cup"));
    let [one, other] = folders
        .each_ref()
        .map(|folder| fs::read(folder.join("report.md")).unwrap());
    assert_eq!(one, other);
    assert_eq!(records(&folders[0]), records(&folders[1]));
    assert_eq!(games(&folders[0]), games(&folders[1]));
    let verified = runner(killed, &["verify", "runs/cup"]).output().unwrap();
    assert_eq!(verified.status.code(), Some(0), "{verified:?}");
}

const DIRECT: &str = "[service]\ndirect = true\n";

#[test]
fn two_bots_on_a_service() {
    kill_many_times(2, 6, "", 1);
}

#[test]
fn five_bots_on_a_service() {
    kill_many_times(5, 1, "", 1);
}

#[test]
fn two_bots_without_a_service() {
    kill_many_times(2, 400, DIRECT, 40);
}

#[test]
fn five_bots_without_a_service() {
    kill_many_times(5, 40, DIRECT, 40);
}
