use dragontooth_games::kamisado::Position;

use crate::play::{refused, settle};

/// Every row of the data file is an action in a position, the rule that forbids it, and the facts.
#[test]
fn illegal_actions_name_the_rule_and_the_facts() {
    let table = include_str!("data/refusals.txt");
    // Plays the pass that is due first, unless the pass is the rule in question.
    let rules = refused::<Position>(table, |position, rule| {
        if rule != "M6" {
            settle(position);
        }
    });
    let expected = [
        "A1", "DS1", "DS4", "DS5", "DS6", "DS7", "DS8", "M1", "M2", "M3", "M5", "M6", "M7", "M8",
        "S1", "S4", "S5", "S6", "S7", "S8", "S9", "T1", "T2", "TS1", "TS4", "TS5", "TS6", "TS7",
        "TS8",
    ];
    assert_eq!(rules, expected, "every rule has a row");
}
