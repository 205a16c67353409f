//! Runs a sequential test of two built-in bots without adjudication and with it, and prints the verdicts, the
//! encounters and the plies, and the calls: what the audit finds of them, and how many of all were wrong, which the run
//! without adjudication tells.
//!
//! ```sh
//! cargo run --release -p dragontooth-runner --example adjudicated_sprt -- kamisado random 4000 1000
//! ```
//!
//! The arguments are the game, the variant and the nodes of both bots; then, optionally, the value and the plies of
//! `win`. The runs play the same matches: they have the same seed and the same secret of their draws.

#![expect(clippy::print_stdout, reason = "the figures are what it is for")]

use std::error::Error;
use std::future::pending;
use std::path::Path;

use dragontooth_runner::config::RunConfig;
use dragontooth_runner::drive::{self, RunLimits, RunOutcome};
use dragontooth_runner::progress::Progress;
use dragontooth_runner_report::Overview;
use dragontooth_runner_tournament::{CallRule, Results, Schedule, call_audits};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [game, variant, first, second, rest @ ..] = arguments.as_slice() else {
        return Err("game, variant, the nodes of both bots".into());
    };
    let (value, plies) = match rest {
        [] => ("0.95", "6"),
        [value, plies] => (value.as_str(), plies.as_str()),
        _ => return Err("the value and the plies of win come together".into()),
    };
    let win = format!("win = {{ value = {value}, plies = {plies} }}");
    let mut plain = None;
    for terms in [
        String::new(),
        format!("adjudicate = {{ {win}, tables = true, audit = 0.1 }}"),
        format!("adjudicate = {{ {win}, audit = 0.1 }}"),
        "adjudicate = { tables = true, audit = 0.1 }".to_owned(),
    ] {
        let bot = |name: &str, nodes: &str| {
            format!(
                "[[bot]]\nname = '{name}'\nbuiltin = 'alphabeta'\noptions = {{ nodes = {nodes} }}\n"
            )
        };
        let text = format!(
            "[event]\nname = 'test'\nseed = 11\ndraw_secret = '{}'\ngame = '{game}'\nvariant = '{variant}'\ntarget = 1\n\
             format = 'sprt'\nsprt = {{ elo0 = 0, elo1 = 20, max_encounters = 4000 }}\n{terms}\n[service]\ndirect = true\n{}{}",
            "5a".repeat(32),
            bot("first", first),
            bot("second", second),
        );
        println!(
            "{}",
            if terms.is_empty() {
                "without adjudication"
            } else {
                &terms
            }
        );
        let results = run(&text, plain.as_ref()).await?;
        plain.get_or_insert(results);
    }
    Ok(())
}

/// Plays an event in a folder of its own and prints its figures. `plain` has the results without adjudication.
async fn run(text: &str, plain: Option<&Results>) -> Result<Results, Box<dyn Error>> {
    let config = RunConfig::parse(text, Path::new(""), None).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        lines.join("\n")
    })?;
    let folder = tempfile::tempdir()?;
    let silent = |_: &Schedule| Progress::lines(Box::new(std::io::sink()));
    let outcome = drive::run(&config, folder.path(), RunLimits::USUAL, silent, pending()).await?;
    let overview = Overview::new(&outcome.schedule, &outcome.results);
    if let Some(figures) = overview.tested() {
        println!("{}", figures.text().trim_end());
    }
    println!(
        "{} matches, {} plies",
        outcome.results.played(),
        outcome.results.actions()
    );
    for audit in call_audits(&outcome.schedule, &outcome.results) {
        let share = audit.wrong_share();
        println!(
            "{}: {} adjudicated, {} audited, {} of {} wrong (95 %: {:.3} to {:.3}), {:.1} plies saved a call; {}",
            audit.rule,
            audit.adjudicated,
            audit.audited,
            audit.wrong,
            audit.decided,
            share.low,
            share.high,
            audit.plies_saved().unwrap_or_default(),
            truth(&outcome, audit.rule, plain),
        );
    }
    Ok(outcome.results)
}

/// The number of wrong calls among all that a rule made, by the results of the same matches without them.
fn truth(outcome: &RunOutcome, rule: CallRule, plain: Option<&Results>) -> String {
    let results = outcome.results.with_match(outcome.schedule.matches());
    let (mut calls, mut wrong) = (0, 0);
    for (planned, result) in results {
        if let Some(call) = result.call.filter(|call| call.rule == rule)
            && let Some(whole) = plain.and_then(|plain| plain.of(planned.number))
        {
            calls += 1;
            wrong += u32::from(whole.winner != call.winner);
        }
    }
    format!("in truth {wrong} of all {calls}")
}
