use tokio::sync::watch;

use dragontooth_runner_tournament::FaultKind;

/// How it stands with what plays for a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Health {
    /// How often its program has ended in this run.
    pub(super) ends: u32,
    /// How it ended last, for people.
    pub(super) last_end: String,
    /// What its last end is to a match that was under way.
    pub(super) last_kind: FaultKind,
    /// Whether it is started no more.
    pub(super) gone: bool,
    /// How often it was started anew because a match was over.
    pub(super) renewals: u32,
}

/// What a match sees of what plays for a bot.
#[derive(Clone, Debug)]
pub(super) struct Pulse {
    health: watch::Receiver<Health>,
    wanted_ends: watch::Sender<u32>,
    wanted_renewals: watch::Sender<u32>,
}

/// What keeps a program running tells and is told here.
#[derive(Debug)]
pub(super) struct Vitals {
    health: watch::Sender<Health>,
    wanted_ends: watch::Receiver<u32>,
    wanted_renewals: watch::Receiver<u32>,
}

/// Why a program is to be ended and started again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// It does not do what it should.
    Replacement,
    /// A match is over.
    Renewal,
}

/// Both ends of what is known of a bot's health.
pub(super) fn health() -> (Vitals, Pulse) {
    let (teller, health) = watch::channel(Health {
        ends: 0,
        last_end: String::new(),
        last_kind: FaultKind::Crash,
        gone: false,
        renewals: 0,
    });
    let (wanted_ends, wanted) = watch::channel(0);
    let (wanted_renewals, renewals) = watch::channel(0);
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
    /// How often the program has ended so far, with the ends that were asked for and are still to
    /// come: a match that begins now has nothing to do with them.
    pub(super) fn ends_so_far(&self) -> u32 {
        let wanted = *self.wanted_ends.borrow();
        self.health.borrow().ends.max(wanted)
    }

    /// Whether the program is started no more.
    pub(super) fn is_gone(&self) -> bool {
        self.health.borrow().gone
    }

    /// Ready with what happened when the program has ended more than `ends` times, or is gone.
    /// Never, if nothing of the kind can happen any more.
    pub(super) async fn end_after(mut self, ends: u32) -> (FaultKind, String) {
        let is_news = |health: &Health| health.gone || health.ends > ends;
        let ended = self.health.wait_for(is_news).await;
        let told = ended.map(|health| (health.last_kind, health.last_end.clone()));
        match told {
            Ok(end) => end,
            Err(_) => std::future::pending().await,
        }
    }

    /// Has the program started anew, and is ready when that is done, or when it is started no more.
    pub(super) async fn renew(&self) {
        let mut health = self.health.clone();
        let next = health.borrow().renewals + 1;
        self.wanted_renewals.send_replace(next);
        // Whoever could tell may be gone: then nothing is started any more.
        let _ = health
            .wait_for(|now| now.gone || now.renewals >= next)
            .await;
    }

    /// Ready when every end that was asked for has come, so that no match that begins now pays for it.
    pub(super) async fn replaced(&self) {
        let wanted = *self.wanted_ends.borrow();
        let mut health = self.health.clone();
        // Whoever could tell may be gone: then nothing is ended any more.
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

impl Vitals {
    /// How it stands.
    pub(super) fn health(&self) -> Health {
        self.health.borrow().clone()
    }

    /// Tells how it stands now.
    pub(super) fn tell(&self, health: Health) {
        self.health.send_replace(health);
    }

    /// Ready when the program that runs now is to be ended.
    pub(super) async fn wanted(&mut self) -> Wanted {
        let Health { ends, renewals, .. } = *self.health.borrow();
        tokio::select! {
            () = beyond(&mut self.wanted_ends, ends) => Wanted::Replacement,
            () = beyond(&mut self.wanted_renewals, renewals) => Wanted::Renewal,
        }
    }
}

/// Ready when more than `count` are wanted. Never, if nobody is left who could want anything.
async fn beyond(wanted: &mut watch::Receiver<u32>, count: u32) {
    if wanted.wait_for(|wanted| *wanted > count).await.is_err() {
        std::future::pending::<()>().await;
    }
}
