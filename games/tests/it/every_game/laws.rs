//! Each law as a function of the game.

use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::str::FromStr;

use dragontooth_games::chance::Draws;
use dragontooth_games::match_play::{Target, Variant as _};
use dragontooth_games::perft::{divide, perft};
use dragontooth_games::{IllegalAction as _, MatchPlay, Roll as _, Turn};

use crate::strategies::Choices;

/// Random games from each start of a match.
const GAMES: u64 = 60;
/// Maximum number of actions tried in one position.
const TRIED_MAX: usize = 300;

/// All positions of a random game, including the last one and those where the turn passes, each with
/// the action played in it.
type Game<P> = Vec<(P, Option<<P as dragontooth_games::Position>::Action>)>;

pub(crate) fn notation_reads_back<P: MatchPlay>() {
    for (position, action) in games::<P>().into_iter().flatten() {
        let text = position.to_string();
        let read = crate::play::read::<P>(&text);
        assert_eq!((read, read.to_string()), (position, text.clone()));
        assert_eq!(hash(&read), hash(&position), "{text}");
        let settled = |mut position: P| {
            position.settle();
            (position.turn(), position.to_string())
        };
        assert_eq!(settled(read), settled(position), "{text}");
        if let Some(action) = action {
            assert_eq!(read_action::<P>(&action.to_string()), action);
        }
    }
}

pub(crate) fn exactly_the_legal_actions_pass_the_check<P: MatchPlay>() {
    let games = games::<P>();
    let mut known: Vec<P::Action> = Vec::new();
    let mut seen = HashSet::new();
    for (position, _) in games.iter().flatten() {
        position.for_each_legal(|action| {
            if seen.insert(action) {
                known.push(action);
            }
        });
    }
    let stride = known.len().div_ceil(TRIED_MAX);
    for (number, (position, _)) in games.iter().flatten().enumerate() {
        let legal = position.legal_actions();
        assert_eq!(position.count_legal(), legal.len(), "{position}");
        let decides = matches!(position.turn(), Turn::Decide(_));
        assert_eq!(decides, !legal.is_empty(), "{position}");
        let listed: HashSet<P::Action> = legal.iter().copied().collect();
        assert_eq!(
            listed.len(),
            legal.len(),
            "{position} lists an action twice"
        );
        let mut offered = HashSet::new();
        position.for_each_offer(|offer| {
            offered.insert(offer);
        });
        let others = known.iter().skip(number % stride).step_by(stride);
        for action in legal.iter().chain(others) {
            if listed.contains(action) {
                assert_eq!(position.resolve(*action).ok(), Some(*action), "{position}");
            }
            check(
                position,
                *action,
                listed.contains(action) || offered.contains(action),
            );
        }
    }
}

pub(crate) fn the_next_positions_are_those_after_playing<P: MatchPlay>() {
    for (position, _) in games::<P>().into_iter().flatten() {
        let mut legal = position.legal_actions().into_iter();
        position.for_each_next(|action, next| {
            assert_eq!(Some(action), legal.next(), "{position}");
            let mut played = position;
            played.play(action).unwrap();
            assert_eq!(next, played, "{action} in {position}");
        });
        assert_eq!(legal.next(), None, "{position}");
    }
}

/// A legal action is played, and any other is refused without a change.
fn check<P: MatchPlay>(position: &P, action: P::Action, is_legal: bool) {
    let checked = position.check(action);
    let mut played = *position;
    let done = played.play(action);
    let stands_for_another = done.as_ref().is_ok_and(|done| {
        *done != action
            && position.check(*done).is_ok()
            && position.resolve(action).ok() == Some(*done)
    });
    assert_eq!(
        done.is_ok(),
        is_legal || stands_for_another,
        "{action} in {position}"
    );
    if stands_for_another {
        assert!(!is_legal && checked.is_err(), "{action} in {position}");
        return;
    }
    let mut unchecked = *position;
    unchecked.play_unchecked(action);
    if let Err(refusal) = checked {
        assert!(!is_legal, "{action} in {position}: {refusal}");
        assert_eq!(played, *position);
        assert!(!refusal.rule().is_empty() && !refusal.to_string().is_empty());
        let _ = (
            unchecked.to_string(),
            unchecked.turn(),
            unchecked.legal_actions(),
        );
    } else {
        assert!(is_legal, "{action} in {position}");
        assert_eq!(played, unchecked);
        assert_ne!(played, *position);
    }
}

/// Every reason stands on the rules page of the game.
pub(crate) fn the_rules_page_has_the_reasons<P: MatchPlay>(reasons: &[&str]) {
    let page = format!(
        "{}/../docs/rules/{}.md",
        env!("CARGO_MANIFEST_DIR"),
        P::NAME
    );
    let page = fs::read_to_string(page).unwrap();
    for reason in reasons {
        assert!(page.contains(&format!("`{reason}`")), "{reason}");
    }
}

pub(crate) fn games_end_within_the_bound<P: MatchPlay>(actions_max: usize, reasons: &[&str]) {
    let mut longest = 0;
    for game in games::<P>() {
        let actions = game.iter().filter(|(_, action)| action.is_some()).count();
        let end = game.last().map(|(position, _)| position.turn());
        let Some(Turn::Over(outcome)) = end else {
            panic!("{end:?} after {actions} actions")
        };
        assert_eq!(outcome.winner.is_some(), outcome.points > 0, "{outcome:?}");
        assert!(reasons.contains(&outcome.reason), "{outcome:?}");
        longest = longest.max(actions);
    }
    assert!(longest <= actions_max);
}

pub(crate) fn counting_agrees_with_playing<P: MatchPlay>() {
    for (position, _) in games::<P>().into_iter().flatten().step_by(7) {
        let mut settled = position;
        if !P::PASS_IS_A_STEP {
            settled.settle();
        }
        assert_eq!(perft(position, 0), 1);
        let expected = match settled.turn() {
            Turn::Decide(_) => settled.legal_actions().len() as u64,
            Turn::Pass(_) => 1,
            Turn::Chance => rolls(&settled).len() as u64,
            Turn::Over(_) => 0,
        };
        assert_eq!(perft(position, 1), expected, "{position}");
        let parts: HashMap<P::Action, u64> = divide(position, 2).into_iter().collect();
        if let Turn::Decide(_) = settled.turn() {
            let sum: u64 = parts.values().sum();
            assert_eq!(sum, perft(position, 2), "{position}");
        }
        for (action, lines) in parts {
            let mut next = settled;
            next.play(action).unwrap();
            assert_eq!(perft(next, 1), lines, "{action} in {position}");
        }
    }
}

/// Where a roll is due, the distinct rolls account for all rolls. Elsewhere there are none.
pub(crate) fn the_distinct_rolls_cover_all_rolls<P: MatchPlay>() {
    for (position, _) in games::<P>().into_iter().flatten() {
        let mut ways = 0;
        let mut seen = HashSet::new();
        position.for_each_roll(|roll, count| {
            ways += count as usize;
            assert!(seen.insert(roll), "{position} tells {roll} twice");
            assert_eq!(roll.to_string().parse().ok(), Some(roll));
            let mut next = position;
            next.roll(roll);
            let is_repeated = next.turn() == Turn::Chance;
            assert!(is_repeated || next != position, "{roll} in {position}");
        });
        let all = match position.turn() {
            Turn::Chance => P::Roll::ALL.len(),
            Turn::Decide(_) | Turn::Pass(_) | Turn::Over(_) => 0,
        };
        assert_eq!(ways, all, "{position}");
    }
}

/// Offers are legal and not among the listed actions.
pub(crate) fn offers_are_legal_and_not_listed<P: MatchPlay>() {
    for (position, _) in games::<P>().into_iter().flatten().step_by(3) {
        let listed: HashSet<P::Action> = position.legal_actions().into_iter().collect();
        let mut seen = HashSet::new();
        position.for_each_offer(|offer| {
            assert!(
                !listed.contains(&offer) && seen.insert(offer),
                "{offer} in {position}"
            );
            assert_eq!(read_action::<P>(&offer.to_string()), offer);
            let mut next = position;
            assert_eq!(next.play(offer).ok(), Some(offer), "{offer} in {position}");
            assert_ne!(next, position);
        });
        assert!(seen.is_empty() || matches!(position.turn(), Turn::Decide(_)));
    }
}

/// Changed texts of games and nonsense are refused, or read and written
/// the same.
pub(crate) fn any_text_is_read_or_refused<P: MatchPlay>() {
    let mut choices = Choices::new(11);
    let odd = [
        '\0',
        ' ',
        '\n',
        'é',
        '٣',
        '\u{1F600}',
        '+',
        '-',
        '0',
        '9',
        '/',
        ':',
        'x',
        ',',
    ];
    for (position, action) in games::<P>().into_iter().flatten() {
        let action = action.map(|action| action.to_string()).unwrap_or_default();
        for text in [position.to_string(), action] {
            let mut letters: Vec<char> = text.chars().collect();
            for _ in 0..=choices.below(3) {
                let letter = match choices.below(3) {
                    0 => odd[choices.below(odd.len())],
                    _ => letters
                        .get(choices.below(letters.len() + 1))
                        .copied()
                        .unwrap_or('1'),
                };
                let at = choices.below(letters.len() + 1);
                match choices.below(3) {
                    0 => letters.insert(at, letter),
                    1 if at < letters.len() => letters[at] = letter,
                    _ => letters.truncate(at.max(1)),
                }
            }
            let changed: String = letters.iter().collect();
            read_or_refuse::<P>(&changed, P::NAME);
            read_or_refuse::<P::Action>(&changed, P::NAME);
        }
    }
    for length in [1, 10, 100, 1_000_000] {
        for letter in odd {
            let text = letter.to_string().repeat(length);
            read_or_refuse::<P>(&text, P::NAME);
            read_or_refuse::<P::Action>(&text, P::NAME);
        }
    }
}

/// Games that accept several notations of the same thing.
const LOOSE: &[&str] = &["backgammon"];

fn read_or_refuse<T: FromStr<Err: ToString> + ToString + PartialEq>(text: &str, game: &str) {
    match text.parse::<T>() {
        Ok(read) if LOOSE.contains(&game) => {
            let written = read.to_string();
            let again = written.parse::<T>();
            assert!(again.is_ok_and(|again| again == read), "{text}: {written}");
        }
        Ok(read) => assert_eq!(read.to_string(), text),
        Err(error) => assert!(
            error.to_string().len() < 1_000,
            "{:.100}",
            error.to_string()
        ),
    }
}

fn read_action<P: MatchPlay>(text: &str) -> P::Action {
    text.parse()
        .unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

/// Random games from each way to start the first game of a match.
fn games<P: MatchPlay>() -> Vec<Game<P>> {
    let mut games = Vec::new();
    for variant in P::Variant::ALL {
        for number in 0..GAMES {
            let draws = Draws::from_text(&format!("{} {number}", variant.name()));
            let target = Target::least::<P>(*variant);
            let start = P::first_game(*variant, target, &mut draws.deal(1));
            games.push(game(start, &mut Choices::new(number)));
        }
    }
    games
}

fn game<P: MatchPlay>(start: P, choices: &mut Choices) -> Game<P> {
    let mut game = Vec::new();
    let mut position = start;
    loop {
        match position.turn() {
            Turn::Decide(_) => {
                let actions = position.legal_actions();
                let action = actions[choices.below(actions.len())];
                game.push((position, Some(action)));
                position.play_unchecked(action);
            }
            Turn::Pass(_) => {
                game.push((position, None));
                position.pass();
            }
            Turn::Chance => {
                game.push((position, None));
                let rolls = rolls(&position);
                position.roll(rolls[choices.below(rolls.len())]);
            }
            Turn::Over(_) => {
                game.push((position, None));
                return game;
            }
        }
    }
}

fn rolls<P: MatchPlay>(position: &P) -> Vec<P::Roll> {
    let mut rolls = Vec::new();
    position.for_each_roll(|roll, _| rolls.push(roll));
    rolls
}

fn hash(value: &(impl Hash + Debug)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
