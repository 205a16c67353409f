use std::fmt::Write;

use super::{CheckOutcome, CheckVerdict, Scene};

/// The most legal actions that are listed.
const MAX_LISTED: usize = 12;

/// The head of the table.
#[must_use]
pub fn head() -> String {
    format!(
        "{:<10} {:<18} {:<7} {:>7}  seen\n",
        "game", "check", "outcome", "time"
    )
}

/// A verdict as a row of the table, with the whole story below a failure. Empty for a check that was
/// skipped because the bot does not connect: the table reports that once.
#[must_use]
pub fn row(verdict: &CheckVerdict) -> String {
    if verdict.is_moot() {
        return String::new();
    }
    let CheckVerdict {
        check,
        game,
        outcome,
        seen,
        took,
        ..
    } = verdict;
    let mut text = format!(
        "{:<10} {:<18} {:<7} {:>5.1} s  {seen}\n",
        game,
        check.name,
        outcome.as_str(),
        took.as_secs_f64(),
    );
    if *outcome == CheckOutcome::Failed {
        tell(verdict, &mut text);
    }
    text
}

fn tell(verdict: &CheckVerdict, text: &mut String) {
    let mut line = |head: &str, what: &str| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "    {head:<9} {what}");
    };
    line("expected", verdict.check.expected);
    line("seen", &verdict.seen);
    if let Some(scene) = &verdict.scene {
        let Scene {
            match_id,
            decision_id,
            position,
            ..
        } = scene;
        line(
            "where",
            &format!("decision {decision_id} of the match {match_id}"),
        );
        line("position", position);
        if let Some(roll) = &scene.roll {
            line("roll", roll);
        }
        if !scene.legal.is_empty() {
            line("legal", &listed(&scene.legal));
        }
        line("answered", scene.answered.as_deref().unwrap_or("nothing"));
        if let Some(refusal) = &scene.refusal {
            line("refused", refusal);
        }
    }
    for wrote in &verdict.wrote {
        line("it wrote", wrote);
    }
    line("help", &verdict.link());
}

fn listed(legal: &[String]) -> String {
    let mut text = legal[..legal.len().min(MAX_LISTED)].join(" ");
    if legal.len() > MAX_LISTED {
        let _ = write!(text, " … ({} in all)", legal.len());
    }
    text
}

/// The summary below the table.
#[must_use]
pub fn tail(verdicts: &[CheckVerdict]) -> String {
    let count = |outcome| {
        let those = verdicts.iter().filter(|verdict| verdict.outcome == outcome);
        those.count()
    };
    let mut text = format!(
        "{} passed, {} failed, {} skipped",
        count(CheckOutcome::Passed),
        count(CheckOutcome::Failed),
        count(CheckOutcome::Skipped)
    );
    let unknown = count(CheckOutcome::Unknown);
    if unknown > 0 {
        // Writing to a String cannot fail.
        let _ = write!(text, ", {unknown} unknown because the kit failed");
    }
    text.push('\n');
    text
}
