//! The worked examples of the rulebook, with complete positions.

use dragontooth_games::kamisado::{DEADLOCK, HOME_ROW, Position};
use dragontooth_games::{GameOutcome, IllegalAction as _, Position as _, Seat, Turn};

use crate::play::{legal, outcome, play, position};

fn refused(position: &Position, action: &str) -> &'static str {
    position.check(action.parse().unwrap()).unwrap_err().rule()
}

/// Figures 1 and 2: pink and red open, and the colours lead from tower to tower.
#[test]
fn openings() {
    let start = Position::standard();
    let of = |file: char| -> Vec<String> {
        legal(&start)
            .split(' ')
            .filter(|a| a.starts_with(file))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(
        of('e').join(" "),
        "e1d2 e1e2 e1f2 e1c3 e1e3 e1g3 e1b4 e1e4 e1h4 e1a5 e1e5 e1e6 e1e7"
    );
    assert_eq!(of('c').len(), 6 + 2 + 5);
    let (after, passes) = play(start, "c1c5 b8b5");
    assert!(passes.is_empty());
    assert!(after.to_string().ends_with(" b m"), "b5 is purple: {after}");
}

/// Figure 4: a blocked tower, and the move after it wins.
#[test]
fn one_pass() {
    let (after, passes) = play(Position::standard(), "d1d7 g8b3");
    assert_eq!(passes, [Seat::First], "yellow is blocked on d7");
    assert_eq!(after.turn(), Turn::Decide(Seat::Second), "d7 is green");
    let (end, _) = play(after, "b3d1");
    let winner = Some(Seat::Second);
    assert_eq!(
        outcome(&end),
        GameOutcome {
            winner,
            points: 1,
            reason: HOME_ROW
        }
    );
}

/// Figure 5: pass and pass, then a move, another pass, and the move that wins.
#[test]
fn two_passes_then_one() {
    let (after, passes) = play(Position::standard(), "g1a7 f8f3 h1h7 c8h3 b1b7");
    assert_eq!(passes, [Seat::Second, Seat::First]);
    assert_eq!(after.turn(), Turn::Decide(Seat::Second));
    let (after, passes) = play(after, "h3g2");
    assert_eq!(passes, [Seat::First]);
    let (end, _) = play(after, "g2g1");
    assert_eq!(outcome(&end).winner, Some(Seat::Second));
}

#[test]
fn figure_6_deadlock() {
    let start = position("8/L4Gl1/8/rYOP1R2/b3pBm1/g1M5/3y3o/8 w l");
    assert_eq!(legal(&start), "a7a6 a7b6");
    let (after, _) = play(start, "a7a6");
    assert_eq!(legal(&after), "a3b4");
    let (end, passes) = play(after, "a3b4");
    assert_eq!(passes, [Seat::Second, Seat::First]);
    let winner = Some(Seat::Second);
    assert_eq!(
        outcome(&end),
        GameOutcome {
            winner,
            points: 1,
            reason: DEADLOCK
        }
    );
    let tower = end.deciding_tower().unwrap();
    assert_eq!((tower.seat, tower.colour.letter()), (Seat::Second, 'r'));
    assert_eq!(end.to_string(), "8/5Gl1/L7/rYOP1R2/bg2pBm1/2M5/3y3o/8 w r");
}

#[test]
fn figure_8_sumo() {
    let start = position("OL1PYRGB/8/M+7/r7/8/8/8/bg1ypoml b o");
    let (after, _) = play(start, "f1d3");
    assert_eq!(legal(&after), "a6c4 a6a5 a6b5");
    let (pushed, passes) = play(after, "a6a5");
    assert!(passes.is_empty(), "the opponent's turn is lost, not passed");
    assert_eq!(pushed.to_string(), "OL1PYRGB/8/8/M+7/r7/3o4/8/bg1yp1ml w y");

    let (after, _) = play(start, "f1b5");
    assert_eq!(legal(&after), "a6a5", "the only move is forced");
    let (pushed, _) = play(after, "a6a5");
    assert_eq!(pushed.to_string(), "OL1PYRGB/8/8/M+o6/r7/8/8/bg1yp1ml w y");
    assert!(legal(&pushed).starts_with("e8"));
}

#[test]
fn figure_9_double() {
    let start = position("1RG3MO/8/P2Y+4/3LBp+2/3g++4/8/8/b1ry1mlo w p");
    let (after, _) = play(start, "a6c4");
    assert_eq!(legal(&after), "d4c5 d4d5 d4b6 d4a7");
    let (pushed, _) = play(after, "d4d5");
    assert_eq!(
        pushed.to_string(),
        "1RG3MO/3Y+4/3L4/3g++Bp+2/2P5/8/8/b1ry1mlo b g"
    );

    let (end, _) = play(pushed, "d5a8");
    let winner = Some(Seat::First);
    assert_eq!(
        outcome(&end),
        GameOutcome {
            winner,
            points: 4,
            reason: HOME_ROW
        }
    );

    let (pushed, _) = play(pushed, "d5d6");
    assert_eq!(
        pushed.to_string(),
        "1RGY+2MO/3L4/3g++4/4Bp+2/2P5/8/8/b1ry1mlo b p"
    );
    let (end, _) = play(pushed, "f5f8");
    assert_eq!(
        outcome(&end),
        GameOutcome {
            winner,
            points: 2,
            reason: HOME_ROW
        }
    );
}

#[test]
fn figure_10_triple() {
    let start = position("O2P1RGB/7L++/3Y+++3y+/3o4/3b4/2Mg++4/8/1r++2pml1 b r");
    let (after, _) = play(start, "b1b3");
    assert_eq!(legal(&after), "d6c5 d6d5 d6e5");
    assert_eq!(refused(&after, "d6a3"), "TS1");
    let (pushed, _) = play(after, "d6d5");
    assert_eq!(
        pushed.to_string(),
        "O2P1RGB/7L++/7y+/3Y+++4/3o4/1r++Mb4/3g++4/4pml1 w l",
        "green lands on d2, blue"
    );
    let (pushed, _) = play(pushed, "h7h6");
    assert!(
        pushed.to_string().ends_with(" w y"),
        "yellow lands on h5, yellow"
    );
    let (pushed, _) = play(pushed, "d5d4");
    assert_eq!(
        pushed.to_string(),
        "O2P1RGB/8/7L++/7y+/3Y+++4/1r++Mo4/3b4/3g++pml1 w y",
        "green lands on d1, yellow"
    );
    assert_eq!(refused(&pushed, "d4d3"), "TS6");
    assert_eq!(refused(&pushed, "d4f2"), "TS1");
    assert_eq!(legal(&pushed), "d4e3", "c3 is taken by White's purple");
    assert_eq!(refused(&pushed, "d4c3"), "M3");
    let (after, _) = play(pushed, "d4e3");
    assert!(after.to_string().ends_with(" b r"), "e3 is red");
}

/// The end of figure 10: a triple sumo reaches the home row.
#[test]
fn a_triple_wins_eight_points() {
    let (end, _) = play(position("OL1PRMGB/8/8/8/b7/8/1Y+++6/1gryopml w y"), "b2a1");
    let winner = Some(Seat::Second);
    assert_eq!(
        outcome(&end),
        GameOutcome {
            winner,
            points: 8,
            reason: HOME_ROW
        }
    );
}
