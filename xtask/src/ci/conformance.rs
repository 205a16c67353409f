use anyhow::Result;

use crate::exec::{Context, programs};

/// A bot of ours and the games that it is checked in.
struct Checked {
    /// The arguments of `dragontooth-bot`.
    bot: &'static [&'static str],
    /// The games for every commit; `None` leaves the bot to the night.
    games: Option<&'static [&'static str]>,
    /// The games at night; empty means all.
    at_night: &'static [&'static str],
}

const BOTS: &[Checked] = &[
    Checked {
        bot: &["play", "--bot", "random"],
        games: Some(&["kamisado", "backgammon"]),
        at_night: &[],
    },
    Checked {
        bot: &["play", "--bot", "alphabeta:depth=2"],
        games: None,
        at_night: &["kamisado"],
    },
    Checked {
        bot: &["play", "--bot", "expectimax:candidates=2"],
        games: None,
        at_night: &["backgammon"],
    },
    // An engine, through the bridge. One check plays three matches at once.
    Checked {
        bot: &[
            "stdio",
            "--processes",
            "3",
            "--",
            "bots/examples/random_engine.py",
        ],
        games: Some(&["backgammon"]),
        at_night: &["kamisado", "backgammon"],
    },
];

/// Checks our own bots with the conformance kit. Bots in other languages are checked where they are built.
///
/// # Errors
///
/// The programs cannot be built, or a command cannot be run.
pub(crate) fn check_bots(context: &Context) -> Result<bool> {
    let programs = programs(context)?;
    let mut well = true;
    for checked in BOTS {
        let games = context.effort.pick(checked.games, Some(checked.at_night));
        let Some(games) = games else { continue };
        let mut kit = context.command(programs.join("dragontooth-runner"));
        kit.arg("conformance");
        for game in games {
            kit.args(["--game", game]);
        }
        kit.arg("--").arg(programs.join("dragontooth-bot"));
        well &= context.passes(kit.args(checked.bot))?;
    }
    Ok(well)
}
