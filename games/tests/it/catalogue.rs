use dragontooth_games::catalogue::{self, SetupError};
use dragontooth_games::match_play::{Step, Targets};

#[test]
fn kamisado_is_listed() {
    let game = catalogue::find("kamisado").unwrap();
    assert_eq!((game.name, game.title), ("kamisado", "Kamisado"));
    let variants: Vec<&str> = game.variants().iter().map(|variant| variant.name).collect();
    assert_eq!(variants, ["standard", "random"]);
    assert!(
        game.variants()
            .iter()
            .all(|variant| variant.summary.ends_with('.') && variant.targets == Targets::STANDARD)
    );
}

#[test]
fn every_game_is_found_by_its_name() {
    for game in catalogue::GAMES {
        assert_eq!(catalogue::find(game.name).unwrap().title, game.title);
        for variant in game.variants() {
            assert!(variant.targets.usual.is_sorted());
            for points in variant.targets.usual {
                let fresh = game.new_match(Some(variant.name), *points).unwrap();
                assert_eq!((fresh.game(), fresh.variant()), (game.name, variant.name));
                assert_eq!(fresh.target().points(), *points);
                assert_eq!((fresh.step(), fresh.game_number()), (Step::Deal, 0));
                assert_eq!((fresh.position(), fresh.legal_actions().len()), (None, 0));
            }
        }
        let default = game.variants()[0];
        let fresh = game.new_match(None, default.targets.usual[0]).unwrap();
        assert_eq!(fresh.variant(), default.name);
    }
}

#[test]
fn unknown_names_and_targets_are_refused_with_the_known_ones() {
    let error = catalogue::find("chess").unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown game \"chess\"; expected one of kamisado, linja, tzaar, backgammon"
    );
    let game = catalogue::find("kamisado").unwrap();
    let error = game.new_match(Some("Random"), 3).unwrap_err();
    assert!(matches!(error, SetupError::UnknownVariant(_)));
    assert_eq!(
        error.to_string(),
        "unknown variant \"Random\"; expected one of standard, random; did you mean \"random\"?"
    );
    let error = game.new_match(None, 2).unwrap_err();
    let expected = "kamisado (standard) is played to 1, 3, 7 or 15 points, not 2";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_variant_may_be_played_to_any_number_of_points() {
    let any = Targets {
        usual: &[1, 3, 7, 15],
        max: Some(99),
    };
    assert_eq!(any.to_string(), "any number of points from 1 to 99");
    let allowed: Vec<u32> = (0..=100).filter(|points| any.allow(*points)).collect();
    assert_eq!(allowed, (1..=99).collect::<Vec<_>>());
    let one = Targets {
        usual: &[1],
        max: None,
    };
    assert_eq!(
        (one.to_string(), one.allow(2)),
        ("1 point".to_owned(), false)
    );
    assert!(any.allow_any(99..=200) && any.allow_any(0..=1));
    assert!(!any.allow_any(100..=200) && !any.allow_any(0..=0));
    let four = Targets::STANDARD;
    assert!(four.allow_any(2..=3) && !four.allow_any(4..=6));
}
