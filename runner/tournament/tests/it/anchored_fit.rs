//! The fit of ratings with frozen ones, compared with the plain one and with laws.

use dragontooth_runner_tournament::statistics::{
    Anchoring, EncounterCounts, FirstSeat, MatchPoints, PlayedMatch, anchored_fit, fit,
};

/// Encounters of which every combination of half points occurs as often as a small table says.
fn counts(one: usize, other: usize) -> EncounterCounts {
    let favourite = if one < other {
        [10, 20, 60, 90, 70]
    } else {
        [70, 90, 60, 20, 10]
    };
    EncounterCounts {
        whole: favourite,
        half: [0; 3],
    }
}

const PAIRS: [(usize, usize); 4] = [(0, 1), (1, 2), (0, 2), (2, 3)];

#[test]
fn with_many_encounters_it_agrees_with_the_plain_fit() {
    let encounters = PAIRS.map(|(one, other)| ((one, other), counts(one, other)));
    let ratings = anchored_fit(&[Anchoring::Free; 4], &encounters);
    let mut matches = Vec::new();
    let mut encounter = 0;
    let points = [MatchPoints::Lost, MatchPoints::Drawn, MatchPoints::Won];
    for ((one, other), counts) in encounters {
        for (halves, count) in counts.whole.into_iter().enumerate() {
            for _ in 0..count {
                let first = halves.min(2);
                for (first, second, score) in [
                    (one, other, points[first]),
                    (other, one, points[halves - first].reversed()),
                ] {
                    matches.push(PlayedMatch {
                        encounter,
                        first,
                        second,
                        first_score: score,
                        moves: None,
                    });
                }
                encounter += 1;
            }
        }
    }
    let plain = fit(4, &matches, FirstSeat::Ignored).unwrap();
    let sum: f64 = ratings.iter().map(|rating| rating.elo).sum();
    assert!(sum.abs() < 1e-6, "{sum}");
    for (bot, rating) in ratings.into_iter().enumerate() {
        let expected = plain.of(bot);
        // Four virtual draws among five hundred matches and more.
        assert!(
            (rating.elo - expected.elo).abs() < 2.0,
            "{rating:?} {expected:?}"
        );
        let ratio = rating.standard_error / expected.standard_error;
        assert!((ratio - 1.0).abs() < 0.02, "{rating:?} {expected:?}");
    }
}

#[test]
fn frozen_ratings_stay_and_carry_the_others() {
    let encounters = PAIRS.map(|(one, other)| ((one, other), counts(one, other)));
    let at = |low: f64| {
        let bots = [
            Anchoring::Frozen(low),
            Anchoring::Free,
            Anchoring::Free,
            Anchoring::Free,
        ];
        anchored_fit(&bots, &encounters)
    };
    let (here, there) = (at(0.0), at(1000.0));
    for (ratings, low) in [(&here, 0.0), (&there, 1000.0)] {
        assert_eq!((ratings[0].elo, ratings[0].standard_error), (low, 0.0));
    }
    for (one, other) in here.iter().zip(&there) {
        assert!((other.elo - one.elo - 1000.0).abs() < 1e-6);
        assert!((other.standard_error - one.standard_error).abs() < 1e-6);
    }
    // Further from the anchor the errors grow.
    assert!(here[3].standard_error > here[2].standard_error);
}

#[test]
fn a_sweep_has_a_finite_rating_and_strangers_a_huge_error() {
    let swept = EncounterCounts {
        whole: [0, 0, 0, 0, 5],
        half: [0; 3],
    };
    let met = [((0, 1), swept), ((2, 3), counts(2, 3))];
    let bots = [
        Anchoring::Frozen(0.0),
        Anchoring::Free,
        Anchoring::Free,
        Anchoring::Free,
    ];
    let ratings = anchored_fit(&bots, &met);
    assert!(
        ratings[1].elo < -150.0 && ratings[1].elo > -1000.0,
        "{ratings:?}"
    );
    for stranger in &ratings[2..] {
        assert!(stranger.standard_error > 1000.0, "{ratings:?}");
    }
    let build = anchored_fit(&[Anchoring::Frozen(500.0), Anchoring::After(0)], &[]);
    assert!((build[1].elo - 500.0).abs() < 5.0, "{build:?}");
    assert!(
        (100.0..250.0).contains(&build[1].standard_error),
        "{build:?}"
    );
}
