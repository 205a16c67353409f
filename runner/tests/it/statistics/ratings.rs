use dragontooth_runner_tournament::statistics::{
    Estimate, FirstSeat, InvalidFit, MAX_RATED, MatchPoints, PairSpread, Pentanomial, Plan,
    PlayedMatch, fit,
};
use proptest::prelude::*;

/// An encounter: both matches, from the view of `one`.
fn encounter(number: u64, one: usize, other: usize, scores: [MatchPoints; 2]) -> [PlayedMatch; 2] {
    let played = |first, second, first_score| PlayedMatch {
        encounter: number,
        first,
        second,
        first_score,
        moves: None,
    };
    [
        played(one, other, scores[0]),
        played(other, one, scores[1].reversed()),
    ]
}

/// Encounters of two bots with these counts.
fn head_to_head(counts: [u64; 5], start: u64, one: usize, other: usize) -> Vec<PlayedMatch> {
    let shapes = [
        [MatchPoints::Lost, MatchPoints::Lost],
        [MatchPoints::Lost, MatchPoints::Drawn],
        [MatchPoints::Won, MatchPoints::Lost],
        [MatchPoints::Won, MatchPoints::Drawn],
        [MatchPoints::Won, MatchPoints::Won],
    ];
    let mut matches = Vec::new();
    for (count, scores) in counts.into_iter().zip(shapes) {
        for _ in 0..count {
            let number = start + matches.len() as u64;
            matches.extend(encounter(number, one, other, scores));
        }
    }
    matches
}

fn any_score() -> impl Strategy<Value = MatchPoints> {
    prop_oneof![
        Just(MatchPoints::Lost),
        Just(MatchPoints::Drawn),
        Just(MatchPoints::Won)
    ]
}

/// Encounters of all bots with all, twice.
fn any_round_robin() -> impl Strategy<Value = (usize, Vec<PlayedMatch>)> {
    (2..6_usize).prop_flat_map(|bots| {
        let pairings: Vec<(usize, usize)> = (0..bots)
            .flat_map(|one| (0..one).map(move |other| (one, other)))
            .collect();
        let pairings = [&pairings[..], &pairings[..]].concat();
        prop::collection::vec([any_score(), any_score()], pairings.len()).prop_map(move |scores| {
            let numbered = (0..).zip(pairings.iter().zip(scores));
            let matches = numbered
                .flat_map(|(number, (pairing, scores))| {
                    encounter(number, pairing.0, pairing.1, scores)
                })
                .collect();
            (bots, matches)
        })
    })
}

/// With two bots, the fit is the Elo of the score, and its error is the one by encounters.
#[test]
fn two_bots_have_the_elo_of_their_score() {
    let counts = [34, 54, 63, 64, 75];
    let ratings = fit(2, &head_to_head(counts, 0, 0, 1), FirstSeat::Ignored).unwrap();
    let estimate = Estimate::of(&Pentanomial(counts).sample().unwrap()).unwrap();
    let difference = ratings.difference(0, 1);
    assert!((difference.elo - estimate.elo().unwrap()).abs() < 1e-9);
    // The slope of Elo over the score converts the error.
    let slope = 400.0 / 10_f64.ln() / (estimate.score * (1.0 - estimate.score));
    assert!((difference.standard_error - estimate.standard_error * slope).abs() < 1e-9);
    assert!((ratings.of(0).elo - difference.elo / 2.0).abs() < 1e-9);
    assert!((ratings.of(0).standard_error - difference.standard_error / 2.0).abs() < 1e-9);
}

/// With equal bots and equal encounters, the error is that of the plan.
#[test]
fn equals_have_the_errors_that_were_planned() {
    let counts = [2, 3, 10, 3, 2];
    let mut matches = Vec::new();
    for one in 0..4 {
        for other in 0..one {
            matches.extend(head_to_head(
                counts,
                1000 * matches.len() as u64,
                one,
                other,
            ));
        }
    }
    let ratings = fit(4, &matches, FirstSeat::Ignored).unwrap();
    let seen = Estimate::of(&Pentanomial(counts).sample().unwrap()).unwrap();
    let plan = Plan {
        spread: PairSpread::seen(&seen),
    };
    let apart = ratings.difference(0, 3).error();
    assert!((apart - plan.difference_error(4, 20).unwrap()).abs() < 1e-9);
    for bot in 0..4 {
        let rating = ratings.of(bot);
        assert!(rating.elo.abs() < 1e-9);
        assert!((rating.error() - plan.rating_error(4, 20).unwrap()).abs() < 1e-9);
    }
}

/// With few points taken in many matches: the odds of each seat are those of its matches, so their
/// logarithms are the difference of the ratings plus and minus the value of the seat.
#[test]
fn few_points_in_many_matches_have_the_elo_of_their_odds() {
    for (encounters, lost) in [
        (10_000_u32, [1_u32, 0]),
        (25_000, [1, 0]),
        (50_000, [4, 0]),
        (50_000, [1, 1]),
        (50_000, [3, 11]),
        (100_000, [1, 2]),
    ] {
        let mut matches = Vec::new();
        for number in 0..encounters {
            let scores = lost.map(|lost| {
                if number < lost {
                    MatchPoints::Lost
                } else {
                    MatchPoints::Won
                }
            });
            matches.extend(encounter(u64::from(number), 0, 1, scores));
        }
        let elo = |lost, played| 400.0 * (f64::from(played - lost) / f64::from(lost)).log10();
        let ratings = fit(2, &matches, FirstSeat::Ignored).unwrap();
        let difference = ratings.difference(0, 1).elo;
        let expected = elo(lost[0] + lost[1], 2 * encounters);
        assert!(!ratings.has_prior());
        assert!(
            (difference - expected).abs() < 1e-7,
            "{lost:?} of {encounters}: {difference}"
        );
        if lost.contains(&0) {
            continue;
        }
        let ratings = fit(2, &matches, FirstSeat::Fitted).unwrap();
        let [first, second] = lost.map(|lost| elo(lost, encounters));
        assert!(!ratings.has_prior());
        let seat = ratings.first_seat().unwrap().elo;
        assert!(
            (seat - (first - second) / 2.0).abs() < 1e-7,
            "{lost:?} of {encounters}: {seat}"
        );
        let difference = ratings.difference(0, 1).elo;
        assert!(
            (difference - f64::midpoint(first, second)).abs() < 1e-7,
            "{lost:?} of {encounters}: {difference}"
        );
    }
}

/// The first seat wins three of four matches, for either bot: only the seat is worth
/// something, which is the Elo of 75 %.
#[test]
fn the_first_seat_has_a_value() {
    let mut matches = Vec::new();
    for number in 0..40 {
        let won_by_first = [MatchPoints::Won, MatchPoints::Lost];
        let won_by_second = [MatchPoints::Lost, MatchPoints::Won];
        let scores = if number % 4 == 0 {
            won_by_second
        } else {
            won_by_first
        };
        matches.extend(encounter(number, 0, 1, scores));
    }
    let ratings = fit(2, &matches, FirstSeat::Fitted).unwrap();
    let seat = ratings.first_seat().unwrap();
    assert!((seat.elo - 400.0 * 3_f64.log10()).abs() < 1e-9, "{seat:?}");
    assert!(ratings.of(0).elo.abs() < 1e-9 && seat.standard_error > 0.0);
    assert!((ratings.expected_score(0, 1) - 0.75).abs() < 1e-12);
    let ignored = fit(2, &matches, FirstSeat::Ignored).unwrap();
    assert_eq!(ignored.first_seat(), None);
}

/// Ten wins of ten are not a certainty: each of the two bots has two virtual draws (with each other,
/// so that there are two), and 20 matches of 22 were won, the draws a half each.
#[test]
fn a_sweep_gets_a_prior_and_a_wide_error() {
    let matches = head_to_head([0, 0, 0, 0, 10], 0, 0, 1);
    let ratings = fit(2, &matches, FirstSeat::Ignored).unwrap();
    assert!(ratings.has_prior() && ratings.is_cautious());
    let difference = ratings.difference(0, 1);
    assert!(
        (difference.elo - 400.0 * 21_f64.log10()).abs() < 1e-9,
        "{difference:?}"
    );
    // Information: 22 matches with a chance of 21/22.
    let error = 400.0 / 10_f64.ln() / (22.0 * 21.0 / 22.0 / 22.0_f64).sqrt();
    assert!(
        (difference.standard_error - error).abs() < 1e-9,
        "{difference:?}"
    );
    // A seat that always wins has no finite worth either.
    let seats = head_to_head([0, 0, 9, 0, 0], 0, 0, 1);
    assert!(!fit(2, &seats, FirstSeat::Ignored).unwrap().has_prior());
    let fitted = fit(2, &seats, FirstSeat::Fitted).unwrap();
    let seat = fitted.first_seat().unwrap();
    assert!(fitted.has_prior() && seat.elo > 100.0);
    // Its error is that of as many matches with such a chance, as of a bot.
    let chance = 1.0 / (1.0 + 10_f64.powf(-seat.elo / 400.0));
    let error = 400.0 / 10_f64.ln() / (20.0 * chance * (1.0 - chance)).sqrt();
    assert!((seat.standard_error - error).abs() < 1e-6, "{seat:?}");
}

#[test]
fn unratable_results_say_why() {
    let one = encounter(0, 0, 1, [MatchPoints::Won, MatchPoints::Drawn]);
    let other = encounter(1, 2, 3, [MatchPoints::Won, MatchPoints::Drawn]);
    let apart = fit(5, &[one, other].concat(), FirstSeat::Ignored).unwrap_err();
    assert_eq!(apart, InvalidFit::Disconnected { groups: 3 });
    assert_eq!(fit(2, &[], FirstSeat::Ignored), Err(InvalidFit::NoMatches));
    let fault = fit(1, &one, FirstSeat::Ignored).unwrap_err();
    assert!(matches!(fault, InvalidFit::NoSuchPairing { bots: 1, .. }));
    let many = fit(MAX_RATED + 1, &one, FirstSeat::Ignored).unwrap_err();
    assert_eq!(many, InvalidFit::TooManyBots(MAX_RATED + 1));
}

proptest! {
    /// The condition for the most likely fit, and the sum of the ratings, which is 0.
    #[test]
    fn expected_scores_are_the_actual_ones((bots, matches) in any_round_robin()) {
        for first_seat in [FirstSeat::Ignored, FirstSeat::Fitted] {
            let ratings = fit(bots, &matches, first_seat).unwrap();
            let sum: f64 = (0..bots).map(|bot| ratings.of(bot).elo).sum();
            prop_assert!(sum.abs() < 1e-6);
            for bot in 0..bots {
                prop_assert!(ratings.of(bot).elo.is_finite());
                prop_assert!(ratings.of(bot).standard_error.is_finite());
            }
            if ratings.has_prior() {
                continue;
            }
            for bot in 0..bots {
                let mut residual = 0.0;
                for played in &matches {
                    let off = played.first_score.points()
                        - ratings.expected_score(played.first, played.second);
                    if played.first == bot {
                        residual += off;
                    } else if played.second == bot {
                        residual -= off;
                    }
                }
                prop_assert!(residual.abs() < 1e-7, "{}", residual);
            }
        }
    }

    /// Playing every match three times gives no more information than once.
    #[test]
    fn identical_matches_add_no_information((bots, matches) in any_round_robin()) {
        let numbered = (0..).zip(&matches);
        let once: Vec<PlayedMatch> = numbered
            .map(|(moves, played)| PlayedMatch { moves: Some(moves), ..*played })
            .collect();
        let copy = |number: u64| once.iter().map(move |played| PlayedMatch {
            encounter: played.encounter + 1000 * number,
            ..*played
        });
        let often: Vec<PlayedMatch> = (0..3).flat_map(copy).collect();
        let unknown = fit(bots, &matches, FirstSeat::Ignored).unwrap();
        let one = fit(bots, &once, FirstSeat::Ignored).unwrap();
        prop_assert_eq!(&one, &unknown, "nothing is alike");
        let three = fit(bots, &often, FirstSeat::Ignored).unwrap();
        prop_assert_eq!(one.has_prior(), three.has_prior());
        if !one.has_prior() {
            for bot in 0..bots {
                let (one, three) = (one.of(bot), three.of(bot));
                prop_assert!((one.elo - three.elo).abs() < 1e-6);
                prop_assert!((one.standard_error - three.standard_error).abs() < 1e-6, "{:?} {:?}", one, three);
            }
            prop_assert_eq!(one.is_cautious(), three.is_cautious());
        }
    }

    /// An identical match in two encounters joins them: a cluster made by
    /// hand gives the same.
    #[test]
    fn encounters_that_share_a_match_are_joined((bots, matches) in any_round_robin()) {
        let mut linked = matches.clone();
        let far = matches.len() - 2;
        // The pairings come twice: the same bots in the same seats.
        let near = far - matches.len() / 2;
        linked[near].moves = Some(7);
        linked[far].moves = Some(7);
        let mut joined = matches.clone();
        for played in &mut joined {
            if played.encounter == matches[far].encounter {
                played.encounter = matches[near].encounter;
            }
        }
        let (linked, joined) = (
            fit(bots, &linked, FirstSeat::Ignored).unwrap(),
            fit(bots, &joined, FirstSeat::Ignored).unwrap(),
        );
        prop_assert_eq!(linked.has_prior(), joined.has_prior());
        if !linked.is_cautious() {
            for bot in 0..bots {
                prop_assert!((linked.of(bot).standard_error - joined.of(bot).standard_error).abs() < 1e-9);
            }
        }
        for bot in 0..bots {
            prop_assert!(linked.of(bot).standard_error >= joined.of(bot).standard_error - 1e-9);
        }
    }

    /// The order of the matches and the names of the bots do not matter.
    #[test]
    fn names_and_order_do_not_matter((bots, matches) in any_round_robin()) {
        let there = |bot: usize| bots - 1 - bot;
        let renamed: Vec<PlayedMatch> = matches
            .iter()
            .rev()
            .map(|played| PlayedMatch {
                first: there(played.first),
                second: there(played.second),
                ..*played
            })
            .collect();
        let one = fit(bots, &matches, FirstSeat::Ignored).unwrap();
        let other = fit(bots, &renamed, FirstSeat::Ignored).unwrap();
        for bot in 0..bots {
            let (here, there) = (one.of(bot), other.of(there(bot)));
            prop_assert!((here.elo - there.elo).abs() < 1e-6);
            prop_assert!((here.standard_error - there.standard_error).abs() < 1e-6);
        }
        for opponent in 1..bots {
            let both = one.superiority(0, opponent) + one.superiority(opponent, 0);
            prop_assert!((both - 1.0).abs() < 1e-9);
        }
    }
}
