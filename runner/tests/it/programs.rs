//! Bots that are external programs.

use std::env;
use std::fs;
use std::future::pending;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use dragontooth_bots::builtin::BotSpec;
use dragontooth_bots::session::{Session, SessionOptions, ShareSecret, ThinkingPool, Until};
use dragontooth_bots::{Bot, BotError, Budget};
use dragontooth_runner::config::{Player, RunConfig, StartFailure};
use dragontooth_runner::drive::{self, MAX_ENDS, PlayerError, RunError, RunLimits, RunOutcome};
use dragontooth_runner_programs::{MAX_LOG_BYTES, ProgramError, Supervised, supervisor};
use dragontooth_runner_tournament::{Ending, FaultKind};
use dragontooth_service_client::{Client, Token};
use dragontooth_service_vocabulary::Termination;

use crate::faults::write_program;
use crate::fixture::silent;

/// A line of a script that runs this program as a built-in bot.
pub(crate) fn becomes(bot: &str) -> String {
    let program = env::current_exe().unwrap();
    let test = "programs::built_in_bot_process";
    format!(
        "exec '{}' {test} --exact --nocapture -- {bot}",
        program.display()
    )
}

/// This program, running [`built_in_bot_process`].
fn own_program(bot: &str) -> String {
    let program = env::current_exe().unwrap();
    let test = "programs::built_in_bot_process";
    format!(
        "[{:?}, '{test}', '--exact', '--nocapture', '--', '{bot}']",
        program.to_str().unwrap()
    )
}

/// A bot that does not return.
struct Hang;

impl Bot for Hang {
    fn choose(&mut self, _: &str, _: &Budget) -> Result<String, BotError> {
        loop {
            std::thread::park();
        }
    }
}

/// Not a test: with a server in its environment, this is a bot that plays until it is killed.
#[tokio::test(flavor = "multi_thread")]
async fn built_in_bot_process() {
    let Ok(server) = env::var("DRAGONTOOTH_SERVER") else {
        return;
    };
    let token = Token::new(env::var("DRAGONTOOTH_TOKEN").unwrap()).unwrap();
    let client = Client::connect_lazily(&server.parse().unwrap(), &token).unwrap();
    let bot = env::args().next_back().unwrap();
    let spec: BotSpec = bot.parse().unwrap_or_else(|_| "random".parse().unwrap());
    let hangs = bot == "hang";
    let options = SessionOptions {
        name: "program".to_owned(),
        draw_secret: env::var("DRAGONTOOTH_DRAW_SECRET")
            .map_or_else(|_| ShareSecret::random(), ShareSecret::new),
        seed: spec.seed(),
        until: match env::var("ONE_MATCH") {
            Ok(_) => Until::Matches(1),
            Err(_) => Until::Stopped,
        },
        ..SessionOptions::default()
    };
    let pool = ThinkingPool::of_the_machine().unwrap();
    println!("playing");
    let session = Session::new(client, pool, options, move |info| {
        Ok(if hangs {
            Box::new(Hang)
        } else {
            spec.make(info)?
        })
    });
    session.run(pending()).await.unwrap();
}

/// A program that does not start loses its matches.
const FORFEIT: RunLimits = RunLimits {
    start_failure: StartFailure::Forfeit,
    ..RunLimits::USUAL
};

/// An event of a built-in bot and a program.
fn config(folder: &Path, event: &str, command: &str) -> RunConfig {
    let text = format!(
        "[event]\nname = 'cup'\ngame = 'kamisado'\ntarget = 1\n{event}\n\
         [[bot]]\nname = 'builtin'\nbuiltin = 'random'\noptions = {{ seed = 5 }}\n\
         [[bot]]\nname = 'program'\ncommand = {command}\n"
    );
    RunConfig::parse(&text, folder, env::var_os("PATH").as_deref()).unwrap()
}

fn script(folder: &Path, lines: &str) -> String {
    let file = folder.join("script");
    write_program(&file, &format!("#!/bin/sh\n{lines}\n"));
    "['./script', 'an argument']".to_owned()
}

async fn run(config: &RunConfig, folder: &Path, limits: RunLimits) -> RunOutcome {
    let folder = folder.join("run");
    let run = drive::run(config, &folder, limits, silent, pending());
    run.await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_plays_like_the_same_bot_in_process() {
    let place = tempfile::tempdir().unwrap();
    let command = own_program("random:seed=9");
    let twice = config(place.path(), "cycles = 2", &command);
    let played = run(&twice, place.path(), RunLimits::USUAL).await;
    assert_eq!(
        (played.results.remaining(), played.results.faults()),
        (0, 0)
    );
    let log = fs::read_to_string(place.path().join("run/logs/program.log")).unwrap();
    assert!(log.contains("playing"), "{log}");

    let other = tempfile::tempdir().unwrap();
    let text = "[event]\nname = 'cup'\ngame = 'kamisado'\ntarget = 1\ncycles = 2\n\
                [[bot]]\nname = 'builtin'\nbuiltin = 'random'\noptions = { seed = 5 }\n\
                [[bot]]\nname = 'program'\nbuiltin = 'random'\noptions = { seed = 9 }\n";
    let in_process = RunConfig::parse(text, Path::new(""), None).unwrap();
    let expected = run(&in_process, other.path(), RunLimits::USUAL).await;
    for planned in played.schedule.matches() {
        assert_eq!(
            played.results.of(planned.number),
            expected.results.of(planned.number)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_ends_at_once_loses_everything() {
    let place = tempfile::tempdir().unwrap();
    let command = script(place.path(), "echo \"$1\" >&2; exit 3");
    // Each end costs at most two matches, so that there are some left after the last start.
    let config = config(place.path(), "cycles = 6\nconcurrency = 2", &command);
    let outcome = run(&config, place.path(), FORFEIT).await;
    assert_eq!(outcome.results.remaining(), 0);
    for (planned, result) in outcome.results.with_match(outcome.schedule.matches()) {
        let program = planned.seat_of(outcome.schedule.event().bot_indices().nth(1).unwrap());
        assert_eq!(result.winner, program.map(dragontooth_games::Seat::other));
        assert_eq!(result.termination, Ending::By(Termination::Resignation));
        assert_eq!(result.faults, [(program.unwrap(), FaultKind::Crash)]);
    }
    let log = fs::read_to_string(place.path().join("run/logs/program.log")).unwrap();
    assert_eq!(log, "an argument\n".repeat(MAX_ENDS as usize));
    let records = fs::read_to_string(place.path().join("run/results.jsonl")).unwrap();
    assert!(
        records
            .contains("its program ended: exit status: 3; logs/program.log ends with: an argument"),
        "{records}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_does_nothing_loses_and_leaves_no_process() {
    let place = tempfile::tempdir().unwrap();
    // It does not end when asked to, and has a child. A time that nobody else sleeps tells it from others.
    let time = format!("{}.{}", 100_000, std::process::id());
    let lines = format!("trap '' TERM\nsleep {time} &\nwait\nwait");
    let command = script(place.path(), &lines);
    let limits = RunLimits {
        // Long enough for the other bot to be there, even on a busy machine.
        join: Duration::from_secs(3),
        ..RunLimits::USUAL
    };
    let outcome = run(&config(place.path(), "", &command), place.path(), limits).await;
    let faults: Vec<FaultKind> = outcome
        .results
        .with_match(outcome.schedule.matches())
        .flat_map(|(_, result)| result.faults.iter().map(|(_, kind)| *kind))
        .collect();
    assert_eq!(faults.len(), 2);
    assert!(faults.contains(&FaultKind::Stall), "{faults:?}");
    for process in fs::read_dir("/proc").unwrap().flatten() {
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        let folder = place.path().display().to_string();
        assert!(!line.contains(&time) && !line.contains(&folder), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_does_not_decide_loses_even_without_clocks() {
    let place = tempfile::tempdir().unwrap();
    let limits = RunLimits {
        stall: Duration::from_secs(2),
        ..RunLimits::USUAL
    };
    let config = config(place.path(), "", &own_program("hang"));
    let outcome = run(&config, place.path(), limits).await;
    let program = outcome.schedule.event().bot_indices().nth(1).unwrap();
    for (planned, result) in outcome.results.with_match(outcome.schedule.matches()) {
        let [(seat, _)] = result.faults[..] else {
            panic!("{result:?}")
        };
        assert_eq!(Some(seat), planned.seat_of(program));
    }
    let records = fs::read_to_string(place.path().join("run/results.jsonl")).unwrap();
    assert!(records.contains("it did nothing for 2 s"), "{records}");
}

/// In both matches of the encounter the program has the short clock, or none.
#[tokio::test(flavor = "multi_thread")]
async fn the_time_of_a_bot_goes_with_it_and_not_with_the_seat() {
    let limits = RunLimits {
        stall: Duration::from_secs(2),
        ..RunLimits::USUAL
    };
    for (of_event, own, kind) in [
        ("'none'", "{ per_action_ms = 1000 }", FaultKind::Time),
        ("{ per_action_ms = 1000000 }", "'none'", FaultKind::Stall),
    ] {
        let place = tempfile::tempdir().unwrap();
        let command = format!("{}\ntime_control = {own}", own_program("hang"));
        let event = format!("time_control = {of_event}");
        let config = config(place.path(), &event, &command);
        let outcome = run(&config, place.path(), limits).await;
        let program = outcome.schedule.event().bot_indices().nth(1).unwrap();
        assert_eq!(outcome.results.played(), 2);
        for (planned, result) in outcome.results.with_match(outcome.schedule.matches()) {
            let seat = planned.seat_of(program).unwrap();
            assert_eq!(result.faults, [(seat, kind)], "{own}");
            assert_eq!(result.winner, Some(seat.other()));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_output_is_cut() {
    let place = tempfile::tempdir().unwrap();
    let command = script(place.path(), "head -c 20000000 /dev/zero");
    run(&config(place.path(), "", &command), place.path(), FORFEIT).await;
    let log = fs::metadata(place.path().join("run/logs/program.log")).unwrap();
    assert_eq!(log.len(), MAX_LOG_BYTES);
}

/// A wait for the end may be given up at any moment and begun again.
#[tokio::test]
async fn the_end_of_a_program_is_not_lost_with_the_wait() {
    let place = tempfile::tempdir().unwrap();
    let command = script(place.path(), "exit 7");
    let config = config(place.path(), "", &command);
    let Player::Program(command) = &config.bots[1].player else {
        panic!("{:?}", config.bots[1]);
    };
    let mut command = supervisor(&[], command).unwrap();
    command.stderr(Stdio::null());
    let mut program = Supervised::start(command.into()).await.unwrap();
    let end = loop {
        tokio::select! {
            biased;
            end = program.ended() => break end,
            () = tokio::task::yield_now() => {}
        }
    };
    assert_eq!(end.status, "exit status: 7");
}

/// Options of its supervisor, which come before, are the supervisor's; nothing behind them is.
#[tokio::test]
async fn a_program_gets_its_arguments_as_they_stand() {
    let place = tempfile::tempdir().unwrap();
    let words = ["--namespace", "--", "--keep", "--inside", "1"];
    let command = script(place.path(), "printf '%s\\n' \"$@\" > words")
        .replace("'an argument'", &format!("'{}'", words.join("', '")));
    let config = config(place.path(), "", &command);
    let Player::Program(command) = &config.bots[1].player else {
        panic!("{:?}", config.bots[1]);
    };
    let mut command = supervisor(&[], command).unwrap();
    command.stderr(Stdio::null()).current_dir(place.path());
    let mut program = Supervised::start(command.into()).await.unwrap();
    assert_eq!(program.ended().await.status, "exit status: 0");
    let given = fs::read_to_string(place.path().join("words")).unwrap();
    assert_eq!(given.lines().collect::<Vec<_>>(), words);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_cannot_be_started_ends_the_run() {
    let place = tempfile::tempdir().unwrap();
    let command = script(place.path(), "exit 0");
    let config = config(place.path(), "", &command);
    // It exists and is executable, but is not a program.
    fs::write(place.path().join("script"), "#!/does/not/exist\n").unwrap();
    let folder = place.path().join("run");
    let run = drive::run(&config, &folder, RunLimits::USUAL, silent, pending());
    let error = run.await.unwrap_err();
    assert!(
        matches!(
            error,
            RunError::Player(PlayerError::Program(ProgramError::Start { .. }))
        ),
        "{error:?}"
    );
}
