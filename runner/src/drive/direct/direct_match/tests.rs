use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Instant;

use dragontooth_bots::{Bot, BotError, Budget};
use dragontooth_games::catalogue;
use dragontooth_runner_tournament::FaultKind;
use dragontooth_service::WallClock;

use super::*;

/// The bot's choice in place of the first legal action; `fail` means that it makes none.
type Whim = fn(&Budget) -> Option<String>;

/// A bot that plays the first legal action, unless it wants something else.
struct First(Whim);

impl Bot for First {
    fn choose(&mut self, position: &str, budget: &Budget) -> Result<String, BotError> {
        if let Some(choice) = (self.0)(budget) {
            return match choice.as_str() {
                "fail" => Err(BotError::NothingToDecide(position.to_owned())),
                _ => Ok(choice),
            };
        }
        let game = catalogue::find("kamisado").unwrap();
        let mut play = game.new_match(None, 1).unwrap();
        play.begin_game(position).unwrap();
        Ok(play.legal_actions().remove(0))
    }
}

const HONEST: Whim = |_| None;

/// A match of Kamisado to one point between bots that do this.
fn play(bots: [Whim; 2], time_control: Option<TimeControl>) -> Result<Played, DirectError> {
    play_with_odds(bots, [time_control; 2])
}

fn play_with_odds(
    bots: [Whim; 2],
    time_controls: [Option<TimeControl>; 2],
) -> Result<Played, DirectError> {
    play_limited(bots, time_controls, None)
}

fn play_limited(
    bots: [Whim; 2],
    time_controls: [Option<TimeControl>; 2],
    illegal_actions: Option<IllegalActionLimit>,
) -> Result<Played, DirectError> {
    play_with_forfeits(bots, time_controls, illegal_actions, Vec::new())
}

fn play_with_forfeits(
    bots: [Whim; 2],
    time_controls: [Option<TimeControl>; 2],
    illegal_actions: Option<IllegalActionLimit>,
    forfeits: Vec<Fault>,
) -> Result<Played, DirectError> {
    let clock = WallClock::start();
    play_by_clock(bots, time_controls, illegal_actions, forfeits, &|| {
        clock.now()
    })
}

fn play_by_clock(
    bots: [Whim; 2],
    time_controls: [Option<TimeControl>; 2],
    illegal_actions: Option<IllegalActionLimit>,
    forfeits: Vec<Fault>,
    now: &dyn Fn() -> Timestamp,
) -> Result<Played, DirectError> {
    let players = bots.map(|bot| DirectPlayer::new(0, move |_| Ok(Box::new(First(bot)))));
    play_between(players, time_controls, illegal_actions, forfeits, now)
}

fn play_between(
    players: [DirectPlayer; 2],
    time_controls: [Option<TimeControl>; 2],
    illegal_actions: Option<IllegalActionLimit>,
    forfeits: Vec<Fault>,
    now: &dyn Fn() -> Timestamp,
) -> Result<Played, DirectError> {
    let [a, b] = ["a", "b"].map(|name| Name::new(name).unwrap());
    let setting = Setting {
        is_audited: false,
        id: Uuid::from_u128(7),
        title: "cup/c1/r1/p1/m1".to_owned(),
        rules: MatchRules::new("kamisado", None, 1).unwrap(),
        seed: "seed".to_owned(),
        opening: Vec::new(),
        shares: [None, None],
        illegal_actions,
        time_controls,
        names: [&a, &b],
        stall: Duration::from_mins(1),
        feed: None,
        forfeits,
    };
    let begun = DirectMatch::begin(&setting, players, now)?;
    begun.play(&AtomicBool::new(false))
}

const fn per_action(limit_ms: u64) -> TimeControl {
    TimeControl::PerAction {
        limit: Duration::from_millis(limit_ms),
    }
}

#[test]
fn a_match_is_played_to_its_end() {
    let played = play([HONEST; 2], None).unwrap();
    assert_eq!(played.termination, Ending::By(Termination::Normal));
    assert_eq!(played.score.iter().sum::<u32>(), 1);
    assert!(played.faults.is_empty());
    assert_eq!(played.gameplay.thinking.len(), played.plies as usize);
    assert!(played.ended >= played.started);
}

/// Neither bot has to decide when one of them is disabled.
#[test]
fn bots_that_play_no_more_lose_without_playing() {
    let never: Whim = |_| panic!("it was asked");
    let forfeit = |seat| Fault {
        seat,
        kind: FaultKind::Disabled,
        detail: "it plays no more".to_owned(),
    };
    for seat in Seat::BOTH {
        let played = play_with_forfeits([never; 2], [None; 2], None, vec![forfeit(seat)]).unwrap();
        assert_eq!(played.termination, Ending::By(Termination::Resignation));
        assert_eq!((played.winner, played.plies), (Some(seat.other()), 0));
        assert_eq!(played.faults, [forfeit(seat)]);
    }
    let both = Seat::BOTH.map(forfeit).to_vec();
    let played = play_with_forfeits([never; 2], [None; 2], None, both.clone()).unwrap();
    assert!(played.is_void());
    assert_eq!(played.termination, Ending::By(Termination::Aborted));
    assert_eq!(played.faults, both);
}

#[test]
fn a_bot_that_is_too_late_loses_by_time() {
    // It is about time that passes, so time has to pass.
    let late = |_: &Budget| {
        let began = Instant::now();
        while began.elapsed() < Duration::from_millis(3) {
            std::hint::spin_loop();
        }
        None
    };
    let fischer = TimeControl::Fischer {
        base: Duration::from_millis(2),
        increment: Duration::ZERO,
    };
    let delay = TimeControl::Delay {
        base: Duration::from_millis(1),
        delay: Duration::from_millis(1),
    };
    for control in [per_action(2), fischer, delay] {
        let played = play([late, late], Some(control)).unwrap();
        assert_eq!(played.termination, Ending::By(Termination::Timeout));
        assert_eq!((played.winner, played.plies), (Some(Seat::Second), 0));
        let [fault] = &played.faults[..] else {
            panic!("{:?}", played.faults)
        };
        assert_eq!((fault.seat, fault.kind), (Seat::First, FaultKind::Time));
    }
}

#[test]
fn no_clock_runs_while_a_bot_is_made() {
    let made = Arc::new(AtomicU32::new(0));
    let players = [(); 2].map(|()| {
        let made = Arc::clone(&made);
        DirectPlayer::new(0, move |_| {
            made.fetch_add(1, Ordering::Relaxed);
            Ok(Box::new(First(HONEST)))
        })
    });
    // It stands still but for the bots that are made.
    let now = || Timestamp::default().after(Duration::from_mins(1) * made.load(Ordering::Relaxed));
    let controls = [Some(per_action(100)); 2];
    let played = play_between(players, controls, None, Vec::new(), &now).unwrap();
    assert_eq!(played.termination, Ending::By(Termination::Normal));
    assert_eq!(made.load(Ordering::Relaxed), 2);
}

/// A clock that is later by `step` whenever it is read.
fn creeping_clock(step: Duration) -> impl Fn() -> Timestamp {
    let read = Cell::new(Timestamp::default());
    move || {
        read.set(read.get().after(step));
        read.get()
    }
}

/// An answer is in time or late as a whole, even if the time is up before all has followed from it.
#[test]
fn an_answer_at_the_edge_of_the_clock_is_in_time_or_late() {
    let illegal: Whim = |_| Some("a1a1".to_owned());
    let cases = [
        (HONEST, None, Termination::Normal),
        (illegal, None, Termination::Resignation),
        (illegal, Some(3), Termination::Resignation),
        (illegal, Some(1), Termination::IllegalAction),
    ];
    for (bot, limit, in_time) in cases {
        let limit = limit.map(|limit| IllegalActionLimit::new(limit).unwrap());
        let ends = (1..=9).map(|limit_ms| {
            let controls = [Some(per_action(limit_ms)); 2];
            let clock = creeping_clock(Duration::from_millis(1));
            let played = play_by_clock([bot; 2], controls, limit, Vec::new(), &clock);
            played.unwrap().termination
        });
        let ends: Vec<_> = ends.collect();
        let late = ends.partition_point(|end| *end == Ending::By(Termination::Timeout));
        assert!((1..9).contains(&late), "{ends:?}");
        assert!(
            ends[late..].iter().all(|end| *end == Ending::By(in_time)),
            "{ends:?}"
        );
    }
}

/// The clock of the first decision runs before the forfeit is carried out.
#[test]
fn a_forfeit_does_not_depend_on_the_clock() {
    for seat in Seat::BOTH {
        let forfeit = Fault {
            seat,
            kind: FaultKind::Disabled,
            detail: "it plays no more".to_owned(),
        };
        let (bots, controls) = ([HONEST; 2], [Some(per_action(1)); 2]);
        let clock = creeping_clock(Duration::from_millis(2));
        let played = play_by_clock(bots, controls, None, vec![forfeit], &clock).unwrap();
        assert_eq!(played.termination, Ending::By(Termination::Resignation));
        assert_eq!(played.winner, Some(seat.other()));
    }
}

/// The one with the short clock loses, the one without takes the same time and does not.
#[test]
fn each_bot_has_its_own_clock() {
    // It is about time that passes, so time has to pass.
    let late = |_: &Budget| {
        let began = Instant::now();
        while began.elapsed() < Duration::from_millis(3) {
            std::hint::spin_loop();
        }
        None
    };
    for loser in Seat::BOTH {
        let mut controls = [None; 2];
        controls[loser.index()] = Some(per_action(2));
        let played = play_with_odds([late; 2], controls).unwrap();
        assert_eq!(played.termination, Ending::By(Termination::Timeout));
        assert_eq!(played.winner, Some(loser.other()));
        assert_eq!(played.plies as usize, loser.index());
    }
    let minute = |budget: &Budget| {
        let expected = Duration::from_mins(1).saturating_sub(THREAD_MARGIN);
        (budget.time != Some(expected)).then(|| "fail".to_owned())
    };
    let untold = |budget: &Budget| budget.time.map(|_| "fail".to_owned());
    let controls = [Some(per_action(60_000)), None];
    let played = play_with_odds([minute, untold], controls).unwrap();
    assert!(played.faults.is_empty(), "{:?}", played.faults);
}

/// Time that a seat has not used is not taken from it.
#[test]
fn a_bot_that_is_in_time_plays_on() {
    let played = play([HONEST; 2], Some(per_action(60_000))).unwrap();
    assert_eq!(played.termination, Ending::By(Termination::Normal));
}

#[test]
fn a_bot_knows_how_long_it_may_think() {
    let told = |budget: &Budget| {
        let time = budget.time.unwrap();
        let expected = Duration::from_mins(1).saturating_sub(THREAD_MARGIN);
        (time != expected).then(|| "fail".to_owned())
    };
    let played = play([told; 2], Some(per_action(60_000))).unwrap();
    assert!(played.faults.is_empty(), "{:?}", played.faults);
    let untold = |budget: &Budget| budget.time.map(|_| "fail".to_owned());
    let played = play([untold; 2], None).unwrap();
    assert!(played.faults.is_empty(), "{:?}", played.faults);
}

#[test]
fn a_bot_that_fails_resigns() {
    let cases: [(Whim, &str); 4] = [
        (|_| Some("fail".to_owned()), "nothing to decide"),
        (|_| panic!("on purpose"), "the bot panicked"),
        (|_| Some("a1a1".to_owned()), "rule T2"),
        (|_| Some("nonsense".to_owned()), "cannot be read"),
    ];
    for (bot, told) in cases {
        let played = play([HONEST, bot], None).unwrap();
        assert_eq!(played.termination, Ending::By(Termination::Resignation));
        assert_eq!((played.winner, played.plies), (Some(Seat::First), 1));
        let [fault] = &played.faults[..] else {
            panic!("{:?}", played.faults)
        };
        assert_eq!((fault.seat, fault.kind), (Seat::Second, FaultKind::Crash));
        assert!(fault.detail.contains(told), "{}", fault.detail);
    }
}

/// As on a service: after the first illegal action it resigns, unless that one is one too many.
#[test]
fn an_illegal_action_has_a_name() {
    let cases: [(Whim, &str); 2] = [
        (|_| Some("a1a1".to_owned()), "rule T2"),
        (|_| Some("rook".to_owned()), "action"),
    ];
    let ends = [
        (3, Ending::By(Termination::Resignation), ""),
        (
            1,
            Ending::By(Termination::IllegalAction),
            "too many illegal actions",
        ),
    ];
    for (bot, told) in cases {
        for (limit, termination, first) in ends {
            let limit = IllegalActionLimit::new(limit).ok();
            let played = play_limited([HONEST, bot], [None; 2], limit).unwrap();
            assert_eq!(played.termination, termination);
            assert_eq!((played.winner, played.plies), (Some(Seat::First), 1));
            let [fault] = &played.faults[..] else {
                panic!("{:?}", played.faults)
            };
            assert_eq!((fault.seat, fault.kind), (Seat::Second, FaultKind::Illegal));
            assert!(fault.detail.starts_with(first), "{}", fault.detail);
            assert!(fault.detail.contains(told), "{}", fault.detail);
        }
    }
}

#[test]
fn a_match_that_nobody_wants_is_broken_off() {
    let [a, b] = ["a", "b"].map(|name| Name::new(name).unwrap());
    let setting = Setting {
        is_audited: false,
        id: Uuid::from_u128(7),
        title: String::new(),
        rules: MatchRules::new("linja", None, 1).unwrap(),
        seed: String::new(),
        opening: Vec::new(),
        shares: [None, None],
        illegal_actions: None,
        time_controls: [None; 2],
        names: [&a, &b],
        stall: Duration::from_mins(1),
        feed: None,
        forfeits: Vec::new(),
    };
    let players = [(); 2].map(|()| DirectPlayer::new(0, |_| Err("there is none".to_owned())));
    let begun = DirectMatch::begin(&setting, players, &Timestamp::default).unwrap();
    let error = begun.play(&AtomicBool::new(true)).unwrap_err();
    assert!(matches!(error, DirectError::BrokenOff), "{error}");
}
