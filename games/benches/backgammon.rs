//! Speed of backgammon on one core: listing legal plays and playing random games.

#[path = "play/choices.rs"]
mod choices;

use choices::Choices;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dragontooth_games::backgammon::{Dice, Position};
use dragontooth_games::chance::Chance;
use dragontooth_games::{Position as _, Roll as _, Turn};

/// Number of random positions in one measurement of listing plays.
const POSITIONS: usize = 10_000;
/// Number of games in one measurement.
const GAMES: u64 = 1_000;

fn list_plays(criterion: &mut Criterion) {
    let mut choices = Choices(1);
    let mut positions = Vec::new();
    while positions.len() < POSITIONS {
        play_game(&mut choices, |position| positions.push(*position));
    }
    positions.truncate(POSITIONS);
    let mut group = criterion.benchmark_group("lists of legal plays");
    group.throughput(Throughput::Elements(POSITIONS as u64));
    group.bench_function("positions of random games", |bencher| {
        bencher.iter(|| positions.iter().map(Position::count_legal).sum::<usize>());
    });
    group.bench_function("with the board after each", |bencher| {
        bencher.iter(|| {
            let mut sum = 0;
            for position in &positions {
                position.for_each_next(|_, next| {
                    sum += u32::from(next.board().at(dragontooth_games::Seat::First, 6));
                });
            }
            sum
        });
    });
    group.finish();
}

fn play_games(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("random games");
    group
        .sample_size(20)
        .throughput(Throughput::Elements(GAMES));
    group.bench_function("typed", |bencher| {
        let mut choices = Choices(1);
        bencher.iter(|| {
            let mut plays = 0;
            for _ in 0..GAMES {
                play_game(&mut choices, |_| plays += 1);
            }
            plays
        });
    });
    group.finish();
}

/// Plays one game without a cube to its end and passes each position with dice to play to `visit`.
fn play_game(choices: &mut Choices, mut visit: impl FnMut(&Position)) {
    let mut position = Position::match_start(1).expect("there are matches to one point");
    loop {
        match position.turn() {
            Turn::Chance => {
                let dice = Dice::draw(choices).expect("there are dice");
                position.roll(dice);
            }
            Turn::Pass(_) => {
                visit(&position);
                position.pass();
            }
            Turn::Decide(_) => {
                visit(&position);
                let mut chosen = None;
                let mut seen = 0;
                position.for_each_legal(|action| {
                    seen += 1;
                    if choices.below(seen) == 0 {
                        chosen = Some(action);
                    }
                });
                position.play_unchecked(chosen.expect("the seat has a legal action"));
            }
            Turn::Over(_) => return,
        }
    }
}

criterion_group!(benches, list_plays, play_games);
criterion_main!(benches);
