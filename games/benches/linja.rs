//! Speed of Linja on one core: counting lines and playing random games.

#[path = "play/act.rs"]
mod act;
#[path = "play/choices.rs"]
mod choices;

use act::play_out;
use choices::Choices;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dragontooth_games::Seat;
use dragontooth_games::linja::Position;
use dragontooth_games::perft::perft;

/// The number of lines of ten moves from the start, as counted by this program.
const LINES_AT_10: u64 = 41_884_307;
/// Number of games in one measurement.
const GAMES: u64 = 10_000;

fn count_lines(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lines of Linja");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(LINES_AT_10));
    group.bench_function("perft 10", |bencher| {
        let start = Position::start(Seat::First);
        bencher.iter(|| assert_eq!(perft(start, 10), LINES_AT_10));
    });
    group.finish();
}

fn play_games(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("random games of Linja");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(GAMES));
    group.bench_function("typed", |bencher| {
        let mut choices = Choices(1);
        bencher.iter(|| {
            (0..GAMES)
                .map(|_| play_out(Position::start(Seat::First), &mut choices))
                .sum::<u64>()
        });
    });
    group.finish();
}

criterion_group!(benches, count_lines, play_games);
criterion_main!(benches);
