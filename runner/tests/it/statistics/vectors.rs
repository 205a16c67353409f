use dragontooth_runner_tournament::statistics::{
    ELO_PER_LOGIT, Estimate, FirstSeat, Interval, MatchPoints, Model, PairSpread, Pentanomial,
    PlayedMatch, Sample, Sprt, SprtTrajectory, Trinomial, elo_of_score, fit, sprt_trajectory,
    superiority_by_beta, superiority_by_decisive, superiority_by_score,
};
use dragontooth_runner_tournament::{Leg, berger_rounds};
use serde_json::Value;

/// Inputs and expected values from an independent program and from well-known tools; its `meta`
/// says how they were made.
const VECTORS: &str = include_str!("../../data/statistics_vectors.json");

/// The tolerance, of the larger value: both sides compute with numbers of 16 digits.
const CLOSE: f64 = 1e-9;

fn close(what: &str, ours: f64, theirs: &Value) {
    near(what, ours, theirs, CLOSE);
}

fn near(what: &str, ours: f64, theirs: &Value, tolerance: f64) {
    let theirs = theirs
        .as_f64()
        .unwrap_or_else(|| panic!("{what}: no number"));
    let off = (ours - theirs).abs();
    assert!(
        off <= tolerance * theirs.abs() || off <= 1e-12,
        "{what}: {ours} is not {theirs}"
    );
}

/// A printed value, with a tolerance of half of its last digit.
fn printed(what: &str, ours: f64, theirs: &Value) {
    let Some(number) = theirs.as_f64() else {
        return;
    };
    let decimals = theirs
        .to_string()
        .split_once('.')
        .map_or(0, |(_, after)| after.len());
    // A program that prints two decimals may have dropped a trailing zero.
    let digit = 10_f64.powi(-i32::try_from(decimals.max(2)).unwrap());
    assert!(
        (ours - number).abs() <= 0.500_001 * digit,
        "{what}: {ours} was printed as {number}"
    );
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn counts(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(count).collect()
}

fn trinomial(value: &Value) -> Trinomial {
    Trinomial {
        wins: count(&value["W"]),
        draws: count(&value["D"]),
        losses: count(&value["L"]),
    }
}

fn sample(counts: &[u64]) -> Sample {
    match *counts {
        [losses, draws, wins] => Trinomial {
            wins,
            draws,
            losses,
        }
        .sample()
        .unwrap(),
        _ => Pentanomial(counts.try_into().unwrap()).sample().unwrap(),
    }
}

fn check_estimate(id: &str, sample: &Sample, expect: &Value) -> Estimate {
    let estimate = Estimate::of(sample).unwrap();
    let normalized = estimate.normalized.unwrap();
    assert_eq!(estimate.units, count(&expect["n"]), "{id}");
    for (field, ours) in [
        ("score", estimate.score),
        ("var", estimate.variance),
        ("se", estimate.standard_error),
        ("elo", estimate.elo().unwrap()),
        ("elo_err", estimate.elo_error().unwrap()),
        ("elo_lo", estimate.elo_low().unwrap()),
        ("elo_hi", estimate.elo_high().unwrap()),
        ("nelo", normalized.elo),
        ("nelo_err", normalized.error),
        ("los", estimate.superiority),
    ] {
        close(&format!("{id} {field}"), ours, &expect[field]);
    }
    estimate
}

fn elo(id: &str, vector: &Value) {
    let input = &vector["input"];
    let sample = if input["penta"].is_array() {
        sample(&counts(&input["penta"]))
    } else {
        trinomial(input).sample().unwrap()
    };
    let estimate = check_estimate(id, &sample, &vector["expect"]);
    let normalized = estimate.normalized.unwrap();
    let tool = &vector["tool"]["fastchess_test"];
    for (field, ours) in [
        ("elo", estimate.elo().unwrap()),
        ("elo_err", estimate.elo_error().unwrap()),
        ("nelo", normalized.elo),
        ("nelo_err", normalized.error),
        ("los_pct", estimate.superiority * 100.0),
    ] {
        printed(&format!("{id} {field}"), ours, &tool[field]);
    }
}

fn encounters_against_matches(id: &str, vector: &Value) {
    let (input, expect) = (&vector["input"], &vector["expect"]);
    let pairs = sample(&counts(&input["penta"]));
    let matches = sample(&counts(&input["tri_LDW"]));
    let pairs = check_estimate(id, &pairs, &expect["penta"]);
    let matches = check_estimate(id, &matches, &expect["tri"]);
    let ratio = 2.0 * PairSpread::seen(&pairs).variance() / matches.variance;
    close(id, ratio, &expect["variance_ratio_pair_over_trinomial"]);
}

fn superiority(id: &str, vector: &Value) {
    let (counts, expect) = (trinomial(&vector["input"]), &vector["expect"]);
    let (wins, losses) = (counts.wins, counts.losses);
    let estimate = Estimate::of(&counts.sample().unwrap()).unwrap();
    let decisive = superiority_by_decisive(wins, losses).unwrap();
    let by_score = superiority_by_score(estimate.score - 0.5, estimate.standard_error).unwrap();
    close(id, decisive, &expect["normal_wl_only"]);
    close(id, by_score, &expect["from_score_variance"]);
    let beta = superiority_by_beta(wins, losses);
    close(id, beta, &expect["beta_posterior"]);
}

fn sprt_of(input: &Value, model: Model) -> Sprt {
    let number = |field: &str| input[field].as_f64().unwrap();
    let hypotheses = [number("elo0"), number("elo1")];
    Sprt::new(model, hypotheses, number("alpha"), number("beta")).unwrap()
}

fn model(input: &Value) -> Model {
    match input["model"].as_str().unwrap() {
        "normalized" => Model::Normalized,
        "logistic" => Model::Logistic,
        other => panic!("there is no model {other}"),
    }
}

fn check_sprt(id: &str, sprt: &Sprt, sample: &Sample, vector: &Value) {
    let expect = &vector["expect"];
    let llr = sprt.log_likelihood_ratio(sample).unwrap();
    close(&format!("{id} llr"), llr, &expect["llr"]);
    for (ours, theirs) in sprt
        .bounds()
        .iter()
        .zip(expect["llr_bounds"].as_array().unwrap())
    {
        close(&format!("{id} bound"), *ours, theirs);
    }
    let tool = &vector["tool"];
    printed(id, llr, &tool["fastchess_test"]);
    printed(id, llr, &tool["cutechess_test"]);
    let run = &tool["several"]["fishtest_LLRcalc_run_here"];
    if run.is_number() {
        close(&format!("{id} fishtest"), llr, run);
    }
}

fn sprt(id: &str, vector: &Value) {
    let input = &vector["input"];
    let sample = sample(&counts(&input["counts"]));
    check_sprt(id, &sprt_of(input, model(input)), &sample, vector);
}

fn sprt_of_cutechess(id: &str, vector: &Value) {
    let input = &vector["input"];
    let sample = trinomial(input).sample().unwrap();
    check_sprt(id, &sprt_of(input, Model::BayesElo), &sample, vector);
}

fn sprt_course(id: &str, vector: &Value) {
    let (input, expect) = (&vector["input"], &vector["expect"]);
    let (truth, variance) = (&input["true_elo"], &input["var_per_pair"]);
    let SprtTrajectory {
        acceptance,
        encounters,
    } = sprt_trajectory(
        &sprt_of(input, model(input)),
        truth.as_f64().unwrap(),
        variance.as_f64().unwrap(),
    )
    .unwrap();
    close(id, acceptance, &expect["pass_prob"]);
    // Halfway between the hypotheses the other program loses digits: with 50 digits the number of
    // encounters at 2.5 is 10466.793903616570.
    near(id, encounters, &expect["expected_pairs"], 1e-8);
    near(id, 2.0 * encounters, &expect["expected_games"], 1e-8);
}

/// Every match of the crosstable, each as its own encounter, as in the vector.
fn crosstable_matches(games: &Value, bots: &[&str]) -> Vec<PlayedMatch> {
    let place = |name: &str| bots.iter().position(|bot| *bot == name).unwrap();
    let mut matches = Vec::new();
    for (pairing, results) in games.as_object().unwrap() {
        let (first, second) = pairing.split_once('-').unwrap();
        for (field, first_score) in [
            ("first_wins", MatchPoints::Won),
            ("draws", MatchPoints::Drawn),
            ("second_wins", MatchPoints::Lost),
        ] {
            for _ in 0..count(&results[field]) {
                matches.push(PlayedMatch {
                    encounter: matches.len() as u64,
                    first: place(first),
                    second: place(second),
                    first_score,
                    moves: None,
                });
            }
        }
    }
    matches
}

fn joint_fit(id: &str, vector: &Value) {
    let bots = ["A", "B", "C", "D"];
    let matches = crosstable_matches(&vector["input"]["games"], &bots);
    let ratings = fit(bots.len(), &matches, FirstSeat::Ignored).unwrap();
    assert!(!ratings.has_prior() && !ratings.is_cautious());
    let (expect, ordo) = (
        &vector["expect"],
        &vector["tool"]["ordo 1.2.6 -a 0 -z 200.24094022767414 (run here)"],
    );
    for (place, bot) in bots.iter().enumerate() {
        let rating = ratings.of(place);
        close(id, rating.elo, &expect["ratings"][bot]);
        close(id, rating.standard_error, &expect["se_robust_game"][bot]);
        printed(id, rating.elo, &ordo[bot]);
    }
    for (pairing, los) in expect["los_robust"].as_object().unwrap() {
        let (one, other) = pairing.split_once('>').unwrap();
        let place = |name| bots.iter().position(|bot| *bot == name).unwrap();
        close(pairing, ratings.superiority(place(one), place(other)), los);
    }
}

/// Ordo's scale is different: 202 points are 76 %.
fn scale_of_ordo(id: &str, vector: &Value) {
    let elo = elo_of_score(0.76).unwrap();
    let expect = &vector["expect"];
    close(id, elo, &expect["elo400_of_76pct"]);
    close(id, 202.0 / elo, &expect["factor_vs_elo400"]);
    close(id, elo / ELO_PER_LOGIT / 202.0, &expect["beta"]);
}

fn small_samples(id: &str, vector: &Value) {
    let wins = count(&vector["input"]["wins"]);
    let games = count(&vector["input"]["games"]);
    let losses = games - wins;
    let score = if losses == 0 { 1.0 } else { 0.0 };
    for (field, interval) in [
        ("wilson", Interval::wilson(score, games)),
        ("clopper_pearson", Interval::clopper_pearson(wins, losses)),
    ] {
        close(
            &format!("{id} {field}"),
            interval.low,
            &vector["expect"][field][0],
        );
        close(
            &format!("{id} {field}"),
            interval.high,
            &vector["expect"][field][1],
        );
    }
}

fn schedule(vector: &Value) {
    let (input, expect) = (&vector["input"], &vector["expect"]);
    let bots = usize::try_from(count(&input["n"])).unwrap();
    let (even, odd) = (berger_rounds(bots), berger_rounds(bots - 1));
    let encounters = |rounds: &[Vec<_>]| rounds.iter().map(Vec::len).sum::<usize>() as u64;
    assert_eq!(even.len() as u64, count(&expect["rounds_even"]));
    assert_eq!(encounters(&even), count(&expect["encounters"]));
    let games = encounters(&even) * Leg::BOTH.len() as u64 * count(&input["pairs_per_encounter"]);
    assert_eq!(games, count(&expect["games"]));
    assert_eq!(odd.len() as u64, count(&expect["n7_rounds_with_bye"]));
    assert_eq!(encounters(&odd), count(&expect["encounters_n7"]));
}

#[test]
fn every_vector_is_reproduced() {
    let vectors: Value = serde_json::from_str(VECTORS).unwrap();
    let vectors = vectors["vectors"].as_array().unwrap();
    for vector in vectors {
        let id = vector["id"].as_str().unwrap();
        match id {
            "penta_vs_tri" => encounters_against_matches(id, vector),
            "los_variants" => superiority(id, vector),
            "bt_mle_crosstable4" => joint_fit(id, vector),
            "ordo_scale" => scale_of_ordo(id, vector),
            "schedule_counts" => schedule(vector),
            _ if id.starts_with("elo_") => elo(id, vector),
            _ if id.starts_with("sprt_cutechess_") => sprt_of_cutechess(id, vector),
            _ if id.starts_with("sprt_oc_") => sprt_course(id, vector),
            _ if id.starts_with("sprt_") => sprt(id, vector),
            _ if id.starts_with("small_n_") => small_samples(id, vector),
            _ => panic!("nothing checks {id}"),
        }
    }
    assert_eq!(vectors.len(), 26);
}

/// Measurements of mirrored dice: the variance of an encounter is 1 + correlation times what it
/// would be otherwise. It was measured over 5000 encounters, and the two figures of a row are not
/// from the same formula.
#[test]
fn mirrored_dice_save_the_measured_share() {
    let vectors: Value = serde_json::from_str(VECTORS).unwrap();
    let rows = &vectors["measured_here"]["backgammon_mirrored_dice"]["rows"];
    for row in rows.as_array().unwrap() {
        let rho = row["rho"].as_f64().unwrap();
        let mirrored = PairSpread::between_equals(0.0, rho).unwrap().variance();
        let ratio = mirrored / PairSpread::UNKNOWN.variance();
        let measured = row["var_ratio"].as_f64().unwrap();
        assert!((ratio - measured).abs() < 0.002, "{row}: {ratio}");
    }
}
