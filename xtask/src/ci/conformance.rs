#![expect(clippy::print_stdout, reason = "the command's report is its product")]

use std::path::Path;

use anyhow::{Context, Result};

use super::command::{command, shown};
use super::programs::programs;
use super::tools::Missing;

/// Our own bots, as arguments of `dragontooth-bot`, and the games in which they have to do right; none for all.
const BOTS: &[(&[&str], &[&str])] = &[
    (&["play", "--bot", "random"], &[]),
    (&["play", "--bot", "alphabeta:depth=2"], &["kamisado"]),
    (
        &["play", "--bot", "expectimax:candidates=2"],
        &["backgammon"],
    ),
    // An engine, by the bridge. One check plays three matches at once.
    (
        &[
            "stdio",
            "--processes",
            "3",
            "--",
            "bots/examples/random_engine.py",
        ],
        &["kamisado", "backgammon"],
    ),
];

/// Has the conformance kit look at our own bots. Those in other languages are looked at where they are built.
///
/// # Errors
///
/// The programs cannot be built, or a command cannot be run.
pub(crate) fn check_bots(root: &Path, target: &Path) -> Result<Result<bool, Missing>> {
    let programs = programs(root, target)?;
    let mut well = true;
    for (bot, games) in BOTS {
        let mut kit = command(programs.join("dragontooth-runner"), root);
        kit.arg("conformance");
        for game in *games {
            kit.args(["--game", game]);
        }
        kit.arg("--").arg(programs.join("dragontooth-bot"));
        kit.args(*bot);
        println!("    $ {}", shown(&kit, root));
        let status = kit.status().context("dragontooth-runner conformance")?;
        well &= status.success();
    }
    Ok(Ok(well))
}
