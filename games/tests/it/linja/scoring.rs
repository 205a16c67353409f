use dragontooth_games::linja::{DEADLOCK, Position, SEPARATED};
use dragontooth_games::{GameOutcome, Position as _, Seat, Turn};

use crate::play::{outcome, read};

#[test]
fn the_figure_of_the_leaflet() {
    let over: Position = read("0,0,0,0,1,3,3,5/6,4,2,0,0,0,0,0 b 1");
    assert_eq!([41, 46], Seat::BOTH.map(|seat| over.score(seat)));
    let expected = GameOutcome {
        winner: Some(Seat::Second),
        points: 1,
        reason: SEPARATED,
    };
    assert_eq!(outcome(&over), expected);
}

#[test]
fn every_row_scores_for_its_side_alone() {
    let score = |text: &str| {
        let position: Position = read(text);
        Seat::BOTH.map(|seat| position.score(seat))
    };
    assert_eq!(score("6,1,1,1,1,1,1,0/0,1,1,1,1,1,1,6 r 1"), [6, 6]);
    assert_eq!(score("0,0,0,0,0,0,0,12/12,0,0,0,0,0,0,0 r 1"), [60, 60]);
    assert_eq!(score("12,0,0,0,0,0,0,0/0,0,0,0,0,0,0,12 r 1"), [0, 0]);
    assert_eq!(score("0,0,0,0,6,6,0,0/0,0,6,6,0,0,0,0 r 1"), [18, 18]);
    assert_eq!(score("0,5,5,2,0,0,0,0/0,0,0,0,2,5,5,0 r 1"), [0, 0]);
}

#[test]
fn equal_points_are_a_draw() {
    let over: Position = read("0,0,0,0,6,0,0,6/6,0,0,6,0,0,0,0 r 1");
    let drawn = GameOutcome {
        winner: None,
        points: 0,
        reason: SEPARATED,
    };
    assert_eq!(outcome(&over), drawn);
    let stuck: Position = read("0,0,0,0,0,6,0,6/6,0,0,0,0,0,6,0 b 1");
    assert_eq!(
        [stuck.score(Seat::First), stuck.score(Seat::Second)],
        [42, 30]
    );
    let expected = GameOutcome {
        winner: Some(Seat::First),
        points: 1,
        reason: DEADLOCK,
    };
    assert_eq!(outcome(&stuck), expected);
}

/// Pieces side by side on a row have not passed each other.
#[test]
fn pieces_sharing_a_row_keep_the_game_going() {
    let text = "0,0,0,1,5,0,0,6/6,0,0,5,1,0,0,0 r 1";
    assert!(matches!(
        read::<Position>(text).turn(),
        Turn::Decide(Seat::First)
    ));
    let text = "0,0,0,1,5,0,0,6/6,0,1,5,0,0,0,0 r 1";
    assert!(matches!(
        read::<Position>(text).turn(),
        Turn::Decide(Seat::First)
    ));
    let text = "0,0,0,0,6,0,0,6/6,0,1,5,0,0,0,0 r 1";
    assert!(matches!(read::<Position>(text).turn(), Turn::Over(_)));
}
