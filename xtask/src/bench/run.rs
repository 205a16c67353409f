#![expect(clippy::print_stdout, reason = "the table is the product")]

use std::path::Path;
use std::time::Instant;

use anyhow::Result;

use super::bencher::Bencher;
use super::figures::Figures;
use super::options::Options;
use super::part::{PARTS, Part};
use super::ratio::Row;
use crate::Workspace;
use crate::exec::{Context, Effort, Missing};

#[path = "../../../service/benches/figures/machine.rs"]
mod machine;

/// A part with its figures of each round, or the reason why it has none.
struct Measured {
    part: &'static Part,
    rounds: Result<Vec<Figures>>,
}

/// Measures the parts that `words` select and prints the table. In each round every part is measured once.
/// A part whose other program is missing is left out, with a line that says so. A part that fails is reported in the
/// same way, and then the returned value is false.
///
/// # Errors
///
/// [`crate::selection::BadSelection`] for words that select nothing; or the workspace cannot be read.
pub fn run(root: &Path, words: &[&str]) -> Result<bool> {
    let names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
    let options = Options::parse(words, &names)?;
    let parts = PARTS.iter().filter(|part| options.selection.has(part.name));
    if options.selection.list {
        for part in parts {
            println!("{:<12} {}", part.name, part.about);
        }
        return Ok(true);
    }
    machine::print();
    let context = Context::new(root, &Workspace::load(root)?.target, Effort::Commit, false);
    let bench = Bencher {
        context: &context,
        quick: options.quick,
    };
    Ok(print_table(&bench, parts, options.rounds))
}

/// Measures every part once with next to nothing to measure, and returns true if the table can be printed. A part whose
/// other program is missing is left out.
#[expect(clippy::unnecessary_wraps, reason = "it is a step like the others")]
pub(crate) fn run_quickly(context: &Context) -> Result<bool> {
    let bench = Bencher {
        context,
        quick: true,
    };
    Ok(print_table(&bench, PARTS.iter(), 1))
}

/// Returns false if a part has failed.
fn print_table(bench: &Bencher, parts: impl Iterator<Item = &'static Part>, rounds: usize) -> bool {
    let context = bench.context;
    let begun = Instant::now();
    let mut measured: Vec<Measured> = parts.map(Measured::nothing).collect();
    for round in 1..=rounds {
        for one in &mut measured {
            context.say(format_args!("round {round} of {rounds}: {}", one.part.name));
            one.add_round(bench);
        }
    }
    let minutes = begun.elapsed().as_secs().div_ceil(60);
    context.say(format_args!(
        "\nrounds: {rounds}, in {minutes} min with the builds; each line has the least, the median and the greatest ratio\n"
    ));
    context.say(Row::HEAD);
    let mut is_whole = true;
    for Measured { part, rounds } in measured {
        context.say(format_args!("{}: {}", part.name, part.about));
        let over = |rounds: Vec<Figures>| {
            part.ratios
                .iter()
                .map(|ratio| ratio.over(&rounds))
                .collect()
        };
        let rows: Result<Vec<Row>> = rounds.and_then(over);
        match rows {
            Ok(rows) => rows.iter().for_each(|row| context.say(row)),
            Err(error) if error.is::<Missing>() => context.say(format_args!("  left out: {error}")),
            Err(error) => {
                context.say(format_args!("  failed: {error:#}"));
                is_whole = false;
            }
        }
    }
    is_whole
}

impl Measured {
    fn nothing(part: &'static Part) -> Self {
        Self {
            part,
            rounds: Ok(Vec::new()),
        }
    }

    /// Measures the part once more, unless it has failed.
    fn add_round(&mut self, bench: &Bencher) {
        let Ok(rounds) = &mut self.rounds else {
            return;
        };
        match (self.part.measure)(bench) {
            Ok(figures) => rounds.push(figures),
            Err(error) => self.rounds = Err(error),
        }
    }
}
