use dragontooth_games::analysis::{Analysis, AnalysisError, Question, Start};
use dragontooth_games::catalogue;
use dragontooth_games::kamisado::HOME_ROW;
use dragontooth_games::{GameOutcome, Seat};

fn ask(question: &Question<'_>) -> Result<Analysis, AnalysisError> {
    catalogue::find("kamisado").unwrap().analyze(question)
}

fn from_start<'a>(actions: &'a [&'a str]) -> Question<'a> {
    Question {
        actions,
        ..Question::default()
    }
}

#[test]
fn a_missing_position_is_the_start() {
    let answer = ask(&Question::default()).unwrap();
    assert_eq!(answer.position, "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -");
    assert_eq!((answer.seat, answer.outcome), (Some(Seat::First), None));
    assert_eq!(
        (answer.legal.len(), answer.legal[0].as_str()),
        (102, "a1a2")
    );
    assert!(answer.passes.is_empty() && answer.results.is_empty());
}

#[test]
fn the_seed_draws_the_start_of_the_random_variant() {
    let draw = |seed| {
        let start = Start {
            variant: Some("random"),
            position: None,
            seed,
        };
        ask(&Question {
            start,
            ..Question::default()
        })
        .unwrap()
        .position
    };
    assert_eq!(draw("a seed"), "LGPOMRYB/8/8/8/8/8/8/byrmopgl b -");
    assert_ne!(draw("another"), draw("a seed"));
}

#[test]
fn passes_are_those_after_the_last_action() {
    let answer = ask(&from_start(&["d1d7", "g8a2", "f1f3"])).unwrap();
    assert!(answer.passes.is_empty());
    let answer = ask(&from_start(&["d1d7", "g8a2", "f1f3", "a8a4"])).unwrap();
    assert_eq!(answer.passes, [Seat::First, Seat::Second]);
    assert_eq!(answer.seat, Some(Seat::First));
}

#[test]
fn a_game_that_is_over_has_an_outcome_and_nothing_legal() {
    let answer = ask(&Question {
        results: true,
        ..from_start(&["d1d7", "g8b3", "b3d1"])
    })
    .unwrap();
    let winner = Some(Seat::Second);
    assert_eq!(
        answer.outcome,
        Some(GameOutcome {
            winner,
            points: 1,
            reason: HOME_ROW
        })
    );
    assert_eq!(
        (answer.seat, answer.legal.len(), answer.results.len()),
        (None, 0, 0)
    );
}

#[test]
fn results_are_the_settled_positions_in_the_order_of_the_actions() {
    let question = Question {
        results: true,
        ..from_start(&["d1d7"])
    };
    let answer = ask(&question).unwrap();
    assert_eq!(answer.results.len(), answer.legal.len());
    for (action, result) in answer.legal.iter().zip(&answer.results) {
        let next = ask(&from_start(&["d1d7", action])).unwrap();
        assert_eq!(*result, next.position);
        let start = Start {
            position: Some(result),
            ..Start::default()
        };
        let again = ask(&Question {
            start,
            ..Question::default()
        })
        .unwrap();
        assert_eq!(
            (again.position, again.outcome),
            (next.position, next.outcome)
        );
    }
}

#[test]
fn errors_carry_the_index_and_the_position_before() {
    let cases = [
        (
            vec!["a1a9"],
            0,
            "action 1, \"a1a9\": invalid action: the to-square must be a file from a to h and a rank from 1 to 8",
        ),
        (
            vec!["d1d7", "a8a7"],
            1,
            "action 2, \"a8a7\": White must move the green tower on g8, not White's orange tower on a8 (rule T2)",
        ),
        (
            vec!["d1d7", "g8b3", "b3d1", "d7d8"],
            3,
            "action 4, \"d7d8\": the game is over",
        ),
    ];
    for (actions, expected_index, text) in cases {
        let error = ask(&from_start(&actions)).unwrap_err();
        assert_eq!(error.to_string(), text);
        let AnalysisError::Action {
            index,
            action,
            before,
            ..
        } = error
        else {
            panic!("{text}")
        };
        assert_eq!(
            (index, action.as_str()),
            (expected_index, actions[expected_index])
        );
        assert_eq!(
            *before,
            ask(&from_start(&actions[..expected_index])).unwrap()
        );
    }
}

/// Backgammon rolls at once where doubling is forbidden, so an action may come where only a roll can.
#[test]
fn an_action_in_place_of_a_roll_is_refused_by_its_rule() {
    let game = catalogue::find("backgammon").unwrap();
    let cases = [
        ("double", "no doubling in the Crawford game (rule crawford)"),
        (
            "roll",
            "a roll of the dice is due, not roll (rule decision)",
        ),
        (
            "resign 1",
            "a roll of the dice is due, not a resignation (rule decision)",
        ),
        (
            "8/5 6/5",
            "a roll of the dice is due, not a play (rule decision)",
        ),
        (
            "71",
            "invalid action: expected two digits from 1 to 6, such as 31",
        ),
        (
            "pass",
            "invalid action: expected two digits from 1 to 6, such as 31",
        ),
    ];
    for (action, expected) in cases {
        let start = Start {
            position: Some("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:6:1:1:7:10"),
            ..Start::default()
        };
        let question = Question {
            start,
            actions: &[action],
            ..Question::default()
        };
        let error = game.analyze(&question).unwrap_err();
        let AnalysisError::Action { fault, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(fault.to_string(), expected, "{action}");
    }
}

#[test]
fn unreadable_questions_say_why() {
    let start = Start {
        position: Some("8/8"),
        ..Start::default()
    };
    let error = ask(&Question {
        start,
        ..Question::default()
    })
    .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("invalid position: expected three fields")
    );
    let start = Start {
        variant: Some("odd"),
        ..Start::default()
    };
    let error = ask(&Question {
        start,
        ..Question::default()
    })
    .unwrap_err();
    assert!(matches!(error, AnalysisError::UnknownVariant(_)));
}

#[test]
fn divisions_add_up() {
    let game = catalogue::find("kamisado").unwrap();
    let division = game.divide(&Start::default(), 3).unwrap();
    assert_eq!((division.parts.len(), division.total), (102, 11_332));
    assert_eq!(
        division.parts.iter().map(|(_, lines)| lines).sum::<u64>(),
        11_332
    );
    let division = game.divide(&Start::default(), 0).unwrap();
    assert_eq!((division.parts.len(), division.total), (0, 1));
}
