//! Notation of plays: one that reaches a legal position stands for the listed play.

use dragontooth_games::backgammon::{ACTION_BYTES_MAX, Action, ParseActionError, Position};
use dragontooth_games::{IllegalAction as _, Position as _};

use crate::play::{read, rows};
use crate::strategies::Choices;

#[test]
fn a_play_in_any_notation_is_the_listed_one() {
    let mut rows_read = 0;
    for [start, texts, canonical] in rows(include_str!("data/plays.txt"), " | ") {
        let position: Position = read(start);
        for text in texts.split(", ").chain([canonical]) {
            let action: Action = text.parse().unwrap();
            let resolved = position
                .resolve(action)
                .unwrap_or_else(|refusal| panic!("{text} in {start}: {refusal}"));
            assert_eq!(resolved.to_string(), canonical, "{text} in {start}");
            match position.check(action) {
                Ok(()) => assert_eq!(action, resolved, "{text}"),
                Err(refusal) => {
                    assert_ne!(action, resolved, "{text}");
                    assert_eq!(refusal.rule(), "notation", "{text}");
                    assert_eq!(
                        refusal.to_string(),
                        format!("this play is written {canonical}")
                    );
                }
            }
        }
        rows_read += 1;
    }
    assert!(rows_read > 15, "only {rows_read} rows");
}

#[test]
fn unreadable_actions_say_why() {
    for [text, expected] in rows(include_str!("data/unreadable_actions.txt"), " => ") {
        let error = text.parse::<Action>().expect_err(text);
        assert_eq!(error.to_string(), expected, "{text}");
    }
    let long = "8/5 ".repeat(ACTION_BYTES_MAX);
    assert_eq!(long.parse::<Action>(), Err(ParseActionError::TooLong));
}

/// Every listed play, split at each die, in every order and without hit marks, is refused or
/// stands for a listed play that moves the same checkers.
#[test]
fn split_and_reversed_plays_stand_for_plays_of_the_same_checkers() {
    let mut choices = Choices::new(3);
    let mut found = 0;
    for kind in super::scenes::KINDS {
        for _ in 0..300 {
            let (board, dice) = super::scenes::scene(kind, &mut choices);
            let seat = dragontooth_games::Seat::First;
            let text = super::scenes::position_text(&board, seat, dice);
            let position: Position = read(&text);
            let legal = position.legal_actions();
            for action in legal.iter().take(40) {
                let written = action.to_string();
                let mut parts: Vec<&str> = written.split(' ').collect();
                parts.reverse();
                let reversed: Action = parts.join(" ").to_uppercase().parse().unwrap();
                assert_eq!(position.resolve(reversed).as_ref(), Ok(action), "{written}");
                let bare: Action = written.replace('*', "").parse().unwrap();
                let resolved = match position.resolve(bare) {
                    Ok(resolved) => resolved,
                    Err(refusal) => {
                        assert_eq!(refusal.rule(), "ambiguous", "{written} in {position}");
                        continue;
                    }
                };
                assert!(legal.contains(&resolved));
                let own = |action: Action| {
                    let mut next = position;
                    next.play_unchecked(action);
                    next.board().places(seat)
                };
                assert_eq!(own(resolved), own(*action), "{written} and {resolved}");
                found += 1;
            }
        }
    }
    assert!(found > 5_000, "{found}");
}
