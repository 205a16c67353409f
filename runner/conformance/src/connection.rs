//! Checks of lost, slow and repeating connections.

use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_client::{Decision, Reason};
use tokio::time::sleep;

use super::failure::Failure;
use super::matches::{TARGET, setup};
use super::proxy::{FaultInjection, Traffic};
use super::scenario_match::ScenarioMatch;

/// The connection is cut after this time even if the bot is still thinking.
const CUT_AFTER: Duration = Duration::from_millis(300);
/// Delay of each message.
const DELAY: Duration = Duration::from_millis(200);
/// Time for which the service is away.
const AWAY: Duration = Duration::from_secs(1);
/// Number of answers while messages are delayed or repeated.
const DECISIONS: usize = 3;
/// The refusals of an answer that is given again without its request id.
const REPEATED: [Reason; 2] = [Reason::StaleDecision, Reason::NotYourTurn];

/// The connection breaks when the bot answers, or while it thinks; the answer is lost.
pub(super) async fn cut_while_thinking(
    scenario: &mut ScenarioMatch<'_>,
) -> Result<String, Failure> {
    scenario.proxy.inject(FaultInjection::LoseAnswer);
    let id = scenario.middle().await?;
    let due = scenario.bots_decision(id).await?;
    scenario.start().await?;
    let from = scenario.told(&due).await?;
    let log = scenario.proxy.shared_log();
    let lost = async move {
        let lost = |all: &[Traffic]| all.contains(&Traffic::Tampered).then_some(());
        let lost = log.find(0, lost);
        tokio::time::timeout(CUT_AFTER, lost).await.is_ok()
    };
    let limit = scenario.context.patience.back;
    let answer_was_lost = scenario
        .while_it_runs(limit, "it did not answer", lost)
        .await?;
    if !answer_was_lost {
        scenario.proxy.inject(FaultInjection::Nothing);
        scenario.proxy.cut();
    }
    scenario
        .back(scenario.cut_after(from), limit, "connect again")
        .await?;
    let action = scenario.answered(&due).await?;
    scenario.play_on(id, 1, &[]).await?;
    let when = if answer_was_lost {
        "its answer was lost with the connection"
    } else {
        "the connection was lost while it thought"
    };
    Ok(format!("{when}; it came back and answered {action}"))
}

/// The connection breaks between the answer and its acceptance.
pub(super) async fn cut_after_answer(scenario: &mut ScenarioMatch<'_>) -> Result<String, Failure> {
    scenario.pardoned = REPEATED.to_vec();
    scenario.proxy.inject(FaultInjection::LoseAcceptance);
    let id = scenario.middle().await?;
    let due = scenario.bots_decision(id).await?;
    scenario.start().await?;
    let action = scenario.answered(&due).await?;
    let from = scenario.proxy.log().len();
    scenario.proxy.cut();
    scenario.proxy.inject(FaultInjection::Nothing);
    let limit = scenario.context.patience.back;
    scenario.back(from, limit, "connect again").await?;
    scenario.play_on(id, 2, &[]).await?;
    Ok(format!(
        "it never heard that {action} was accepted, came back and played on"
    ))
}

/// Every message of the service on the stream comes twice.
pub(super) async fn duplicates(scenario: &mut ScenarioMatch<'_>) -> Result<String, Failure> {
    // A bot may answer twice to a message that arrives twice.
    scenario.pardoned = REPEATED.to_vec();
    scenario.may_repeat = true;
    scenario.proxy.inject(FaultInjection::Repeat);
    scenario.start().await?;
    let beginning = setup(scenario, Seat::First, TARGET, 0);
    let id = scenario.invite(&beginning).await?;
    let played = scenario.play_on(id, DECISIONS, &[]).await?;
    // Before it has played, a stream may still follow its first call.
    if scenario.plays_by_calls() {
        let why = "it plays by calls: no message of the service is repeated there";
        return Err(Failure::Skip(why.to_owned()));
    }
    Ok(format!("it played {}", played.join(", ")))
}

/// Every message is late, in both directions.
pub(super) async fn delays(scenario: &mut ScenarioMatch<'_>) -> Result<String, Failure> {
    scenario.proxy.inject(FaultInjection::Delay(DELAY));
    let id = scenario.middle().await?;
    scenario.start().await?;
    let played = scenario.play_on(id, DECISIONS, &[]).await?;
    Ok(format!("it played {}", played.join(", ")))
}

/// The service shuts down, and is there again after a while.
pub(super) async fn drained(scenario: &mut ScenarioMatch<'_>) -> Result<String, Failure> {
    // An answer may be under way, of whose acceptance the bot does not hear.
    scenario.pardoned = REPEATED.to_vec();
    let id = scenario.middle().await?;
    scenario.start().await?;
    scenario.play_on(id, 1, &[]).await?;
    scenario.proxy.inject(FaultInjection::Drained);
    // What was under way has arrived by then, and the bot's turn comes while it is away.
    scenario.while_away().await?;
    let due = scenario.turn_of_bot(id).await?;
    let from = scenario.proxy.log().len();
    scenario.proxy.inject(FaultInjection::Nothing);
    let limit = scenario.context.patience.back;
    scenario.back(from, limit, "come back").await?;
    let Some(due) = due else {
        return Ok("it came back".to_owned());
    };
    let action = scenario.answered(&due).await?;
    Ok(format!("it came back and answered {action}"))
}

impl ScenarioMatch<'_> {
    /// Waits until the bot knows of a decision; gives how much was said until then.
    pub(super) async fn told(&mut self, due: &Decision) -> Result<usize, Failure> {
        let limit = self.context.patience.answer;
        let log = self.proxy.shared_log();
        let (match_id, id) = (due.match_id, due.id);
        let told = async move {
            // A bot that plays by calls may find out in another way.
            log.find(0, |all| {
                let is_it = |heard: &Traffic| match heard {
                    Traffic::Decision(its_match, its_id) => *its_match == match_id && *its_id == id,
                    Traffic::Tampered => true,
                    Traffic::StreamOpened
                    | Traffic::Called
                    | Traffic::Changed
                    | Traffic::TappedRequest(_)
                    | Traffic::Accepted(..)
                    | Traffic::Refused(_)
                    | Traffic::Cut => false,
                };
                all.iter().position(is_it)
            })
            .await
        };
        let waited = self
            .while_it_runs(limit, "it did not ask for its decision", told)
            .await;
        waited.map_err(|failure| self.placed(failure, due))
    }

    /// The position of the last cut in the log, or `from`.
    fn cut_after(&self, from: usize) -> usize {
        let last = |all: &[Traffic]| all.iter().rposition(|heard| *heard == Traffic::Cut);
        self.proxy.log().look(last).unwrap_or(from)
    }

    /// The time in which the service is away.
    async fn while_away(&mut self) -> Result<(), Failure> {
        let away = sleep(AWAY);
        self.while_it_runs(AWAY * 2, "the service was not back", away)
            .await
    }
}
