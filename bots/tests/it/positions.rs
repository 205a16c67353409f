//! Positions of random matches.

use dragontooth_bots::search::SplitMix64;
use dragontooth_games::catalogue;
use dragontooth_games::chance::Chance;
use dragontooth_games::kamisado::Position;
use dragontooth_games::match_play::Step;

/// The positions in which a seat decides of so many random matches to fifteen points: first moves,
/// refills and towers of every rank are among them.
pub(crate) fn of_matches(count: u64) -> Vec<Position> {
    (0..count).flat_map(of_match).collect()
}

fn of_match(seed: u64) -> Vec<Position> {
    let mut chance = SplitMix64::new(seed);
    let mut played = catalogue::find("kamisado")
        .unwrap()
        .new_match(Some("random"), 15)
        .unwrap();
    let mut positions = Vec::new();
    loop {
        match played.step() {
            Step::Deal => {
                let opening = played.deal(&mut chance);
                played.begin_game(&opening).unwrap();
            }
            Step::Decide(_) => {
                positions.push(played.position().unwrap().parse().unwrap());
                let actions = played.legal_actions();
                let choice = chance.below(u32::try_from(actions.len()).unwrap());
                played.play(&actions[choice as usize]).unwrap();
            }
            Step::Pass(_) => played.pass().unwrap(),
            Step::Score(_) => played.score_game().unwrap(),
            Step::Over(_) => return positions,
        }
    }
}
