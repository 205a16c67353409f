//! Proofs of a winner: checked by a plain search in notation, and by playing them out.

use std::collections::HashMap;

use dragontooth_bots_builtin::proof::{PROOF_NODES, proven_winner};
use dragontooth_bots_builtin::search::SplitMix64;
use dragontooth_games::chance::Chance;
use dragontooth_games::match_play::{Match, Step};
use dragontooth_games::{Seat, catalogue};

/// The seat of the match that is proven to win the game.
fn proven(play: &dyn Match) -> Option<Seat> {
    let side = proven_winner(play.game(), &play.position()?, PROOF_NODES)?;
    Seat::BOTH.into_iter().find(|seat| play.side(*seat) == side)
}

/// Takes every step that nobody chooses.
fn go_on(play: &mut dyn Match, chance: &mut dyn Chance) {
    loop {
        match play.step() {
            Step::Deal => {
                let opening = play.deal(chance);
                play.begin_game(&opening).unwrap();
            }
            Step::Chance => {
                let roll = play.draw(chance);
                play.roll(&roll).unwrap();
            }
            Step::Pass(_) => play.pass().unwrap(),
            Step::Decide(_) | Step::Score(_) | Step::Over { .. } => return,
        }
    }
}

fn play_any(play: &mut dyn Match, chance: &mut dyn Chance) {
    let legal = play.legal_actions();
    let choice = chance.below(u32::try_from(legal.len()).unwrap()) as usize;
    play.play(&legal[choice]).unwrap();
}

/// The first position of a random match that is proven, after an action of a game that ends it.
fn first_proven(
    game: &str,
    variant: &str,
    chance: &mut dyn Chance,
) -> Option<(Box<dyn Match>, Seat)> {
    let game = catalogue::find(game).unwrap();
    let mut play = game.new_match(Some(variant), 1).unwrap();
    loop {
        go_on(&mut *play, chance);
        let Step::Decide(_) = play.step() else {
            return None;
        };
        play_any(&mut *play, chance);
        if matches!(play.step(), Step::Decide(_) | Step::Pass(_) | Step::Chance)
            && let Some(winner) = proven(&*play)
        {
            return Some((play, winner));
        }
    }
}

/// Returns the action that keeps a proof.
fn keeping(play: &dyn Match, winner: Seat) -> Option<String> {
    play.legal_actions().into_iter().find(|action| {
        let mut next = play.boxed_clone();
        next.play(action).unwrap();
        while let Step::Pass(_) = next.step() {
            next.pass().unwrap();
        }
        match next.step() {
            Step::Score(outcome) => outcome.winner == Some(winner),
            Step::Decide(_) | Step::Chance => proven(&*next) == Some(winner),
            Step::Deal | Step::Pass(_) | Step::Over { .. } => false,
        }
    })
}

/// The winner always finds a play that keeps the proof, whatever the other plays and the dice are, and wins.
#[test]
fn a_proof_is_played_out() {
    for (game, variant, matches) in [
        ("kamisado", "random", 24),
        ("linja", "standard", 9),
        ("tzaar", "random", 9),
        ("backgammon", "standard", 24),
    ] {
        let mut chance = SplitMix64::new(41);
        let (mut proofs, mut actions) = (0, 0);
        for _ in 0..matches {
            let Some((start, winner)) = first_proven(game, variant, &mut chance) else {
                continue;
            };
            proofs += 1;
            for _ in 0..2 {
                let mut play = start.clone();
                loop {
                    go_on(&mut *play, &mut chance);
                    match play.step() {
                        Step::Decide(seat) if seat == winner => {
                            let position = play.position();
                            let action = keeping(&*play, winner);
                            let action = action.unwrap_or_else(|| panic!("{game} {position:?}"));
                            play.play(&action).unwrap();
                        }
                        Step::Decide(_) => play_any(&mut *play, &mut chance),
                        Step::Score(outcome) => {
                            assert_eq!(outcome.winner, Some(winner), "{game}");
                            break;
                        }
                        Step::Deal | Step::Pass(_) | Step::Chance | Step::Over { .. } => {
                            panic!("{game}: the game goes on to its end")
                        }
                    }
                    actions += 1;
                }
            }
        }
        // Many a match has a proof before its last action.
        assert!(proofs * 3 > matches, "{game}: {proofs} of {matches}");
        assert!(actions > 2 * proofs, "{game}: {actions}");
    }
}

/// Returns true if `winner` can force the end of the game within `depth` actions; `None` if `left` positions are
/// not enough to tell.
fn forces(play: &dyn Match, winner: Seat, depth: u32, left: &mut u32) -> Option<bool> {
    *left = left.checked_sub(1)?;
    match play.step() {
        Step::Score(outcome) => Some(outcome.winner == Some(winner)),
        Step::Pass(_) => {
            let mut next = play.boxed_clone();
            next.pass().unwrap();
            forces(&*next, winner, depth, left)
        }
        Step::Decide(_) if depth == 0 => Some(false),
        Step::Decide(seat) => {
            for action in play.legal_actions() {
                let mut next = play.boxed_clone();
                next.play(&action).unwrap();
                let is_forced = forces(&*next, winner, depth - 1, left)?;
                if is_forced == (seat == winner) {
                    return Some(is_forced);
                }
            }
            Some(seat != winner)
        }
        Step::Deal | Step::Chance | Step::Over { .. } => panic!("a game without dice is played"),
    }
}

/// A search without memory that replays actions by their notation finds the same winner.
#[test]
fn a_plain_search_agrees() {
    for (game, variant) in [
        ("kamisado", "random"),
        ("linja", "standard"),
        ("tzaar", "random"),
    ] {
        let mut chance = SplitMix64::new(43);
        let mut agreed = 0;
        for _ in 0..12 {
            let Some((start, winner)) = first_proven(game, variant, &mut chance) else {
                continue;
            };
            let mut left = 20_000;
            let mut answers = (1..).map(|depth| forces(&*start, winner, depth, &mut left));
            let answer = answers.find(|answer| *answer != Some(false));
            agreed += u32::from(answer == Some(Some(true)));
        }
        assert!(agreed >= 5, "{game}: {agreed}");
    }
}

/// The rolls that a side alone needs: the fewest that some dice allow, and the most that any dice can make
/// necessary if it plays as well as it can. By trying all dice and plays.
fn rolls(home: [u8; 6], known: &mut HashMap<[u8; 6], (u32, u32)>) -> (u32, u32) {
    if home == [0; 6] {
        return (0, 0);
    }
    if let Some(known) = known.get(&home) {
        return *known;
    }
    let (mut least, mut most) = (u32::MAX, 0);
    for high in 1..=6 {
        for low in 1..=high {
            let dice = if high == low {
                vec![high; 4]
            } else {
                vec![high, low]
            };
            let mut ends = Vec::new();
            all_plays(home, &dice, &mut ends);
            ends.sort_unstable();
            ends.dedup();
            let needs: Vec<(u32, u32)> = ends.into_iter().map(|end| rolls(end, known)).collect();
            least = least.min(1 + needs.iter().map(|need| need.0).min().unwrap());
            most = most.max(1 + needs.iter().map(|need| need.1).min().unwrap());
        }
    }
    known.insert(home, (least, most));
    (least, most)
}

fn all_plays(home: [u8; 6], dice: &[usize], ends: &mut Vec<[u8; 6]>) {
    let farthest = home.iter().rposition(|count| *count > 0);
    let (Some(farthest), false) = (farthest, dice.is_empty()) else {
        ends.push(home);
        return;
    };
    for (at, die) in dice.iter().enumerate() {
        let mut rest = dice.to_vec();
        rest.remove(at);
        for from in (0..=farthest).filter(|from| home[*from] > 0) {
            if from + 1 >= *die || from == farthest {
                let mut next = home;
                next[from] -= 1;
                if from >= *die {
                    next[from - die] += 1;
                }
                all_plays(next, &rest, ends);
            }
        }
    }
}

/// All homes with one to three checkers.
fn homes() -> Vec<[u8; 6]> {
    let mut all = Vec::new();
    for code in 0..4_u32.pow(6) {
        let home: [u8; 6] =
            std::array::from_fn(|point| u8::try_from(code >> (2 * point) & 3).unwrap());
        if (1..=3).contains(&home.iter().sum::<u8>()) {
            all.push(home);
        }
    }
    all
}

/// An XGID of two homes in which seat first or second is to roll.
fn race(first: [u8; 6], second: [u8; 6], first_rolls: bool) -> String {
    let letter = |base: u8, count: u8| match count {
        0 => '-',
        count => char::from(base + count - 1),
    };
    let mut places = ['-'; 26];
    for point in 0..6 {
        places[1 + point] = letter(b'A', first[point]);
        places[24 - point] = letter(b'a', second[point]);
    }
    let places: String = places.iter().collect();
    let turn = if first_rolls { 1 } else { -1 };
    format!("XGID={places}:0:0:{turn}:00:0:0:0:1:10")
}

/// A race of few checkers is certain exactly if no dice change it, by trying all dice and plays of both sides. What
/// is certain is claimed, and nothing else.
#[test]
fn a_certain_race_is_certain_by_all_dice() {
    let (homes, mut known) = (homes(), HashMap::new());
    let needs: Vec<(u32, u32)> = homes.iter().map(|home| rolls(*home, &mut known)).collect();
    let (mut claimed, mut missed, mut all) = (0, 0, 0);
    for (own, (_, own_most)) in homes.iter().zip(&needs) {
        for (other, (other_least, _)) in homes.iter().zip(&needs) {
            for first_rolls in [true, false] {
                let is_certain = own_most + u32::from(!first_rolls) <= *other_least;
                let position = race(*own, *other, first_rolls);
                let is_claimed =
                    proven_winner("backgammon", &position, PROOF_NODES) == Some(Seat::First);
                assert!(is_certain || !is_claimed, "{position}");
                claimed += u32::from(is_claimed);
                missed += u32::from(is_certain && !is_claimed);
                all += 1;
            }
        }
    }
    // The bound on the loser's rolls is not the best one where its checkers lie badly for a double.
    assert!(
        claimed > all / 40 && missed * 5 < claimed,
        "{claimed} {missed} {all}"
    );
}
