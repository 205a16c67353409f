use dragontooth_games::chance::{Seed, SeededChance};
use dragontooth_games::match_play::{Match, Step};
use dragontooth_games::{Seat, catalogue};
use dragontooth_proto::v1;
use v1::match_event::Event;

/// Plays the exported events of a match again by the rules alone, compares every position, outcome
/// and score that they tell on the way, and the match at the end.
pub(crate) fn assert_replays(record: &v1::ExportMatchResponse) {
    let told = record.r#match.as_ref().unwrap();
    let game = catalogue::find(&told.game).unwrap();
    let mut play = game.new_match(Some(&told.variant), told.target).unwrap();
    let mut actions = 0;
    for (event, sequence) in record.events.iter().zip(1..) {
        assert_eq!(event.sequence, sequence, "the events have a gap");
        match event.event.as_ref().unwrap() {
            Event::Created(_) => assert_eq!(sequence, 1),
            Event::SeatJoined(_) => assert!(sequence <= 3),
            Event::GameStarted(started) => {
                assert_eq!(play.step(), Step::Deal);
                assert_eq!(play.game_number() + 1, started.game_number);
                if !record.seed.is_empty() {
                    let seed = Seed::from_text(&record.seed);
                    let mut chance = SeededChance::for_deal(&seed, started.game_number);
                    assert_eq!(play.deal(&mut chance), started.position);
                }
                play.begin_game(&started.position).unwrap();
                assert_eq!(play.position().as_ref(), Some(&started.position));
            }
            Event::ActionPlayed(played) => {
                actions += 1;
                assert_eq!(play.step(), Step::Decide(seat(played.seat()).unwrap()));
                assert_eq!(play.play(&played.action).unwrap(), played.action);
                assert_eq!(play.position().as_ref(), Some(&played.position));
            }
            Event::TurnPassed(passed) => {
                assert_eq!(play.step(), Step::Pass(seat(passed.seat()).unwrap()));
                play.pass().unwrap();
                assert_eq!(play.position().as_ref(), Some(&passed.position));
            }
            Event::GameEnded(ended) => {
                let Step::Score(outcome) = play.step() else {
                    panic!("the rules want {:?}", play.step());
                };
                let told = ended.outcome.as_ref().unwrap();
                assert_eq!(outcome.winner, seat(told.winner()));
                assert_eq!(outcome.points, told.points);
                assert_eq!(outcome.reason, told.reason);
                play.score_game().unwrap();
                assert_eq!(ended.score, Some(score(&*play)));
            }
            Event::MatchEnded(ended) => {
                let outcome = ended.outcome.unwrap();
                assert_eq!(told.outcome, Some(outcome));
                if let Step::Over(by_rules) = play.step() {
                    assert_eq!(outcome.termination(), v1::Termination::Normal);
                    assert_eq!(by_rules.winner, seat(outcome.winner()));
                } else {
                    assert_ne!(outcome.termination(), v1::Termination::Normal);
                }
                assert_eq!(record.events.last(), Some(event));
            }
        }
    }
    assert_eq!(told.head_sequence, record.events.len() as u64);
    assert_eq!(told.game_number, play.game_number());
    assert_eq!(told.position, play.position().unwrap_or_default());
    assert_eq!(told.score, Some(score(&*play)));
    let numbered = |line: &&str| line.trim_start().starts_with(|c: char| c.is_ascii_digit());
    assert_eq!(record.text.lines().filter(numbered).count(), actions);
}

fn seat(seat: v1::Seat) -> Option<Seat> {
    match seat {
        v1::Seat::Unspecified => None,
        v1::Seat::First => Some(Seat::First),
        v1::Seat::Second => Some(Seat::Second),
    }
}

fn score(play: &dyn Match) -> v1::Score {
    v1::Score {
        first: play.score().of(Seat::First),
        second: play.score().of(Seat::Second),
    }
}
