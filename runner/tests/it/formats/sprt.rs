use dragontooth_games::Seat;
use dragontooth_runner_tournament::statistics::{
    MatchPoints, Model, Pentanomial, Sprt, SprtDecision,
};
use dragontooth_runner_tournament::{
    Event, FaultKind, Format, InvalidEvent, MatchRules, Results, Schedule, Verdict,
};
use proptest::prelude::*;

use super::playing::{names, out_of, play};
use crate::fixture::{Out, event_of, result};

fn test_of(model: Model) -> Sprt {
    Sprt::new(model, [-50.0, 50.0], 0.1, 0.1).unwrap()
}

/// A test that is soon decided.
pub(super) fn format() -> impl Strategy<Value = Format> {
    let model = prop_oneof![Just(Model::Normalized), Just(Model::Logistic)];
    (1_u32..60, model).prop_map(|(max_encounters, model)| Format::Sprt {
        test: test_of(model),
        max_encounters,
    })
}

fn event(max_encounters: u32) -> Event {
    let test = test_of(Model::Logistic);
    event_of(
        2,
        Format::Sprt {
            test,
            max_encounters,
        },
    )
}

fn points(out: Out, seat: Seat) -> Option<MatchPoints> {
    match out {
        Out::Won(winner) if winner == seat => Some(MatchPoints::Won),
        Out::Won(_) => Some(MatchPoints::Lost),
        Out::Drawn => Some(MatchPoints::Drawn),
        Out::Void => None,
    }
}

proptest! {
    /// It ends with the first encounter after which all encounters so far, counted again, decide
    /// the test.
    #[test]
    fn it_ends_with_the_first_prefix_that_decides(seed in any::<u64>(), max in 1_u32..120) {
        let event = event(max);
        let (schedule, results) = play(&event, |planned| out_of(seed, planned));
        let all = Schedule::new(event);
        let decision = |encounters: usize| {
            let mut counts = Pentanomial::default();
            for legs in all.matches().chunks(2).take(encounters) {
                let scores = [&legs[0], &legs[1]].map(|leg| {
                    let first_bot = if leg.bots[0].get() == 0 { Seat::First } else { Seat::Second };
                    points(out_of(seed, leg), first_bot)
                });
                if let [Some(one), Some(two)] = scores {
                    counts.count([one, two]);
                }
            }
            let test = test_of(Model::Logistic);
            test.decision(test.log_likelihood_ratio(&counts.sample().unwrap()).unwrap())
        };
        let decided = (0..=max as usize).find(|count| decision(*count) != SprtDecision::Undecided);
        let end = decided.unwrap_or(max as usize);
        prop_assert_eq!(schedule.matches().len(), 2 * end);
        prop_assert_eq!(results.played(), 2 * end);
        prop_assert_eq!(schedule.sequential().unwrap().decision(), decision(end));
    }

    /// Matches that end before those that decide the test may turn out not to count.
    #[test]
    fn totals_leave_out_the_matches_after_the_decision(seed in any::<u64>(), max in 1_u32..120) {
        let mut schedule = Schedule::new(event(max));
        let mut results = Results::none(schedule.matches());
        for planned in schedule.matches().to_vec().iter().rev() {
            let mut result = result(planned, out_of(seed, planned));
            result.faults = vec![(Seat::First, FaultKind::Time); planned.number.get() % 3];
            results.add(result).unwrap();
        }
        schedule.follow(&mut results);
        let left: Vec<_> = results.with_match(schedule.matches()).map(|(_, result)| result).collect();
        prop_assert_eq!(results.played(), schedule.matches().len());
        prop_assert_eq!(results.played(), left.len());
        prop_assert_eq!(results.actions(), left.iter().map(|one| u64::from(one.plies)).sum::<u64>());
        prop_assert_eq!(results.faults(), left.iter().map(|one| one.faults.len()).sum::<usize>());
        let void = left.iter().filter(|one| one.verdict() == Verdict::Void);
        prop_assert_eq!(results.void(), void.count());
    }
}

#[test]
fn it_is_one_of_two_bots_and_of_encounters() {
    let like = crate::fixture::event(2, 1);
    let make = |bots, model, max_encounters| {
        let format = Format::Sprt {
            test: test_of(model),
            max_encounters,
        };
        let rules = MatchRules::new("kamisado", None, 3).unwrap();
        Event::new(like.name().clone(), 1, rules, names(bots), format).map(|_| ())
    };
    assert_eq!(make(2, Model::Logistic, 1), Ok(()));
    assert_eq!(
        make(3, Model::Logistic, 1),
        Err(InvalidEvent::NotTwoBots(3))
    );
    assert_eq!(make(2, Model::Logistic, 0), Err(InvalidEvent::NoEncounters));
    assert_eq!(
        make(2, Model::BayesElo, 1),
        Err(InvalidEvent::TestOfMatches)
    );
}
