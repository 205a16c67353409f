//! What happens to connections.

use std::time::Duration;

use dragontooth_service_client::{Decision, Reason};
use tokio::time::sleep;

use super::bout::Bout;
use super::proxy::{Heard, Meddling};
use super::trouble::Trouble;

/// How long a bot may think before its connection is cut all the same.
const CUT_AFTER: Duration = Duration::from_millis(300);
/// How late messages are.
const DELAY: Duration = Duration::from_millis(200);
/// How long the service is away.
const AWAY: Duration = Duration::from_secs(1);
/// How often the bot answers while its messages are delayed or doubled.
const DECISIONS: usize = 3;

/// The connection breaks when the bot answers, or while it thinks; the answer is lost.
pub(super) async fn cut_while_thinking(bout: &mut Bout<'_>) -> Result<String, Trouble> {
    bout.proxy.meddle(Meddling::LoseAnswer);
    let id = bout.middle().await?;
    let due = bout.bots_decision(id).await?;
    bout.start().await?;
    let from = bout.told(&due).await?;
    let log = bout.proxy.shared_log();
    let lost = async move {
        let lost = |all: &[Heard]| all.contains(&Heard::Meddled).then_some(());
        let lost = log.find(0, lost);
        tokio::time::timeout(CUT_AFTER, lost).await.is_ok()
    };
    let limit = bout.ground.patience.back;
    let answer_was_lost = bout.while_it_runs(limit, "it did not answer", lost).await?;
    if !answer_was_lost {
        bout.proxy.meddle(Meddling::Nothing);
        bout.proxy.cut();
    }
    bout.back(bout.cut_after(from), limit, "connect again")
        .await?;
    let action = bout.answered(&due).await?;
    bout.play_on(id, 1, &[]).await?;
    let when = if answer_was_lost {
        "its answer was lost with the connection"
    } else {
        "the connection was lost while it thought"
    };
    Ok(format!("{when}; it came back and answered {action}"))
}

/// The connection breaks between the answer and its acceptance.
pub(super) async fn cut_after_answer(bout: &mut Bout<'_>) -> Result<String, Trouble> {
    // Without a request id the answer that is given again is refused so.
    bout.pardoned = vec![Reason::StaleDecision, Reason::NotYourTurn];
    bout.proxy.meddle(Meddling::LoseAcceptance);
    let id = bout.middle().await?;
    let due = bout.bots_decision(id).await?;
    bout.start().await?;
    let action = bout.answered(&due).await?;
    let from = bout.proxy.log().len();
    bout.proxy.cut();
    bout.proxy.meddle(Meddling::Nothing);
    let limit = bout.ground.patience.back;
    bout.back(from, limit, "connect again").await?;
    bout.play_on(id, 2, &[]).await?;
    Ok(format!(
        "it never heard that {action} was accepted, came back and played on"
    ))
}

/// Every message of the service on the stream comes twice.
pub(super) async fn duplicates(bout: &mut Bout<'_>) -> Result<String, Trouble> {
    // To answer twice what is said twice is a bot's right.
    bout.pardoned = vec![Reason::StaleDecision, Reason::NotYourTurn];
    bout.may_repeat = true;
    bout.proxy.meddle(Meddling::Repeat);
    let id = bout.middle().await?;
    bout.start().await?;
    if bout.plays_by_calls() {
        let why = "it plays by calls: no message of the service is repeated there";
        return Err(Trouble::Skip(why.to_owned()));
    }
    let played = bout.play_on(id, DECISIONS, &[]).await?;
    Ok(format!("it played {}", played.join(", ")))
}

/// Every message is late, in both directions.
pub(super) async fn delays(bout: &mut Bout<'_>) -> Result<String, Trouble> {
    bout.proxy.meddle(Meddling::Delay(DELAY));
    let id = bout.middle().await?;
    bout.start().await?;
    let played = bout.play_on(id, DECISIONS, &[]).await?;
    Ok(format!("it played {}", played.join(", ")))
}

/// The service shuts down, and is there again after a while.
pub(super) async fn drained(bout: &mut Bout<'_>) -> Result<String, Trouble> {
    let id = bout.middle().await?;
    bout.start().await?;
    bout.play_on(id, 1, &[]).await?;
    bout.proxy.meddle(Meddling::Drained);
    // The bot's turn comes while it is away.
    let due = bout.turn_of_bot(id).await?;
    bout.while_away().await?;
    let from = bout.proxy.log().len();
    bout.proxy.meddle(Meddling::Nothing);
    let limit = bout.ground.patience.back;
    bout.back(from, limit, "come back").await?;
    let Some(due) = due else {
        return Ok("it came back".to_owned());
    };
    let action = bout.answered(&due).await?;
    Ok(format!("it came back and answered {action}"))
}

impl Bout<'_> {
    /// Waits until the bot knows of a decision; gives how much was said until then.
    pub(super) async fn told(&mut self, due: &Decision) -> Result<usize, Trouble> {
        let limit = self.ground.patience.answer;
        let log = self.proxy.shared_log();
        let (match_id, id) = (due.match_id, due.id);
        let told = async move {
            // A bot that plays by calls may find out in another way.
            log.find(0, |all| {
                let is_it = |heard: &Heard| match heard {
                    Heard::Decision(its_match, its_id) => *its_match == match_id && *its_id == id,
                    Heard::Meddled => true,
                    Heard::StreamOpened
                    | Heard::Called
                    | Heard::Changed
                    | Heard::Asked(_)
                    | Heard::Accepted(..)
                    | Heard::Refused(_)
                    | Heard::Cut => false,
                };
                all.iter().position(is_it)
            })
            .await
        };
        let waited = self
            .while_it_runs(limit, "it did not ask for its decision", told)
            .await;
        waited.map_err(|trouble| self.placed(trouble, due))
    }

    /// Where the last cut stands in the log, or else `from`.
    fn cut_after(&self, from: usize) -> usize {
        let last = |all: &[Heard]| all.iter().rposition(|heard| *heard == Heard::Cut);
        self.proxy.log().look(last).unwrap_or(from)
    }

    /// The time in which the service is away.
    async fn while_away(&mut self) -> Result<(), Trouble> {
        let away = sleep(AWAY);
        self.while_it_runs(AWAY * 2, "the service was not back", away)
            .await
    }
}
