use dragontooth_games::linja::Position;
use dragontooth_games::{Position as _, Turn};

use crate::play::{read, rows};

/// Every row of the data file is an action in a position, the position after it, and the next step.
#[test]
fn actions_lead_to_what_the_rules_say() {
    let mut rows_read = 0;
    for [start, action, after, next] in rows(include_str!("data/turns.txt"), " | ") {
        let mut position: Position = read(start);
        if action == "--" {
            assert!(matches!(position.turn(), Turn::Pass(_)), "{start}");
            position.pass();
        } else {
            let action = action.parse().unwrap();
            assert_eq!(position.play(action), Ok(action), "{start}: {action}");
        }
        assert_eq!(position.to_string(), after, "{action} in {start}");
        assert_eq!(describe(position.turn()), next, "{action} in {start}");
        rows_read += 1;
    }
    assert!(rows_read > 30, "only {rows_read} rows");
}

fn describe(turn: Turn) -> String {
    match turn {
        Turn::Chance => panic!("nothing is rolled in this game"),
        Turn::Decide(seat) => format!("{seat} decides"),
        Turn::Pass(seat) => format!("{seat} passes"),
        Turn::Over(outcome) => {
            let winner = outcome
                .winner
                .map_or_else(|| "nobody".to_owned(), |seat| seat.to_string());
            format!("{winner} wins {}: {}", outcome.points, outcome.reason)
        }
    }
}
