use std::collections::HashMap;

use dragontooth_service_client::wire_tap::TappedRequest;
use dragontooth_service_client::{Decision, DecisionId, Reason};
use dragontooth_service_vocabulary::MatchId;

use super::failure::Failure;
use super::proxy::Traffic;
use crate::Scene;

/// A violation in the traffic between a bot and the service: an answer refused for a reason that the check
/// did not cause, an answer to a decision that the bot did not receive, more answers than requests, or a
/// malformed message. (A bot that plays by calls may ask for decisions as it likes.)
pub(super) fn protocol_violation(
    all: &[Traffic],
    pardoned: &[Reason],
    may_repeat: bool,
    seen: &[Decision],
) -> Option<Failure> {
    let mut asked_for: HashMap<(MatchId, DecisionId), (usize, usize)> = HashMap::new();
    let mut cuts = 0;
    let mut has_stream = false;
    for heard in all {
        match heard {
            Traffic::Refused(refused) => {
                let is_pardoned = refused
                    .reason
                    .as_ref()
                    .is_some_and(|reason| pardoned.contains(reason));
                if !is_pardoned {
                    let what = format!("an answer of it was refused: {}", refused.text);
                    let key = refused.match_id.zip(refused.decision_id);
                    return Some(placed(all, seen, key, what));
                }
                if let Some(key) = refused.match_id.zip(refused.decision_id) {
                    asked_for.entry(key).or_default().0 += 1;
                }
            }
            Traffic::TappedRequest(TappedRequest::Unreadable(error)) => {
                return Some(Failure::bot(format!(
                    "a message of it is none of the API: {error}"
                )));
            }
            Traffic::TappedRequest(TappedRequest::Answer(answer)) => {
                if let Some(match_id) = answer.match_id {
                    let key = (match_id, answer.decision_id);
                    let (times, answers) = asked_for.entry(key).or_default();
                    *answers += 1;
                    if has_stream && *times == 0 {
                        let what = format!(
                            "it answered decision {}, of which it was not told",
                            answer.decision_id
                        );
                        return Some(Failure::bot(what));
                    }
                    let times = (*times).max(1) + cuts;
                    if *answers > times && !may_repeat {
                        let what = format!(
                            "it was asked for a decision {} and answered {}",
                            how_often(times),
                            how_often(*answers)
                        );
                        return Some(placed(all, seen, Some(key), what));
                    }
                }
            }
            Traffic::Decision(match_id, decision_id) => {
                asked_for.entry((*match_id, *decision_id)).or_default().0 += 1;
            }
            Traffic::Cut => cuts += 1,
            Traffic::StreamOpened => has_stream = true,
            Traffic::Called
            | Traffic::Changed
            | Traffic::TappedRequest(
                TappedRequest::Start
                | TappedRequest::Join(_)
                | TappedRequest::Resign(_)
                | TappedRequest::Other,
            )
            | Traffic::Tampered
            | Traffic::Accepted(..) => {}
        }
    }
    None
}

/// Adds the bot's last answer and the service's refusal to a scene.
pub(super) fn last_words(
    all: &[Traffic],
    match_id: MatchId,
    decision_id: DecisionId,
    scene: &mut Scene,
) {
    for heard in all {
        match heard {
            Traffic::TappedRequest(TappedRequest::Answer(answer))
                if answer.match_id == Some(match_id) && answer.decision_id == decision_id =>
            {
                scene.answered = Some(answer.action.clone());
            }
            Traffic::Refused(refused)
                if refused.match_id == Some(match_id)
                    && refused.decision_id == Some(decision_id) =>
            {
                scene.refusal = Some(refused.text.clone());
            }
            Traffic::StreamOpened
            | Traffic::Called
            | Traffic::Changed
            | Traffic::TappedRequest(_)
            | Traffic::Tampered
            | Traffic::Decision(..)
            | Traffic::Accepted(..)
            | Traffic::Refused(_)
            | Traffic::Cut => {}
        }
    }
}

fn how_often(times: usize) -> String {
    match times {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        times => format!("{times} times"),
    }
}

fn placed(
    all: &[Traffic],
    seen: &[Decision],
    key: Option<(MatchId, DecisionId)>,
    what: String,
) -> Failure {
    let decision = key.and_then(|(match_id, id)| {
        let is_it = |due: &&Decision| due.match_id == match_id && due.id == id;
        seen.iter().find(is_it)
    });
    let Some(decision) = decision else {
        return Failure::bot(what);
    };
    let mut failure = Failure::at(decision, what);
    if let Failure::Bot {
        scene: Some(scene), ..
    } = &mut failure
    {
        last_words(all, decision.match_id, decision.id, scene);
    }
    failure
}
