use dragontooth_games::backgammon::{Action, Position};
use dragontooth_games::{IllegalAction as _, Position as _};

use crate::play::{read, rows};

/// Every row of the data file is an action in a position, the rule that forbids it, and the facts.
#[test]
fn illegal_actions_name_the_rule_and_the_facts() {
    let mut rules = Vec::new();
    let mut faults = Vec::new();
    for [start, action, rule, facts] in rows(include_str!("data/refusals.txt"), " | ") {
        let mut position: Position = read(start);
        let tried: Action = action.parse().unwrap();
        let before = position;
        match position.play(tried) {
            Ok(played) => faults.push(format!("{start} | {action} is played as {played}")),
            Err(refusal) => {
                let found = (refusal.rule(), refusal.to_string());
                if (found.0, &*found.1) != (rule, facts) {
                    faults.push(format!("{start} | {action} | {} | {}", found.0, found.1));
                }
            }
        }
        assert_eq!(position, before);
        assert!(position.check(tried).is_err());
        assert!(!position.legal_actions().contains(&tried));
        rules.push(rule);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    rules.sort_unstable();
    rules.dedup();
    let expected = [
        "all_home",
        "all_of_double",
        "ambiguous",
        "bar_first",
        "before_the_roll",
        "blocked",
        "both_dice",
        "checker_behind",
        "crawford",
        "cube_owner",
        "dead_cube",
        "decision",
        "dice",
        "direction",
        "drop_to_resign",
        "game_over",
        "higher_resignation",
        "highest_cube",
        "hit_mark",
        "larger_die",
        "own_checker",
        "pass",
    ];
    assert_eq!(rules, expected, "every rule has a row");
}
