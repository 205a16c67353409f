use serde_json::{Value, json};

use super::{CheckOutcome, CheckVerdict, Scene};

/// The verdicts on a bot as one JSON object, as docs/conformance.md describes it.
#[must_use]
pub fn to_json(bot: &str, verdicts: &[CheckVerdict]) -> String {
    let count = |outcome| {
        let those = verdicts.iter().filter(|verdict| verdict.outcome == outcome);
        those.count()
    };
    let checks: Vec<Value> = verdicts.iter().map(check).collect();
    let whole = json!({
        "bot": bot,
        "passed": count(CheckOutcome::Passed),
        "failed": count(CheckOutcome::Failed),
        "skipped": count(CheckOutcome::Skipped),
        "unknown": count(CheckOutcome::Unknown),
        "checks": checks,
    });
    format!("{whole:#}\n")
}

fn check(verdict: &CheckVerdict) -> Value {
    json!({
        "check": verdict.check.name,
        "game": verdict.game,
        "outcome": verdict.outcome.as_str().to_lowercase(),
        "expected": verdict.check.expected,
        "seen": verdict.seen,
        "scene": verdict.scene.as_ref().map(scene),
        "wrote": verdict.wrote,
        "took_ms": u64::try_from(verdict.took.as_millis()).unwrap_or(u64::MAX),
        "help": verdict.link(),
    })
}

fn scene(scene: &Scene) -> Value {
    json!({
        "match_id": scene.match_id,
        "decision_id": scene.decision_id,
        "position": scene.position,
        "roll": scene.roll,
        "legal_actions": scene.legal,
        "answered": scene.answered,
        "refusal": scene.refusal,
    })
}
