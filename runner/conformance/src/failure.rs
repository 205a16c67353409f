use dragontooth_service_client::{ClientError, Decision};

use crate::Scene;

/// The reason why a check did not pass.
#[derive(Debug)]
pub(super) enum Failure {
    /// The bot did wrong.
    Bot {
        /// Its behaviour, for people.
        seen: String,
        /// Where.
        scene: Option<Box<Scene>>,
    },
    /// With this bot it cannot be found out, for this reason.
    Skip(String),
    /// The kit itself failed.
    Kit(String),
}

impl Failure {
    /// The bot failed, at no particular decision.
    pub(super) fn bot(seen: impl Into<String>) -> Self {
        Self::Bot {
            seen: seen.into(),
            scene: None,
        }
    }

    /// The bot did something wrong at a decision.
    pub(super) fn at(decision: &Decision, seen: impl Into<String>) -> Self {
        Self::Bot {
            seen: seen.into(),
            scene: Some(Box::new(scene(decision))),
        }
    }

    /// Nothing that a bot has a part in.
    #[expect(clippy::needless_pass_by_value, reason = "errors are mapped by it")]
    pub(super) fn kit(reason: impl ToString) -> Self {
        Self::Kit(reason.to_string())
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        Self::kit(error)
    }
}

/// The decision, with nothing answered.
fn scene(decision: &Decision) -> Scene {
    Scene {
        match_id: decision.match_id.to_string(),
        decision_id: decision.id.sequence().0,
        position: decision.position.clone(),
        roll: decision.roll.clone(),
        legal: decision.legal_actions.clone(),
        answered: None,
        refusal: None,
    }
}
