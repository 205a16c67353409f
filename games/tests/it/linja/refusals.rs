use dragontooth_games::linja::Position;

use crate::play::refused;

/// Every row of the data file is an action in a position, the rule that forbids it, and the facts.
#[test]
fn illegal_actions_name_the_rule_and_the_facts() {
    let rules = refused::<Position>(include_str!("data/refusals.txt"), |_, _| {});
    let expected = [
        "first_move",
        "forward",
        "frozen",
        "full_row",
        "game_over",
        "no_piece",
        "own_piece",
        "pass",
        "second_move",
    ];
    assert_eq!(rules, expected, "every rule has a row");
}
