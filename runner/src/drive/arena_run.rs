use std::collections::HashMap;
use std::future::Future;
use std::path::Path;
use std::pin::pin;

use dragontooth_games::counted;
use dragontooth_runner_live::EventPage;
use dragontooth_runner_tournament::arena::ArenaState;
use dragontooth_service_client::Client;
use dragontooth_service_vocabulary::{AcceptedGame, PlayerId};
use tokio::sync::{mpsc, watch};

use super::arena_claim::{ArenaClaim, ClaimLost};
use super::arena_encounter::{ArenaSetting, LegPlayed};
use super::arena_presence::{Admission, PresentPlayers};
use super::credentials::Credentials;
use super::host::Host;
use super::outage::Outage;
use super::players::{Agenda, Player, Players, RunningEngines};
use super::run::processors;
use super::running_arena::RunningArena;
use super::{HostError, RunError};
use crate::config::{RunConfig, ServiceConfig};
use crate::record::{ArenaJournal, Manifest, RunFolder, Secret, arena_rules};

/// Plays an arena in the folder `path` until `stop` is ready, and shows it on `page`. `note` gets sentences for people.
///
/// # Errors
///
/// The arena cannot start or go on. What was recorded stays; the next start goes on from there.
pub async fn run_arena(
    config: &RunConfig,
    path: &Path,
    note: &(dyn Fn(&str) + Sync),
    page: Option<EventPage>,
    stop: impl Future<Output = ()>,
) -> Result<ArenaState, RunError> {
    let (Some(rules), ServiceConfig::Remote(remote)) =
        (arena_rules(&config.event), &config.service)
    else {
        unreachable!("the configuration of an arena names a service elsewhere");
    };
    let folder = RunFolder::open(path, &Manifest::new(config))?;
    if let Some(openings) = &config.openings {
        folder.copy_book(openings)?;
    }
    config.opening_notes().iter().for_each(|text| note(text));
    let (journal, recovered) = ArenaJournal::open(path, rules, |_, _| ())?;
    if recovered.torn_bytes > 0 {
        let bytes = counted(recovered.torn_bytes, "byte");
        note(&format!("cut off a record that was not whole ({bytes})"));
    }
    // Another one would make other players of the runner and its anchors.
    let secret = if recovered.state.counts().matches > 0 {
        Secret::read(&folder.secret())?
    } else {
        Secret::open(&folder.secret())?
    };
    let credentials = Credentials::read(config, &secret)?;
    let host = Host::elsewhere(remote).map_err(HostError::Tls)?;
    let mut stop = pin!(stop);
    note(&format!("connecting to {}", host.address()));
    let connected = host.client(&credentials.runner);
    let (client, own) = tokio::select! {
        connected = connected => connected?,
        () = stop.as_mut() => return Ok(recovered.state),
    };
    let outage = Outage::none();
    let id = folder.draws().arena_id();
    let claim = ArenaClaim {
        client: &client,
        outage: &outage,
        player: own,
        name: config.event.name(),
        terms: terms(config),
        id: &id,
    };
    let lost = |lost: ClaimLost| -> RunError {
        match lost {
            ClaimLost::Claimed(claimed) => claimed.into(),
            ClaimLost::Client(source) => HostError::unusable(host.address().clone(), source).into(),
        }
    };
    let session = tokio::select! {
        opened = claim.open() => opened.map_err(lost)?,
        () = stop.as_mut() => return Ok(recovered.state),
    };
    let opened = Opened {
        config,
        folder: &folder,
        host: &host,
        credentials: &credentials,
        client: client.clone(),
        own,
        note,
    };
    let (mut players, admission) = tokio::select! {
        seated = opened.seat_anchors() => seated?,
        () = stop.as_mut() => return Ok(recovered.state),
    };
    let (results, played) = mpsc::unbounded_channel();
    let mut arena = opened.arena(admission, journal, recovered.state, page, results);
    let ended = tokio::select! {
        biased;
        () = stop.as_mut() => Ok(()),
        ended = arena.run(played) => ended.map_err(|error| error.explain(&host)),
        ended = claim.hold(session) => Err(lost(ended)),
        failure = players.failure() => Err(failure.into()),
    };
    // For the last painting.
    arena.show();
    arena.tasks.shutdown().await;
    players.stop().await;
    ended.map(|()| arena.state)
}

/// The matches of an arena, as an offer of them.
fn terms(config: &RunConfig) -> AcceptedGame {
    let rules = config.event.rules();
    AcceptedGame {
        game: rules.game().to_owned(),
        variants: vec![rules.variant().to_owned()],
        target_min: rules.target(),
        target_max: rules.target(),
        time_controls: vec![config.time_control],
    }
}

/// An arena that is the only one with its token on the service.
struct Opened<'a> {
    config: &'a RunConfig,
    folder: &'a RunFolder,
    host: &'a Host,
    credentials: &'a Credentials,
    client: Client,
    own: PlayerId,
    note: &'a (dyn Fn(&str) + Sync),
}

impl<'a> Opened<'a> {
    fn concurrency(&self) -> usize {
        self.config.concurrency.unwrap_or_else(processors).get()
    }

    async fn seat_anchors(&self) -> Result<(Players, Admission<'a>), RunError> {
        let Self { config, folder, .. } = self;
        let matches = self.concurrency();
        let agenda = Agenda {
            game: config.event.rules().game(),
            matches,
            start_limit: config.limits.join,
            start_failure: config.limits.start_failure,
        };
        let players = Players::start(
            RunningEngines::default(),
            &config.bots,
            self.host,
            &folder.logs(),
            self.credentials,
            folder.draws(),
            agenda,
        )
        .await?;
        let anchors: HashMap<PlayerId, Player> = players
            .all()
            .iter()
            .map(|player| (player.id, player.clone()))
            .collect();
        let admission = Admission {
            rules: config.event.rules(),
            time_control: config.time_control,
            allowed: config.players.as_deref(),
            anchors,
            anchor_matches: u32::try_from(matches).unwrap_or(u32::MAX),
            own: self.own,
        };
        Ok((players, admission))
    }

    fn arena(
        self,
        admission: Admission<'a>,
        journal: ArenaJournal,
        state: ArenaState,
        page: Option<EventPage>,
        results: mpsc::UnboundedSender<LegPlayed>,
    ) -> RunningArena<'a> {
        let config = self.config;
        let (present, seen) = watch::channel(PresentPlayers::new());
        let most = self.concurrency();
        let setting = ArenaSetting {
            client: self.client,
            outage: Outage::none(),
            event: config.event.clone(),
            time_control: config.time_control,
            limits: config.limits,
            draws: self.folder.draws().clone(),
            id: self.folder.draws().arena_id(),
            own: self.own,
            present: seen,
            page,
            results,
        };
        RunningArena::new(
            admission,
            setting,
            (journal, state),
            present,
            config.openings.clone(),
            most,
            self.note,
        )
    }
}
