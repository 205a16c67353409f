//! Simulations with a known truth and a fixed seed: 95 % intervals hold it in 95 % of the runs.

use dragontooth_runner_tournament::statistics::{
    Estimate, FirstSeat, MatchPoints, Model, Pentanomial, PlayedMatch, RobustMean, Sample, Sprt,
    SprtDecision, elo_of_score, fit, score_of_elo, stop_estimate,
};

/// `SplitMix64` (Steele, Lea and Flood, 2014).
struct Draws(u64);

impl Draws {
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Both matches of an encounter, from the view of the bot that is `elo` stronger, with luck that
    /// both share and that helps the other bot in the second: they depend on each other. A third
    /// of the matches that the shared luck does not decide is drawn.
    fn encounter(&mut self, elo: f64) -> [MatchPoints; 2] {
        let chance = score_of_elo(elo);
        let luck = self.share();
        let mirrored = self.share() < 0.5;
        let second = if mirrored { 1.0 - luck } else { self.share() };
        [luck, second].map(|draw| {
            let edge = chance.min(1.0 - chance) / 3.0;
            if draw < chance - edge {
                MatchPoints::Won
            } else if draw < chance + edge {
                MatchPoints::Drawn
            } else {
                MatchPoints::Lost
            }
        })
    }
}

/// A game for money that the first bot wins with this chance. The cube turns again with the chance `turns`, up
/// to 1,024.
fn game_for_money(draws: &mut Draws, chance: f64, turns: f64) -> f64 {
    let mut stake = 1.0;
    while stake < 1024.0 && draws.share() < turns {
        stake *= 2.0;
    }
    let gammon = if draws.share() < 0.26 { 2.0 } else { 1.0 };
    let sign = if draws.share() < chance { 1.0 } else { -1.0 };
    sign * gammon * stake
}

/// Number of runs of each simulation. The seed is the number of the run.
const RUNS: u64 = 400;

/// Between 92 and 98 % of 400: three standard deviations about 95 %.
fn is_95_percent(hits: u32) -> bool {
    (368..=392).contains(&hits)
}

#[test]
fn intervals_of_two_bots_hold_the_truth() {
    let mut hits = 0;
    for seed in 0..RUNS {
        let mut draws = Draws(seed);
        let mut counts = Pentanomial::default();
        for _ in 0..100 {
            counts.count(draws.encounter(60.0));
        }
        let estimate = Estimate::of(&counts.sample().unwrap()).unwrap();
        let (low, high) = (estimate.elo_low().unwrap(), estimate.elo_high().unwrap());
        hits += u32::from(low <= 60.0 && 60.0 <= high);
    }
    assert!(is_95_percent(hits), "{hits} of {RUNS}");
}

/// Half the games with cubes up to 1,024 make a sample in which one game outweighs hundreds.
#[test]
fn intervals_of_points_in_money_games_hold_the_truth_and_are_narrow() {
    for (chance, turns, encounters) in [
        (0.5_f64, 0.5_f64, 50_u32),
        (0.53, 0.5, 400),
        (0.55, 0.35, 50),
        (0.55, 0.35, 400),
        (0.6, 0.2, 20),
    ] {
        // Cubes of 1, 2, 4, … to 512 come with falling chances, and what is left is 1,024.
        let stakes = (0..10)
            .map(|k| (1.0 - turns) * (2.0 * turns).powi(k))
            .sum::<f64>();
        let stake = stakes + (2.0 * turns).powi(10);
        let truth = (2.0 * chance - 1.0) * 1.26 * stake;
        let (mut hits, mut squares) = (0, [0.0; 2]);
        for seed in 0..RUNS {
            let mut draws = Draws(seed ^ 0xca5e);
            let mut game = || game_for_money(&mut draws, chance, turns);
            let units: Vec<f64> = (0..encounters)
                .map(|_| f64::midpoint(game(), game()))
                .collect();
            let points = RobustMean::of(&units).unwrap();
            let error = points.error.unwrap();
            hits += u32::from((points.mean - truth).abs() <= error);
            let plain = units.iter().sum::<f64>() / f64::from(encounters);
            for (sum, mean) in squares.iter_mut().zip([points.mean, plain]) {
                *sum += (mean - truth) * (mean - truth);
            }
        }
        // The interval may be too wide: nothing is known of stakes that were not seen.
        assert!(
            hits >= 368,
            "{hits} of {RUNS}, {chance} {turns} {encounters}"
        );
        let [robust, plain] = squares;
        assert!(
            robust < plain,
            "{robust} {plain}, {chance} {turns} {encounters}"
        );
        if turns >= 0.35 {
            assert!(
                robust < plain * 0.8,
                "{robust} {plain}, {chance} {turns} {encounters}"
            );
        }
    }
}

/// Encounters of every pair, of which those of bots 0 and 1 are only `distinct` ones over and over.
fn round_robin(
    draws: &mut Draws,
    truth: &[f64],
    encounters_of_two: u64,
    distinct: u64,
) -> Vec<PlayedMatch> {
    let mut matches = Vec::new();
    for one in 0..truth.len() {
        for other in 0..one {
            let mut met = Vec::new();
            for number in 0..encounters_of_two {
                let repeats = one == 1 && number >= distinct;
                let scores = if repeats {
                    met[met.len() - usize::try_from(distinct).unwrap()]
                } else {
                    draws.encounter(truth[one] - truth[other])
                };
                met.push(scores);
                let encounter = matches.len() as u64;
                let played = |first, second, first_score| PlayedMatch {
                    encounter,
                    first,
                    second,
                    first_score,
                    moves: (one == 1).then_some(number % distinct),
                };
                matches.push(played(one, other, scores[0]));
                matches.push(played(other, one, scores[1].reversed()));
            }
        }
    }
    matches
}

/// Counts in how many of 400 runs the interval of each bot holds its true rating, after a number of encounters
/// of every pair.
fn hits_of_joint_ratings(truth: &[f64], encounters_of_two: u64) -> Vec<u32> {
    let bots = truth.len();
    let mut hits = vec![0; bots];
    for seed in 0..RUNS {
        let mut draws = Draws(seed ^ 0xb0b);
        let matches = round_robin(&mut draws, truth, encounters_of_two, encounters_of_two);
        let ratings = fit(bots, &matches, FirstSeat::Ignored).unwrap();
        for (bot, truth) in truth.iter().enumerate() {
            let rating = ratings.of(bot);
            hits[bot] += u32::from((rating.elo - truth).abs() <= rating.error());
        }
    }
    hits
}

#[test]
fn intervals_of_joint_ratings_hold_the_truth() {
    let hits = hits_of_joint_ratings(&[120.0, 20.0, -40.0, -100.0], 40);
    assert!(
        hits.iter().all(|hits| is_95_percent(*hits)),
        "{hits:?} of {RUNS}"
    );
}

/// Intervals are not too narrow for a bot that hardly ever takes a point, or for its opponents, either.
#[test]
fn intervals_of_a_weak_bot_are_not_too_narrow() {
    let hits = hits_of_joint_ratings(&[250.0, 150.0, -400.0], 25);
    assert!(hits.iter().all(|hits| *hits >= 368), "{hits:?} of {RUNS}");
}

/// Counts in how many of 400 runs the intervals of these differences hold the truth, and that of the first seat,
/// which is worth nothing, if bots 0 and 1 repeat themselves.
fn hits_beside_repeats(distinct: u64, differences: &[(usize, usize)]) -> (Vec<u32>, u32) {
    let truth = [100.0, 40.0, -60.0, -80.0];
    let (mut hits, mut seats) = (vec![0; differences.len()], 0);
    for seed in 0..RUNS {
        let mut draws = Draws(seed ^ 0xc0b1);
        let matches = round_robin(&mut draws, &truth, 120, distinct);
        let ratings = fit(truth.len(), &matches, FirstSeat::Ignored).unwrap();
        for (hits, (one, other)) in hits.iter_mut().zip(differences) {
            let difference = ratings.difference(*one, *other);
            let off = difference.elo - (truth[*one] - truth[*other]);
            *hits += u32::from(off.abs() <= difference.error());
        }
        let fitted = fit(truth.len(), &matches, FirstSeat::Fitted).unwrap();
        let seat = fitted.first_seat().unwrap();
        seats += u32::from(seat.elo.abs() <= seat.error());
    }
    (hits, seats)
}

/// However many other matches the bots have that repeat themselves: what rests on the repeated ones is as uncertain
/// as these are few, and what does not is as certain as without them.
#[test]
fn intervals_beside_repeated_matches_hold_the_truth() {
    for distinct in [1, 2, 5, 12] {
        let (hits, seats) = hits_beside_repeats(distinct, &[(0, 1), (0, 2), (1, 3), (2, 3)]);
        assert!(
            hits.iter().chain([&seats]).all(|hits| *hits >= 368),
            "{hits:?} {seats} of {RUNS}, {distinct}"
        );
        assert!(is_95_percent(hits[3]), "{hits:?} of {RUNS}, {distinct}");
    }
}

/// Enough distinct matches show their own scatter, as often as each may be repeated.
#[test]
fn intervals_of_many_distinct_matches_are_not_too_wide() {
    let (hits, seats) = hits_beside_repeats(30, &[(0, 1), (0, 2), (1, 3), (2, 3)]);
    assert!(
        hits.iter().chain([&seats]).all(|hits| is_95_percent(*hits)),
        "{hits:?} {seats} of {RUNS}"
    );
}

/// A test that is checked after every encounter errs no more often than promised: of 400 runs at
/// 5 % not more than 33 (three standard deviations).
#[test]
fn a_sequential_test_keeps_its_error_rates() {
    let test = Sprt::new(Model::Logistic, [0.0, 80.0], 0.05, 0.05).unwrap();
    for (truth, wrong) in [
        (0.0, SprtDecision::Accepted),
        (80.0, SprtDecision::Rejected),
    ] {
        let mut errors = 0;
        for seed in 0..RUNS {
            let mut draws = Draws(seed ^ 0x5eed);
            let (_, decision) = whole_test(&test, 1, || draws.encounter(truth));
            errors += u32::from(decision == wrong);
        }
        assert!(errors <= 33, "{errors} of {RUNS} at {truth}");
        assert!(errors > 0, "the test takes far too long at {truth}");
    }
}

/// The encounters until the test is decided, which is looked at after each group of `group`.
fn whole_test(
    test: &Sprt,
    group: u32,
    mut encounter: impl FnMut() -> [MatchPoints; 2],
) -> (Sample, SprtDecision) {
    let mut counts = Pentanomial::default();
    loop {
        for _ in 0..group {
            counts.count(encounter());
        }
        let sample = counts.sample().unwrap();
        let decision = test.decision(test.log_likelihood_ratio(&sample).unwrap());
        if decision != SprtDecision::Undecided {
            return (sample, decision);
        }
    }
}

/// After a test of a few hundred encounters the estimate is too high as often as too low, 200 of 400
/// within three standard deviations, unlike the score at the stop; and its interval holds the
/// truth.
#[test]
fn estimates_after_a_stop_are_unbiased() {
    let test = Sprt::new(Model::Logistic, [0.0, 20.0], 0.05, 0.05).unwrap();
    for truth in [0.0, 22.0] {
        let (mut low, mut plain_low, mut hits) = (0, 0, 0);
        for seed in 0..RUNS {
            let mut draws = Draws(seed ^ 0xe57);
            let (sample, _) = whole_test(&test, 1, || draws.encounter(truth));
            let estimate = stop_estimate(&test, &sample).unwrap();
            low += u32::from(estimate.elo < truth);
            hits += u32::from(estimate.low <= truth && truth <= estimate.high);
            let plain = Estimate::of(&sample).unwrap();
            plain_low += u32::from(plain.elo().unwrap() < truth);
        }
        assert!((170..=230).contains(&low), "{low} of {RUNS} at {truth}");
        assert!(
            !(170..=230).contains(&plain_low),
            "{plain_low} of {RUNS} at {truth}"
        );
        assert!(is_95_percent(hits), "{hits} of {RUNS} at {truth}");
    }
}

/// A bot that loses both matches of 3 % of the encounters, wins one of 43 % and both of 54 %: far from the
/// hypotheses, in normalised Elo and in Elo.
#[test]
fn estimates_after_a_stop_are_unbiased_far_from_the_hypotheses() {
    let (lost, won) = (0.03, 0.54);
    let (mean, square) = ((won - lost) / 2.0, (won + lost) / 4.0);
    let deviation = f64::sqrt(square - mean * mean) * 2_f64.sqrt();
    let normalized = mean / deviation * 800.0 / 10_f64.ln();
    let elo = elo_of_score(0.5 + mean).unwrap();
    for (model, truth) in [(Model::Normalized, normalized), (Model::Logistic, elo)] {
        let test = Sprt::new(model, [0.0, 5.0], 0.05, 0.05).unwrap();
        let (mut low, mut hits) = (0, 0);
        for seed in 0..RUNS {
            let mut draws = Draws(seed ^ 0xfa2);
            let encounter = || {
                let draw = draws.share();
                [won, 1.0 - lost].map(|share| {
                    if draw < share {
                        MatchPoints::Won
                    } else {
                        MatchPoints::Lost
                    }
                })
            };
            let (sample, _) = whole_test(&test, 32, encounter);
            let estimate = stop_estimate(&test, &sample).unwrap();
            low += u32::from(estimate.elo < truth);
            hits += u32::from(estimate.low <= truth && truth <= estimate.high);
        }
        assert!(
            (170..=230).contains(&low),
            "{low} of {RUNS} at {model} {truth}"
        );
        assert!(is_95_percent(hits), "{hits} of {RUNS} at {model} {truth}");
    }
}
