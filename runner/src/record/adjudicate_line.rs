use std::fmt;
use std::num::NonZeroU32;

use dragontooth_bots::builtin::proof::{MAX_PROOF_NODES, PROOF_NODES};
use dragontooth_games::record::{MAX_THINKING_POINTS, ValueUnit};
use dragontooth_runner_tournament::{AUDIT_OF_ALL, Adjudication, DrawRule, ValueRule};
use serde::{Deserialize, Serialize};

/// The adjudication of an event in its manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AdjudicateLine {
    unit: Unit,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    win: Option<WinLine>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    draw: Option<DrawLine>,
    /// Not there without proofs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    proof_nodes: Option<NonZeroU32>,
    audit: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Unit {
    WinProbability,
    Points,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WinLine {
    value: f64,
    plies: NonZeroU32,
    both: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DrawLine {
    value: f64,
    plies: NonZeroU32,
    both: bool,
    from: u32,
}

impl AdjudicateLine {
    pub(super) fn new(terms: &Adjudication) -> Self {
        Self {
            unit: match terms.unit {
                ValueUnit::WinProbability => Unit::WinProbability,
                ValueUnit::Points => Unit::Points,
            },
            win: terms.win.map(|rule| WinLine {
                value: in_units(rule.millionths),
                plies: rule.plies,
                both: rule.both,
            }),
            draw: terms.draw.map(|DrawRule { rule, from }| DrawLine {
                value: in_units(rule.millionths),
                plies: rule.plies,
                both: rule.both,
                from,
            }),
            proof_nodes: terms.proof_nodes,
            audit: in_units(terms.audit.into()),
        }
    }

    /// The adjudication; `None` if a number is out of its range: the file was edited.
    pub(super) fn terms(&self) -> Option<Adjudication> {
        let rule = |value, plies, both| {
            Some(ValueRule {
                millionths: millionths(value, MAX_THINKING_POINTS)?,
                plies,
                both,
            })
        };
        let win = match self.win {
            Some(WinLine { value, plies, both }) => Some(rule(value, plies, both)?),
            None => None,
        };
        let draw = match self.draw {
            Some(DrawLine {
                value,
                plies,
                both,
                from,
            }) => Some(DrawRule {
                rule: rule(value, plies, both)?,
                from,
            }),
            None => None,
        };
        let audit = u32::try_from(millionths(self.audit, 1.0)?).ok()?;
        if self
            .proof_nodes
            .is_some_and(|nodes| nodes.get() > MAX_PROOF_NODES)
        {
            return None;
        }
        Some(Adjudication {
            unit: match self.unit {
                Unit::WinProbability => ValueUnit::WinProbability,
                Unit::Points => ValueUnit::Points,
            },
            win,
            draw,
            proof_nodes: self.proof_nodes,
            audit: audit.min(AUDIT_OF_ALL),
        })
    }
}

/// As the key `adjudicate` of an event's file has it.
impl fmt::Display for AdjudicateLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{ ")?;
        match self.unit {
            Unit::WinProbability => {}
            Unit::Points => f.write_str("unit = \"points\", ")?,
        }
        if let Some(WinLine { value, plies, both }) = self.win {
            write!(
                f,
                "win = {{ value = {value}, plies = {plies}{} }}, ",
                Both(both)
            )?;
        }
        if let Some(DrawLine {
            value,
            plies,
            both,
            from,
        }) = self.draw
        {
            let both = Both(both);
            write!(
                f,
                "draw = {{ value = {value}, plies = {plies}{both}, from = {from} }}, "
            )?;
        }
        match self.proof_nodes.map(NonZeroU32::get) {
            None => {}
            Some(PROOF_NODES) => f.write_str("tables = true, ")?,
            // Of another version.
            Some(nodes) => write!(f, "tables = true (proofs of {nodes} positions), ")?,
        }
        write!(f, "audit = {} }}", self.audit)
    }
}

/// The key `both`, which is left out where it has its default.
struct Both(bool);

impl fmt::Display for Both {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0 { "" } else { ", both = false" })
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "at most 10^12 millionths, which a double has exactly"
)]
fn in_units(millionths: i64) -> f64 {
    millionths as f64 / 1e6
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the number is within its range, and that within an i64"
)]
fn millionths(value: f64, greatest: f64) -> Option<i64> {
    (0.0..=greatest)
        .contains(&value)
        .then(|| (value * 1e6).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_shown_as_a_file_has_it() {
        let shown = |json: &str| {
            let line: AdjudicateLine = serde_json::from_str(json).unwrap();
            line.to_string()
        };
        let nodes = PROOF_NODES;
        for (json, expected) in [
            (
                format!(r#"{{"unit":"win_probability","proof_nodes":{nodes},"audit":0.1}}"#),
                "{ tables = true, audit = 0.1 }",
            ),
            (
                r#"{"unit":"win_probability","win":{"value":0.97,"plies":6,"both":true},"proof_nodes":7,"audit":1.0}"#.to_owned(),
                "{ win = { value = 0.97, plies = 6 }, tables = true (proofs of 7 positions), audit = 1 }",
            ),
            (
                r#"{"unit":"points","draw":{"value":0.05,"plies":8,"both":false,"from":40},"audit":0.0}"#.to_owned(),
                "{ unit = \"points\", draw = { value = 0.05, plies = 8, both = false, from = 40 }, audit = 0 }",
            ),
        ] {
            assert_eq!(shown(&json), expected);
        }
    }
}
