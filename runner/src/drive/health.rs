use dragontooth_games::Seat;
use dragontooth_runner_tournament::{Fault, FaultKind};
use tokio::sync::watch;

/// The state of a bot's program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Health {
    /// Number of times its program has ended in this run.
    pub(super) ends: u32,
    /// Its last exit, for people.
    pub(super) last_end: String,
    /// The kind of fault that its last exit is for a match under way.
    pub(super) last_kind: FaultKind,
    /// True if it will not be restarted.
    pub(super) gone: bool,
    /// Number of restarts because a match was over.
    pub(super) renewals: u32,
}

/// A match's view of a bot's program.
#[derive(Clone, Debug)]
pub(super) struct Pulse {
    health: watch::Receiver<Health>,
    wanted_ends: watch::Sender<u32>,
    wanted_renewals: watch::Sender<Renewals>,
}

/// The restarter's side of the channel: it reports the state and receives requests.
#[derive(Debug)]
pub(super) struct Vitals {
    health: watch::Sender<Health>,
    wanted_ends: watch::Receiver<u32>,
    wanted_renewals: watch::Receiver<Renewals>,
}

/// The reason for restarting a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// It does not respond.
    Replacement,
    /// A match is over.
    Renewal {
        /// True if the bot lost it because its program ended.
        has_crashed: bool,
    },
}

/// The restarts that matches have asked for when they were over.
#[derive(Clone, Copy, Debug, Default)]
struct Renewals {
    count: u32,
    /// True if the bot lost the last one of these matches because its program ended.
    has_crashed: bool,
}

/// Both ends of the channel.
pub(super) fn health() -> (Vitals, Pulse) {
    let (teller, health) = watch::channel(Health {
        ends: 0,
        last_end: String::new(),
        last_kind: FaultKind::Crash,
        gone: false,
        renewals: 0,
    });
    let (wanted_ends, wanted) = watch::channel(0);
    let (wanted_renewals, renewals) = watch::channel(Renewals::default());
    (
        Vitals {
            health: teller,
            wanted_ends: wanted,
            wanted_renewals: renewals,
        },
        Pulse {
            health,
            wanted_ends,
            wanted_renewals,
        },
    )
}

impl Pulse {
    /// Number of times the program has ended, including requested ends that are still to come: a match
    /// that begins now is not affected by those.
    pub(super) fn ends_so_far(&self) -> u32 {
        let wanted = *self.wanted_ends.borrow();
        self.health.borrow().ends.max(wanted)
    }

    /// The last end, if the program will not be restarted.
    pub(super) fn gone(&self) -> Option<String> {
        let health = self.health.borrow();
        health.gone.then(|| health.last_end.clone())
    }

    /// Waits until the program has ended more than `ends` times, or is gone, and returns what happened.
    /// Never returns if neither can happen.
    pub(super) async fn end_after(mut self, ends: u32) -> (FaultKind, String) {
        let is_news = |health: &Health| health.gone || health.ends > ends;
        let ended = self.health.wait_for(is_news).await;
        let told = ended.map(|health| (health.last_kind, health.last_end.clone()));
        match told {
            Ok(end) => end,
            Err(_) => std::future::pending().await,
        }
    }

    /// Requests a restart because a match is over, and waits until it is done, or the program is gone.
    /// `has_crashed` says that the bot lost it because its program ended.
    pub(super) async fn renew(&self, has_crashed: bool) {
        let mut health = self.health.clone();
        let next = health.borrow().renewals + 1;
        self.wanted_renewals.send_replace(Renewals {
            count: next,
            has_crashed,
        });
        // If the sender is gone, nothing will be restarted.
        let _ = health
            .wait_for(|now| now.gone || now.renewals >= next)
            .await;
    }

    /// Waits until every requested end has happened, so that a match that begins now is not affected.
    pub(super) async fn replaced(&self) {
        let wanted = *self.wanted_ends.borrow();
        let mut health = self.health.clone();
        // If the sender is gone, nothing will be ended.
        let _ = health.wait_for(|now| now.gone || now.ends >= wanted).await;
    }

    /// Asks for the end of the program that has run since the last of `ends` ends. Asking twice
    /// ends it once.
    pub(super) fn replace_after(&self, ends: u32) {
        self.wanted_ends.send_if_modified(|wanted| {
            let more = *wanted <= ends;
            *wanted = (*wanted).max(ends + 1);
            more
        });
    }
}

/// Returns true if the bot in `seat` has one of these faults because its program ended.
pub(super) fn has_crashed(faults: &[Fault], seat: Seat) -> bool {
    let mut faults = faults.iter().filter(|fault| fault.seat == seat);
    faults.any(|fault| matches!(fault.kind, FaultKind::Crash | FaultKind::Resources))
}

impl Vitals {
    /// The current state.
    pub(super) fn health(&self) -> Health {
        self.health.borrow().clone()
    }

    /// Publishes a new state.
    pub(super) fn tell(&self, health: Health) {
        self.health.send_replace(health);
    }

    /// Ready when the program that runs now is to be ended.
    pub(super) async fn wanted(&mut self) -> Wanted {
        let Health { ends, renewals, .. } = *self.health.borrow();
        tokio::select! {
            _ = reached(&mut self.wanted_ends, |wanted| *wanted > ends) => Wanted::Replacement,
            wanted = reached(&mut self.wanted_renewals, |wanted| wanted.count > renewals) => {
                let has_crashed = wanted.has_crashed;
                Wanted::Renewal { has_crashed }
            }
        }
    }
}

/// Waits until what is wanted is so. Never returns if all senders are gone.
async fn reached<T: Copy>(
    wanted: &mut watch::Receiver<T>,
    is_reached: impl FnMut(&T) -> bool,
) -> T {
    let reached = wanted.wait_for(is_reached).await.map(|wanted| *wanted);
    match reached {
        Ok(wanted) => wanted,
        Err(_) => std::future::pending().await,
    }
}
