//! Answers that are refused.

use dragontooth_service_client::{Decision, Reason};

use super::bout::Bout;
use super::proxy::{Heard, Meddling};
use super::trouble::Trouble;

/// What is no action of any game.
const NONSENSE: &str = "conformance";

/// The bot's answer is held back until somebody else has answered for it and the opponent has played.
pub(super) async fn stale(bout: &mut Bout<'_>) -> Result<String, Trouble> {
    bout.pardoned = vec![Reason::StaleDecision, Reason::NotYourTurn];
    bout.proxy.meddle(Meddling::HoldAnswers);
    let id = bout.middle().await?;
    let due = bout.bots_decision(id).await?;
    bout.start().await?;
    bout.held(&due).await?;
    let action = bout.any(&due)?;
    Bout::submit(&bout.bot, &due, &action).await?;
    let next = bout.turn_of_bot(id).await?;
    if let (Some(next), false) = (&next, bout.plays_by_calls()) {
        bout.told_of(next).await?;
    }
    bout.proxy.meddle(Meddling::Nothing);
    let refusal = bout.refused_at(&due).await?;
    let Some(next) = next else {
        return Ok(format!("its answer was refused: {refusal}"));
    };
    let action = bout.answered(&next).await?;
    bout.play_on(id, 1, &[]).await?;
    Ok(format!(
        "its answer was refused ({refusal}), and it answered {action} to the next decision"
    ))
}

/// The bot's answer arrives as an action that is illegal.
pub(super) async fn refused(bout: &mut Bout<'_>) -> Result<String, Trouble> {
    bout.pardoned = vec![Reason::IllegalAction, Reason::ActionUnreadable];
    bout.proxy.meddle(Meddling::Spoil(NONSENSE.to_owned()));
    let id = bout.middle().await?;
    let due = bout.bots_decision(id).await?;
    bout.start().await?;
    let then = match bout.answered_or_resigned(&due).await? {
        Some(action) => format!("it answered again, {action}"),
        None if bout.is_over(id).await? => "it resigned the match".to_owned(),
        None => return Err(Trouble::at(&due, "it did neither answer nor resign")),
    };
    if !bout.is_over(id).await? {
        bout.give_up(id).await?;
    }
    let next = bout.another_match().await?;
    Ok(format!("{then}; in the next match it played {next}"))
}

/// The bot's answer is refused for the time being.
pub(super) async fn try_later(bout: &mut Bout<'_>) -> Result<String, Trouble> {
    bout.pardoned = vec![Reason::LogUnavailable];
    bout.proxy.meddle(Meddling::TryLater);
    let id = bout.middle().await?;
    let due = bout.bots_decision(id).await?;
    bout.start().await?;
    let action = bout.answered(&due).await?;
    bout.play_on(id, 1, &[]).await?;
    Ok(format!("it answered {action} once more"))
}

impl Bout<'_> {
    /// Waits until the bot was told of a decision.
    async fn told_of(&mut self, due: &Decision) -> Result<(), Trouble> {
        let log = self.proxy.shared_log();
        let told = Heard::Decision(due.match_id, due.id);
        let told = async move {
            log.find(0, |all| all.contains(&told).then_some(())).await;
        };
        self.surely(told).await
    }

    /// Waits until the bot's answer to a decision was refused; gives why.
    async fn refused_at(&mut self, due: &Decision) -> Result<String, Trouble> {
        let log = self.proxy.shared_log();
        let id = due.id;
        let refusal = async move {
            log.find(0, |all| {
                all.iter().find_map(|heard| match heard {
                    Heard::Refused(refused) if refused.decision_id == Some(id) => Some(
                        refused
                            .reason
                            .as_ref()
                            .map_or_else(|| refused.text.clone(), ToString::to_string),
                    ),
                    Heard::StreamOpened
                    | Heard::Called
                    | Heard::Changed
                    | Heard::Asked(_)
                    | Heard::Meddled
                    | Heard::Decision(..)
                    | Heard::Accepted(..)
                    | Heard::Refused(_)
                    | Heard::Cut => None,
                })
            })
            .await
        };
        let limit = self.ground.patience.answer;
        let what = "the answer that it had given was not refused";
        self.while_it_runs(limit, what, refusal).await
    }
}
