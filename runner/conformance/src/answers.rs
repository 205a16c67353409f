//! Answers that are refused.

use dragontooth_service_client::{Decision, Reason};

use super::failure::Failure;
use super::proxy::{FaultInjection, Traffic};
use super::scenario_match::ScenarioMatch;

/// Not an action of any game.
const NONSENSE: &str = "conformance";

/// The proxy holds the bot's answer until the kit has answered for it and the opponent has played.
pub(super) async fn stale(scenario: &mut ScenarioMatch<'_>) -> Result<String, Failure> {
    scenario.pardoned = vec![Reason::StaleDecision, Reason::NotYourTurn];
    scenario.proxy.inject(FaultInjection::HoldAnswers);
    let id = scenario.middle().await?;
    let due = scenario.bots_decision(id).await?;
    scenario.start().await?;
    scenario.held(&due).await?;
    let action = scenario.any(&due)?;
    ScenarioMatch::submit(&scenario.bot, &due, &action).await?;
    let next = scenario.turn_of_bot(id).await?;
    if let (Some(next), false) = (&next, scenario.plays_by_calls()) {
        scenario.told_of(next).await?;
    }
    scenario.proxy.inject(FaultInjection::Nothing);
    let refusal = scenario.refused_at(&due).await?;
    let Some(next) = next else {
        return Ok(format!("its answer was refused: {refusal}"));
    };
    let action = scenario.answered(&next).await?;
    scenario.play_on(id, 1, &[]).await?;
    Ok(format!(
        "its answer was refused ({refusal}), and it answered {action} to the next decision"
    ))
}

/// The bot's answer arrives as an action that is illegal.
pub(super) async fn refused(scenario: &mut ScenarioMatch<'_>) -> Result<String, Failure> {
    scenario.pardoned = vec![Reason::IllegalAction, Reason::ActionUnreadable];
    scenario
        .proxy
        .inject(FaultInjection::Spoil(NONSENSE.to_owned()));
    let id = scenario.middle().await?;
    let due = scenario.bots_decision(id).await?;
    scenario.start().await?;
    let then = match scenario.answered_or_resigned(&due).await? {
        Some(action) => format!("it answered again, {action}"),
        None if scenario.is_over(id).await? => "it resigned the match".to_owned(),
        None => return Err(Failure::at(&due, "it did neither answer nor resign")),
    };
    if !scenario.is_over(id).await? {
        scenario.give_up(id).await?;
    }
    let next = scenario.another_match().await?;
    Ok(format!("{then}; in the next match it played {next}"))
}

/// The bot's answer is refused for the time being.
pub(super) async fn try_later(scenario: &mut ScenarioMatch<'_>) -> Result<String, Failure> {
    scenario.pardoned = vec![Reason::LogUnavailable];
    scenario.proxy.inject(FaultInjection::TryLater);
    let id = scenario.middle().await?;
    let due = scenario.bots_decision(id).await?;
    scenario.start().await?;
    let action = scenario.answered(&due).await?;
    scenario.play_on(id, 1, &[]).await?;
    Ok(format!("it answered {action} once more"))
}

impl ScenarioMatch<'_> {
    /// Waits until the bot has received a decision.
    async fn told_of(&mut self, due: &Decision) -> Result<(), Failure> {
        let log = self.proxy.shared_log();
        let told = Traffic::Decision(due.match_id, due.id);
        let told = async move {
            log.find(0, |all| all.contains(&told).then_some(())).await;
        };
        self.surely(told).await
    }

    /// Waits until the bot's answer to a decision was refused; gives why.
    async fn refused_at(&mut self, due: &Decision) -> Result<String, Failure> {
        let log = self.proxy.shared_log();
        let id = due.id;
        let refusal = async move {
            log.find(0, |all| {
                all.iter().find_map(|heard| match heard {
                    Traffic::Refused(refused) if refused.decision_id == Some(id) => Some(
                        refused
                            .reason
                            .as_ref()
                            .map_or_else(|| refused.text.clone(), ToString::to_string),
                    ),
                    Traffic::StreamOpened
                    | Traffic::Called
                    | Traffic::Changed
                    | Traffic::TappedRequest(_)
                    | Traffic::Tampered
                    | Traffic::Decision(..)
                    | Traffic::Accepted(..)
                    | Traffic::Refused(_)
                    | Traffic::Cut => None,
                })
            })
            .await
        };
        let limit = self.context.patience.answer;
        let what = "the answer that it had given was not refused";
        self.while_it_runs(limit, what, refusal).await
    }
}
