use std::fs;
use std::path::Path;
use std::sync::Arc;

use dragontooth_runner_tournament::{Results, Schedule, ScheduledMatch};
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use super::credentials::Credentials;
use super::direct::{DirectBot, DirectVenue, Lanes, close_bots, direct_bots, plays_directly};
use super::fault_counter::FaultCounter;
use super::grpc_venue::GrpcVenue;
use super::host::Host;
use super::outage::Outage;
use super::players::{Agenda, Players, RunningEngines};
use super::{RunError, RunLimits, Venue, VenueError};
use crate::config::{BotConfig, RunConfig, StartFailure};
use crate::record::{FolderError, Played, RunDraws, Secret};

/// Plays a match of `schedule` again, which had been restarted `replays` times, with the same title and seed, between the
/// bots of `config` that have the names of its players. The output of programs goes to files in the folder `logs`.
///
/// Built-in bots and engines play without a service, others on one in memory.
///
/// # Errors
///
/// A bot cannot play, or the match cannot be played to its end.
pub async fn replay(
    schedule: &Schedule,
    draws: &RunDraws,
    (planned, replays): (ScheduledMatch, u32),
    config: &RunConfig,
    logs: &Path,
) -> Result<Played, RunError> {
    let again = Again {
        schedule,
        draws,
        planned,
        replays,
        config,
    };
    let specs = planned.bots.map(|bot| {
        let name = schedule.event().bot(bot);
        config.bots.iter().find(|bot| bot.name == *name)
    });
    match specs {
        [Some(first), Some(second)]
            if plays_directly(&first.player) && plays_directly(&second.player) =>
        {
            let pair = [first.clone(), second.clone()];
            again.play_directly(&pair, logs).await
        }
        _ => again.play_on_a_service(logs).await,
    }
}

struct Again<'a> {
    schedule: &'a Schedule,
    draws: &'a RunDraws,
    planned: ScheduledMatch,
    replays: u32,
    config: &'a RunConfig,
}

impl Again<'_> {
    /// The error with the title of the match.
    fn failure(&self, source: VenueError) -> RunError {
        RunError::Match {
            title: self.schedule.title(&self.planned),
            source,
        }
    }

    async fn play_directly(&self, pair: &[BotConfig; 2], logs: &Path) -> Result<Played, RunError> {
        let [first, second]: [DirectBot; 2] = direct_bots(self.config, pair, logs, 1, None)
            .await?
            .try_into()
            .expect("there are as many as were asked for");
        let mut bots = vec![first.clone(); self.schedule.event().bots().len()];
        bots[self.planned.bots[1].get()] = second.clone();
        let time_controls = self.config.time_controls(self.schedule.event().bots());
        let schedule = Arc::new(self.schedule.clone());
        let fault_counter =
            FaultCounter::of(&Results::none(self.schedule.matches()), self.schedule);
        let venue = DirectVenue::new(
            schedule,
            self.draws.clone(),
            time_controls,
            self.config.openings.clone(),
            Arc::new(Lanes::shared(bots)),
            self.config.limits,
            fault_counter,
        )
        .after(self.replays);
        let (planned, runtime) = (self.planned, Handle::current());
        let playing = spawn_blocking(move || runtime.block_on(venue.play(planned, None)));
        let played = playing.await;
        let played = played.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
        let played = played.map_err(|source| self.failure(source));
        close_bots(vec![first, second]).await;
        played
    }

    async fn play_on_a_service(&self, logs: &Path) -> Result<Played, RunError> {
        fs::create_dir_all(logs).map_err(|source| FolderError::Unusable {
            path: logs.to_owned(),
            source,
        })?;
        let host = Host::in_memory().await?;
        let played = self.play_on(&host, logs).await;
        host.close().await;
        played
    }

    async fn play_on(&self, host: &Host, logs: &Path) -> Result<Played, RunError> {
        let credentials = Credentials::read(self.config, &Secret::passing())?;
        let clients = vec![host.client(&credentials.runner).await?.0];
        let mut players = Players::start(
            RunningEngines::default(),
            &self.config.bots,
            host,
            logs,
            &credentials,
            self.draws,
            Agenda {
                game: self.schedule.event().rules().game(),
                matches: 1,
                start_limit: self.config.limits.join,
                // One match is played, and a fault in it is what was asked for.
                start_failure: StartFailure::Forfeit,
            },
        )
        .await?;
        let of_event = self.schedule.event().bots().iter().map(|name| {
            let all = players.all();
            let player = all.iter().find(|player| player.name == *name);
            // Bots that do not take part may be any player.
            player.unwrap_or(&all[0]).clone()
        });
        let venue = GrpcVenue {
            clients,
            schedule: self.schedule.clone(),
            run_id: None,
            draws: self.draws.clone(),
            replays: self.replays,
            time_controls: self.config.time_controls(self.schedule.event().bots()),
            openings: self.config.openings.clone(),
            limits: RunLimits {
                max_replays: 0,
                ..self.config.limits
            },
            outage: Outage::none(),
            service: host.kind(),
            fault_counter: FaultCounter::of(&Results::none(self.schedule.matches()), self.schedule),
            players: of_event.collect(),
        };
        let played = tokio::select! {
            played = venue.play(self.planned, None) => played.map_err(|source| self.failure(source)),
            failure = players.failure() => Err(failure.into()),
        };
        players.stop().await;
        played
    }
}
