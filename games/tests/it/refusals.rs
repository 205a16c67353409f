use dragontooth_games::kamisado::Action;
use dragontooth_games::{IllegalAction as _, Position as _};

use crate::play::{legal, position, settle};

/// Every row of the data file: an action in a position, the rule that forbids it and the facts.
#[test]
fn illegal_actions_name_the_rule_and_the_facts() {
    let table = include_str!("data/refusals.txt");
    let mut rules = Vec::new();
    for line in table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let cells: Vec<&str> = line.split(" | ").collect();
        let [start, action, rule, facts] = cells[..] else {
            panic!("four cells: {line}")
        };
        let mut current = position(start);
        if rule != "M6" {
            settle(&mut current);
        }
        let action: Action = action.parse().unwrap();
        let before = current;
        let refusal = current.play(action).expect_err(line);
        assert_eq!(
            (refusal.rule(), refusal.to_string().as_str()),
            (rule, facts),
            "{line}"
        );
        assert_eq!(current, before);
        assert!(!legal(&current).contains(&action.to_string()));
        rules.push(rule);
    }
    let expected = [
        "A1", "DS1", "DS4", "DS5", "DS6", "DS7", "DS8", "M1", "M2", "M3", "M5", "M6", "M7", "M8",
        "S1", "S4", "S5", "S6", "S7", "S8", "S9", "T1", "T2", "TS1", "TS4", "TS5", "TS6", "TS7",
        "TS8",
    ];
    rules.sort_unstable();
    rules.dedup();
    assert_eq!(rules, expected, "every rule has a row");
}
