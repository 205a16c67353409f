use dragontooth_games::chance::{Draws, Seed};
use dragontooth_games::match_play::{Match, Step};
use dragontooth_games::{Seat, catalogue};
use dragontooth_proto::v1;
use v1::match_event::Event;

/// Replays the exported events of a match by the rules alone and compares every position, outcome
/// and score on the way, and the match at the end.
pub(crate) fn assert_replays(record: &v1::ExportMatchResponse) {
    let told = record.r#match.as_ref().unwrap();
    let game = catalogue::find(&told.game).unwrap();
    let mut play = game.new_match(Some(&told.variant), told.target).unwrap();
    assert_eq!(play.open_with(&told.opening, None).unwrap(), told.opening);
    let draws = draws(told);
    let mut actions = 0;
    for (event, sequence) in record.events.iter().zip(1..) {
        assert_eq!(event.sequence, sequence, "the events have a gap");
        match event.event.as_ref().unwrap() {
            Event::Created(_) => assert_eq!(sequence, 1),
            Event::SeatJoined(_) => assert!(sequence <= 3),
            Event::GameStarted(started) => {
                assert_eq!(play.step(), Step::Deal);
                assert_eq!(play.game_number() + 1, started.game_number);
                if let Some(draws) = &draws {
                    let mut chance = draws.deal(started.game_number);
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
            Event::ActionRefused(refused) => {
                assert_eq!(play.step(), Step::Decide(seat(refused.seat()).unwrap()));
                assert!(play.clone().play(&refused.action).is_err());
            }
            Event::Rolled(rolled) => {
                assert_eq!(play.step(), Step::Chance);
                assert_eq!(play.rolls() + 1, rolled.roll_number);
                if let Some(draws) = &draws {
                    let mut chance = draws.roll(play.game_number(), rolled.roll_number);
                    assert_eq!(play.draw(&mut chance), rolled.roll);
                }
                assert_eq!(play.roll(&rolled.roll).unwrap(), rolled.roll);
                assert_eq!(play.position().as_ref(), Some(&rolled.position));
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
                let outcome = ended.outcome.clone().unwrap();
                assert_eq!(told.outcome, ended.outcome);
                if let Step::Over { winner } = play.step() {
                    assert_eq!(outcome.termination(), v1::Termination::Normal);
                    assert_eq!(winner, seat(outcome.winner()));
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

/// The random choices of a finished match. Asserts that they fit its commitment.
fn draws(told: &v1::Match) -> Option<Draws> {
    if told.server_seed.is_empty() {
        return None;
    }
    let seed = Seed::from_bytes(bytes(&told.server_seed).try_into().unwrap());
    let id = if told.seed_given { "" } else { &told.id };
    assert_eq!(seed.commitment(id).to_vec(), bytes(&told.seed_commitment));
    let players = [0, 1].map(|seat: usize| told.seats[seat].seed.clone());
    Some(if told.seed_given {
        Draws::shared(seed, players)
    } else {
        Draws::new(seed, id.to_owned(), players)
    })
}

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(byte).collect()
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
