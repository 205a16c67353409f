//! The command `openings`: makes a book.

use dragontooth_bots_builtin::book::{self, BookPlan, MAX_CANDIDATES};
use dragontooth_games::counted;
use dragontooth_games::record::opening_text;

use super::arguments::Openings;
use super::failure::Failure;
use super::{Exit, output};

/// Candidates for each opening of the book, unless their number is given.
const CANDIDATES_PER_OPENING: usize = 10;

/// Makes a book and writes it, with the command that makes it again in its first lines.
pub(super) fn run(arguments: &Openings) -> Result<Exit, Failure> {
    let count = arguments.count;
    let by_default = count
        .saturating_mul(CANDIDATES_PER_OPENING)
        .min(MAX_CANDIDATES);
    let candidates = arguments.candidates.unwrap_or(by_default);
    if candidates < count {
        return Err(Failure::usage(format_args!(
            "--candidates {candidates} is less than --count {count}"
        )));
    }
    let plan = BookPlan {
        variant: arguments.variant.clone(),
        plies: arguments.plies,
        openings: count,
        candidates,
        nodes: arguments.nodes,
        seed: arguments.seed,
    };
    let made = book::make(&arguments.game, &plan).map_err(Failure::usage)?;
    let (game, variant) = (&arguments.game, made.variant);
    let BookPlan {
        plies, nodes, seed, ..
    } = plan;
    output::write(|output| {
        writeln!(
            output,
            "# {game}, {variant}: {} of {}, the most even of {candidates} by a search of {}",
            counted(count, "opening"),
            counted(plies, "ply"),
            counted(nodes, "position")
        )?;
        writeln!(
            output,
            "# dragontooth-bot openings {game} --variant {variant} --plies {plies} --count {count} --candidates \
             {candidates} --nodes {nodes} --seed {seed}"
        )?;
        for opening in &made.openings {
            writeln!(output, "{}", opening_text(opening))?;
        }
        Ok(())
    })
}
