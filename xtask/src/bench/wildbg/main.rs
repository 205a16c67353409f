//! Speed of our plays of backgammon and of wildbg's, on the same positions in turn. wildbg lists boards alone, and a
//! board without a play where the turn passes.

use std::fs;
use std::hint::black_box;

use dragontooth_games::backgammon::{Action, Board, Dice, Position};
use dragontooth_games::chance::{Chance, Draws};
use dragontooth_games::{Position as _, Roll as _, Seat, Turn};
use engine::dice::Dice as TheirDice;
use engine::position::{GameState, Position as Theirs, STARTING};

/// wildbg's own benches use it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const POSITIONS: usize = 10_000;
const GAMES: usize = 200;
/// Times that each is measured, in turn.
const ROUNDS: usize = 11;
/// Repetitions that are measured together: the system accounts for time in ticks.
const REPETITIONS: usize = 40;

fn main() {
    let mut chance = Draws::from_text("positions").deal(1);
    let mut ours: Vec<Position> = Vec::new();
    while ours.len() < POSITIONS {
        play(&mut chance, |position| ours.push(*position));
    }
    ours.truncate(POSITIONS);
    let theirs: Vec<(Theirs, TheirDice)> = ours.iter().map(translated).collect();
    check(&ours, &theirs);

    let (mut boards, mut positions): (Vec<Board>, Vec<(Action, Position)>) = Default::default();
    let mut numbers = [Quick(1), Quick(1)];
    let [our_numbers, their_numbers] = &mut numbers;
    // Each returns what it has done, in the unit of its figure.
    let mut all: Vec<(&str, Box<dyn FnMut() -> usize + '_>)> = vec![
        (
            "counted/wildbg",
            Box::new(|| {
                for (position, dice) in &theirs {
                    black_box(position.all_positions_after_moving(dice).len());
                }
                POSITIONS
            }),
        ),
        (
            "counted/ours",
            Box::new(|| {
                for position in &ours {
                    black_box(position.count_legal());
                }
                POSITIONS
            }),
        ),
        (
            "boards/wildbg",
            Box::new(|| {
                for (position, dice) in &theirs {
                    black_box(&*position.all_positions_after_moving(dice));
                }
                POSITIONS
            }),
        ),
        (
            "boards/ours",
            Box::new(|| {
                for position in &ours {
                    boards.clear();
                    position.for_each_next(|_, next| boards.push(*next.board()));
                    black_box(&*boards);
                }
                POSITIONS
            }),
        ),
        (
            "positions/ours",
            Box::new(|| {
                for position in &ours {
                    positions.clear();
                    position.for_each_next(|action, next| positions.push((action, next)));
                    black_box(&*positions);
                }
                POSITIONS
            }),
        ),
        (
            "games/wildbg",
            Box::new(|| (0..GAMES).map(|_| play_theirs(their_numbers)).sum()),
        ),
        (
            "games/ours",
            Box::new(|| {
                let mut plays = 0;
                for _ in 0..GAMES {
                    play(our_numbers, |_| plays += 1);
                }
                plays
            }),
        ),
    ];
    let mut rates = vec![Vec::new(); all.len()];
    for _ in 0..ROUNDS {
        for ((_, measured), rates) in all.iter_mut().zip(&mut rates) {
            let begun = processor_seconds();
            let done: usize = (0..REPETITIONS).map(|_| black_box(measured())).sum();
            rates.push(done as f64 / (processor_seconds() - begun));
        }
    }
    for ((name, _), mut rates) in all.into_iter().zip(rates) {
        rates.sort_by(f64::total_cmp);
        println!("figure plays/{name} {} 1/s", rates[ROUNDS / 2]);
    }
}

/// The time that this thread has had a processor: other programs do not count.
fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").expect("the system lists it");
    let nanoseconds = stat
        .split(' ')
        .next()
        .and_then(|text| text.parse::<u64>().ok());
    nanoseconds.expect("the first is a number") as f64 / 1e9
}

/// Plays a random game without a cube and passes each position with dice to `visit`.
fn play(chance: &mut impl Chance, mut visit: impl FnMut(&Position)) {
    let mut position = Position::match_start(1).expect("there are matches to one point");
    loop {
        match position.turn() {
            Turn::Chance => position.roll(Dice::draw(chance).expect("there are dice")),
            Turn::Pass(_) => {
                visit(&position);
                position.pass();
            }
            Turn::Decide(_) => {
                visit(&position);
                let count = position.count_legal();
                let mut skip = chance.below(u32::try_from(count).expect("there are few plays"));
                let mut chosen = None;
                position.for_each_legal(|action| {
                    if skip == 0 && chosen.is_none() {
                        chosen = Some(action);
                    }
                    skip = skip.saturating_sub(1);
                });
                position.play_unchecked(chosen.expect("the number is below that of the plays"));
            }
            Turn::Over(_) => return,
        }
    }
}

/// Plays a random game and returns its number of plays.
fn play_theirs(chance: &mut impl Chance) -> usize {
    let mut position = STARTING;
    let mut plays = 0;
    let mut dice = loop {
        let dice = Dice::draw(chance).expect("there are dice");
        if !dice.is_double() {
            break dice;
        }
    };
    loop {
        let mut all = position.all_positions_after_moving(&their_dice(dice));
        let chosen = chance.below(u32::try_from(all.len()).expect("there are few plays"));
        position = all.swap_remove(chosen as usize);
        plays += 1;
        if position.game_state() != GameState::Ongoing {
            return plays;
        }
        dice = Dice::draw(chance).expect("there are dice");
    }
}

fn check(ours: &[Position], theirs: &[(Theirs, TheirDice)]) {
    for (ours, (theirs, dice)) in ours.iter().zip(theirs) {
        let Turn::Decide(seat) = ours.turn() else {
            continue;
        };
        let mut next: Vec<[i8; 26]> = Vec::new();
        ours.for_each_next(|_, position| next.push(pips(position.board(), seat)));
        let after = theirs.all_positions_after_moving(dice).into_iter();
        let mut after: Vec<[i8; 26]> = after.map(|one| one.sides_switched().into()).collect();
        next.sort_unstable();
        after.sort_unstable();
        assert_eq!(next, after, "{ours}");
    }
}

fn translated(position: &Position) -> (Theirs, TheirDice) {
    let seat = position.mover().expect("dice are to be played");
    let dice = position.rolled().expect("dice are to be played");
    let board = Theirs::try_from(pips(position.board(), seat)).expect("it is a board");
    (board, their_dice(dice))
}

fn their_dice(dice: Dice) -> TheirDice {
    TheirDice::new(dice.first().into(), dice.second().into())
}

/// The checkers of a side on its points, and those of the other side below zero.
fn pips(board: &Board, seat: Seat) -> [i8; 26] {
    let mut pips = [0; 26];
    for place in 1..=25 {
        let count = |seat| i8::try_from(board.at(seat, place)).expect("there are 15");
        pips[usize::from(place)] += count(seat);
        pips[usize::from(25 - place)] -= count(seat.other());
    }
    pips
}

/// Quick choices, good enough for a measurement (xorshift).
struct Quick(u64);

impl Chance for Quick {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let scaled = ((self.0 >> 32) * u64::from(bound)) >> 32;
        u32::try_from(scaled).expect("the number is below the bound")
    }
}
