#![expect(clippy::print_stdout, reason = "the table is the product")]

use std::path::Path;

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

/// A part with its figures of each round, or the reason why it is left out.
struct Measured {
    part: &'static Part,
    rounds: Result<Vec<Figures>, Missing>,
}

/// Measures the parts that `words` select and prints the table. In each round every part is measured once.
/// A part whose other program is missing is left out, with a line that says so.
///
/// # Errors
///
/// [`crate::selection::BadSelection`] for words that select nothing; or a bench fails or lacks a figure.
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
    print_table(&bench, parts, options.rounds)?;
    Ok(true)
}

/// Measures every part once with next to nothing to measure: shows that the table can be printed. A part whose other
/// program is missing is left out.
///
/// # Errors
///
/// A bench fails or lacks a figure.
pub(crate) fn run_quickly(context: &Context) -> Result<bool> {
    let bench = Bencher {
        context,
        quick: true,
    };
    print_table(&bench, PARTS.iter(), 1)?;
    Ok(true)
}

fn print_table(
    bench: &Bencher,
    parts: impl Iterator<Item = &'static Part>,
    rounds: usize,
) -> Result<()> {
    let context = bench.context;
    let mut measured: Vec<Measured> = parts.map(Measured::nothing).collect();
    for round in 1..=rounds {
        for one in &mut measured {
            context.say(format_args!("round {round} of {rounds}: {}", one.part.name));
            one.add_round(bench)?;
        }
    }
    context.say("");
    context.say(Row::HEAD);
    for Measured { part, rounds } in measured {
        context.say(format_args!("{}: {}", part.name, part.about));
        match rounds {
            Ok(rounds) => {
                for ratio in part.ratios {
                    context.say(ratio.over(&rounds)?);
                }
            }
            Err(missing) => context.say(format_args!("  left out: {missing}")),
        }
    }
    Ok(())
}

impl Measured {
    fn nothing(part: &'static Part) -> Self {
        Self {
            part,
            rounds: Ok(Vec::new()),
        }
    }

    fn add_round(&mut self, bench: &Bencher) -> Result<()> {
        let Ok(rounds) = &mut self.rounds else {
            return Ok(());
        };
        match (self.part.measure)(bench) {
            Ok(figures) => rounds.push(figures),
            Err(error) => self.rounds = Err(error.downcast()?),
        }
        Ok(())
    }
}
