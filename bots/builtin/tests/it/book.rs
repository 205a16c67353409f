//! Books of openings.

use std::collections::HashSet;
use std::fs;

use dragontooth_bots_builtin::book::{Book, BookError, BookPlan, make};
use dragontooth_games::match_play::InvalidOpening;
use dragontooth_games::{Position, Turn, catalogue, kamisado, linja, tzaar};

#[test]
fn the_shipped_books_are_made_by_their_commands() {
    check_shipped::<kamisado::Position>("kamisado");
    check_shipped::<linja::Position>("linja");
    check_shipped::<tzaar::Position>("tzaar");
}

#[test]
fn the_seed_chooses() {
    let plan = |seed| BookPlan {
        openings: 5,
        candidates: 20,
        nodes: 100,
        seed,
        ..BookPlan::new(6)
    };
    let of = |seed| make("linja", &plan(seed)).unwrap();
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}

#[test]
fn a_book_that_cannot_be_made_is_refused() {
    let plan = BookPlan::new(3);
    let variant = |name: &str| BookPlan {
        variant: Some(name.to_owned()),
        ..plan.clone()
    };
    let refusal = |game, plan: &BookPlan| make(game, plan).unwrap_err();
    assert!(matches!(refusal("chess", &plan), BookError::Game(_)));
    assert!(matches!(
        refusal("linja", &variant("odd")),
        BookError::Setup(_)
    ));
    assert_eq!(
        refusal("backgammon", &plan),
        BookError::NoSearch("backgammon")
    );
    assert_eq!(
        refusal("tzaar", &variant("random")),
        BookError::Drawn("random")
    );
    let long = BookError::Opening(InvalidOpening::TooLong(201));
    assert_eq!(refusal("tzaar", &BookPlan::new(201)), long);
    // Of 102 first moves, half are the mirror images of others.
    let all = BookPlan {
        openings: 52,
        candidates: 60,
        nodes: 1000,
        ..BookPlan::new(1)
    };
    let BookError::TooFew { found, plies: 1 } = refusal("kamisado", &all) else {
        panic!("there are 51 openings")
    };
    assert!((40..=51).contains(&found), "{found}");
}

/// Checks that the book in the repository is what its command makes, and that matches begin so, with no win at
/// hand.
fn check_shipped<P: Position>(game: &str) {
    let path = format!(
        "{}/../../deploy/openings/{game}.txt",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = fs::read_to_string(path).unwrap();
    let command = text.lines().nth(1).unwrap();
    let words: Vec<&str> = command.split(' ').collect();
    assert_eq!(words[..4], ["#", "dragontooth-bot", "openings", game]);
    let option = |name: &str| {
        let at = words.iter().position(|word| *word == name).unwrap();
        words[at + 1]
    };
    let number = |name: &str| option(name).parse::<usize>().unwrap();
    let plan = BookPlan {
        variant: Some(option("--variant").to_owned()),
        plies: number("--plies"),
        openings: number("--count"),
        candidates: number("--candidates"),
        nodes: number("--nodes") as u64,
        seed: number("--seed") as u64,
    };
    let Book { variant, openings } = make(game, &plan).unwrap();
    let lines: Vec<String> = openings.iter().map(|opening| opening.join(" ")).collect();
    assert_eq!(text.lines().skip(2).collect::<Vec<_>>(), lines, "{game}");
    let mut ends = HashSet::new();
    for opening in &openings {
        assert_eq!(opening.len(), plan.plies);
        let mut begun = catalogue::find(game)
            .unwrap()
            .new_match(Some(variant), 1)
            .unwrap();
        assert_eq!(begun.open_with(opening, None).as_ref(), Ok(opening));
        let start = begun.deal(&mut dragontooth_games::chance::Draws::from_text("").deal(1));
        begun.begin_game(&start).unwrap();
        let end: P = begun.position().unwrap().parse().ok().unwrap();
        end.for_each_next(|action, next| {
            let is_won = matches!(next.turn(), Turn::Over(outcome) if outcome.winner.is_some());
            assert!(!is_won, "{opening:?}: {action} wins");
        });
        assert!(ends.insert(end), "{opening:?}");
        assert!(
            end.images()
                .iter()
                .all(|image| *image == end || ends.insert(*image)),
            "{opening:?}"
        );
    }
}
