use std::fs;

use anyhow::{Context as _, Result, ensure};

use super::ours::{feed, plays};
use crate::exec::{Context, debian_program};

/// The positions that GNU Backgammon is asked about for every commit.
const POSITIONS: &str = "100";

/// Those at night.
const POSITIONS_AT_NIGHT: &str = "500";

/// The names and paths that GNU Backgammon may have.
const PROGRAMS: &[&str] = &["gnubg", "/usr/games/gnubg", "/usr/local/bin/gnubg"];

/// Settings of GNU Backgammon: it does not think or start games, and lists all plays.
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

/// The book of openings whose positions GNU Backgammon reads.
const BOOK: &str = "deploy/openings/backgammon.txt";

/// Compares the legal plays of positions, in the notation of GNU Backgammon, and what it reads of the positions with
/// which a book of openings begins matches.
pub(crate) fn compare_with_gnubg(context: &Context) -> Result<bool> {
    let program = find(context)?;
    Ok(compare_plays(context, program)? & compare_book(context, program)?)
}

fn compare_plays(context: &Context, program: &str) -> Result<bool> {
    let count = context.effort.pick(POSITIONS, POSITIONS_AT_NIGHT);
    let positions = plays(context, &["positions", count], "")?;
    let questions = positions
        .lines()
        .map(|xgid| format!("set xgid {xgid}\nhint {PLAYS_MAX}\n"));
    let questions = format!("{SETTINGS}{}", questions.collect::<Vec<_>>().concat());
    let output = feed(context.command(program).args(["-t", "-q"]), &questions)?;
    let answers = lists(&String::from_utf8_lossy(&output.stdout));
    ensure!(
        answers.len() == positions.lines().count(),
        "GNU Backgammon was asked about {} positions and answered {}",
        positions.lines().count(),
        answers.len()
    );
    let lines = positions
        .lines()
        .zip(&answers)
        .map(|(xgid, plays)| format!("{xgid}|{}\n", plays.join(";")));
    let faults = plays(context, &["resolve"], &lines.collect::<Vec<_>>().concat())?;
    context.say(faults.trim_end());
    let count: usize = answers.iter().map(Vec::len).sum();
    context.say(format_args!(
        "{} positions with {count} plays, {} differ",
        answers.len(),
        faults.lines().count()
    ));
    Ok(faults.is_empty() && count > 0)
}

/// Sets the positions of the book by their XGIDs. The ids that GNU Backgammon then shows, of the position and of the
/// match, have to be those of the same board, turn, dice, cube, length and score.
fn compare_book(context: &Context, program: &str) -> Result<bool> {
    let book = fs::read_to_string(context.root.join(BOOK)).context(BOOK)?;
    let starts = plays(context, &["book"], &book)?;
    // A raw board has no ids.
    let questions = starts.lines().map(|xgid| {
        format!("set xgid {xgid}\nset output rawboard off\nshow board\nset output rawboard on\n")
    });
    let questions = format!("{SETTINGS}{}", questions.collect::<Vec<_>>().concat());
    let output = feed(context.command(program).args(["-t", "-q"]), &questions)?;
    let shown = ids(&String::from_utf8_lossy(&output.stdout));
    ensure!(
        shown.len() == starts.lines().count(),
        "GNU Backgammon was given {} positions of {BOOK} and showed {}",
        starts.lines().count(),
        shown.len()
    );
    let lines = starts
        .lines()
        .zip(&shown)
        .map(|(xgid, ids)| format!("{xgid}|{ids}\n"));
    let faults = plays(context, &["same"], &lines.collect::<Vec<_>>().concat())?;
    context.say(faults.trim_end());
    context.say(format_args!(
        "{} positions of {BOOK} and its matches, {} differ",
        shown.len(),
        faults.lines().count()
    ));
    Ok(faults.is_empty() && !shown.is_empty())
}

/// The ids of each board that is shown: of its position and of the match, joined by `:`.
fn ids(output: &str) -> Vec<String> {
    let after = |name: &str| {
        let found = output.lines().filter_map(move |line| {
            let (label, id) = line.split_once(':')?;
            label.trim_end().ends_with(name).then(|| id.trim())
        });
        found.collect::<Vec<_>>()
    };
    let pairs = after("Position ID").into_iter().zip(after("Match ID"));
    pairs
        .map(|(position, game)| format!("{position}:{game}"))
        .collect()
}

/// The plays that follow each setting of the dice.
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

/// Finds the program, or installs it in the CI.
pub(crate) fn find_gnubg(context: &Context) -> Result<bool> {
    find(context).map(|_| true)
}

/// The program, which the CI installs if it is missing.
pub(super) fn find(context: &Context) -> Result<&'static str> {
    debian_program(context, PROGRAMS, "--version", "gnubg")
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

    #[test]
    fn reads_the_ids_of_each_board() {
        let output = "\
The dice have been set to 5 and 2.
 GNU Backgammon  Position ID: 4HPwATDgc/ABMA
                 Match ID   : cIkqAAAAAAAE
 +13-14-15-16-17-18------19-20-21-22-23-24-+     O: gnubg
The cube has been set to 2.
 GNU Backgammon  Position ID: 4LeDATDg28EBMA
                 Match ID   : EYGqABAAEAAE
";
        let expected = ["4HPwATDgc/ABMA:cIkqAAAAAAAE", "4LeDATDg28EBMA:EYGqABAAEAAE"];
        assert_eq!(ids(output), expected);
    }
}
