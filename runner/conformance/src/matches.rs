//! Whole matches, several at once, and their ends.

use dragontooth_games::Seat;
use dragontooth_service_client::{Decision, EventKind, Reason, Resignation};
use dragontooth_service_vocabulary::{MatchId, Termination};

use super::bout::{Bout, Setup};
use super::events::next_events;
use super::proxy::{Heard, Meddling};
use super::trouble::Trouble;
use crate::find;

/// How many matches the bot has to play at once.
const MATCHES: u32 = 3;
/// How often it answers in each of them.
const ROUNDS: usize = 2;
/// The points of a match that is to go on for a while.
const TARGET: u32 = 3;

/// It is invited to a match and takes its seat.
pub(super) async fn connects(bout: &mut Bout<'_>) -> Result<String, Trouble> {
    let beginning = setup(bout, Seat::First, TARGET, 0);
    let id = bout.create(&beginning).await?;
    bout.start().await?;
    bout.seated(id).await?;
    let how = if bout.plays_by_calls() {
        "by calls"
    } else {
        "over a stream"
    };
    Ok(format!("it took its seat, and plays {how}"))
}

/// It plays a match from its beginning to its end.
pub(super) async fn whole(bout: &mut Bout<'_>) -> Result<String, Trouble> {
    bout.start().await?;
    let beginning = setup(bout, Seat::Second, 1, 0);
    let id = bout.invite(&beginning).await?;
    let played = bout.play_on(id, usize::MAX, &[]).await?;
    let view = bout.ground.runner.get_match(id).await?;
    let ended = view.outcome.map(|outcome| outcome.termination);
    if ended != Some(Termination::Normal) {
        let how = ended.map_or("not at all".to_owned(), |how| how.to_string());
        return Err(Trouble::bot(format!("the match ended: {how}")));
    }
    Ok(format!("a match with {} decisions of it", played.len()))
}

/// Three matches wait for it at the same time, and none goes on before it has answered in all.
pub(super) async fn three(bout: &mut Bout<'_>) -> Result<String, Trouble> {
    if bout.plays_one_at_a_time() {
        let why = "it is started anew for each match (restart)";
        return Err(Trouble::Skip(why.to_owned()));
    }
    bout.start().await?;
    let mut matches = Vec::new();
    for number in 0..MATCHES {
        let seat = if number % 2 == 0 {
            Seat::First
        } else {
            Seat::Second
        };
        let beginning = setup(bout, seat, TARGET, number);
        matches.push(bout.create(&beginning).await?);
    }
    for id in &matches {
        bout.seated(*id).await?;
    }
    for id in &matches {
        bout.join(*id).await?;
    }
    for _ in 0..ROUNDS {
        let mut due = Vec::new();
        for id in &matches {
            due.extend(bout.turn_of_bot(*id).await?);
        }
        for decision in due {
            bout.answered(&decision).await?;
        }
    }
    Ok(format!(
        "it answered {ROUNDS} times in each of {MATCHES} matches"
    ))
}

/// The opponent resigns while the bot's answer is under way; then there is another match.
pub(super) async fn ended(bout: &mut Bout<'_>) -> Result<String, Trouble> {
    bout.pardoned = vec![Reason::MatchEnded];
    bout.proxy.meddle(Meddling::HoldAnswers);
    let id = bout.middle().await?;
    let due = bout.bots_decision(id).await?;
    bout.start().await?;
    bout.held(&due).await?;
    bout.opponent
        .resign_match(Resignation::by_choice(id))
        .await?;
    bout.proxy.meddle(Meddling::Nothing);
    let next = bout.another_match().await?;
    Ok(format!(
        "its answer came after the end; in the next match it played {next}"
    ))
}

impl Bout<'_> {
    /// A match in which a few actions were played and the bot decides.
    pub(super) async fn middle(&mut self) -> Result<MatchId, Trouble> {
        /// Both seats have had a turn.
        const PLIES: usize = 4;
        let variant = default_variant(self);
        let line = find(self.game, variant, TARGET, |moment| {
            let here = moment.ply >= PLIES && moment.legal.len() > 1;
            here.then(|| moment.bot_decides())
        });
        let line = line.ok_or_else(|| Trouble::kit("no match is long enough"))?;
        self.lead(&line).await
    }

    /// Waits until an answer of the bot is held back.
    pub(super) async fn held(&mut self, due: &Decision) -> Result<(), Trouble> {
        let limit = self.ground.patience.answer;
        let log = self.proxy.shared_log();
        let meddled = async move {
            let meddled = |all: &[Heard]| all.contains(&Heard::Meddled).then_some(());
            log.find(0, meddled).await;
        };
        let waited = self
            .while_it_runs(limit, "it did not answer", meddled)
            .await;
        waited.map_err(|trouble| self.placed(trouble, due))
    }

    /// Invites the bot to another match and has it answer once; gives what it answered.
    pub(super) async fn another_match(&mut self) -> Result<String, Trouble> {
        let beginning = setup(self, Seat::First, TARGET, 1);
        let id = self.invite(&beginning).await?;
        let played = self.play_on(id, 1, &[]).await?;
        Ok(played.join(", "))
    }

    /// Waits until the match is over or its decision was answered; whether it was answered.
    pub(super) async fn answered_or_resigned(
        &mut self,
        due: &Decision,
    ) -> Result<Option<String>, Trouble> {
        let runner = self.ground.runner.clone();
        let (id, after) = (due.match_id, due.id.sequence());
        let events = async move { next_events(&runner, id, after).await };
        let limit = self.ground.patience.answer;
        let what = "it neither answered again nor resigned";
        let events = self
            .while_it_runs(limit, what, events)
            .await
            .map_err(|trouble| self.placed(trouble, due))??;
        Ok(events.into_iter().find_map(|event| match event.kind {
            EventKind::ActionPlayed { action, .. } => Some(action),
            EventKind::Created(_)
            | EventKind::SeatJoined { .. }
            | EventKind::GameStarted { .. }
            | EventKind::ActionRefused { .. }
            | EventKind::Rolled { .. }
            | EventKind::TurnPassed { .. }
            | EventKind::GameEnded { .. }
            | EventKind::MatchEnded(_) => None,
        }))
    }
}

/// A match from the beginning, without clocks.
pub(super) fn setup(bout: &Bout<'_>, seat: Seat, target: u32, number: u32) -> Setup {
    Setup {
        variant: default_variant(bout),
        target,
        seed: format!("conformance match {number}"),
        seat,
        time_control: None,
    }
}

fn default_variant(bout: &Bout<'_>) -> &'static str {
    let variants = bout.game.variants();
    variants.first().map_or("", |variant| variant.name)
}
