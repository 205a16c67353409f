use dragontooth_games::linja::Position;

use crate::play::turns;

/// Every row of the data file is an action in a position, the position after it, and the next step.
#[test]
fn actions_lead_to_what_the_rules_say() {
    let rows_read = turns::<Position>(include_str!("data/turns.txt"));
    assert!(rows_read > 30, "only {rows_read} rows");
}
