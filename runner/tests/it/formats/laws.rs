//! Laws of every format.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_runner::record::Record;
use dragontooth_runner_report::{Document, Forecast};
use dragontooth_runner_tournament::{BotIndex, Leg, MatchNumber, Results, Schedule};
use dragontooth_service_vocabulary::TimeControl;
use proptest::prelude::*;

use super::playing::{any_event, by_strength, out_of, play};
use crate::fixture::{played, result};

proptest! {
    /// With any number of simultaneous matches that end in any order, the event is the
    /// same. Whenever it is interrupted, the records lead to the same state, from which it
    /// continues.
    #[test]
    fn the_order_of_the_results_does_not_matter(
        event in any_event(),
        seed in any::<u64>(),
        at_once in 1_usize..6,
        picks in proptest::collection::vec(any::<usize>(), 64),
        stop in 0_usize..100,
    ) {
        let (straight, expected) = play(&event, |planned| out_of(seed, planned));
        let mut schedule = Schedule::new(event.clone());
        let mut results = Results::none(schedule.matches());
        let mut recorded = Vec::new();
        let mut step = 0;
        while results.remaining() > 0 {
            let open = schedule.matches().iter().filter(|each| results.of(each.number).is_none());
            let under_way: Vec<_> = open.take(at_once).copied().collect();
            let planned = under_way[picks[step % picks.len()] % under_way.len()];
            let one = result(&planned, out_of(seed, &planned));
            results.add(one.clone()).unwrap();
            schedule.follow(&mut results);
            recorded.push(one);
            step += 1;
            if step == stop {
                let mut again = Schedule::new(event.clone());
                let mut so_far = Results::none(again.matches());
                for one in &recorded {
                    so_far.add(one.clone()).unwrap();
                    again.follow(&mut so_far);
                }
                prop_assert_eq!(again.matches(), schedule.matches());
                prop_assert_eq!(so_far.remaining(), results.remaining());
                (schedule, results) = (again, so_far);
            }
        }
        prop_assert_eq!(schedule.matches(), straight.matches());
        for planned in schedule.matches() {
            prop_assert_eq!(results.of(planned.number), expected.of(planned.number));
        }
        let text = |schedule, results| Document::new(schedule, results).text();
        prop_assert_eq!(text(&schedule, &results), text(&straight, &expected));
    }

    /// Encounters are pairs of matches with one seed and swapped seats. A round has each bot in at most one
    /// of them. Titles are unique and found again. The announced number of matches is kept.
    #[test]
    fn a_schedule_is_well_formed(event in any_event(), seed in any::<u64>()) {
        let (schedule, results) = play(&event, |planned| out_of(seed, planned));
        let mut titles = HashSet::new();
        for (encounter, legs) in (1..).zip(schedule.matches().chunks(2)) {
            let [one, two] = legs else { panic!("an encounter has two matches") };
            prop_assert_eq!((one.encounter, two.encounter), (encounter, encounter));
            prop_assert_eq!((one.slot.leg, two.slot.leg), (Leg::One, Leg::Two));
            prop_assert_eq!(one.bots, [two.bots[1], two.bots[0]]);
            prop_assert_ne!(one.bots[0], one.bots[1]);
            for planned in legs {
                let title = schedule.title(planned);
                prop_assert_eq!(schedule.find(&title), Some(planned));
                prop_assert!(titles.insert(title));
            }
        }
        for round in schedule.rounds() {
            let mut busy: HashSet<BotIndex> = HashSet::new();
            for planned in round.iter().filter(|each| each.slot.leg == Leg::One) {
                prop_assert!(busy.insert(planned.bots[0]) && busy.insert(planned.bots[1]));
            }
            prop_assert_eq!(schedule.idle(round).len(), event.bots().len() - busy.len());
        }
        prop_assert!(schedule.matches().len() as u64 <= event.most_matches());
        prop_assert_eq!(schedule.expected_matches(), schedule.matches().len() as u64);
        prop_assert_eq!(results.played(), schedule.matches().len());
    }

    /// If a match takes a minute and none is drawn, the forecast is the minutes of the rounds that wait for each
    /// other, or of all matches if they are known from the start.
    #[test]
    fn the_forecast_waits_for_every_round(event in any_event(), at_once in 1_usize..10) {
        let (schedule, _) = play(&event, |planned| by_strength(&(0..12).collect::<Vec<_>>(), planned));
        let start = Schedule::new(event.clone());
        let known = start.matches().len();
        let minutes: usize = if schedule.matches().len() > known {
            schedule.rounds().map(|round| round.len().div_ceil(at_once)).sum()
        } else {
            known.div_ceil(at_once)
        };
        // 75 decisions.
        let limit = Duration::from_millis(800);
        let forecast = Forecast {
            schedule: &start,
            time_controls: &vec![Some(TimeControl::PerAction { limit }); event.bots().len()],
            concurrency: NonZeroUsize::new(at_once).unwrap(),
        };
        let parts = [(minutes / 60, "h"), (minutes % 60, "m")];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let told: Vec<String> = parts.map(|(count, unit)| format!("{count}{unit}")).collect();
        let told = format!("; about {} if every bot", told.join(" "));
        let text = forecast.text();
        prop_assert!(text.contains(&told), "{} {}", told, text);
    }

    /// Matches are recorded and read again in the order in which they were written.
    #[test]
    fn records_lead_to_the_same_schedule(event in any_event()) {
        let mut schedule = Schedule::new(event.clone());
        let mut results = Results::none(schedule.matches());
        let mut lines = Vec::new();
        for next in 0.. {
            let Some(planned) = schedule.matches().get(next).copied() else { break };
            let record = Record::new(&schedule, &planned, &played(&planned));
            record.add_to(&mut results, &mut schedule).unwrap();
            lines.push(record.to_line());
        }
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("results.jsonl");
        std::fs::write(&file, lines.concat()).unwrap();
        let read = dragontooth_runner::record::read_results(&file, &event).unwrap();
        prop_assert_eq!(read.schedule.matches(), schedule.matches());
        prop_assert_eq!(read.results.remaining(), 0);
    }

    /// An announced schedule only grows, except for the part that a decision cuts off.
    #[test]
    fn what_is_scheduled_stays(event in any_event(), seed in any::<u64>()) {
        let mut schedule = Schedule::new(event);
        let mut results = Results::none(schedule.matches());
        for next in 0.. {
            let before = schedule.matches().to_vec();
            let Some(planned) = before.get(next) else { break };
            prop_assert_eq!(planned.number.get(), next);
            results.add(result(planned, out_of(seed, planned))).unwrap();
            schedule.follow(&mut results);
            let kept = before.len().min(schedule.matches().len());
            prop_assert_eq!(&schedule.matches()[..kept], &before[..kept]);
            prop_assert!(kept > next);
        }
        let numbers: Vec<MatchNumber> = schedule.matches().iter().map(|each| each.number).collect();
        prop_assert!(numbers.is_sorted());
        prop_assert!(schedule.matches().iter().all(|each| each.bot(Seat::First) != each.bot(Seat::Second)));
    }
}
