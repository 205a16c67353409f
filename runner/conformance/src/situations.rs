use super::failure::Failure;
use super::scenario_match::ScenarioMatch;
use crate::Situation;

/// Number of decisions after the one of the situation.
const DECISIONS_AFTER: usize = 2;

/// Plays into a situation, starts the bot there, and checks its next decisions.
pub(super) async fn play(
    scenario: &mut ScenarioMatch<'_>,
    situation: Situation,
) -> Result<String, Failure> {
    let line = situation.line(scenario.game);
    let line = line.ok_or_else(|| {
        Failure::Skip("no such position is found in the first random matches".to_owned())
    })?;
    let id = scenario.lead(&line).await?;
    // For the story, if anything goes wrong.
    scenario.decision(id).await?;
    scenario.start().await?;
    let first = scenario.play_on(id, 1, &line.live).await?;
    if let (Some(answers), Some(action)) = (situation.answers(), first.first())
        && !answers.contains(&action.as_str())
    {
        let seen = format!("it answered {action}, not {}", answers.join(" or "));
        let due = scenario.first_of(id, line.bot);
        return Err(due.map_or_else(|| Failure::bot(&seen), |due| Failure::at(due, &seen)));
    }
    let more = scenario.play_on(id, DECISIONS_AFTER, &[]).await?;
    let answers: Vec<&str> = first.iter().chain(&more).map(String::as_str).collect();
    Ok(format!("it played {}", answers.join(", ")))
}
