use dragontooth_runner_tournament::{CallAudit, Results, Schedule, call_audits};
use serde::Serialize;

use super::table::{DataTable, NOTHING};

/// The legend of the table.
pub(super) const LEGEND: &str = "adjudicated: matches that ended by a call; audited: matches that were played on after it, \
                                 wherever they ended; decided: those of them that ended by the rules or a resignation; wrong: \
                                 those that ended otherwise than they were called, with the exact 95 % interval; saved: \
                                 the mean number of plies after the call in the decided ones. A match that ends by a call \
                                 counts for its winner, but the game it ends counts neither as a game nor as points.";

/// The calls of a rule, as JSON.
#[derive(Debug, Serialize)]
pub(super) struct JsonCalls {
    rule: String,
    adjudicated: u32,
    audited: u32,
    decided: u32,
    wrong: u32,
    wrong_share_low: f64,
    wrong_share_high: f64,
    plies_saved: Option<f64>,
}

impl JsonCalls {
    /// The rules of the event, in their order.
    pub(super) fn all(schedule: &Schedule, results: &Results) -> Vec<Self> {
        let line = |audit: CallAudit| {
            let share = audit.wrong_share();
            Self {
                rule: audit.rule.to_string(),
                adjudicated: audit.adjudicated,
                audited: audit.audited,
                decided: audit.decided,
                wrong: audit.wrong,
                wrong_share_low: share.low,
                wrong_share_high: share.high,
                plies_saved: audit.plies_saved(),
            }
        };
        call_audits(schedule, results)
            .into_iter()
            .map(line)
            .collect()
    }
}

/// The calls by rule; `None` if the event has no adjudication.
pub(super) fn table(schedule: &Schedule, results: &Results) -> Option<DataTable> {
    let audits = call_audits(schedule, results);
    let row = |audit: &CallAudit| {
        let share = audit.wrong_share();
        let percent = |share: f64| format!("{:.1}", share * 100.0);
        let of_decided = |text: String| {
            if audit.decided == 0 {
                NOTHING.to_owned()
            } else {
                text
            }
        };
        let wrong = f64::from(audit.wrong) / f64::from(audit.decided);
        vec![
            audit.rule.to_string(),
            audit.adjudicated.to_string(),
            audit.audited.to_string(),
            audit.decided.to_string(),
            audit.wrong.to_string(),
            of_decided(percent(wrong)),
            of_decided(format!("{} to {}", percent(share.low), percent(share.high))),
            (audit.plies_saved()).map_or_else(|| NOTHING.to_owned(), |plies| format!("{plies:.1}")),
        ]
    };
    let head = [
        "rule",
        "adjudicated",
        "audited",
        "decided",
        "wrong",
        "wrong %",
        "95 %",
        "saved",
    ];
    (!audits.is_empty()).then(|| DataTable {
        title: "Calls",
        head: head.map(str::to_owned).to_vec(),
        rows: audits.iter().map(row).collect(),
        left_columns: 1,
    })
}
