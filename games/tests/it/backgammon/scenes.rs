//! Random boards of the kinds in which the rules about whole turns matter.

use dragontooth_games::Seat;
use dragontooth_games::backgammon::{Board, Dice};

use crate::strategies::Choices;

/// Kinds of boards.
pub(crate) const KINDS: [&str; 6] = ["anywhere", "prime", "bar", "bear-off", "few", "blots"];

/// A board of this kind and dice.
pub(crate) fn scene(kind: &str, choices: &mut Choices) -> (Board, Dice) {
    loop {
        let mut places = [[0; 26]; 2];
        fill(kind, choices, &mut places);
        let dice = Dice::all().nth(choices.below(36)).unwrap();
        if let Ok(board) = Board::new(places)
            && Seat::BOTH.into_iter().all(|seat| board.at(seat, 0) < 15)
        {
            return (board, dice);
        }
    }
}

fn fill(kind: &str, choices: &mut Choices, places: &mut [[u8; 26]; 2]) {
    let [own, other] = places;
    // The opponent numbers the points 25 minus the mover's.
    let stacks = match kind {
        "prime" => 6,
        "few" => 7,
        "bar" => 4,
        _ => choices.below(5),
    };
    let first = 1 + choices.below(if kind == "bar" { 3 } else { 18 });
    for point in first..first + stacks {
        if choices.below(8) > 0 {
            other[25 - point] = 2;
        }
    }
    let (count, range) = match kind {
        "bear-off" => (1 + choices.below(15), 7),
        "few" => (1 + choices.below(3), 25),
        _ => (15, 24),
    };
    for _ in 0..count {
        own[1 + choices.below(range)] += 1;
    }
    if kind == "bar" {
        own[25] += 1 + u8::try_from(choices.below(3)).unwrap();
    }
    let blots = if kind == "blots" {
        10
    } else {
        choices.below(4)
    };
    for _ in 0..blots {
        other[1 + choices.below(25)] += 1;
    }
    for point in 1..=24 {
        if own[point] > 0 && other[25 - point] > 0 {
            if choices.below(2) == 0 {
                own[point] = 0;
            } else {
                other[25 - point] = 0;
            }
        }
    }
    for side in [own, other] {
        while side.iter().map(|count| u32::from(*count)).sum::<u32>() > 15 {
            let place = 1 + choices.below(25);
            side[place] = side[place].saturating_sub(1);
        }
    }
}

/// A position, as text, in which this seat plays these dice.
pub(crate) fn position_text(board: &Board, seat: Seat, dice: Dice) -> String {
    let player = u8::from(seat == Seat::First);
    // A one-point match, the cube in the centre, a game in progress, the dice.
    let bits = [
        (0, 4),
        (3, 2),
        (player, 1),
        (0, 1),
        (1, 3),
        (player, 1),
        (0, 3),
        (dice.first(), 3),
        (dice.second(), 3),
        (1, 15),
        (0, 36),
    ];
    let bits: Vec<bool> = bits
        .into_iter()
        .flat_map(|(value, size)| (0..size).map(move |place| place < 8 && value >> place & 1 == 1))
        .collect();
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bit = |index: usize| bits[index / 8 * 8 + 7 - index % 8];
    let letters = (0..12).map(|letter| {
        let value = (0..6).fold(0, |value, at| 2 * value + usize::from(bit(6 * letter + at)));
        char::from(letters[value])
    });
    format!(
        "{}:{}",
        board.position_id(seat),
        letters.collect::<String>()
    )
}
