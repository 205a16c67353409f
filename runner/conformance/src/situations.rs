use super::bout::Bout;
use super::trouble::Trouble;
use crate::Situation;

/// How many decisions the bot makes after the one that a situation is about.
const DECISIONS_AFTER: usize = 2;

/// Leads the bot into a situation and sees what it does there and after it.
pub(super) async fn play(bout: &mut Bout<'_>, situation: Situation) -> Result<String, Trouble> {
    let line = situation.line(bout.game);
    let line = line.ok_or_else(|| {
        Trouble::Skip("no such position is found in the first random matches".to_owned())
    })?;
    let id = bout.lead(&line).await?;
    // For the story, if anything goes wrong.
    bout.decision(id).await?;
    bout.start().await?;
    let first = bout.play_on(id, 1, &line.live).await?;
    if let (Some(answers), Some(action)) = (situation.answers(), first.first())
        && !answers.contains(&action.as_str())
    {
        let seen = format!("it answered {action}, not {}", answers.join(" or "));
        let due = bout.first_of(id, line.bot);
        return Err(due.map_or_else(|| Trouble::bot(&seen), |due| Trouble::at(due, &seen)));
    }
    let more = bout.play_on(id, DECISIONS_AFTER, &[]).await?;
    let answers: Vec<&str> = first.iter().chain(&more).map(String::as_str).collect();
    Ok(format!("it played {}", answers.join(", ")))
}
