use std::str::FromStr;

use dragontooth_games::analysis::{Question, Start};
use dragontooth_games::catalogue;
use dragontooth_games::{IllegalAction, MatchPlay, Position, Turn};
use dragontooth_games::{backgammon, kamisado, linja, tzaar};
use dragontooth_games_boards::{board_of, drawing};

use crate::refusal;

/// Maximum number of legal actions checked in a position.
const ACTIONS: usize = 40;
/// Number of actions in a line of play in the seeds.
const LINE_ACTIONS: usize = 24;

/// Reads any text as a position of each game.
pub(crate) fn positions(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    position::<kamisado::Position>(text);
    position::<linja::Position>(text);
    position::<tzaar::Position>(text);
    position::<backgammon::Position>(text);
    for game in catalogue::GAMES {
        let name = game.name;
        let board = board_of(name).expect("every game has a board");
        // Anyone may ask the web page for a picture of any text.
        let drawn = drawing(board, text, Some(text));
        assert_eq!(
            drawn.is_ok(),
            board.picture(text).is_some(),
            "{name}: {text}"
        );
    }
}

/// Reads two lines, a position and an action, in each game.
pub(crate) fn actions(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    let (place, text) = text.split_once('\n').unwrap_or(("", text));
    action::<kamisado::Position>(place, text);
    action::<linja::Position>(place, text);
    action::<tzaar::Position>(place, text);
    action::<backgammon::Position>(place, text);
}

fn position<P: MatchPlay>(text: &str) {
    let position: P = match text.parse() {
        Ok(position) => position,
        Err(error) => return refusal::check(&error),
    };
    reads_as_written(&position);
    for (name, other) in position.other_notations() {
        assert!(!name.is_empty() && !other.is_empty());
    }
    let legal = position.legal_actions();
    let decides = matches!(position.turn(), Turn::Decide(_));
    assert_eq!(decides, !legal.is_empty(), "{position}");
    for action in legal.iter().copied().take(ACTIONS) {
        assert_eq!(parsed::<P::Action>(&action.to_string()), Some(action));
        assert_eq!(position.resolve(action).ok(), Some(action), "{position}");
        let mut next = position;
        next.play_unchecked(action);
        next.settle();
        reads_as_written(&next);
        assert!(!position.result_of(action).is_empty());
    }
    let mut rolls = Vec::new();
    position.for_each_roll(|roll, ways| {
        assert!(ways > 0);
        rolls.push(roll);
    });
    assert_eq!(position.turn() == Turn::Chance, !rolls.is_empty());
    for roll in rolls {
        assert_eq!(parsed::<P::Roll>(&roll.to_string()), Some(roll));
        let mut next = position;
        next.roll(roll);
        next.settle();
        reads_as_written(&next);
    }
}

fn reads_as_written<P: Position>(position: &P) {
    let text = position.to_string();
    let again = parsed::<P>(&text);
    assert_eq!(again.as_ref(), Some(position), "{text}");
    assert_eq!(again.map(|position| position.to_string()), Some(text));
}

fn parsed<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn action<P: MatchPlay>(place: &str, text: &str) {
    if let Err(error) = text.parse::<P::Roll>() {
        refusal::check(&error);
    }
    let action: P::Action = match text.parse() {
        Ok(action) => action,
        Err(error) => {
            return refusal::check(&error);
        }
    };
    let written = action.to_string();
    assert_eq!(parsed::<P::Action>(&written), Some(action), "{written}");
    let Ok(position) = place.parse::<P>() else {
        return;
    };
    let mut next = position;
    match next.play(action) {
        Ok(played) => {
            let mut listed = position.legal_actions();
            position.for_each_offer(|offer| listed.push(offer));
            assert!(listed.contains(&played), "{position}: {played}");
            reads_as_written(&next);
        }
        Err(illegal) => {
            refusal::check(&illegal);
            assert!(!illegal.rule().is_empty());
            assert_eq!(next, position, "a refused action changed the position");
        }
    }
}

/// Positions of a line of play in every variant.
pub(crate) fn position_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (place, _) in lines() {
        seeds.push(place.into_bytes());
    }
    seeds
}

/// Positions, each with a legal action or a roll.
pub(crate) fn action_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (place, actions) in lines() {
        for action in actions {
            seeds.push(format!("{place}\n{action}").into_bytes());
        }
    }
    seeds
}

/// Positions, each with the actions or rolls that are possible.
fn lines() -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for game in catalogue::GAMES {
        for variant in game.variants() {
            let mut position: Option<String> = None;
            let mut action: Option<String> = None;
            for number in 0..LINE_ACTIONS {
                let actions: Vec<&str> = action.as_deref().into_iter().collect();
                let start = Start {
                    variant: Some(variant.name),
                    position: position.as_deref(),
                    seed: "seeds",
                };
                let question = Question {
                    start,
                    actions: &actions,
                    results: false,
                };
                let told = game.analyze(&question).expect("the action is legal");
                let mut next = told.legal;
                next.extend(told.rolls);
                next.truncate(ACTIONS);
                action = next.get(number * 7 % next.len().max(1)).cloned();
                next.extend(told.offers);
                found.push((told.position.clone(), next));
                position = Some(told.position);
                if action.is_none() {
                    break;
                }
            }
        }
    }
    found
}
