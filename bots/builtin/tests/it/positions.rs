//! Positions of random matches.

use dragontooth_bots_builtin::search::SplitMix64;
use dragontooth_games::chance::Chance;
use dragontooth_games::match_play::Step;
use dragontooth_games::{Position, catalogue, kamisado};

/// A decision of a random match.
pub(crate) struct Decision {
    pub(crate) position: String,
    pub(crate) legal: Vec<String>,
}

/// The decisions of a random match.
pub(crate) fn of_match(game: &str, variant: &str, target: u32, seed: u64) -> Vec<Decision> {
    let mut chance = SplitMix64::new(seed);
    let game = catalogue::find(game).unwrap();
    let mut played = game.new_match(Some(variant), target).unwrap();
    let mut decisions = Vec::new();
    loop {
        match played.step() {
            Step::Chance => {
                let roll = played.draw(&mut chance);
                played.roll(&roll).unwrap();
            }
            Step::Deal => {
                let opening = played.deal(&mut chance);
                played.begin_game(&opening).unwrap();
            }
            Step::Decide(_) => {
                let legal = played.legal_actions();
                let choice = chance.below(u32::try_from(legal.len()).unwrap()) as usize;
                let position = played.position().unwrap();
                played.play(&legal[choice]).unwrap();
                decisions.push(Decision { position, legal });
            }
            Step::Pass(_) => played.pass().unwrap(),
            Step::Score(_) => played.score_game().unwrap(),
            Step::Over { .. } => return decisions,
        }
    }
}

/// The positions of the decisions of `matches` random matches to one point.
pub(crate) fn of_games<P: Position>(game: &str, variant: &str, count: u64) -> Vec<P> {
    (0..count)
        .flat_map(|seed| of_match(game, variant, 1, seed))
        .map(|decision| decision.position.parse().unwrap())
        .collect()
}

/// The positions in which a seat decides in random matches of Kamisado to fifteen points. First moves,
/// refills and towers of every rank are among them.
pub(crate) fn of_matches(count: u64) -> Vec<kamisado::Position> {
    (0..count)
        .flat_map(|seed| of_match("kamisado", "random", 15, seed))
        .map(|decision| decision.position.parse().unwrap())
        .collect()
}
