use dragontooth_games::chance::Chance;
use dragontooth_games::{Position, Roll, Turn};

/// Plays the passes and draws the rolls that are due and, if the game is not over, plays a random action.
pub(crate) fn act<P: Position>(position: &mut P, choices: &mut impl Chance) -> bool {
    loop {
        match position.turn() {
            Turn::Pass(_) => position.pass(),
            Turn::Chance => {
                let roll = P::Roll::draw(choices);
                position.roll(roll.expect("a game with rolls has some"));
            }
            Turn::Decide(_) => break,
            Turn::Over(_) => return false,
        }
    }
    let count = u32::try_from(position.count_legal()).expect("there are few actions");
    let mut skip = choices.below(count);
    let mut chosen = None;
    position.for_each_legal(|action| {
        if skip == 0 && chosen.is_none() {
            chosen = Some(action);
        }
        skip = skip.saturating_sub(1);
    });
    position.play_unchecked(chosen.expect("the number is below that of the actions"));
    true
}

/// Plays random actions to the end of the game and returns their number.
pub(crate) fn play_out(mut position: impl Position, choices: &mut impl Chance) -> u64 {
    let mut actions = 0;
    while act(&mut position, choices) {
        actions += 1;
    }
    actions
}
