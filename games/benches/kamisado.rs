//! Speed of Kamisado on one core: counting lines and playing random games.

#[path = "play/act.rs"]
mod act;
#[path = "play/choices.rs"]
mod choices;

use act::play_out;
use choices::Choices;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dragontooth_games::kamisado::Position;
use dragontooth_games::perft::perft;

/// The number of positions after eight moves, from the rules page.
const LINES_AT_8: u64 = 434_946_528;
/// Number of games in one measurement.
const GAMES: u64 = 10_000;

fn count_lines(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lines");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(LINES_AT_8));
    group.bench_function("perft 8", |bencher| {
        bencher.iter(|| assert_eq!(perft(Position::standard(), 8), LINES_AT_8));
    });
    group.finish();
}

fn play_games(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("random games");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(GAMES));
    group.bench_function("typed", |bencher| {
        let mut choices = Choices(1);
        bencher.iter(|| {
            (0..GAMES)
                .map(|_| play_out(Position::standard(), &mut choices))
                .sum::<u64>()
        });
    });
    group.finish();
}

criterion_group!(benches, count_lines, play_games);
criterion_main!(benches);
