use dragontooth_runner_tournament::statistics::{
    Interval, holm, normal_above, normal_below, superiority_by_beta, superiority_by_decisive,
};

/// `python3 -c "from math import *; print(erfc(-z / sqrt(2)) / 2)"` for each z.
const NORMAL: [(f64, f64); 13] = [
    (-37.0, 5.725_571_222_525_139e-300),
    (-28.9, 5.969_619_808_809_878e-184),
    (-20.0, 2.753_624_118_606_331_4e-89),
    (-8.0, 6.220_960_574_271_819e-16),
    (-2.125, 0.016_793_306_448_448_817),
    (-2.12, 0.017_003_022_647_632_8),
    (-1.0, 0.158_655_253_931_457_07),
    (-0.1, 0.460_172_162_722_971),
    (0.0, 0.5),
    (0.3, 0.617_911_422_188_952_6),
    (2.13, 0.983_414_193_316_395),
    (3.0, 0.998_650_101_968_369_9),
    (5.0, 0.999_999_713_348_428_1),
];

#[test]
fn the_normal_distribution_agrees_with_another_library() {
    for (z, below) in NORMAL {
        let ours = normal_below(z);
        assert!(
            (ours - below).abs() <= 2e-13 * below,
            "{z}: {ours}, not {below}"
        );
        assert_eq!(ours.to_bits(), normal_above(-z).to_bits());
    }
    assert_eq!(normal_below(f64::NEG_INFINITY).to_bits(), 0.0_f64.to_bits());
    assert_eq!(normal_below(f64::INFINITY).to_bits(), 1.0_f64.to_bits());
}

/// With integer parameters the beta distribution is a sum of binomials: at most k wins of n.
#[test]
fn the_exact_interval_has_the_binomial_tails() {
    for (wins, losses) in [(1, 9), (5, 5), (12, 3), (40, 60)] {
        let interval = Interval::clopper_pearson(wins, losses);
        let n = wins + losses;
        let at_least: f64 = (wins..=n).map(|k| binomial(n, k, interval.low)).sum();
        let at_most: f64 = (0..=wins).map(|k| binomial(n, k, interval.high)).sum();
        assert!(
            (at_least - 0.025).abs() < 1e-12,
            "{wins} {losses}: {at_least}"
        );
        assert!(
            (at_most - 0.025).abs() < 1e-12,
            "{wins} {losses}: {at_most}"
        );
    }
}

#[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
fn binomial(n: u64, k: u64, p: f64) -> f64 {
    let ways: f64 = (0..k).map(|i| (n - i) as f64 / (k - i) as f64).product();
    ways * p.powf(k as f64) * (1.0 - p).powf((n - k) as f64)
}

#[test]
fn superiority_without_matches_is_a_half() {
    assert!((superiority_by_beta(0, 0) - 0.5).abs() < 1e-15);
    assert_eq!(superiority_by_decisive(0, 0), None);
    // Ten wins in a row: 1 − 2^−11.
    assert!((superiority_by_beta(10, 0) - (1.0 - 0.5_f64.powi(11))).abs() < 1e-14);
}

/// The example of the usual tables: 0.01, 0.04, 0.03, 0.005 become 0.03, 0.06, 0.06, 0.02.
#[test]
fn several_comparisons_are_corrected() {
    let corrected = holm(&[0.01, 0.04, 0.03, 0.005]);
    for (ours, theirs) in corrected.iter().zip([0.03, 0.06, 0.06, 0.02]) {
        assert!((ours - theirs).abs() < 1e-15, "{corrected:?}");
    }
    assert!(holm(&[]).is_empty());
    assert_eq!(holm(&[0.7, 0.9]), [1.0, 1.0]);
}
