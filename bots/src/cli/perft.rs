use dragontooth_games::analysis::Start;
use dragontooth_games::catalogue;

use super::arguments::Perft;
use super::failure::Failure;
use super::{Exit, output};

/// Counts the lines of play of a length.
pub(super) fn run(arguments: &Perft) -> Result<Exit, Failure> {
    let game = catalogue::find(&arguments.game).map_err(Failure::usage)?;
    let start = Start {
        variant: arguments.variant.as_deref(),
        position: arguments.position.as_deref(),
        seed: &arguments.seed,
    };
    let division = game
        .divide(&start, arguments.depth)
        .map_err(Failure::usage)?;
    output::write(|output| {
        if arguments.divide {
            for (action, lines) in &division.parts {
                writeln!(output, "{action} {lines}")?;
            }
        }
        writeln!(output, "{}", division.total)
    })
}
