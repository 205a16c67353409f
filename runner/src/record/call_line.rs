use dragontooth_games::record::{ThinkingValue, ValueUnit};
use dragontooth_runner_tournament::{Call, MovesDigest};
use serde::{Deserialize, Serialize};

/// A call in `results.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallLine {
    rule: String,
    /// `null` for a draw.
    winner: Option<String>,
    ply: u32,
    /// In the unit of the event. Not there for a proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    /// Of the match up to the call, if it was played on. Not there in a line of an older runner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
}

/// A value as a number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
struct Value(f64);

// JSON has no number that differs from itself.
impl Eq for Value {}

/// The field of a call that cannot be read, and why.
pub(super) type CallFault = (&'static str, String);

impl CallLine {
    pub(super) fn new(call: &Call) -> Self {
        Self {
            rule: call.rule.to_string(),
            winner: call.winner.map(|seat| seat.to_string()),
            ply: call.ply,
            value: call.value.map(|value| Value(value.get())),
            digest: None,
        }
    }

    /// The call after which a match was played on, with the digest of the match up to it.
    pub(super) fn played_on(self, digest: MovesDigest) -> Self {
        Self {
            digest: Some(digest.to_string()),
            ..self
        }
    }

    /// The digest of the match up to the call.
    pub(super) fn digest(&self) -> Result<Option<MovesDigest>, CallFault> {
        let digest = self.digest.as_deref().map(str::parse).transpose();
        digest.map_err(|error| fault("call.digest", &error))
    }

    /// The call in an event whose values have this unit.
    pub(super) fn read(&self, unit: ValueUnit) -> Result<Call, CallFault> {
        let value = self.value.map(|Value(value)| match unit {
            ValueUnit::WinProbability => ThinkingValue::win_probability(value),
            ValueUnit::Points => ThinkingValue::points(value),
        });
        let value = value.transpose();
        let rule = self.rule.parse();
        let winner = self.winner.as_deref().map(str::parse).transpose();
        Ok(Call {
            rule: rule.map_err(|error| fault("call.rule", &error))?,
            winner: winner.map_err(|error| fault("call.winner", &error))?,
            ply: self.ply,
            value: value.map_err(|error| fault("call.value", &error))?,
        })
    }
}

fn fault(field: &'static str, error: &dyn std::fmt::Display) -> CallFault {
    (field, error.to_string())
}
