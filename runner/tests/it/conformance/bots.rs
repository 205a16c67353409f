//! The kit's verdicts on correct bots, and on bots that are wrong in one way.

use std::env;
use std::path::Path;
use std::time::Duration;

use dragontooth_games::catalogue;
use dragontooth_runner::config::{Player, RunConfig};
use dragontooth_runner_conformance::{
    CHECKS, Check, CheckOutcome, CheckVerdict, Examination, ExaminedBot, Patience, examine, row,
    to_json,
};
use dragontooth_runner_tournament::Name;

/// Timeout for the bots in these tests. Correct ones need a small part of it.
const PATIENCE: Patience = Patience {
    start: Duration::from_secs(10),
    back: Duration::from_secs(4),
    answer: Duration::from_secs(3),
};

/// This program as a bot that plays in this manner.
fn scripted(manner: &str) -> ExaminedBot {
    let program = env::current_exe().unwrap();
    let test = "conformance::scripted::built_in_bot_process";
    let command = format!(
        "[{:?}, '{test}', '--exact', '--nocapture', '--', '{manner}']",
        program.to_str().unwrap()
    );
    let event = format!(
        "[event]\nname = 'trial'\ngame = 'kamisado'\n[[bot]]\nname = 'other'\nbuiltin = 'random'\n\
         [[bot]]\nname = 'scripted'\ncommand = {command}\n"
    );
    let config = RunConfig::parse(&event, Path::new(""), None).unwrap();
    let Player::Program(command) = &config.bots[1].player else {
        panic!("{:?}", config.bots[1]);
    };
    ExaminedBot::Program(command.clone())
}

fn builtin(spec: &str) -> ExaminedBot {
    ExaminedBot::Builtin(spec.parse().unwrap())
}

/// The kit's verdicts on a bot in a game.
async fn verdicts(candidate: ExaminedBot, game: &str) -> Vec<CheckVerdict> {
    verdicts_of(candidate, game, CHECKS.iter().collect()).await
}

/// The verdicts of these checks.
async fn verdicts_of(
    candidate: ExaminedBot,
    game: &str,
    checks: Vec<&'static Check>,
) -> Vec<CheckVerdict> {
    let place = tempfile::tempdir().unwrap();
    let examination = Examination {
        bot: Name::new("bot").unwrap(),
        candidate,
        games: vec![catalogue::find(game).unwrap()],
        checks,
        logs: place.path().join("logs"),
        patience: PATIENCE,
        at_once: 8,
    };
    let mut told = Vec::new();
    let examined = examine(examination, |verdict| told.push(verdict.clone()));
    let verdicts = Box::pin(examined).await.unwrap();
    assert_eq!(told, verdicts);
    verdicts
}

fn those(verdicts: &[CheckVerdict], outcome: CheckOutcome) -> Vec<&'static str> {
    let those = verdicts.iter().filter(|verdict| verdict.outcome == outcome);
    those.map(|verdict| verdict.check.name).collect()
}

/// The verdicts, for the message of a failed test.
fn table(verdicts: &[CheckVerdict]) -> String {
    verdicts.iter().map(row).collect()
}

/// A scripted bot passes these checks at Linja, where its answer to the second move of a turn is under way
/// when something happens after the first.
async fn passes(manner: &str, names: &[&str]) {
    let checks = CHECKS.iter().filter(|check| names.contains(&check.name));
    let checks = checks.collect();
    let verdicts = verdicts_of(scripted(manner), "linja", checks).await;
    let (passed, told) = (those(&verdicts, CheckOutcome::Passed), table(&verdicts));
    assert_eq!(passed, names, "{manner}\n{told}");
}

/// A scripted bot fails exactly these checks of a game.
async fn fails(manner: &str, game: &str, expected: &[&str]) -> Vec<CheckVerdict> {
    let verdicts = verdicts(scripted(manner), game).await;
    let (failed, told) = (those(&verdicts, CheckOutcome::Failed), table(&verdicts));
    assert_eq!(failed, expected, "{manner}\n{told}");
    assert_eq!(those(&verdicts, CheckOutcome::Unknown), [""; 0], "{told}");
    verdicts
}

#[tokio::test(flavor = "multi_thread")]
async fn a_correct_bot_passes_in_every_game() {
    for game in catalogue::GAMES {
        let verdicts = fails("right", game.name, &[]).await;
        assert_eq!(those(&verdicts, CheckOutcome::Skipped), [""; 0]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn built_in_bots_pass() {
    for (game, bot) in [
        ("kamisado", "alphabeta:depth=2"),
        ("linja", "greedy"),
        ("tzaar", "random"),
        ("backgammon", "expectimax:candidates=2"),
    ] {
        let verdicts = verdicts(builtin(bot), game).await;
        let told = table(&verdicts);
        assert_eq!(
            those(&verdicts, CheckOutcome::Failed),
            [""; 0],
            "{bot}\n{told}"
        );
        assert_eq!(those(&verdicts, CheckOutcome::Skipped), ["ends-when-told"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_does_not_connect_gets_one_verdict() {
    let verdicts = fails("ends at once", "linja", &["connects"]).await;
    let skipped = those(&verdicts, CheckOutcome::Skipped);
    assert_eq!(skipped.len() + 1, verdicts.len());
    let told = table(&verdicts);
    assert!(
        told.starts_with("linja      connects           FAILED"),
        "{told}"
    );
    assert!(told.contains("its program ended: exit status: 5"), "{told}");
    assert!(!told.contains("whole-match"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_plays_by_calls_passes() {
    let verdicts = fails("by calls", "backgammon", &[]).await;
    assert_eq!(those(&verdicts, CheckOutcome::Skipped), ["duplicates"]);
}

/// The last call of a process and the first one of the next are two words.
#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_plays_by_calls_may_be_restarted_for_each_match() {
    let ExaminedBot::Program(mut command) = scripted("by calls") else {
        panic!("it is a program");
    };
    command.restart = true;
    let names = ["refused", "match-ended", "near-flag", "short-limit"];
    let checks = CHECKS.iter().filter(|check| names.contains(&check.name));
    let verdicts = verdicts_of(ExaminedBot::Program(command), "linja", checks.collect()).await;
    let told = table(&verdicts);
    assert_eq!(
        those(&verdicts, CheckOutcome::Passed).len(),
        names.len(),
        "{told}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn ignored_pushes_are_noticed() {
    let verdicts = fails("ignores pushes", "kamisado", &["only-push"]).await;
    let push = verdicts
        .iter()
        .find(|verdict| verdict.outcome == CheckOutcome::Failed)
        .unwrap();
    let scene = push.scene.as_ref().unwrap();
    assert_eq!((scene.legal.len(), &scene.answered), (1, &None));
    assert!(
        push.seen.contains("did not answer within 3 s"),
        "{}",
        push.seen
    );
    assert!(
        push.wrote
            .iter()
            .any(|line| line.contains("ignores pushes"))
    );
    let json: serde_json::Value = serde_json::from_str(&to_json("bot", &verdicts)).unwrap();
    assert_eq!(json["failed"], 1);
    let checks = json["checks"].as_array().unwrap();
    let failed = checks.iter().find(|check| check["outcome"] == "failed");
    let failed = failed.unwrap();
    assert_eq!(failed["check"], "only-push");
    assert_eq!(failed["scene"]["position"], scene.position.as_str());
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_of_a_connection_fails_its_checks() {
    let gone = ["cut-while-thinking", "cut-after-answer", "drained"];
    fails("does not come back", "linja", &gone).await;
    fails("hangs on a duplicate", "linja", &["duplicates"]).await;
    fails("dies of a second invitation", "linja", &["duplicates"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_back_may_repeat_an_answer() {
    let cut = ["cut-while-thinking", "cut-after-answer", "drained"];
    passes("repeats itself", &cut).await;
    passes("repeats itself without a request id", &cut[1..]).await;
    passes("by calls", &cut).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_with_refusals_fails_its_check() {
    fails("despairs of a stale answer", "tzaar", &["stale"]).await;
    fails("does not try again", "tzaar", &["try-later"]).await;
    fails("does nothing when it is refused", "tzaar", &["refused"]).await;
    fails("dies with its match", "tzaar", &["match-ended"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_with_matches_fails_its_check() {
    fails("one at a time", "tzaar", &["three-at-once"]).await;
    // The pass, the only action left, ends the game, and the next one starts.
    let second = ["only-pass", "next-game"];
    fails("knows no second game", "tzaar", &second).await;
    fails("does not end", "tzaar", &["ends-when-told"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_of_a_game_fails_its_check() {
    fails("resigns at refills", "kamisado", &["refill"]).await;
    fails("crashes at the cube", "backgammon", &["take-or-drop"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_bots_fail_where_time_is_short() {
    fails("slow", "tzaar", &["near-flag"]).await;
    fails("very slow", "tzaar", &["near-flag", "short-limit"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_fails_every_check_that_needs_an_answer() {
    let names = CHECKS.iter().filter(|check| check.applies_to("linja"));
    let mut answering: Vec<&str> = names.map(|check| check.name).skip(1).collect();
    fails("answers garbage", "linja", &answering).await;
    fails("names another decision", "linja", &answering).await;
    // Where everything is sent twice, it may be answered twice.
    answering.retain(|name| *name != "duplicates");
    fails("answers twice", "linja", &answering).await;
}
