use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};

use super::bencher::Bencher;
use super::figures::Figures;
use crate::exec::Missing;

/// A program that plays matches between chess engines.
#[derive(Debug)]
pub(super) struct ChessRunner {
    /// The variable that names the program.
    pub(super) variable: &'static str,
    /// The beginning of the names of its figures.
    name: &'static str,
    /// The words after the engines, for a number of games, of which some are played at the same time.
    words: fn(games: usize, at_once: usize) -> Vec<String>,
}

pub(super) const FASTCHESS: ChessRunner = ChessRunner {
    variable: "FASTCHESS",
    name: "fastchess",
    words: |games, at_once| {
        words(&format!(
            "-rounds {} -games 2 -concurrency {at_once} -pgnout file={RECORDS}",
            games / 2
        ))
    },
};

pub(super) const CUTECHESS: ChessRunner = ChessRunner {
    variable: "CUTECHESS",
    name: "cutechess",
    words: |games, at_once| {
        words(&format!(
            "-rounds 1 -games {games} -concurrency {at_once} -pgnout {RECORDS}"
        ))
    },
};

pub(super) const C_CHESS_CLI: ChessRunner = ChessRunner {
    variable: "C_CHESS_CLI",
    name: "c-chess-cli",
    words: |games, at_once| {
        words(&format!(
            "-games {games} -concurrency {at_once} -pgn {RECORDS} 1"
        ))
    },
};

/// The engine that plays both sides. It needs no packages, so that the compiler alone builds it.
const ENGINE: &str = include_str!("uci/engine.rs");
const GAME: &str = include_str!("uci/game.txt");

/// The file into which the program writes the games, in the folder in which it runs.
const RECORDS: &str = "games.pgn";

/// Games for each that is played at the same time.
const GAMES: usize = 100;

/// Games at the same time.
const AT_ONCE: [usize; 2] = [1, 2];

impl ChessRunner {
    /// Measures our runner between engines over pipes, and this program between engines that answer at once.
    ///
    /// # Errors
    ///
    /// [`Missing`] if the variable does not name a program; or one of the two fails.
    pub(super) fn measure(&self, bench: &Bencher) -> Result<Figures> {
        let program = PathBuf::from(env::var_os(self.variable).unwrap_or_default());
        if !program.is_file() {
            return Err(Missing(format!("{} names no program", self.variable)).into());
        }
        let program = fs::canonicalize(&program)?;
        let folder = bench.context.target.join("bench-uci");
        let engine = built_engine(bench, &folder)?;
        let mut figures = bench.runner("pipes", 0.3)?;
        for at_once in AT_ONCE {
            let games = if bench.quick { 2 } else { GAMES * at_once };
            let rate = self.rate(&program, &engine, &folder, games, at_once)?;
            figures.add(
                format!("{}/{at_once}", self.name),
                rate,
                "plies/s".to_owned(),
            );
        }
        Ok(figures)
    }

    /// Plies a second, from the start of the program to its end.
    fn rate(
        &self,
        program: &Path,
        engine: &Path,
        folder: &Path,
        games: usize,
        at_once: usize,
    ) -> Result<f64> {
        let records = folder.join(RECORDS);
        if records.exists() {
            fs::remove_file(&records)?;
        }
        let mut command = Command::new(program);
        command.current_dir(folder);
        for name in ["one", "two"] {
            let engine = format!("cmd={}", engine.display());
            command.args(["-engine", &engine, &format!("name={name}")]);
            if self.variable == CUTECHESS.variable {
                command.arg("proto=uci");
            }
        }
        command.args(["-each", "tc=60+1"]);
        let begun = Instant::now();
        let output = command.args((self.words)(games, at_once)).output();
        let taken = begun.elapsed();
        let output = output.with_context(|| format!("{command:?}"))?;
        ensure!(
            output.status.success(),
            "{} from {command:?}",
            output.status
        );
        let text = fs::read_to_string(&records).with_context(|| format!("{command:?}"))?;
        let won = text.matches("[Result \"1-0\"]").count();
        ensure!(
            won == games,
            "{won} of {games} games were played to their end by {command:?}"
        );
        #[expect(clippy::cast_precision_loss, reason = "there are few plies")]
        let plies = (games * moves()) as f64;
        Ok(plies / taken.as_secs_f64())
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

/// Number of plies of the game.
fn moves() -> usize {
    let lines = GAME.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split(' ').count()).sum()
}

/// Builds the engine and returns its program.
fn built_engine(bench: &Bencher, folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    for (name, text) in [("engine.rs", ENGINE), ("game.txt", GAME)] {
        fs::write(folder.join(name), text)?;
    }
    let program = folder.join("engine");
    let mut rustc = bench.context.command("rustc");
    rustc
        .current_dir(folder)
        .args(["-O", "--edition=2024", "engine.rs"]);
    bench.context.stdout_of(&mut rustc)?;
    Ok(program)
}
