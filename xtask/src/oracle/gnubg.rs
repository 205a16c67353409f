#![expect(clippy::print_stdout, reason = "a comparison tells what it found")]

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use super::ours::{feed, plays};
use crate::ci::command::command;
use crate::ci::tools::{Missing, debian_program};

/// How many positions GNU Backgammon is asked about.
const POSITIONS: usize = 500;

/// Where GNU Backgammon may be.
const PROGRAMS: &[&str] = &["gnubg", "/usr/games/gnubg", "/usr/local/bin/gnubg"];

/// What sets GNU Backgammon up: no thinking, no games of its own, and all plays told.
const SETTINGS: &str = "\
set evaluation chequer evaluation plies 0
set automatic game off
set automatic roll off
set automatic move off
set output rawboard on
set display off
";

/// More than the plays of any position.
const PLAYS_MAX: usize = 4_000;

/// Compares the legal plays of [`POSITIONS`] positions, in the notation of GNU Backgammon.
pub(crate) fn compare_with_gnubg(root: &Path, _: &Path) -> Result<Result<bool, Missing>> {
    let program = match find(root) {
        Ok(program) => program,
        Err(missing) => return Ok(Err(missing)),
    };
    let positions = plays(root, &["positions", &POSITIONS.to_string()], "")?;
    let questions = positions
        .lines()
        .map(|xgid| format!("set xgid {xgid}\nhint {PLAYS_MAX}\n"));
    let questions = format!("{SETTINGS}{}", questions.collect::<Vec<_>>().concat());
    let output = feed(gnubg(program, root).args(["-t", "-q"]), &questions)?;
    let told = lists(&String::from_utf8_lossy(&output.stdout));
    ensure!(
        told.len() == positions.lines().count(),
        "GNU Backgammon was asked about {} positions and answered {}",
        positions.lines().count(),
        told.len()
    );
    let lines = positions
        .lines()
        .zip(&told)
        .map(|(xgid, plays)| format!("{xgid}|{}\n", plays.join(";")));
    let faults = plays(root, &["resolve"], &lines.collect::<Vec<_>>().concat())?;
    print!("{faults}");
    let count: usize = told.iter().map(Vec::len).sum();
    println!(
        "{} positions with {count} plays, {} differ",
        told.len(),
        faults.lines().count()
    );
    Ok(Ok(faults.is_empty() && count > 0))
}

/// The plays that are told after each setting of the dice.
fn lists(output: &str) -> Vec<Vec<String>> {
    let mut lists: Vec<Vec<String>> = Vec::new();
    for line in output.lines() {
        if line.contains("The dice have been set to") {
            lists.push(Vec::new());
        } else if let Some((_, rest)) = line.split_once("0-ply    ")
            && let Some((play, _)) = rest.split_once("Eq.:")
            && let Some(list) = lists.last_mut()
        {
            list.push(play.trim().to_owned());
        }
    }
    lists
}

/// The program, which is installed first if it is missing and this is a CI that may do so.
pub(super) fn find(root: &Path) -> Result<&'static str, Missing> {
    debian_program(root, PROGRAMS, "--version", "gnubg")
}

fn gnubg(program: &str, root: &Path) -> Command {
    command(program, root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_plays_of_each_position() {
        let output = "\
The dice have been set to 6 and 2.
    1. Cubeful 0-ply    24/22 8/2                    Eq.: -1.000
       0.191 0.032 0.000 - 0.809 0.172 0.003
The dice have been set to 6 and 6.
There are no legal moves.
The dice have been set to 1 and 1.
    1. Cubeful 0-ply    8/7*(2) 6/5(2)               Eq.: +0.327
    2. Cubeless 0-ply    24/22 6/5(2)                 Eq.: +0.305 (-0.022)
";
        let expected: [&[&str]; 3] = [&["24/22 8/2"], &[], &["8/7*(2) 6/5(2)", "24/22 6/5(2)"]];
        assert_eq!(lists(output), expected);
    }
}
