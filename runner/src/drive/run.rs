use std::future::Future;
use std::num::NonZeroUsize;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use dragontooth_games::counted;
use dragontooth_runner_programs::GRACE;
use dragontooth_runner_report::AllMatchDetails;
use dragontooth_runner_tournament::{Results, Schedule};
use dragontooth_service::Durability;
use dragontooth_service_client::Client;
use tokio::time::timeout;

use super::credentials::{Credential, Credentials};
use super::direct::{DirectVenue, Lanes};
use super::dispatch::{Finish, State, play_all};
use super::draws_check::check_draws;
use super::fault_counter::FaultCounter;
use super::grpc_venue::GrpcVenue;
use super::guarantees::missing;
use super::host::Host;
use super::outage::Outage;
use super::players::{Agenda, Players, RunningEngines};
use super::{HostError, RunError, RunLimits};
use crate::config::{RunConfig, ServiceConfig};
use crate::progress::Progress;
use crate::record::{
    Journal, Manifest, RunFolder, RunSession, Seal, Secret, ServiceKind, read_with_details,
};
use crate::reports::{Covered, publish_missing};

/// Matches watched over one connection: each takes a stream, and a service limits the streams of a
/// connection.
const MATCHES_PER_CONNECTION: usize = 64;

/// The wait for bots to stop is reported once it has lasted this long.
const SILENCE: Duration = Duration::from_millis(300);

/// The outcome of a run.
#[derive(Debug)]
pub struct RunOutcome {
    /// Says if all matches are over.
    pub finish: Finish,
    /// The schedule that was played.
    pub schedule: Schedule,
    /// The results.
    pub results: Results,
    /// The matches and the actions in them that were over before.
    pub before: (usize, u64),
    /// The folder, locked until this is dropped.
    pub folder: RunFolder,
}

/// Plays the missing matches of an event in the folder `path` until all are over or `stop` is ready, and
/// reports them to `progress`.
///
/// # Errors
///
/// The run cannot start or continue. Recorded matches are kept; the next run continues from there.
pub async fn run(
    config: &RunConfig,
    path: &Path,
    limits: RunLimits,
    progress: impl FnOnce(&Schedule) -> Progress,
    stop: impl Future<Output = ()>,
) -> Result<RunOutcome, RunError> {
    let mut folder = RunFolder::open(path, &Manifest::new(config))?;
    if let Some(openings) = &config.openings {
        folder.copy_book(openings)?;
    }
    Seal::check_lines(folder.path())?;
    let sessions = RunSession::sum_in(&RunFolder::sessions_in(folder.path()))?;
    let over = sessions.map_or(0, |sessions| sessions.matches);
    let (journal, recovered) =
        Journal::open(&folder.results(), &folder.games(), &config.event, over)?;
    check_draws(&folder, &recovered.schedule)?;
    if recovered.results.remaining() == 0 {
        // Before the seal, so that no sealed run that is over is without its secret.
        folder.publish_draws()?;
    }
    let text = config.unsaved_text.as_deref();
    if folder.is_event_new(text) {
        // The reports are those of the event as it was.
        Covered::remove(folder.path())?;
        folder.write_event(text)?;
    }
    let lines = Seal::write(folder.path())?.cover();
    if recovered.results.remaining() > 0 && lines.sessions > 0 {
        publish_missing(folder.path(), lines)?;
    }
    let mut progress = progress(&recovered.schedule);
    if recovered.torn_bytes > 0 {
        let bytes = counted(recovered.torn_bytes, "byte");
        progress.note(&format!("cut off a record that was not whole ({bytes})"));
    }
    if recovered.leftover_bytes > 0 {
        let bytes = counted(recovered.leftover_bytes, "byte");
        progress.note(&format!(
            "cut off what was played without a result ({bytes})"
        ));
    }
    let details = if progress.page().is_some() && recovered.results.played() > 0 {
        read_with_details(&folder.results(), &config.event, usize::MAX)?.1
    } else {
        AllMatchDetails::default()
    };
    progress.resumed(&recovered.schedule, &recovered.results, details);
    let before = (recovered.results.played(), recovered.results.actions());
    let mut state = State {
        schedule: recovered.schedule,
        results: recovered.results,
        journal,
        progress,
        strict: limits.strict,
    };
    if state.results.remaining() == 0 {
        return Ok(RunOutcome {
            finish: Finish::Complete,
            schedule: state.schedule,
            results: state.results,
            before,
            folder,
        });
    }
    for note in config.opening_notes() {
        state.progress.note(&note);
    }
    for sentence in missing(config) {
        state.progress.note(sentence);
    }
    let over = state.schedule.matches().iter();
    let over = over.filter(|planned| state.results.of(planned.number).is_some());
    let next = over.map(|planned| planned.encounter).max().unwrap_or(0) + 1;
    folder.renew_draws(next)?;
    let run = Run {
        config,
        limits,
        folder: &folder,
    };
    // It is large.
    let (finish, mut state) = Box::pin(run.play(state, stop)).await?;
    let closed = state.journal.close();
    state.progress.close(&state.schedule, &state.results);
    closed?;
    if finish == Finish::Complete {
        folder.publish_draws()?;
    }
    Ok(RunOutcome {
        finish,
        schedule: state.schedule,
        results: state.results,
        before,
        folder,
    })
}

/// The settings of a run.
struct Run<'a> {
    config: &'a RunConfig,
    limits: RunLimits,
    folder: &'a RunFolder,
}

impl Run<'_> {
    /// Plays where the file of the event says; a service is stopped in the end, however that comes.
    async fn play(
        &self,
        state: State,
        stop: impl Future<Output = ()>,
    ) -> Result<(Finish, State), RunError> {
        let mut stop = pin!(stop);
        let (remote, durability) = match &self.config.service {
            ServiceConfig::Direct => return self.play_directly(state, stop).await,
            ServiceConfig::Embedded(durability) => (None, *durability),
            ServiceConfig::Remote(remote) => (Some(remote), Durability::default()),
        };
        let secret = Secret::open(&self.folder.secret())?;
        let credentials = Credentials::read(self.config, &secret)?;
        let (host, engines) = if let Some(remote) = remote {
            let host = Host::elsewhere(remote).map_err(HostError::Tls)?;
            (host, RunningEngines::default())
        } else {
            // The clocks of matches that are resumed run from the start of the service on.
            let (bots, logs) = (&self.config.bots, self.folder.logs());
            let engines = tokio::select! {
                biased;
                engines = RunningEngines::start(bots, &logs, self.agenda()) => engines?,
                // Engines that are still starting end with the runner, here and below.
                () = stop.as_mut() => return Ok((Finish::Interrupted, state)),
            };
            let folder = self.folder.service();
            let host = Host::embedded(&folder, durability, &credentials, self.concurrency());
            match host.await {
                Ok(host) => (host, engines),
                Err(error) => {
                    engines.close().await;
                    return Err(error.into());
                }
            }
        };
        let played = self.play_on(&host, &credentials, engines, state, stop);
        let played = played.await;
        host.close().await;
        played
    }

    /// Plays without a service.
    async fn play_directly(
        &self,
        state: State,
        stop: impl Future<Output = ()>,
    ) -> Result<(Finish, State), RunError> {
        let logs = self.folder.logs();
        let mut stop = pin!(stop);
        let lanes = tokio::select! {
            biased;
            lanes = Lanes::start(self.config, &logs, self.concurrency()) => Arc::new(lanes?),
            () = stop.as_mut() => return Ok((Finish::Interrupted, state)),
        };
        let state = State {
            journal: state.journal.in_background().map_err(RunError::Threads)?,
            ..state
        };
        let venue = DirectVenue::new(
            Arc::new(state.schedule.clone()),
            self.folder.draws().clone(),
            self.config.time_controls(self.config.event.bots()),
            self.config.openings.clone(),
            Arc::clone(&lanes),
            self.limits,
            FaultCounter::of(&state.results, &state.schedule),
        );
        let played = play_all(Arc::new(venue), state, self.concurrency(), stop).await;
        lanes.close().await;
        played
    }

    fn concurrency(&self) -> NonZeroUsize {
        self.config.concurrency.unwrap_or_else(processors)
    }

    fn agenda(&self) -> Agenda<'_> {
        Agenda {
            game: self.config.event.rules().game(),
            matches: self.concurrency().get(),
            start_limit: self.limits.join,
            start_failure: self.limits.start_failure,
        }
    }

    /// Seats the bots, plays, and has the bots stop, however it ends.
    async fn play_on(
        &self,
        host: &Host,
        credentials: &Credentials,
        engines: RunningEngines,
        mut state: State,
        stop: impl Future<Output = ()>,
    ) -> Result<(Finish, State), RunError> {
        let mut stop = pin!(stop);
        let concurrency = self.concurrency();
        if host.kind() == ServiceKind::Remote {
            let address = host.address();
            state.progress.note(&format!("connecting to {address}"));
        }
        let clients = tokio::select! {
            clients = connect(host, &credentials.runner, concurrency) => clients,
            () = stop.as_mut() => {
                engines.close().await;
                return Ok((Finish::Interrupted, state));
            }
        };
        let clients = match clients {
            Ok(clients) => clients,
            Err(error) => {
                engines.close().await;
                return Err(error.into());
            }
        };
        let (bots, logs) = (&self.config.bots, self.folder.logs());
        let draws = self.folder.draws();
        let agenda = self.agenda();
        let players = Players::start(engines, bots, host, &logs, credentials, draws, agenda);
        let mut players = tokio::select! {
            biased;
            players = players => players?,
            () = stop.as_mut() => return Ok((Finish::Interrupted, state)),
        };
        let venue = Arc::new(GrpcVenue {
            clients,
            schedule: state.schedule.clone(),
            run_id: self.folder.id().map(ToOwned::to_owned),
            draws: self.folder.draws().clone(),
            replays: 0,
            time_controls: self.config.time_controls(self.config.event.bots()),
            openings: self.config.openings.clone(),
            limits: self.limits,
            outage: Outage::none(),
            service: host.kind(),
            fault_counter: FaultCounter::of(&state.results, &state.schedule),
            players: players.all().to_vec(),
        });
        let mut played = tokio::select! {
            biased;
            () = host.log_failed() => Err(RunError::LogFailed(self.folder.service())),
            played = play_all(venue, state, concurrency, stop.as_mut()) => played,
            failure = players.failure() => Err(failure.into()),
        };
        let mut stopping = pin!(players.stop());
        if timeout(SILENCE, stopping.as_mut()).await.is_err() {
            if let Ok((_, state)) = &mut played {
                let most = GRACE.as_secs();
                state.progress.note(&format!(
                    "waiting until the programs have ended, at most {most} s"
                ));
            }
            stopping.await;
        }
        played
    }
}

/// Connections for `matches` at once.
async fn connect(
    host: &Host,
    runner: &Credential,
    concurrency: NonZeroUsize,
) -> Result<Vec<Client>, HostError> {
    let mut clients = Vec::new();
    for _ in 0..concurrency.get().div_ceil(MATCHES_PER_CONNECTION) {
        clients.push(host.client(runner).await?.0);
    }
    Ok(clients)
}

/// The default number of matches at the same time: one for each processor, because in a match one bot
/// thinks at a time.
#[must_use]
pub fn processors() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}
