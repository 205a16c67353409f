use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::record::RecordStep;
use dragontooth_runner_tournament::{Ending, FaultKind, MatchRules};
use dragontooth_service_client::{Client, retry};
use dragontooth_service_vocabulary::{MatchId, NewMatch, Termination, TimeControl};
use tokio::task::JoinSet;

use super::RunLimits;
use super::debut::Debut;
use super::outage::Outage;
use super::outage::PATIENCE;
use super::players::Player;
use super::watched_match::{ABSENT, WatchedMatch};
use crate::record::Played;

/// The trial of a bot before an event.
#[derive(Debug)]
pub(super) struct Preflight {
    /// The runner's connection.
    pub(super) runner: Client,
    pub(super) rules: MatchRules,
    pub(super) time_control: Option<TimeControl>,
    pub(super) limits: RunLimits,
    pub(super) bot: Player,
    pub(super) opponent: Player,
}

/// The result of a preflight match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Attempt {
    /// It played to the end by the rules.
    Played {
        /// Its decisions.
        decisions: u32,
        /// The time that the slowest took.
        slowest: Duration,
    },
    /// It did not take its seat.
    Absent(String),
    /// Its clock ran out.
    Late(String),
    /// Something else came before the end.
    Stopped(String),
}

impl Preflight {
    /// Has the bot play the short matches with these numbers at once, in both seats by turns.
    pub(super) async fn play_at_once(
        self: &Arc<Self>,
        numbers: Range<usize>,
    ) -> Vec<Result<Attempt, String>> {
        let mut playing = JoinSet::new();
        for number in numbers {
            let preflight = Arc::clone(self);
            playing.spawn(async move {
                let short =
                    MatchRules::new(preflight.rules.game(), Some(preflight.rules.variant()), 1);
                let rules = short.unwrap_or(preflight.rules);
                let created = preflight.create("play", number, rules, preflight.time_control);
                let clocked = preflight.time_control.is_some();
                preflight.follow(created.await?, number, clocked).await
            });
        }
        playing.join_all().await
    }

    /// Returns true if the bot has taken a seat.
    pub(super) async fn has_connected(&self) -> bool {
        let debut = Debut {
            seen: Arc::clone(&self.bot.seen),
            client: self.runner.clone(),
            player: self.bot.id,
        };
        debut.is_over().await
    }

    /// Creates a match in which the bot has the first seat if `number` is even.
    pub(super) async fn create(
        &self,
        purpose: &str,
        number: usize,
        rules: MatchRules,
        time_control: Option<TimeControl>,
    ) -> Result<MatchId, String> {
        let seed = format!("check {purpose} {number}").parse();
        let title = format!("check/{purpose}/{}", number + 1).parse();
        let new = NewMatch {
            variant: Some(rules.variant().to_owned()),
            time_controls: [time_control; 2],
            illegal_action_limit: self.limits.illegal_actions,
            seed: Some(seed.expect("a word and a number are a seed")),
            title: title.expect("a word and a number are a title"),
            reserved: self.players(number).map(|player| Some(player.id)),
            ..NewMatch::new(rules.game(), rules.target())
        };
        let create = || self.runner.create_match(new.clone());
        let created = retry(&self.runner, PATIENCE, create).await;
        created
            .map(|view| view.id)
            .map_err(|error| error.to_string())
    }

    /// Watches a preflight match to its end.
    pub(super) async fn follow(
        &self,
        id: MatchId,
        number: usize,
        clocked: bool,
    ) -> Result<Attempt, String> {
        let players = self.players(number);
        // The runner's own service never goes away.
        let outage = Outage::none();
        let watched = WatchedMatch::new(
            &self.runner,
            &outage,
            id,
            players,
            [clocked; 2],
            self.limits,
        );
        let played = watched.follow().await.map_err(|error| error.to_string())?;
        Ok(attempt(&played, seat(number)))
    }

    fn players(&self, number: usize) -> [&Player; 2] {
        match seat(number) {
            Seat::First => [&self.bot, &self.opponent],
            Seat::Second => [&self.opponent, &self.bot],
        }
    }
}

const fn seat(number: usize) -> Seat {
    if number.is_multiple_of(2) {
        Seat::First
    } else {
        Seat::Second
    }
}

/// The result of the bot in `seat`.
fn attempt(played: &Played, seat: Seat) -> Attempt {
    if let Some(fault) = played.faults.iter().find(|fault| fault.seat == seat) {
        let detail = fault.detail.clone();
        return match fault.kind {
            FaultKind::Time => Attempt::Late(detail),
            FaultKind::Stall if detail.starts_with(ABSENT) => Attempt::Absent(detail),
            FaultKind::Stall
            | FaultKind::Crash
            | FaultKind::Illegal
            | FaultKind::Abort
            | FaultKind::Protocol
            | FaultKind::Resources
            | FaultKind::Disabled => Attempt::Stopped(detail),
        };
    }
    match played.termination {
        Ending::By(Termination::Normal) | Ending::Adjudicated => {}
        Ending::By(Termination::Resignation) if played.winner == Some(seat.other()) => {
            return Attempt::Stopped("it resigned a match".to_owned());
        }
        Ending::By(
            Termination::Resignation
            | Termination::Timeout
            | Termination::IllegalAction
            | Termination::Aborted
            | Termination::Disconnect
            | Termination::Expired
            | Termination::Declined,
        ) => {
            return Attempt::Stopped(format!(
                "a match was not played out: {}",
                played.termination
            ));
        }
    }
    let steps = played.gameplay.games.iter().flat_map(|game| &game.steps);
    let actors = steps.filter_map(|step| match step {
        RecordStep::Action { seat, .. } => Some(*seat),
        RecordStep::Pass { .. } | RecordStep::Roll { .. } => None,
    });
    let own = actors
        .zip(&played.gameplay.thinking)
        .filter(|(actor, _)| *actor == seat);
    let (decisions, slowest) = own.fold((0, Duration::ZERO), |(count, slowest), (_, thought)| {
        (count + 1, slowest.max(*thought))
    });
    Attempt::Played { decisions, slowest }
}
