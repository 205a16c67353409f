//! How fast Linja is on one core: lines counted, and random games played.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dragontooth_games::chance::Chance;
use dragontooth_games::linja::Position;
use dragontooth_games::perft::perft;
use dragontooth_games::{Position as _, Seat, Turn};

/// The lines of ten moves from the start, as this program counts them.
const LINES_AT_10: u64 = 41_884_307;
/// Games in one measurement.
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
        bencher.iter(|| (0..GAMES).map(|_| play_game(&mut choices)).sum::<u64>());
    });
    group.finish();
}

/// Plays one game and gives the number of its moves.
fn play_game(choices: &mut Choices) -> u64 {
    let mut position = Position::start(Seat::First);
    let mut moves = 0;
    loop {
        position.settle();
        let Turn::Decide(_) = position.turn() else {
            return moves;
        };
        let count = u32::try_from(position.count_legal()).expect("there are at most 7 moves");
        let mut skip = choices.below(count);
        let mut chosen = None;
        position.for_each_legal(|action| {
            if skip == 0 && chosen.is_none() {
                chosen = Some(action);
            }
            skip = skip.saturating_sub(1);
        });
        position.play_unchecked(chosen.expect("the number is below that of the moves"));
        moves += 1;
    }
}

/// Quick choices, good enough for a measurement (xorshift).
struct Choices(u64);

impl Chance for Choices {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let scaled = ((self.0 >> 32) * u64::from(bound)) >> 32;
        u32::try_from(scaled).expect("the number is below the bound")
    }
}

criterion_group!(benches, count_lines, play_games);
criterion_main!(benches);
