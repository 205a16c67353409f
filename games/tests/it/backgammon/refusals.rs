use dragontooth_games::backgammon::Position;
use dragontooth_games::{Position as _, Turn};

use crate::play::refused;

/// Every row of the data file is an action in a position, the rule that forbids it, and the facts.
#[test]
fn illegal_actions_name_the_rule_and_the_facts() {
    let rules = refused::<Position>(include_str!("data/refusals.txt"), |_, _| {});
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

/// Of all boards with both sides on the bar and checkers on all points of both home boards, those are refused from which no roll leads on.
#[test]
fn a_board_from_which_nobody_can_move_is_refused() {
    let home = |bits: u8, letters: [char; 2]| -> String {
        let block = |point: u8| usize::from((bits >> point) & 1 == 1);
        (0..6).map(|point| letters[block(point)]).collect()
    };
    let mut locked = 0;
    for first in 0..64 {
        for second in 0..64 {
            let (own, other) = (home(first, ['A', 'B']), home(second, ['a', 'b']));
            let board = format!("a{own}------------{other}A");
            let scene =
                |mover: i8, die: u8| format!("XGID={board}:0:0:{mover}:{die}{die}:0:0:0:1:10");
            let movers = [1, -1].into_iter();
            let rolls = movers.flat_map(|mover| (1..=6).map(move |die| (mover, die)));
            let mut reads = rolls.map(|(mover, die)| scene(mover, die).parse::<Position>());
            if first == 63 && second == 63 {
                let refused = reads.all(|read| {
                    read.is_err_and(|fault| {
                        fault.to_string().contains("neither side can ever move")
                    })
                });
                assert!(refused, "{board}");
                locked += 1;
            } else {
                let goes_on = reads.any(|read| matches!(read.unwrap().turn(), Turn::Decide(_)));
                assert!(goes_on, "{board}");
            }
        }
    }
    assert_eq!(locked, 1);
}
