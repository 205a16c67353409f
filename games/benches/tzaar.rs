//! Speed of TZAAR on one core: counting lines and playing random games.

#[path = "play/act.rs"]
mod act;
#[path = "play/choices.rs"]
mod choices;

use act::{act, play_out};
use choices::Choices;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dragontooth_games::chance::Draws;
use dragontooth_games::perft::perft;
use dragontooth_games::tzaar::Position;
use dragontooth_games::{Position as _, Turn};

/// The number of lines of four actions from the fixed start, as counted by this program.
const LINES_AT_4: u64 = 11_010_135;
/// Number of games in one measurement.
const GAMES: u64 = 10_000;

fn count_lines(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lines of TZAAR");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(LINES_AT_4));
    group.bench_function("perft 4 of the fixed start", |bencher| {
        bencher.iter(|| assert_eq!(perft(Position::fixed(), 4), LINES_AT_4));
    });
    for (name, actions) in [("the middle", 20), ("the end", 36)] {
        let position = position_after(actions);
        let depth = if actions < 30 { 3 } else { 4 };
        let lines = perft(position, depth);
        group.throughput(Throughput::Elements(lines));
        group.bench_function(format!("perft {depth} of {name} of a game"), |bencher| {
            bencher.iter(|| assert_eq!(perft(position, depth), lines));
        });
    }
    group.finish();
}

fn play_games(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("random games of TZAAR");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(GAMES));
    group.bench_function("from the fixed start", |bencher| {
        let mut choices = Choices(1);
        bencher.iter(|| {
            (0..GAMES)
                .map(|_| play_out(Position::fixed(), &mut choices))
                .sum::<u64>()
        });
    });
    group.bench_function("from shuffled starts, with the shuffle", |bencher| {
        let mut choices = Choices(1);
        bencher.iter(|| {
            (0..GAMES)
                .map(|_| {
                    let shuffled = Position::random(&mut choices);
                    play_out(shuffled, &mut choices)
                })
                .sum::<u64>()
        });
    });
    group.finish();
}

/// A position of a random game after `actions` actions, with a decision due.
fn position_after(actions: u32) -> Position {
    let mut games = 0;
    loop {
        games += 1;
        let draws = Draws::from_text(&format!("bench {games}"));
        let mut position = Position::random(&mut draws.deal(1));
        let mut choices = Choices(games);
        let played = (0..actions).all(|_| act(&mut position, &mut choices));
        if played && matches!(position.turn(), Turn::Decide(_)) {
            return position;
        }
    }
}

criterion_group!(benches, count_lines, play_games);
criterion_main!(benches);
