//! Writes matches for other programs to replay: see `cargo xtask oracle`.
//!
//! `FOLDER COUNT` plays that many matches and writes them to the folder as `1.mat`, `1.sgf` and so
//! on. It prints a line for each game with everything that a program must find when it loads them.
#![expect(clippy::print_stdout, reason = "the lines are the product")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use dragontooth_games::backgammon::{MAT, Position, SGF};
use dragontooth_games::catalogue;
use dragontooth_games::chance::Draws;
use dragontooth_games::match_play::{Match, Step};
use dragontooth_games::record::{GameRecord, MatchRecord, RecordStep};
use dragontooth_games::{Position as _, Seat, Turn};

/// Variants and targets of the matches. Without doubles, the Jacoby rule decides over gammons.
const KINDS: [(&str, u32); 11] = [
    ("standard", 1),
    ("standard", 3),
    ("money_1", 1),
    ("standard", 7),
    ("standard", 15),
    ("money", 1),
    ("money_jacoby", 1),
    ("standard", 2),
    ("standard", 5),
    ("money_jacoby_1", 1),
    ("standard", 9),
];

/// One in this many decisions that allow a resignation is one.
const RESIGNS_ONE_IN: usize = 60;

/// Odds that a player doubles and that the opponent drops: one in this many.
const HABITS: [[usize; 2]; 3] = [[2, 2], [10, 4], [40, 40]];

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, count] = &arguments[..] else {
        return Err("expected FOLDER COUNT".to_owned());
    };
    let count: usize = count.parse().map_err(|error| format!("{count}: {error}"))?;
    for number in 1..=count {
        let record = play(number)?;
        for format in [MAT, SGF] {
            let text = (format.write)(&record).map_err(|error| format!("{number}: {error}"))?;
            let path = Path::new(folder).join(format!("{number}.{}", format.name));
            fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        for (game, index) in record.games.iter().zip(1..) {
            let line = summary(game).ok_or_else(|| format!("{number}: game {index} is broken"))?;
            println!("{number} {index}: {line}");
        }
    }
    Ok(())
}

/// Plays the match with this number at random.
fn play(number: usize) -> Result<MatchRecord, String> {
    let (variant, target) = KINDS[number % KINDS.len()];
    let game = catalogue::find("backgammon").map_err(|error| error.to_string())?;
    let mut play = game
        .new_match(Some(variant), target)
        .map_err(|error| error.to_string())?;
    let mut record = MatchRecord {
        game: "backgammon".to_owned(),
        variant: variant.to_owned(),
        target,
        players: ["Ann", "Bob"].map(str::to_owned),
        title: format!("Match {number}"),
        date: Some("2026-11-21".to_owned()),
        opening: Vec::new(),
        games: Vec::new(),
    };
    let draws = Draws::from_text(&number.to_string());
    let mut choices = Choices(number as u64);
    let habits = HABITS[number % HABITS.len()];
    while advance(&mut *play, &mut record.games, &draws, habits, &mut choices)
        .map_err(|error| error.to_string())?
    {}
    Ok(record)
}

/// Plays one step of a match. Returns false if the match is over.
fn advance(
    play: &mut dyn Match,
    games: &mut Vec<GameRecord>,
    draws: &Draws,
    habits: [usize; 2],
    choices: &mut Choices,
) -> Result<bool, dragontooth_games::match_play::PlayError> {
    let step = match play.step() {
        Step::Deal => {
            let start = play.deal(&mut draws.deal(play.game_number() + 1));
            play.begin_game(&start)?;
            games.push(GameRecord {
                start,
                steps: Vec::new(),
                thinking: BTreeMap::new(),
                outcome: None,
            });
            return Ok(true);
        }
        Step::Decide(seat) => {
            let action = choose(play, habits, choices);
            let action = play.play(&action)?;
            RecordStep::Action { seat, action }
        }
        Step::Pass(seat) => {
            play.pass()?;
            RecordStep::Pass { seat }
        }
        Step::Chance => {
            let roll = play.draw(&mut draws.roll(play.game_number(), play.rolls() + 1));
            let roll = play.roll(&roll)?;
            RecordStep::Roll { roll }
        }
        Step::Score(outcome) => {
            if let Some(game) = games.last_mut() {
                game.outcome = Some(outcome.into());
            }
            play.score_game()?;
            return Ok(true);
        }
        Step::Over { .. } => return Ok(false),
    };
    if let Some(game) = games.last_mut() {
        game.steps.push(step);
    }
    Ok(true)
}

fn choose(play: &dyn Match, [doubles, drops]: [usize; 2], choices: &mut Choices) -> String {
    let offers = play.offers();
    if !offers.is_empty() && choices.below(RESIGNS_ONE_IN) == 0 {
        return offers[choices.below(offers.len())].clone();
    }
    let legal = play.legal_actions();
    let likely = match legal.first().map(String::as_str) {
        Some("roll") => doubles,
        Some("take") => drops,
        _ => return legal[choices.below(legal.len())].clone(),
    };
    legal[usize::from(choices.below(likely) == 0)].clone()
}

/// Summary of a game: whether it is for money, the score before it, its outcome, and each state of the cube.
fn summary(game: &GameRecord) -> Option<String> {
    let mut position: Position = game.start.parse().ok()?;
    let money = if position.match_length().is_none() {
        "money, "
    } else {
        ""
    };
    let score = Seat::BOTH.map(|seat| position.points(seat));
    let crawford = if position.is_crawford() {
        ", crawford"
    } else {
        ""
    };
    let mut cubes = vec![cube(&position)];
    let mut counts = [0; 3];
    for step in &game.steps {
        match step {
            RecordStep::Roll { roll } => position.roll(roll.parse().ok()?),
            RecordStep::Pass { .. } => {
                position.pass();
                counts[0] += 1;
            }
            RecordStep::Action { action, .. } => {
                position.play(action.parse().ok()?).ok()?;
                match action.as_str() {
                    "take" => counts[1] += 1,
                    "drop" => counts[2] += 1,
                    action if action.contains('/') => counts[0] += 1,
                    _ => {}
                }
            }
        }
        if cubes.last() != Some(&cube(&position)) {
            cubes.push(cube(&position));
        }
    }
    let Turn::Over(outcome) = position.turn() else {
        return None;
    };
    let [moves, takes, drops] = counts;
    let resigned = if outcome.reason == "resigned" {
        ", resigned"
    } else {
        ""
    };
    Some(format!(
        "{money}{}-{}{crawford}, {} wins {}{resigned}, {moves} moves, {takes} takes, {drops} drops, cube {}",
        score[0],
        score[1],
        outcome.winner?,
        outcome.points,
        cubes.join(" ")
    ))
}

fn cube(position: &Position) -> String {
    let cube = position.cube();
    let owner = cube
        .owner()
        .map_or("centre".to_owned(), |owner| owner.to_string());
    format!("{}/{owner}", cube.value())
}

/// Quick choices (`SplitMix64`).
struct Choices(u64);

impl Choices {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^= word >> 31;
        usize::try_from(word % bound as u64).unwrap_or(0)
    }
}
