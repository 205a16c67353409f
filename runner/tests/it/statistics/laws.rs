use dragontooth_runner_tournament::statistics::{
    Estimate, InvalidSample, InvalidSprt, MAX_UNITS, MatchPoints, Mean, Method, Model, PairSpread,
    Pentanomial, Plan, RobustMean, Sample, Sprt, SprtDecision, Trinomial, elo_of_score,
    score_of_elo, sprt_trajectory,
};
use proptest::prelude::*;

fn encounters(counts: [u64; 5]) -> Sample {
    Pentanomial(counts).sample().unwrap()
}

fn matches(wins: u64, draws: u64, losses: u64) -> Sample {
    let counts = Trinomial {
        wins,
        draws,
        losses,
    };
    counts.sample().unwrap()
}

fn sprt(model: Model, elo0: f64, elo1: f64) -> Sprt {
    Sprt::new(model, [elo0, elo1], 0.05, 0.05).unwrap()
}

/// Any counts, some or all of which may be 0.
fn any_counts() -> impl Strategy<Value = [u64; 5]> {
    let cell = || prop_oneof![Just(0), 0..5_u64, 0..1000_u64, 0..100_000_000_u64];
    [cell(), cell(), cell(), cell(), cell()]
}

/// Counts that many encounters between bots of similar strength give.
fn usual_counts() -> impl Strategy<Value = [u64; 5]> {
    let swept = 1000..5000_u64;
    let odd = 1000..5000_u64;
    (swept, odd, 2000..10_000_u64, 0..100_u64, 0..100_u64).prop_map(
        |(swept, odd, even, more_swept, more_odd)| {
            [swept, odd + more_odd, even, odd, swept + more_swept]
        },
    )
}

#[test]
fn encounters_are_counted_by_their_points() {
    let mut counts = Pentanomial::default();
    for (matches, cell) in [
        ([MatchPoints::Lost, MatchPoints::Lost], 0),
        ([MatchPoints::Drawn, MatchPoints::Lost], 1),
        ([MatchPoints::Won, MatchPoints::Lost], 2),
        ([MatchPoints::Drawn, MatchPoints::Drawn], 2),
        ([MatchPoints::Won, MatchPoints::Drawn], 3),
        ([MatchPoints::Won, MatchPoints::Won], 4),
    ] {
        let before = counts.0[cell];
        counts.count(matches);
        assert_eq!(counts.0[cell], before + 1, "{matches:?}");
    }
    assert_eq!(counts.reversed(), Pentanomial([1, 1, 2, 1, 1]));
}

#[test]
fn nothing_played_is_an_error_and_an_undecided_test() {
    assert_eq!(Estimate::of(&encounters([0; 5])), Err(InvalidSample::Empty));
    for (model, sample) in [
        (Model::Logistic, encounters([0; 5])),
        (Model::Normalized, encounters([0; 5])),
        (Model::BayesElo, matches(0, 0, 0)),
    ] {
        let test = sprt(model, 0.0, 10.0);
        let llr = test.log_likelihood_ratio(&sample).unwrap();
        assert_eq!(
            (llr.to_bits(), test.decision(llr)),
            (0, SprtDecision::Undecided)
        );
    }
}

#[test]
fn a_sweep_has_an_open_interval() {
    let estimate = Estimate::of(&encounters([0, 0, 0, 0, 10])).unwrap();
    assert_eq!(estimate.method, Method::Wilson);
    assert_eq!((estimate.elo(), estimate.elo_high()), (None, None));
    assert_eq!((estimate.elo_error(), estimate.normalized), (None, None));
    // Wilson's 72.24672 % (the vector small_n_10of10) is 166.2015 Elo.
    let low = estimate.elo_low().unwrap();
    assert!((low - 166.2015).abs() < 1e-4, "{low}");
    assert!((estimate.superiority - (1.0 - 0.5_f64.powi(11))).abs() < 1e-14);
}

/// Bots that split every encounter: nothing varies, and yet nothing is certain.
#[test]
fn no_variance_does_not_mean_no_error() {
    let estimate = Estimate::of(&encounters([0, 0, 30, 0, 0])).unwrap();
    assert_eq!(estimate.method, Method::Wilson);
    assert_eq!(estimate.elo(), Some(0.0));
    assert!(estimate.elo_error().unwrap() > 100.0);
    assert!((estimate.superiority - 0.5).abs() < 1e-15);
}

#[test]
fn invalid_tests_and_samples_say_why() {
    let new = |elos, alpha, beta| Sprt::new(Model::Logistic, elos, alpha, beta).unwrap_err();
    let text = |error: InvalidSprt| error.to_string();
    assert_eq!(
        text(new([5.0, 0.0], 0.05, 0.05)),
        "elo0 must be less than elo1, but 5 is not less than 0"
    );
    assert_eq!(
        text(new([0.0, 1e4], 0.05, 0.05)),
        "a hypothesis is from -1000 to 1000 Elo, not 10000"
    );
    for rate in [0.0, 0.5, -1.0, f64::NAN] {
        assert!(matches!(
            new([0.0, 5.0], rate, 0.05),
            InvalidSprt::ErrorRate(_)
        ));
        assert!(matches!(
            new([0.0, 5.0], 0.05, rate),
            InvalidSprt::ErrorRate(_)
        ));
    }
    assert!(matches!(
        new([f64::NAN, 5.0], 0.05, 0.05),
        InvalidSprt::Hypothesis(_)
    ));
    let bayes = sprt(Model::BayesElo, 0.0, 5.0);
    assert!(bayes.log_likelihood_ratio(&encounters([1; 5])).is_err());
    let many = Pentanomial([0, 0, MAX_UNITS + 1, 0, 0]).sample();
    assert_eq!(many, Err(InvalidSample::TooMany(MAX_UNITS + 1)));
}

#[test]
fn the_least_error_rate_has_bounds() {
    let least = f64::from_bits(1);
    let test = Sprt::new(Model::Normalized, [0.0, 5.0], least, 0.05).unwrap();
    // ln(0.95 · 2¹⁰⁷⁴)
    let upper = 0.95_f64.ln() + 1074.0 * 2.0_f64.ln();
    let [lower, found] = test.bounds();
    assert!((found - upper).abs() < 1e-9, "{found}");
    assert!((lower - 0.05_f64.ln()).abs() < 1e-12, "{lower}");
}

/// By the textbook: with 1 % errors and no drift the walk takes −ab/σ² steps, and errs as promised
/// at the hypotheses.
#[test]
fn a_test_is_expected_to_keep_its_error_rates() {
    for model in [Model::Logistic, Model::Normalized] {
        let test = Sprt::new(model, [0.0, 10.0], 0.02, 0.1).unwrap();
        let at = |elo| sprt_trajectory(&test, elo, 0.1).unwrap();
        assert!((at(0.0).acceptance - 0.02).abs() < 1e-12);
        assert!((at(10.0).acceptance - 0.9).abs() < 1e-12);
        assert!(at(-900.0).acceptance.abs() < 1e-12);
        assert!((at(900.0).acceptance - 1.0).abs() < 1e-12);
        assert!(at(5.0).encounters > at(0.0).encounters);
        // No jump where the drift is zero.
        let (near, nearer) = (at(5.0 + 1e-5), at(5.0 - 1e-5));
        assert!((near.encounters / nearer.encounters - 1.0).abs() < 1e-4);
        assert!(sprt_trajectory(&test, f64::NAN, 0.1).is_none());
    }
    assert!(sprt_trajectory(&sprt(Model::Logistic, 0.0, 5.0), 0.0, 0.0).is_none());
}

#[test]
fn a_plan_for_equal_bots_is_accurate() {
    let counts = encounters([30, 110, 240, 110, 30]);
    let seen = Estimate::of(&counts).unwrap();
    let plan = Plan {
        spread: PairSpread::seen(&seen),
    };
    let error = plan.elo_error(0.5, 520).unwrap();
    assert!((error - seen.elo_error().unwrap()).abs() < 1e-9);
    // In the fit of ratings the error is carried over by the slope at a half, 4.
    let difference = plan.difference_error(2, 520).unwrap();
    let slope = 4.0 * 400.0 / 10_f64.ln();
    assert!((difference - 1.959_963_984_540_054 * seen.standard_error * slope).abs() < 1e-9);
    assert_eq!(plan.encounters_for(2, difference), Some(520));
    assert_eq!(
        plan.encounters_for(7, plan.difference_error(7, 41).unwrap()),
        Some(41)
    );
    // Four times the encounters halve the error, as long as it is small.
    let half = plan.elo_error(0.5, 4 * 520).unwrap();
    assert!((error / half - 2.0).abs() < 0.01);
    assert_eq!(
        (plan.elo_error(0.5, 0), plan.elo_error(1.0, 9)),
        (None, None)
    );
    assert_eq!(
        (
            plan.encounters_for(2, 0.0),
            plan.encounters_for(2, f64::NAN)
        ),
        (None, None)
    );
    assert_eq!(
        (plan.rating_error(1, 5), plan.rating_error(5, 0)),
        (None, None)
    );
    assert_eq!(PairSpread::between_equals(1.1, 0.0), None);
    assert_eq!(PairSpread::between_equals(0.0, f64::NAN), None);
}

/// The closed form for the normalised model (Van den Bergh): good when there are many units and the
/// hypotheses are near.
fn closed_form(sample: &Sample, elos: [f64; 2]) -> f64 {
    let estimate = Estimate::of(sample).unwrap();
    let scale = 800.0 / 10_f64.ln() / 2_f64.sqrt();
    let seen = (estimate.score - 0.5) / estimate.variance.sqrt();
    let off = |elo: f64| 1.0 + (seen - elo / scale).powi(2);
    let units: u64 = sample.counts().iter().sum();
    f64::from(u32::try_from(units).unwrap()) / 2.0 * (off(elos[0]) / off(elos[1])).ln()
}

proptest! {
    #[test]
    fn elo_and_score_are_each_others_inverse(elo in -800.0..800.0_f64) {
        let back = elo_of_score(score_of_elo(elo)).unwrap();
        prop_assert!((back - elo).abs() < 1e-9);
        prop_assert!((score_of_elo(elo) + score_of_elo(-elo) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn the_other_side_sees_the_mirror(counts in any_counts()) {
        prop_assume!(counts.iter().sum::<u64>() > 0);
        let there = Estimate::of(&encounters(Pentanomial(counts).reversed().0)).unwrap();
        let here = Estimate::of(&encounters(counts)).unwrap();
        prop_assert!((here.score + there.score - 1.0).abs() < 1e-12);
        prop_assert!((here.superiority + there.superiority - 1.0).abs() < 1e-9);
        prop_assert_eq!(here.elo().is_some(), there.elo().is_some());
        if let (Some(here), Some(there)) = (here.elo(), there.elo()) {
            // Near 100 % few digits are left to distinguish scores.
            prop_assert!((here + there).abs() < 1e-3);
        }
    }

    #[test]
    fn every_figure_is_a_number_within_its_bounds(counts in any_counts()) {
        prop_assume!(counts.iter().sum::<u64>() > 0);
        let estimate = Estimate::of(&encounters(counts)).unwrap();
        prop_assert!((0.0..=1.0).contains(&estimate.superiority));
        prop_assert!(estimate.interval.low <= estimate.score);
        prop_assert!(estimate.score <= estimate.interval.high);
        let figures = [estimate.elo(), estimate.elo_low(), estimate.elo_high()];
        for figure in figures.into_iter().flatten() {
            prop_assert!(figure.is_finite());
        }
        if let Some(normalized) = estimate.normalized {
            prop_assert!(normalized.elo.is_finite() && normalized.error.is_finite());
        }
    }

    #[test]
    fn more_matches_make_a_smaller_error(counts in usual_counts(), times in 2..5_u64) {
        let more = counts.map(|count| count * times);
        let (few, many) = (encounters(counts), encounters(more));
        let (few, many) = (Estimate::of(&few).unwrap(), Estimate::of(&many).unwrap());
        prop_assert!(many.elo_error().unwrap() < few.elo_error().unwrap());
        prop_assert!((many.elo().unwrap() - few.elo().unwrap()).abs() < 1e-9);
    }

    #[test]
    fn another_win_never_hurts(counts in any_counts(), usual in usual_counts(), cell in 0..4_usize) {
        let better = |mut counts: [u64; 5]| {
            counts[cell] -= 1;
            counts[cell + 1] += 1;
            counts
        };
        let score = |counts| Estimate::of(&encounters(counts)).unwrap().score;
        if counts[cell] > 0 {
            prop_assert!(score(better(counts)) > score(counts));
        }
        for model in [Model::Logistic, Model::Normalized] {
            let test = sprt(model, 0.0, 5.0);
            let llr = |counts| test.log_likelihood_ratio(&encounters(counts)).unwrap();
            prop_assert!(llr(better(usual)) > llr(usual));
        }
    }

    #[test]
    fn the_ratio_of_a_test_is_a_number_and_has_a_mirror(
        counts in any_counts(),
        elo0 in -1000.0..900.0_f64,
        width in 0.1..100.0_f64,
    ) {
        let elo1 = elo0 + width;
        for model in [Model::Logistic, Model::Normalized] {
            let llr = sprt(model, elo0, elo1).log_likelihood_ratio(&encounters(counts)).unwrap();
            prop_assert!(llr.is_finite());
            let reversed = encounters(Pentanomial(counts).reversed().0);
            let mirror = sprt(model, -elo1, -elo0).log_likelihood_ratio(&reversed).unwrap();
            // Each side is a difference of sums of the size of the number of units.
            let units = f64::from(u32::try_from(counts.iter().sum::<u64>()).unwrap());
            let tolerance = 1e-8 * llr.abs() + 1e-12 * units + 1e-9;
            prop_assert!((llr + mirror).abs() < tolerance, "{} {}", llr, mirror);
        }
        let three = matches(counts[0], counts[1], counts[2]);
        for model in [Model::Logistic, Model::Normalized, Model::BayesElo] {
            prop_assert!(sprt(model, elo0, elo1).log_likelihood_ratio(&three).unwrap().is_finite());
        }
    }

    #[test]
    fn many_units_approach_the_closed_form(counts in usual_counts(), elo0 in -20.0..20.0_f64) {
        let elos = [elo0, elo0 + 5.0];
        let sample = encounters(counts);
        let ours = sprt(Model::Normalized, elos[0], elos[1]).log_likelihood_ratio(&sample).unwrap();
        let theirs = closed_form(&sample, elos);
        prop_assert!((ours - theirs).abs() < 0.03 * theirs.abs() + 0.02, "{} {}", ours, theirs);
    }
}

#[test]
fn one_great_win_counts_as_much_as_the_bound() {
    // 49 pairs of 1 and -1, a 0, and a win of 1,000: beside it nothing is beyond the bound.
    let mut values = [1.0, -1.0].repeat(49);
    values.push(0.0);
    let even = RobustMean::of(&values).unwrap();
    assert!(even.mean.abs() < 1e-9, "{even:?}");
    // Without a great one, nearly the usual error: 1.98 standard errors.
    let usual = 1.984 * (98.0 / 98.0_f64).sqrt() / 99.0_f64.sqrt();
    assert!((even.error.unwrap() - usual).abs() < 0.01, "{even:?}");
    values.push(1000.0);
    let odd = RobustMean::of(&values).unwrap();
    // The bound τ: (98 + few)/τ² + 1 = ½ ln 100, so τ = 8.7, and the mean is τ/99.
    assert!((odd.mean - 8.7 / 99.0).abs() < 0.002, "{odd:?}");
    assert!(odd.error.unwrap() < 0.4, "{odd:?}");
    let worse: Vec<f64> = values.iter().map(|value| value.min(100.0)).collect();
    let worse = RobustMean::of(&worse).unwrap();
    assert!((odd.mean - worse.mean).abs() < 1e-6, "{odd:?} {worse:?}");
}

#[test]
fn few_or_equal_values_have_no_error() {
    assert_eq!(RobustMean::of(&[]), None);
    let none = |values: &[f64]| RobustMean::of(values).unwrap().error;
    assert_eq!(none(&[2.0]), None);
    assert_eq!(none(&[1.0, -1.0].repeat(9)), None);
    assert_eq!(none(&[3.0; 50]), None);
    // Tenths and thirds have no exact sums. The points of a game for money are up to thousands.
    for value in [0.1, -0.7, 1.0 / 3.0, 1e-12, 1234.1] {
        for count in [20, 21, 50, 1000] {
            let mut equal = vec![value; count];
            // Results less the luck are sums of many terms, so equal ones differ in their last digits.
            equal[0] = value + 2.0 * f64::EPSILON;
            assert_eq!(none(&equal), None, "{count} times {value}");
            assert_eq!(
                Mean::of(&equal).unwrap().error,
                None,
                "{count} times {value}"
            );
        }
    }
    assert!(Mean::of(&[0.5, 0.501].repeat(10)).unwrap().error.is_some());
    assert!(none(&[1.0, -1.0].repeat(10)).is_some());
    // One that differs: the mean is the plain one.
    let mut values = vec![0.0; 999];
    values.push(500.0);
    let points = RobustMean::of(&values).unwrap();
    assert!((points.mean - 0.5).abs() < 1e-9, "{points:?}");
    assert!((points.error.unwrap() - 0.98).abs() < 0.01, "{points:?}");
}

proptest! {
    #[test]
    fn a_robust_mean_moves_and_scales_with_its_values(
        values in proptest::collection::vec(-1000_i32..1000, 1..80),
        shift in -100_i32..100,
        scale in 1_i32..50,
    ) {
        let of = |value: &dyn Fn(i32) -> i32| {
            let values: Vec<f64> = values.iter().map(|v| f64::from(value(*v))).collect();
            RobustMean::of(&values).unwrap()
        };
        let (plain, moved) = (of(&|v| v), of(&|v| v * scale + shift));
        let (shift, scale) = (f64::from(shift), f64::from(scale));
        prop_assert!((plain.mean * scale + shift - moved.mean).abs() < 1e-3, "{plain:?} {moved:?}");
        if let (Some(error), Some(other)) = (plain.error, moved.error) {
            prop_assert!((error * scale - other).abs() < 1e-2 * other, "{plain:?} {moved:?}");
        }
        let mirrored = of(&|v| -v);
        prop_assert!((plain.mean + mirrored.mean).abs() < 1e-3, "{plain:?} {mirrored:?}");
    }
}
