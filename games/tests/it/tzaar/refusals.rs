use dragontooth_games::tzaar::Position;

use crate::play::refused;

/// Every row of the data file is an action in a position, the rule that forbids it, and the facts.
#[test]
fn illegal_actions_name_the_rule_and_the_facts() {
    let rules = refused::<Position>(include_str!("data/refusals.txt"), |_, _| {});
    let expected = [
        "capture_enemy",
        "capture_first",
        "crossing",
        "empty",
        "game_over",
        "height",
        "hole",
        "jump",
        "no_placement",
        "no_unit",
        "occupied",
        "opening",
        "own_unit",
        "placement",
        "stack_own",
        "stack_second",
        "straight",
        "supply",
    ];
    assert_eq!(rules, expected, "every rule has a row");
}
