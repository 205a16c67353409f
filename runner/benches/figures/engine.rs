use std::collections::HashMap;
use std::env;
use std::io::{self, BufRead, Write};

use dragontooth_bots::builtin::BotSpec;
use dragontooth_bots::{Bot, Budget, MatchInfo};
use dragontooth_bots_engines::stdio::{AnswerTo, EngineHello, FromEngine, ToEngine};
use dragontooth_games::Seat;

use super::processor_time::own_cpu;
use super::program::CPU_MS;

/// The argument with which this program is an engine instead of measuring.
pub(crate) const SPEAK: &str = "speak-as-a-trivial-engine";

/// Whether it is to be one.
pub(crate) fn is_asked_for() -> bool {
    env::args().nth(1).is_some_and(|first| first == SPEAK)
}

/// Plays Kamisado from memory, by the protocol of `docs/stdio.md`, until its input ends: at a position that it has seen before it plays the same
/// action again, so after the first match of an event it answers at once, and its matches cost what the program around it costs.
#[expect(
    clippy::print_stderr,
    reason = "the runner keeps what an engine writes there"
)]
pub(crate) fn speak() {
    let (mut bot, mut known) = (bot(), HashMap::<String, String>::new());
    let (mut position, mut answer) = (String::new(), Vec::new());
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut line = String::new();
    while let Ok(1..) = input.read_line(&mut line) {
        answer.clear();
        // The two of every decision are not worth a whole parser.
        if line.starts_with(r#"{"type":"position""#) {
            position.clear();
            position.push_str(text(&line, r#""position":""#));
        } else if line.starts_with(r#"{"type":"go""#) {
            let number = |key| number(&line, key);
            let action = known.get(&position).cloned().unwrap_or_else(|| {
                let budget = Budget {
                    time: None,
                    seed: 0,
                };
                let action = bot.choose(&position, &budget).expect("it is a position");
                known.insert(position.clone(), action.clone());
                action
            });
            let to = AnswerTo {
                match_id: text(&line, r#""match":""#).to_owned(),
                decision: number(r#""decision":"#),
            };
            FromEngine::BestAction {
                to,
                action,
                thinking: None,
            }
            .write(&mut answer);
        } else {
            match ToEngine::read(line.as_bytes()) {
                Ok(ToEngine::Hello(_)) => FromEngine::Hello(hello()).write(&mut answer),
                Ok(ToEngine::IsReady) => FromEngine::ReadyOk.write(&mut answer),
                Ok(ToEngine::Quit) => break,
                Ok(_) | Err(_) => {}
            }
        }
        if !answer.is_empty() {
            output.write_all(&answer).expect("the runner reads");
            output.flush().expect("the runner reads");
        }
        line.clear();
    }
    eprintln!("{CPU_MS}{}", own_cpu().as_millis());
}

fn bot() -> Box<dyn Bot> {
    let spec: BotSpec = "random".parse().expect("there is such a bot");
    let made = spec.make(&MatchInfo {
        id: String::new(),
        title: String::new(),
        game: "kamisado".to_owned(),
        variant: "standard".to_owned(),
        target: 1,
        seat: Seat::First,
        time_controls: [None; 2],
    });
    made.expect("it plays every game")
}

fn hello() -> EngineHello {
    EngineHello {
        protocol: 1,
        name: "trivial".to_owned(),
        version: String::new(),
        author: String::new(),
        games: vec!["kamisado".to_owned()],
        matches: 1,
        legal: false,
    }
}

/// The text that begins after `key` and ends before a quotation mark.
fn text<'a>(line: &'a str, key: &str) -> &'a str {
    let (_, rest) = line.split_once(key).expect("the key is there");
    rest.split('"').next().unwrap_or_default()
}

/// The number after `key`.
fn number(line: &str, key: &str) -> u64 {
    let (_, rest) = line.split_once(key).expect("the key is there");
    let end = rest.find(|letter: char| !letter.is_ascii_digit());
    rest[..end.unwrap_or(rest.len())]
        .parse()
        .expect("it is a number")
}
