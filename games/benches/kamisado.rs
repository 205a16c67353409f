//! Speed of Kamisado on one core: counting lines, playing random games and random matches.

#[path = "play/act.rs"]
mod act;
#[path = "play/choices.rs"]
mod choices;

use act::play_out;
use choices::Choices;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dragontooth_games::catalogue;
use dragontooth_games::chance::{Chance, Draws};
use dragontooth_games::kamisado::Position;
use dragontooth_games::match_play::{Match, Step};
use dragontooth_games::perft::perft;

/// The number of positions after eight moves, from the rules page.
const LINES_AT_8: u64 = 434_946_528;
/// Number of games in one measurement.
const GAMES: u64 = 10_000;
/// Number of matches in one measurement.
const MATCHES: u64 = 100;

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

fn play_matches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("random matches to 15 in notation");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(MATCHES));
    group.bench_function("erased", |bencher| {
        let mut choices = Choices(1);
        bencher.iter(|| (0..MATCHES).map(|_| play_match(&mut choices)).sum::<u64>());
    });
    group.finish();
}

/// Plays one match the way a service does and returns its number of actions.
fn play_match(choices: &mut Choices) -> u64 {
    let kamisado = catalogue::find("kamisado").expect("Kamisado is in the catalogue");
    let mut game = kamisado
        .new_match(None, 15)
        .expect("15 is a target of Kamisado");
    let draws = Draws::from_text("bench");
    let mut actions = 0;
    while advance(game.as_mut(), &draws, choices) {
        actions += 1;
    }
    actions
}

fn advance(game: &mut dyn Match, draws: &Draws, choices: &mut Choices) -> bool {
    let done = match game.step() {
        Step::Deal => {
            let mut chance = draws.deal(game.game_number() + 1);
            let opening = game.deal(&mut chance);
            game.begin_game(&opening)
        }
        Step::Decide(_) => {
            let legal = game.legal_actions();
            let count = u32::try_from(legal.len()).expect("there are at most 102 actions");
            game.play(&legal[choices.below(count) as usize]).map(drop)
        }
        Step::Pass(_) => game.pass(),
        Step::Chance => {
            let mut chance = draws.roll(game.game_number(), game.rolls() + 1);
            let roll = game.draw(&mut chance);
            game.roll(&roll).map(drop)
        }
        Step::Score(_) => game.score_game(),
        Step::Over { .. } => return false,
    };
    done.expect("the step was due");
    true
}

criterion_group!(benches, count_lines, play_games, play_matches);
criterion_main!(benches);
