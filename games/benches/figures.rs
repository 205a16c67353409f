//! The figures of the games: actions a second of random play on one core, with typed positions and in the notation of
//! matches, as a service plays them.
//!
//! `cargo bench -p dragontooth-games --bench figures` prints them; `BENCH_SCALE=0.01` is a quick look.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

#[path = "play/act.rs"]
mod act;
#[path = "play/choices.rs"]
mod choices;
#[path = "../../service/benches/figures/figure.rs"]
mod figure;
#[path = "../../service/benches/figures/machine.rs"]
mod machine;
#[path = "../../service/benches/figures/scale.rs"]
mod scale;

use std::time::{Duration, Instant};

use act::play_out;
use choices::Choices;
use dragontooth_games::catalogue::{self, Game};
use dragontooth_games::chance::{Chance, Draws};
use dragontooth_games::match_play::{Match, Step};
use dragontooth_games::{Position, backgammon, kamisado, linja, tzaar};
use figure::figure;
use scale::Scale;

/// Milliseconds for which each figure is measured.
const TIME_MS: usize = 500;

fn main() {
    machine::print();
    let time = Scale::from_env().count(TIME_MS);
    let time = Duration::from_millis(u64::try_from(time).expect("a bench takes no such time"));
    println!("  actions a second of random play on one core, typed and in notation");
    print::<kamisado::Position>("kamisado", time);
    print::<linja::Position>("linja", time);
    print::<tzaar::Position>("tzaar", time);
    print::<backgammon::Position>("backgammon", time);
}

fn print<P: Position>(name: &str, time: Duration) {
    let game = catalogue::find(name).expect("the game is in the catalogue");
    let mut choices = Choices(1);
    let typed = rate(time, || play_out(opening::<P>(game), &mut choices));
    let notation = rate(time, || play_match(game, &mut choices));
    println!("  {name:<12} {typed:>12.0} {notation:>12.0}");
    figure(&format!("actions/{name}/typed"), typed, "1/s");
    figure(&format!("actions/{name}/notation"), notation, "1/s");
}

/// Actions a second of play that returns its number of actions.
#[expect(clippy::cast_precision_loss, reason = "a figure of three digits")]
fn rate(time: Duration, mut play: impl FnMut() -> u64) -> f64 {
    let begun = Instant::now();
    let mut actions = 0;
    while begun.elapsed() < time {
        actions += play();
    }
    actions as f64 / begun.elapsed().as_secs_f64()
}

fn new_match(game: &Game) -> Box<dyn Match> {
    game.new_match(None, 1)
        .expect("every game has matches to 1")
}

/// The position from which a game of the usual variant begins.
fn opening<P: Position>(game: &Game) -> P {
    let opening = new_match(game).deal(&mut Draws::from_text("bench").deal(1));
    let Ok(position) = opening.parse() else {
        unreachable!("the game reads its own notation")
    };
    position
}

/// Plays one match the way a service does and returns its number of actions.
fn play_match(game: &Game, choices: &mut Choices) -> u64 {
    let mut play = new_match(game);
    let draws = Draws::from_text("bench");
    let mut actions = 0;
    while advance(play.as_mut(), &draws, choices) {
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
            let count = u32::try_from(legal.len()).expect("there are few actions");
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
