//! Clocks, and the end of the program.

use std::time::Duration;

use dragontooth_games::{Seat, counted};
use dragontooth_runner_programs::GRACE;
use dragontooth_service_vocabulary::TimeControl;

use super::bot_under_test::ExaminedBot;
use super::failure::Failure;
use super::matches::setup;
use super::scenario_match::{ScenarioMatch, Setup};

/// The remaining time and the increment of a clock near its flag.
const LITTLE: Duration = Duration::from_millis(1500);
const INCREMENT: Duration = Duration::from_millis(100);
/// Number of decisions with it: a bot that takes a quarter of a second for each loses on time.
const DECISIONS: usize = 14;
/// A short limit for each action, and how many decisions are made with it.
const SHORT: Duration = Duration::from_millis(500);
const SHORT_DECISIONS: usize = 4;
/// Number of answers without clocks before that, so that its start does not count.
const WARM_UP: usize = 2;

/// Little is left on its clock, for many decisions.
pub(super) async fn near_flag(scenario: &mut ScenarioMatch<'_>) -> Result<String, Failure> {
    let control = TimeControl::Fischer {
        base: LITTLE,
        increment: INCREMENT,
    };
    timed(scenario, control, DECISIONS).await
}

/// Each action has a short limit.
pub(super) async fn short_limit(scenario: &mut ScenarioMatch<'_>) -> Result<String, Failure> {
    let control = TimeControl::PerAction { limit: SHORT };
    timed(scenario, control, SHORT_DECISIONS).await
}

async fn timed(
    scenario: &mut ScenarioMatch<'_>,
    control: TimeControl,
    decisions: usize,
) -> Result<String, Failure> {
    let id = scenario.middle().await?;
    scenario.start().await?;
    scenario.play_on(id, WARM_UP, &[]).await?;
    scenario.give_up(id).await?;
    let mut played = 0;
    let mut number = 0;
    while played < decisions {
        let clocked = Setup {
            time_control: Some(control),
            ..setup(scenario, Seat::First, 3, number)
        };
        let id = scenario.invite(&clocked).await?;
        let own = scenario.play_on(id, decisions - played, &[]).await?;
        played += own.len();
        number += 1;
    }
    Ok(format!("it made {} in time", counted(played, "decision")))
}

/// It is asked to exit during a match.
pub(super) async fn ends_when_told(scenario: &mut ScenarioMatch<'_>) -> Result<String, Failure> {
    if let ExaminedBot::Builtin(_) = scenario.context.candidate {
        return Err(Failure::Skip("it has no program of its own".to_owned()));
    }
    let id = scenario.middle().await?;
    scenario.start().await?;
    scenario.play_on(id, 1, &[]).await?;
    let Some((status, took)) = scenario.end().await else {
        return Err(Failure::kit("the bot was not started"));
    };
    if took >= GRACE {
        return Err(Failure::bot(format!(
            "it was killed after {} s: {status}",
            GRACE.as_secs()
        )));
    }
    Ok(format!("after {:.2} s: {status}", took.as_secs_f64()))
}
