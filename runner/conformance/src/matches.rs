//! Whole matches, several at once, and their ends.

use dragontooth_games::{Seat, counted};
use dragontooth_service_client::{Decision, MatchResignation, Reason};
use dragontooth_service_vocabulary::{MatchEvent, MatchId, Termination};

use super::events::next_events;
use super::failure::Failure;
use super::proxy::{FaultInjection, Traffic};
use super::scenario_match::{ScenarioMatch, Setup};
use crate::find;

/// Number of simultaneous matches.
const MATCHES: u32 = 3;
/// Number of its answers in each of them.
const ROUNDS: usize = 2;
/// Target of a match that has to last for a while.
pub(super) const TARGET: u32 = 3;

/// It is invited to a match and takes its seat.
pub(super) async fn connects(scenario: &mut ScenarioMatch<'_>) -> Result<String, Failure> {
    let beginning = setup(scenario, Seat::First, TARGET, 0);
    let id = scenario.create(&beginning).await?;
    scenario.start().await?;
    scenario.seated(id).await?;
    let how = if scenario.plays_by_calls() {
        "by calls"
    } else {
        "over a stream"
    };
    Ok(format!("it took its seat, and plays {how}"))
}

/// It plays a match from its beginning to its end.
pub(super) async fn whole(scenario: &mut ScenarioMatch<'_>) -> Result<String, Failure> {
    scenario.start().await?;
    let beginning = setup(scenario, Seat::Second, 1, 0);
    let id = scenario.invite(&beginning).await?;
    let played = scenario.play_on(id, usize::MAX, &[]).await?;
    let view = scenario.context.runner.get_match(id).await?;
    let ended = view.outcome.map(|outcome| outcome.termination);
    if ended != Some(Termination::Normal) {
        let how = ended.map_or("not at all".to_owned(), |how| how.to_string());
        return Err(Failure::bot(format!("the match ended: {how}")));
    }
    Ok(format!(
        "a match with {} of it",
        counted(played.len(), "decision")
    ))
}

/// Three matches wait for it at the same time, and none continues before it has answered in all.
pub(super) async fn three(scenario: &mut ScenarioMatch<'_>) -> Result<String, Failure> {
    if scenario.plays_one_at_a_time() {
        let why = "it is restarted for each match (restart)";
        return Err(Failure::Skip(why.to_owned()));
    }
    scenario.start().await?;
    let mut matches = Vec::new();
    for number in 0..MATCHES {
        let seat = if number % 2 == 0 {
            Seat::First
        } else {
            Seat::Second
        };
        let beginning = setup(scenario, seat, TARGET, number);
        matches.push(scenario.create(&beginning).await?);
    }
    for id in &matches {
        scenario.seated(*id).await?;
    }
    for id in &matches {
        scenario.join(*id).await?;
    }
    for _ in 0..ROUNDS {
        let mut due = Vec::new();
        for id in &matches {
            due.extend(scenario.turn_of_bot(*id).await?);
        }
        for decision in due {
            scenario.answered(&decision).await?;
        }
    }
    Ok(format!(
        "it answered {ROUNDS} times in each of {MATCHES} matches"
    ))
}

/// The opponent resigns while the bot's answer is under way; then there is another match.
pub(super) async fn ended(scenario: &mut ScenarioMatch<'_>) -> Result<String, Failure> {
    scenario.pardoned = vec![Reason::MatchEnded];
    scenario.proxy.inject(FaultInjection::HoldAnswers);
    let id = scenario.middle().await?;
    let due = scenario.bots_decision(id).await?;
    scenario.start().await?;
    scenario.held(&due).await?;
    scenario
        .opponent
        .resign_match(MatchResignation::by_choice(id))
        .await?;
    scenario.proxy.inject(FaultInjection::Nothing);
    let next = scenario.another_match().await?;
    Ok(format!(
        "its answer came after the end; in the next match it played {next}"
    ))
}

impl ScenarioMatch<'_> {
    /// A match in which a few actions were played and the bot decides.
    pub(super) async fn middle(&mut self) -> Result<MatchId, Failure> {
        /// Both seats have had a turn.
        const PLIES: usize = 4;
        let variant = default_variant(self);
        let line = find(self.game, variant, TARGET, |moment| {
            let here = moment.ply >= PLIES && moment.legal.len() > 1;
            here.then(|| moment.bot_decides())
        });
        let line = line.ok_or_else(|| Failure::kit("no match is long enough"))?;
        self.lead(&line).await
    }

    /// Waits until an answer of the bot is held back.
    pub(super) async fn held(&mut self, due: &Decision) -> Result<(), Failure> {
        let limit = self.context.patience.answer;
        let log = self.proxy.shared_log();
        let meddled = async move {
            let meddled = |all: &[Traffic]| all.contains(&Traffic::Tampered).then_some(());
            log.find(0, meddled).await;
        };
        let waited = self
            .while_it_runs(limit, "it did not answer", meddled)
            .await;
        waited.map_err(|failure| self.placed(failure, due))
    }

    /// Invites the bot to another match, waits for one answer, and returns it.
    pub(super) async fn another_match(&mut self) -> Result<String, Failure> {
        let beginning = setup(self, Seat::First, TARGET, 1);
        let id = self.invite(&beginning).await?;
        let played = self.play_on(id, 1, &[]).await?;
        Ok(played.join(", "))
    }

    /// Waits until the match is over or its decision was answered; whether it was answered.
    pub(super) async fn answered_or_resigned(
        &mut self,
        due: &Decision,
    ) -> Result<Option<String>, Failure> {
        let runner = self.context.runner.clone();
        let (id, after) = (due.match_id, due.id.sequence());
        let events = async move { next_events(&runner, id, after).await };
        let limit = self.context.patience.answer;
        let what = "it neither answered again nor resigned";
        let events = self
            .while_it_runs(limit, what, events)
            .await
            .map_err(|failure| self.placed(failure, due))??;
        Ok(events
            .into_iter()
            .find_map(|event| match event.recorded.event {
                MatchEvent::ActionPlayed { action, .. } => Some(action),
                MatchEvent::Created(_)
                | MatchEvent::SeatJoined { .. }
                | MatchEvent::GameStarted { .. }
                | MatchEvent::ActionRefused { .. }
                | MatchEvent::Rolled { .. }
                | MatchEvent::TurnPassed { .. }
                | MatchEvent::GameEnded { .. }
                | MatchEvent::MatchEnded { .. } => None,
            }))
    }
}

/// A match from the beginning, without clocks.
pub(super) fn setup(scenario: &ScenarioMatch<'_>, seat: Seat, target: u32, number: u32) -> Setup {
    Setup {
        variant: default_variant(scenario),
        target,
        seed: format!("conformance match {number}"),
        seat,
        time_control: None,
    }
}

fn default_variant(scenario: &ScenarioMatch<'_>) -> &'static str {
    let variants = scenario.game.variants();
    variants.first().map_or("", |variant| variant.name)
}
