use std::collections::BTreeSet;

use anyhow::{Context as _, Result};

use super::gnubg::find;
use super::ours::{example, feed};
use crate::exec::{Context, empty_folder};

/// The number of matches that GNU Backgammon replays.
const MATCHES: usize = 250;

/// The formats in which it loads each of them.
const FORMATS: [&str; 2] = ["mat", "sgf"];

/// The program that GNU Backgammon runs.
const REPLAY: &str = "xtask/src/oracle/replay.py";

/// Texts that the matches must have between them, or they compare too little.
const KINDS: [&str; 6] = [
    "crawford", "resigned", " 1 drops", " 2 takes", "4/first", "8/second",
];

/// Loads matches of random play that we wrote into GNU Backgammon: the score before each game,
/// whether it is the Crawford game or for money, its result and each state of the cube have to be the same.
pub(crate) fn compare_matches(context: &Context) -> Result<bool> {
    let program = find(context)?;
    let folder = context.target.join("oracle-matches");
    empty_folder(&folder)?;
    let path = folder.to_str().context("the target folder has a name")?;
    let ours = example(
        context,
        "backgammon_matches",
        &[path, &MATCHES.to_string()],
        "",
    )?;
    let mut gnubg = context.command(program);
    gnubg.current_dir(&folder).args(["-t", "-q", "-r", "-p"]);
    let output = feed(gnubg.arg(context.root.join(REPLAY)), "")?;
    let replay = String::from_utf8_lossy(&output.stdout);
    let expected: BTreeSet<String> = FORMATS
        .iter()
        .flat_map(|format| ours.lines().map(move |line| format!("{format} {line}")))
        .collect();
    let found = replayed(&replay);
    for line in expected.difference(&found) {
        context.say(format_args!("ours:   {line}"));
    }
    for line in found.difference(&expected) {
        context.say(format_args!("theirs: {line}"));
    }
    let differ = expected.symmetric_difference(&found).count();
    let missing = KINDS.iter().find(|kind| !ours.contains(**kind));
    if let Some(kind) = missing {
        context.say(format_args!("no game has {kind:?}"));
    }
    let has_gammon = ours.lines().any(is_gammon_without_jacoby);
    if !has_gammon {
        context.say("no game depends on the Jacoby rule");
    }
    context.say(format_args!(
        "{MATCHES} matches with {} games as {}, {differ} lines differ",
        ours.lines().count(),
        FORMATS.join(" and ")
    ));
    Ok(differ == 0 && missing.is_none() && has_gammon)
}

/// Returns true for a game of money that was played to its end and counts more than once with the cube in the centre.
fn is_gammon_without_jacoby(line: &str) -> bool {
    line.contains(": money, ")
        && line.ends_with(", cube 1/centre")
        && [" wins 1,", ", resigned"]
            .iter()
            .all(|text| !line.contains(text))
}

/// The replayed games, a line each, and the warnings.
fn replayed(output: &str) -> BTreeSet<String> {
    output
        .lines()
        .filter_map(|line| {
            let game = line.strip_prefix("= ");
            game.or_else(|| line.contains("WARNING").then_some(line))
        })
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gammons_without_jacoby_are_found() {
        let gammon = "1 1: money, 0-0, first wins 2, 88 moves, 0 takes, 0 drops, cube 1/centre";
        assert!(is_gammon_without_jacoby(gammon));
        for (text, other) in [
            ("money, ", ""),
            ("wins 2", "wins 1"),
            ("wins 2", "wins 2, resigned"),
            ("cube 1/centre", "cube 1/centre 2/first"),
        ] {
            assert!(
                !is_gammon_without_jacoby(&gammon.replace(text, other)),
                "{other}"
            );
        }
    }

    #[test]
    fn warnings_are_kept() {
        let output = "The score\n= mat 1 1: 0-0\nWARNING: Invalid move\n";
        let expected = ["WARNING: Invalid move", "mat 1 1: 0-0"];
        assert!(replayed(output).iter().eq(expected.iter()));
    }
}
