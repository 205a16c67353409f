use dragontooth_games::tzaar::{Action, Position};
use dragontooth_games::{IllegalAction as _, Position as _};

use crate::play::{legal, read, rows};

/// Every row of the data file: an action in a position, the rule that forbids it and the facts.
#[test]
fn illegal_actions_name_the_rule_and_the_facts() {
    let mut rules = Vec::new();
    for [start, action, rule, facts] in rows(include_str!("data/refusals.txt"), " | ") {
        let mut position: Position = read(start);
        let action: Action = action.parse().unwrap();
        let before = position;
        let refusal = position.play(action).unwrap_err();
        assert_eq!(
            (refusal.rule(), refusal.to_string().as_str()),
            (rule, facts),
            "{action} in {start}"
        );
        assert_eq!(position, before);
        assert!(!legal(&position).contains(&action.to_string()));
        rules.push(rule);
    }
    rules.sort_unstable();
    rules.dedup();
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
