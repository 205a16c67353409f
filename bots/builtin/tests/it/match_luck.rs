//! The luck in the dice: its mean is 0, and where the evaluation is exact nothing but the skill is left.

use std::collections::BTreeMap;

use dragontooth_bots_builtin::backgammon::{LuckError, MatchLuck};
use dragontooth_games::backgammon::{Dice, Position};
use dragontooth_games::record::{GameRecord, MatchRecord, RecordStep};
use dragontooth_games::{Position as _, Roll as _, Seat, Turn};

fn record(start: &str, steps: Vec<RecordStep>) -> MatchRecord {
    MatchRecord {
        game: "backgammon".to_owned(),
        variant: "standard".to_owned(),
        target: 1,
        games: vec![GameRecord {
            start: start.to_owned(),
            steps,
            thinking: BTreeMap::new(),
            outcome: None,
        }],
        ..MatchRecord::default()
    }
}

fn roll(text: &str) -> RecordStep {
    RecordStep::Roll {
        roll: text.to_owned(),
    }
}

fn luck_of(start: &str, steps: Vec<RecordStep>) -> MatchLuck {
    MatchLuck::of(&record(start, steps)).unwrap()
}

/// Starts on roll: the opening, a contact position, a race, one on the bar; for a match and for money, with the cube
/// in the centre, with either side, and dead.
const STARTS: [&str; 8] = [
    "XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:7:10",
    "XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:1:0:10",
    "XGID=-a-B--D-C---eD---c-db---A-:0:0:1:00:2:3:0:7:10 roll",
    "XGID=-a-B--D-C---eD---c-db---A-:1:-1:1:00:0:0:0:0:10",
    "XGID=-a-B--D-C---eD---c-db---A-:1:1:-1:00:0:0:0:0:10",
    "XGID=aB-BBBB------------bbbcc-A:1:-1:-1:00:4:5:0:7:10",
    "XGID=-BBBBC---------------dddb-:2:-1:1:00:0:0:1:0:10",
    "XGID=-BBBBC---------------dddb-:0:0:1:00:6:6:0:7:10",
];

#[test]
fn the_mean_of_the_luck_of_a_roll_is_nothing() {
    for start in STARTS {
        let lucks: Vec<MatchLuck> = Dice::ALL
            .iter()
            .map(|dice| luck_of(start, vec![roll(&dice.to_string())]))
            .collect();
        let of = |value: &dyn Fn(&MatchLuck) -> f64| {
            let sum: f64 = lucks.iter().map(value).sum();
            let most = lucks
                .iter()
                .map(|luck| value(luck).abs())
                .fold(0.0, f64::max);
            (sum, most)
        };
        let (sum, most) = of(&|luck| luck.chance);
        assert!(sum.abs() < 1e-9 && most > 0.01, "{start}: {sum} {most}");
        let (sum, most) = of(&|luck| luck.points.unwrap_or_default());
        let is_money = start.contains(":0:10");
        assert!(
            sum.abs() < 1e-9 && (most > 0.02) == is_money,
            "{start}: {sum} {most}"
        );
        assert_eq!(lucks[1].points.is_some(), is_money, "{start}");
    }
}

#[test]
fn the_order_of_the_dice_matters_only_in_the_opening() {
    let [opening, .., race] = STARTS;
    let luck = |start, dice| luck_of(start, vec![roll(dice)]).chance;
    assert!((luck(race, "61") - luck(race, "16")).abs() < 1e-12);
    // The first die is that of seat first.
    assert!((luck(opening, "61") + luck(opening, "16")).abs() < 1e-9);
    assert!(luck(opening, "61") > 0.0);
    // A tie changes nothing.
    let tie = luck_of(opening, vec![roll("33")]);
    assert_eq!((tie.rolls, tie.chance), (0, 0.0));
    // The same luck, seen from the other side of a symmetrical race.
    let first = "XGID=-BBB------------------bbb-:0:0:1:00:0:0:0:1:10";
    let second = "XGID=-BBB------------------bbb-:0:0:-1:00:0:0:0:1:10";
    assert!((luck(first, "66") + luck(second, "66")).abs() < 1e-6);
}

/// An end of a game: the score of seat first, its luck, and the probability of the dice.
struct End {
    score: f64,
    luck: f64,
    probability: f64,
}

/// Every end from a position, if each side always plays the first of its legal actions.
fn ends(start: &str) -> Vec<End> {
    let start: Position = start.parse().unwrap();
    let mut open = vec![(start, 0.0, 1.0)];
    let mut ends = Vec::new();
    while let Some((mut position, luck, probability)) = open.pop() {
        match position.turn() {
            Turn::Over(outcome) => ends.push(End {
                score: f64::from(u8::from(outcome.winner == Some(Seat::First))),
                luck,
                probability,
            }),
            Turn::Pass(_) => {
                position.pass();
                open.push((position, luck, probability));
            }
            Turn::Decide(_) => {
                position.play_unchecked(position.legal_actions()[0]);
                open.push((position, luck, probability));
            }
            Turn::Chance => position.for_each_roll(|dice, count| {
                let here = luck_of(&position.to_string(), vec![roll(&dice.to_string())]);
                let mut next = position;
                next.roll(dice);
                let probability = probability * f64::from(count) / 36.0;
                open.push((next, luck + here.chance, probability));
            }),
        }
    }
    let sum: f64 = ends.iter().map(|end| end.probability).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    ends
}

fn mean(ends: &[End], value: impl Fn(&End) -> f64) -> f64 {
    ends.iter().map(|end| end.probability * value(end)).sum()
}

#[test]
fn an_exact_evaluation_leaves_only_the_probability_to_win() {
    // A checker each, six points away. 27 of the 36 rolls bear it off, and the next roll does in any case.
    let ends = ends("XGID=------A------------a------:0:0:1:00:0:0:0:1:10");
    let miss = 9.0 / 36.0;
    let expected = 1.0 - miss + miss * miss;
    for end in &ends {
        let adjusted = end.score - end.luck;
        assert!((adjusted - expected).abs() < 1e-5, "{adjusted} {expected}");
    }
}

/// Whatever is played, and however the evaluation judges it.
#[test]
fn the_mean_of_the_adjusted_results_is_that_of_the_results() {
    for start in [
        "XGID=------B------------a------:0:0:1:00:0:0:0:1:10",
        "XGID=-----AA-----------a-------:0:0:-1:00:0:0:0:1:10",
    ] {
        let ends = ends(start);
        let [raw, adjusted] = [
            mean(&ends, |end| end.score),
            mean(&ends, |end| end.score - end.luck),
        ];
        assert!((adjusted - raw).abs() < 1e-9, "{start}: {adjusted} {raw}");
        let luck = mean(&ends, |end| end.luck * end.luck);
        assert!(luck > 0.01, "{start}: {luck}");
    }
}

#[test]
fn other_games_and_broken_records_have_no_luck() {
    let kamisado = MatchRecord {
        game: "kamisado".to_owned(),
        ..MatchRecord::default()
    };
    assert_eq!(
        MatchLuck::of(&kamisado),
        Err(LuckError::Game("kamisado".to_owned()))
    );
    let start = STARTS[0];
    let broken = |start: &str, steps| {
        MatchLuck::of(&record(start, steps))
            .unwrap_err()
            .to_string()
    };
    assert!(broken("here", Vec::new()).starts_with("step 0 of game 1: \"here\": "));
    assert!(broken(start, vec![roll("77")]).starts_with("step 1 of game 1: \"77\": "));
    assert_eq!(
        broken(start, vec![roll("31"), roll("31")]),
        "step 2 of game 1: a different step is due"
    );
    let action = RecordStep::Action {
        seat: Seat::First,
        action: "24/18".to_owned(),
    };
    assert_eq!(
        broken(start, vec![roll("31"), action]),
        "step 2 of game 1: 24 to 18 cannot be played with 31: no die shows that"
    );
}
