//! Events and results for tests.

use std::collections::BTreeMap;
use std::future::pending;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use dragontooth_games::Seat;
use dragontooth_games::chance::Seed;
use dragontooth_games::record::{GameRecord, RecordStep};
use dragontooth_runner::config::RunConfig;
use dragontooth_runner::drive::{self, RunLimits, RunOutcome};
use dragontooth_runner::progress::Progress;
use dragontooth_runner::record::{Gameplay, Origin, Played, ServiceKind};
use dragontooth_runner_tournament::{
    Ending, Event, FaultKind, Format, GameCounts, MatchResult, MatchRules, Name, Results, Schedule,
    ScheduledMatch,
};
use dragontooth_service_vocabulary::Termination;
use tokio::sync::watch;

/// The line of an event's file with a secret, so that its draws are the same in every run.
pub(crate) const DRAW_SECRET: &str =
    "draw_secret = '5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e'";

/// An event of `bots` bots called `a`, `b`, … (or `b0`, `b1`, … if there are more than 26).
pub(crate) fn event(bots: usize, cycles: u32) -> Event {
    let name = |i: usize| match u8::try_from(i) {
        Ok(i) if i < 26 => char::from(b'a' + i).to_string(),
        Ok(_) | Err(_) => format!("b{i}"),
    };
    let names = (0..bots).map(|i| Name::new(&name(i)).unwrap()).collect();
    let rules = MatchRules::new("kamisado", None, 3).unwrap();
    let format = Format::RoundRobin { cycles };
    Event::new(Name::new("demo").unwrap(), 7, rules, names, format).unwrap()
}

/// An event of `bots` bots with this format. Bots that it names are the first ones.
pub(crate) fn event_of(bots: usize, format: Format) -> Event {
    let like = event(bots, 1);
    let (name, names) = (like.name().clone(), like.bots().to_vec());
    Event::new(name, like.seed(), like.rules(), names, format).unwrap()
}

/// The schedule of such an event.
pub(crate) fn schedule(bots: usize, cycles: u32) -> Schedule {
    Schedule::new(event(bots, cycles))
}

/// The outcome of a match in a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Out {
    Won(Seat),
    Drawn,
    Void,
}

/// A result of the match: 3-0 in two games of 30 plies to the winner, or 1-1.
pub(crate) fn result(planned: &ScheduledMatch, out: Out) -> MatchResult {
    let (winner, termination) = match out {
        Out::Won(seat) => (Some(seat), Ending::By(Termination::Normal)),
        Out::Drawn => (None, Ending::By(Termination::Normal)),
        Out::Void => (None, Ending::By(Termination::Aborted)),
    };
    let mut score = [1, 1];
    let mut won = [1, 1];
    if let Some(seat) = winner {
        score = [0, 0];
        won = [0, 0];
        score[seat.index()] = 3;
        won[seat.index()] = 2;
    }
    MatchResult {
        call: None,
        number: planned.number,
        winner,
        termination,
        score,
        games: GameCounts { won, drawn: 0 },
        plies: 60,
        moves: None,
        moves_to_call: None,
        opening: None,
        faults: Vec::new(),
    }
}

/// A transcript of a match: three points to the first seat, or as many as its number says.
pub(crate) fn played(planned: &ScheduledMatch) -> Played {
    let first_wins = planned.number.get() % 3 != 2;
    let (winner, score) = if first_wins {
        (Seat::First, [3, 1])
    } else {
        (Seat::Second, [0, 4])
    };
    let started = SystemTime::UNIX_EPOCH + Duration::from_millis(1_800_000_000_123);
    Played {
        match_id: "0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b".parse().unwrap(),
        winner: Some(winner),
        termination: Ending::By(Termination::Normal),
        call: None,
        score,
        games: GameCounts {
            won: [2, 1],
            drawn: 0,
        },
        plies: 61,
        faults: Vec::new(),
        replays: 0,
        gameplay: gameplay(),
        origin: Origin {
            service: ServiceKind::Embedded,
            head_hash: Some("5b".repeat(32).parse().unwrap()),
        },
        started,
        ended: started + Duration::from_millis(4321),
    }
}

/// The beginning of a game.
fn gameplay() -> Gameplay {
    let action = |seat, action: &str| RecordStep::Action {
        seat,
        action: action.to_owned(),
    };
    let game = GameRecord {
        start: "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -".to_owned(),
        steps: vec![action(Seat::First, "d1d5"), action(Seat::Second, "a8a3")],
        thinking: BTreeMap::new(),
        outcome: None,
    };
    Gameplay {
        games: vec![game],
        thinking: [12_345, 678].map(Duration::from_micros).to_vec(),
        seed_commitment: Some(Seed::from_text("seed").commitment("")),
        ..Gameplay::default()
    }
}

/// The results of all matches, with the outcomes of `out`.
pub(crate) fn results(schedule: &Schedule, out: impl Fn(&ScheduledMatch) -> Out) -> Results {
    let mut results = Results::none(schedule.matches());
    for planned in schedule.matches() {
        results.add(result(planned, out(planned))).unwrap();
    }
    results
}

/// The event whose tables are in `tests/data/tables.txt`: three bots, with a fault, a draw, a void match and a
/// missing one.
pub(crate) fn with_troubles() -> (Schedule, Results) {
    let schedule = schedule(3, 1);
    let mut all = Results::none(schedule.matches());
    for planned in schedule.matches() {
        let mut result = result(planned, Out::Won(Seat::First));
        match planned.number.get() {
            1 => {
                result.termination = Ending::By(Termination::Timeout);
                result.faults = vec![(Seat::Second, FaultKind::Time)];
            }
            2 => result = self::result(planned, Out::Drawn),
            3 => result = self::result(planned, Out::Void),
            5 => continue,
            _ => {}
        }
        all.add(result).unwrap();
    }
    (schedule, all)
}

/// Ignores progress.
pub(crate) fn silent(_: &Schedule) -> Progress {
    Progress::lines(Box::new(io::sink()))
}

/// Runs an event in a folder, to its end.
pub(crate) async fn run(config: &RunConfig, folder: &Path) -> RunOutcome {
    let run = drive::run(config, folder, RunLimits::USUAL, silent, pending());
    run.await.unwrap()
}

/// Counts the matches in the progress.
pub(crate) struct Counter(watch::Sender<usize>);

impl Counter {
    pub(crate) fn new() -> (Self, watch::Receiver<usize>) {
        let (counter, count) = watch::channel(0);
        (Self(counter), count)
    }
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let matches = String::from_utf8_lossy(bytes).matches('[').count();
        self.0.send_modify(|count| *count += matches);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
