//! Plays pairs of matches of two bots at Backgammon, with the same dice and the seats swapped, and prints the score of the
//! first bot with and without the luck in the dice, and the luck itself, whose mean should be 0, each with its standard
//! error:
//!
//! ```sh
//! cargo run --release -p dragontooth-bots-builtin --example luck -- greedy expectimax:candidates=1 standard 1 2000
//! ```
//!
//! The arguments are the two bots, the variant, the target, the number of pairs and, optionally, the number of the
//! first one.

#![expect(clippy::print_stdout, reason = "the figures are what it is for")]

use std::collections::BTreeMap;
use std::error::Error;
use std::time::{Duration, Instant};

use dragontooth_bots_builtin::backgammon::MatchLuck;
use dragontooth_bots_builtin::{Bot, BotSpec, Budget, MatchInfo};
use dragontooth_games::chance::Draws;
use dragontooth_games::match_play::{Match, Step};
use dragontooth_games::record::{GameRecord, MatchRecord, RecordStep};
use dragontooth_games::{Seat, catalogue};

/// A match that was played: the points of seat first from 0 to 1, and in a game for money those that it won.
struct Played {
    record: MatchRecord,
    score: f64,
    points: f64,
}

/// Sums of the values of pairs.
#[derive(Default)]
struct Sums {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Sums {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.sum += value;
        self.squares += value * value;
    }

    fn mean(&self) -> f64 {
        self.sum / self.count
    }

    fn error(&self) -> f64 {
        let variance = self.squares / self.count - self.mean() * self.mean();
        (variance / (self.count - 1.0)).sqrt()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [first, second, variant, target, pairs, from @ ..] = arguments.as_slice() else {
        return Err("bots, variant, target and the number of pairs".into());
    };
    let bots: [BotSpec; 2] = [first.parse()?, second.parse()?];
    let (target, pairs): (u32, u32) = (target.parse()?, pairs.parse()?);
    let from: u32 = from.first().map_or(Ok(0), |from| from.parse())?;
    let mut figures: [[Sums; 3]; 2] = Default::default();
    let mut spent = Duration::ZERO;
    let (mut games, mut rolls) = (0, 0);
    for pair in from..from + pairs {
        let mut values = [[0.0; 3]; 2];
        for swapped in [false, true] {
            let played = play(&bots, swapped, variant, target, pair)?;
            let start = Instant::now();
            let luck = MatchLuck::of(&played.record)?;
            spent += start.elapsed();
            games += played.record.games.len();
            rolls += luck.rolls;
            let lucks = [luck.chance, luck.points.unwrap_or_default()];
            for (at, (result, luck)) in [played.score, played.points]
                .into_iter()
                .zip(lucks)
                .enumerate()
            {
                let middle = if at == 0 { 0.5 } else { 0.0 };
                let sign = if swapped { -0.5 } else { 0.5 };
                let side = [result - middle, result - luck - middle, luck];
                for (value, side) in values[at].iter_mut().zip(side) {
                    *value += sign * side;
                }
            }
        }
        for (sums, values) in figures.iter_mut().zip(values) {
            for (sums, value) in sums.iter_mut().zip(values) {
                sums.add(value);
            }
        }
    }
    println!(
        "{first} against {second}, {variant} to {target}: {pairs} pairs, {games} games, {rolls} rolls"
    );
    for (name, [raw, adjusted, luck]) in ["score - 1/2", "points"].iter().zip(&figures) {
        if luck.squares > 0.0 {
            println!(
                "{name}: {:+.5} ± {:.5}, adjusted {:+.5} ± {:.5}, worth {:.1}; luck {:+.5} ± {:.5}",
                raw.mean(),
                raw.error(),
                adjusted.mean(),
                adjusted.error(),
                (raw.error() / adjusted.error()).powi(2),
                luck.mean(),
                luck.error(),
            );
        }
    }
    println!(
        "{:.2} ms a match for the luck",
        spent.as_secs_f64() * 500.0 / f64::from(pairs)
    );
    Ok(())
}

fn play(
    bots: &[BotSpec; 2],
    swapped: bool,
    variant: &str,
    target: u32,
    pair: u32,
) -> Result<Played, Box<dyn Error>> {
    let draws = Draws::from_text(&format!("pair {pair}"));
    let mut play = catalogue::find("backgammon")?.new_match(Some(variant), target)?;
    let mut players: Vec<Box<dyn Bot>> = Vec::new();
    for seat in Seat::BOTH {
        let info = MatchInfo {
            id: format!("{pair}"),
            title: String::new(),
            game: "backgammon".to_owned(),
            variant: variant.to_owned(),
            target,
            seat,
            time_controls: [None; 2],
        };
        players.push(bots[seat.index() ^ usize::from(swapped)].make(&info)?);
    }
    let mut record = MatchRecord {
        game: "backgammon".to_owned(),
        variant: variant.to_owned(),
        target,
        ..MatchRecord::default()
    };
    let mut number = 0;
    let winner = loop {
        number += 1;
        match play.step() {
            Step::Deal => {
                let start = play.deal(&mut draws.deal(play.game_number() + 1));
                play.begin_game(&start)?;
                let steps = Vec::new();
                let outcome = None;
                record.games.push(GameRecord {
                    start,
                    steps,
                    thinking: BTreeMap::new(),
                    outcome,
                });
            }
            Step::Score(_) => play.score_game()?,
            Step::Over { winner } => break winner,
            Step::Chance | Step::Decide(_) | Step::Pass(_) => {
                let step = take(&mut *play, &mut players, &draws, number)?;
                let game = record.games.last_mut();
                game.expect("a game has begun").steps.push(step);
            }
        }
    };
    let score = play.score();
    Ok(Played {
        score: match winner {
            Some(Seat::First) => 1.0,
            Some(Seat::Second) => 0.0,
            None => 0.5,
        },
        points: f64::from(score.of(Seat::First)) - f64::from(score.of(Seat::Second)),
        record,
    })
}

/// Takes the step that is due in a game.
fn take(
    play: &mut dyn Match,
    players: &mut [Box<dyn Bot>],
    draws: &Draws,
    number: u64,
) -> Result<RecordStep, Box<dyn Error>> {
    Ok(match play.step() {
        Step::Chance => {
            let roll = play.draw(&mut draws.roll(play.game_number(), play.rolls() + 1));
            play.roll(&roll)?;
            RecordStep::Roll { roll }
        }
        Step::Pass(seat) => {
            play.pass()?;
            RecordStep::Pass { seat }
        }
        Step::Decide(seat) => {
            let position = play.position().ok_or("a game has begun")?;
            let budget = Budget {
                time: None,
                seed: number,
            };
            let action = players[seat.index()].choose(&position, &budget)?;
            let action = play.play(&action)?;
            RecordStep::Action { seat, action }
        }
        Step::Deal | Step::Score(_) | Step::Over { .. } => {
            return Err("no step of a game is due".into());
        }
    })
}
