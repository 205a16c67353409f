//! Books of openings.

use std::collections::HashSet;
use std::fs;

use dragontooth_bots_builtin::book::{Book, BookError, BookPlan, make};
use dragontooth_games::backgammon::Due;
use dragontooth_games::chance::Draws;
use dragontooth_games::match_play::{InvalidOpening, Match, Step};
use dragontooth_games::record::{opening_entries, opening_text};
use dragontooth_games::{Position, Seat, Turn, backgammon, catalogue, kamisado, linja, tzaar};

#[test]
fn the_shipped_books_are_made_by_their_commands() {
    check_shipped::<kamisado::Position>("kamisado");
    check_shipped::<linja::Position>("linja");
    check_shipped::<tzaar::Position>("tzaar");
    check_shipped::<backgammon::Position>("backgammon");
}

#[test]
fn drawn_starts_have_books() {
    for game in ["kamisado", "linja", "tzaar"] {
        let plan = BookPlan {
            variant: Some("random".to_owned()),
            openings: 3,
            candidates: 10,
            nodes: 100,
            ..BookPlan::new(3)
        };
        let book = make(game, &plan).unwrap();
        assert_eq!((book.variant, book.openings.len()), ("random", 3));
        let mut texts = HashSet::new();
        for opening in &book.openings {
            assert_eq!(opening.len(), 4, "{game}: {opening:?}");
            let mut begun = begin(game, "random", &opening[..1]);
            assert_eq!(begun.step(), Step::Decide(Seat::First), "{opening:?}");
            for action in &opening[1..] {
                while let Step::Pass(_) = begun.step() {
                    begun.pass().unwrap();
                }
                begun.play(action).unwrap();
            }
            assert!(texts.insert(begun.position().unwrap()), "{opening:?}");
        }
    }
}

#[test]
fn a_backgammon_book_has_positions_with_dice() {
    let plan = BookPlan {
        openings: 30,
        candidates: 60,
        nodes: 1000,
        ..BookPlan::new(3)
    };
    let book = make("backgammon", &plan).unwrap();
    assert_eq!(book, make("backgammon", &plan).unwrap());
    let mut seen = HashSet::new();
    for opening in &book.openings {
        let [xgid] = &opening[..] else {
            panic!("{opening:?} is not a position")
        };
        let position: backgammon::Position = xgid.parse().unwrap();
        assert_eq!(position.mover(), Some(Seat::First), "{xgid}");
        assert!(matches!(position.due(), Due::Moves(_)), "{xgid}");
        assert!(position.count_legal() > 1, "{xgid}");
        assert!(seen.insert(xgid), "{xgid}");
    }
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
    let lines: Vec<String> = (openings.iter())
        .map(|opening| opening_text(opening))
        .collect();
    assert_eq!(text.lines().skip(2).collect::<Vec<_>>(), lines, "{game}");
    let is_played = game != "backgammon";
    let mut ends = HashSet::new();
    for opening in &openings {
        assert_eq!(opening.len(), if is_played { plan.plies } else { 1 });
        assert_eq!(&opening_entries(&opening_text(opening)), opening);
        let begun = begin(game, variant, opening);
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

/// A match that begins with an opening, which is written as a match has it.
fn begin(game: &str, variant: &str, opening: &[String]) -> Box<dyn Match> {
    let mut begun = catalogue::find(game)
        .unwrap()
        .new_match(Some(variant), 1)
        .unwrap();
    assert_eq!(begun.open_with(opening, None).as_deref(), Ok(opening));
    let start = begun.deal(&mut Draws::from_text("").deal(1));
    begun.begin_game(&start).unwrap();
    begun
}
