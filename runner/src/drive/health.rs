use tokio::sync::watch;

use crate::tournament::FaultKind;

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
}

/// What a match sees of what plays for a bot.
#[derive(Clone, Debug)]
pub(super) struct Pulse {
    health: watch::Receiver<Health>,
    wanted_ends: watch::Sender<u32>,
}

/// What keeps a program running tells and is told here.
#[derive(Debug)]
pub(super) struct Vitals {
    health: watch::Sender<Health>,
    wanted_ends: watch::Receiver<u32>,
}

/// Both ends of what is known of a bot's health.
pub(super) fn health() -> (Vitals, Pulse) {
    let (teller, health) = watch::channel(Health {
        ends: 0,
        last_end: String::new(),
        last_kind: FaultKind::Crash,
        gone: false,
    });
    let (wanted_ends, wanted) = watch::channel(0);
    (
        Vitals {
            health: teller,
            wanted_ends: wanted,
        },
        Pulse {
            health,
            wanted_ends,
        },
    )
}

impl Pulse {
    /// How often the program has ended so far.
    pub(super) fn ends(&self) -> u32 {
        self.health.borrow().ends
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
    /// How often the program has ended so far.
    pub(super) fn ends(&self) -> u32 {
        self.health.borrow().ends
    }

    /// Tells how it stands now.
    pub(super) fn tell(&self, health: Health) {
        self.health.send_replace(health);
    }

    /// Ready when the program that runs now is to be ended.
    pub(super) async fn replacement_wanted(&mut self) {
        let ends = self.ends();
        if self
            .wanted_ends
            .wait_for(|wanted| *wanted > ends)
            .await
            .is_err()
        {
            std::future::pending::<()>().await;
        }
    }
}
