use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use dragontooth_games::{Seat, counted};
use dragontooth_runner_live::EventPage;
use dragontooth_runner_report::contender_label;
use dragontooth_runner_tournament::arena::{ArenaState, Contender, LegResult, Proposal};
use dragontooth_runner_tournament::{Leg, Name};
use dragontooth_service_client::{ClientError, PlayerView};
use dragontooth_service_vocabulary::PlayerId;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, interval_at};

use super::anchor_rests::AnchorRests;
use super::arena_encounter::{ArenaSetting, Encounter, LegPlayed};
use super::arena_notice::tell_parked;
use super::arena_presence::{Admission, ArenaPlayer, Presence, PresentPlayers, absent, free};
use super::host::Host;
use super::watched_match::WatchError;
use super::{HostError, RunError};
use crate::openings::{InvalidOpenings, Openings};
use crate::record::{ArenaJournal, JournalError, Played, Transcript};

/// The pause between two rounds of pairings, if nothing else begins one.
const ROUND: Duration = Duration::from_secs(2);
/// The pause between two notes about how far the arena is.
const SUMMARY: Duration = Duration::from_mins(1);
/// An encounter of which a match failed is not tried again before this.
const HELD: Duration = Duration::from_secs(30);

/// The reason why an arena cannot go on.
pub(super) enum Broken {
    Client(ClientError),
    Opening {
        encounter: u64,
        source: InvalidOpenings,
    },
    Journal(JournalError),
}

impl From<JournalError> for Broken {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

impl Broken {
    /// The error of the run.
    pub(super) fn explain(self, host: &Host) -> RunError {
        match self {
            Self::Journal(error) => error.into(),
            Self::Opening { encounter, source } => RunError::Match {
                title: format!("encounter {encounter}"),
                source: source.into(),
            },
            Self::Client(source) => HostError::unusable(host.address().clone(), source).into(),
        }
    }
}

/// An arena in progress.
pub(super) struct RunningArena<'a> {
    admission: Admission<'a>,
    setting: Arc<ArenaSetting>,
    journal: ArenaJournal,
    pub(super) state: ArenaState,
    present: watch::Sender<PresentPlayers>,
    pub(super) tasks: JoinSet<(u64, Result<(), WatchError>)>,
    /// The contenders that are or were told that they are parked, and those that do it.
    told: HashSet<Contender>,
    notices: JoinSet<Option<String>>,
    rests: AnchorRests,
    /// The anchors whose programs are not started any more.
    gone: HashSet<Name>,
    /// The encounters that are played, with their players.
    running: BTreeMap<u64, [PlayerId; 2]>,
    /// The encounters that are not to be tried again before this.
    held: BTreeMap<u64, Instant>,
    /// The players that are present and accept the game, but no match of the arena.
    misfits: BTreeSet<PlayerId>,
    most: usize,
    openings: Option<Arc<Openings>>,
    note: &'a (dyn Fn(&str) + Sync),
}

impl<'a> RunningArena<'a> {
    /// An arena at the end of its journal, with at most `most` encounters at the same time.
    pub(super) fn new(
        admission: Admission<'a>,
        setting: ArenaSetting,
        (journal, state): (ArenaJournal, ArenaState),
        present: watch::Sender<PresentPlayers>,
        openings: Option<Arc<Openings>>,
        most: usize,
        note: &'a (dyn Fn(&str) + Sync),
    ) -> Self {
        Self {
            admission,
            setting: Arc::new(setting),
            journal,
            state,
            present,
            tasks: JoinSet::new(),
            told: HashSet::new(),
            notices: JoinSet::new(),
            rests: AnchorRests::default(),
            gone: HashSet::new(),
            running: BTreeMap::new(),
            held: BTreeMap::new(),
            misfits: BTreeSet::new(),
            most,
            openings,
            note,
        }
    }

    /// Plays until it cannot go on.
    pub(super) async fn run(
        &mut self,
        mut played: mpsc::UnboundedReceiver<LegPlayed>,
    ) -> Result<(), Broken> {
        self.settle()?;
        self.show();
        (self.note)("the arena is open; Ctrl-C stops it");
        let mut summaries = interval_at(Instant::now() + SUMMARY, SUMMARY);
        let mut rounds = interval(ROUND);
        rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let setting = Arc::clone(&self.setting);
        let mut presence = Presence::new(&setting.client, &setting.outage);
        loop {
            tokio::select! {
                biased;
                Some(leg) = played.recv() => self.end_leg(leg)?,
                Some(ended) = self.tasks.join_next() => {
                    match ended {
                        Ok((encounter, ended)) => self.end_encounter(encounter, ended),
                        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                        Err(_) => {}
                    }
                    // Its matches come first.
                    while let Ok(leg) = played.try_recv() {
                        self.end_leg(leg)?;
                    }
                    self.begin()?;
                }
                Some(told) = self.notices.join_next() => {
                    if let Ok(Some(fault)) = told {
                        (self.note)(&fault);
                    }
                }
                news = setting.outage.news() => (self.note)(&news),
                change = presence.change() => {
                    let present = change.map_err(Broken::Client)?;
                    self.note_misfits(present);
                    self.note_present(self.admission.admit(present));
                    self.begin()?;
                }
                () = asked(setting.page.as_ref()) => self.show(),
                _ = summaries.tick() => self.note_summary(),
                _ = rounds.tick() => self.begin()?,
            }
        }
    }

    /// Looks for matches that an earlier process has created and of which the journal says nothing.
    fn settle(&mut self) -> Result<(), Broken> {
        let open: Vec<u64> = self.state.open_encounters().collect();
        for encounter in open {
            self.start(encounter, true)?;
        }
        Ok(())
    }

    fn note_summary(&self) {
        let played = counted(self.state.counts().matches, "match");
        let running = counted(self.running.len() as u64, "encounter");
        let present = self.present.borrow().len();
        (self.note)(&format!(
            "{played} over, {running} under way, {present} present"
        ));
    }

    /// Says who has come that will wait in vain.
    fn note_misfits(&mut self, present: &BTreeMap<PlayerId, PlayerView>) {
        let misfits = self.admission.misfits(present);
        let game = self.setting.event.rules().game();
        for id in misfits.difference(&self.misfits) {
            let view = &present[id];
            let build = view.offer.as_ref().map(|offer| offer.build.clone());
            let build = build.unwrap_or_default();
            let label = contender_label(&Contender::Build { player: *id, build }, &view.name);
            (self.note)(&format!(
                "{label} accepts {game}, but not the variant, the points or the time control of this arena"
            ));
        }
        self.misfits = misfits;
    }

    fn note_present(&self, present: PresentPlayers) {
        let lacks = |players: &PresentPlayers, id, one: &ArenaPlayer| {
            let other = players.get(id);
            other.is_none_or(|other| other.contender != one.contender)
        };
        let before = self.present.borrow().clone();
        for (from, to, word) in [(&before, &present, "left"), (&present, &before, "come")] {
            for (_, one) in from.iter().filter(|(id, one)| lacks(to, *id, one)) {
                let label = contender_label(&one.contender, &one.name);
                (self.note)(&format!("{label} has {word}"));
            }
        }
        let is_same = |one: &ArenaPlayer, other: &ArenaPlayer| {
            one.contender == other.contender && one.at_once == other.at_once
        };
        self.present.send_if_modified(|there| {
            let is_news = there.len() != present.len()
                || there
                    .iter()
                    .any(|(id, one)| present.get(id).is_none_or(|other| !is_same(one, other)));
            *there = present;
            is_news
        });
    }

    /// Begins what the pairing proposes.
    fn begin(&mut self) -> Result<(), Broken> {
        let now = Instant::now();
        self.held.retain(|_, until| *until > now);
        let players: Vec<PlayerId> = self.running.values().flatten().copied().collect();
        self.note_gone();
        let mut present = free(&self.present.borrow(), &players);
        present.retain(|one| self.may_play(&one.contender, now));
        let running: BTreeSet<u64> = self
            .running
            .keys()
            .chain(self.held.keys())
            .copied()
            .collect();
        let most = self.most.saturating_sub(self.running.len());
        for proposal in self.state.pair(&present, &running, most) {
            let encounter = match proposal {
                Proposal::Resume(encounter) => encounter,
                Proposal::Begin(contenders) => {
                    let names = contenders.each_ref().map(|one| self.public_name(one));
                    let encounter = self.state.counts().encounters + 1;
                    let entry = self.journal.pair(encounter, contenders, names)?;
                    self.state
                        .apply(&entry)
                        .expect("what is paired can be paired");
                    encounter
                }
            };
            self.start(encounter, false)?;
        }
        self.tell_parked();
        self.tell();
        Ok(())
    }

    /// Says which anchors have no program any more.
    fn note_gone(&mut self) {
        for anchor in self.admission.anchors.values() {
            if let Some(end) = anchor.pulse.gone()
                && self.gone.insert(anchor.name.clone())
            {
                let name = &anchor.name;
                (self.note)(&format!(
                    "the anchor {name} is not paired until the arena is started again: {end}"
                ));
            }
        }
    }

    /// Returns false for an anchor that would only lose.
    fn may_play(&self, contender: &Contender, now: Instant) -> bool {
        match contender {
            Contender::Anchor(name) => {
                !self.gone.contains(name) && !self.rests.is_resting(name, now)
            }
            Contender::Build { .. } => true,
        }
    }

    /// Tells those that are present and parked, if they were not.
    fn tell_parked(&mut self) {
        for player in self.present.borrow().values() {
            let contender = &player.contender;
            if matches!(contender, Contender::Anchor(_)) || self.told.contains(contender) {
                continue;
            }
            let Some(reason) = self.state.parked(contender) else {
                continue;
            };
            self.told.insert(contender.clone());
            let (setting, contender) = (Arc::clone(&self.setting), contender.clone());
            let id = player.player.id;
            self.notices.spawn(async move {
                let told = tell_parked(&setting, &contender, id, &reason).await;
                told.err()
                    .map(|error| format!("{contender} cannot be told that it is parked: {error}"))
            });
        }
    }

    /// Starts to play an encounter, or only to follow what there is of it.
    fn start(&mut self, number: u64, only_settles: bool) -> Result<(), Broken> {
        let Some((contenders, legs)) = self.state.missing_legs(number) else {
            return Ok(());
        };
        let Some(players) = both(contenders.map(|contender| self.player(contender))) else {
            return Ok(());
        };
        let openings = self.openings.as_ref();
        let opening = openings.map(|openings| openings.in_arena(number));
        let opening = opening.transpose().map_err(|source| Broken::Opening {
            encounter: number,
            source,
        })?;
        self.running
            .insert(number, players.each_ref().map(|one| one.player.id));
        let setting = Arc::clone(&self.setting);
        let encounter = Encounter {
            number,
            players,
            legs,
            opening,
        };
        self.tasks.spawn(async move {
            let ended = if only_settles {
                encounter.settle(setting).await
            } else {
                encounter.play(setting).await
            };
            (number, ended)
        });
        Ok(())
    }

    fn player(&self, contender: &Contender) -> Option<ArenaPlayer> {
        let present = self.present.borrow();
        match contender {
            Contender::Anchor(name) => {
                let mut anchors = self.admission.anchors.values();
                let player = anchors.find(|anchor| anchor.name == *name)?.clone();
                Some(ArenaPlayer {
                    contender: contender.clone(),
                    name: name.to_string(),
                    at_once: 0,
                    player,
                })
            }
            Contender::Build { player, build } => {
                let there = present
                    .get(player)
                    .filter(|one| one.contender == *contender);
                Some(
                    there
                        .cloned()
                        .unwrap_or_else(|| absent(*player, build.clone())),
                )
            }
        }
    }

    fn public_name(&self, contender: &Contender) -> String {
        self.player(contender)
            .map_or_else(String::new, |one| one.name)
    }

    fn end_leg(&mut self, leg: LegPlayed) -> Result<(), JournalError> {
        let LegPlayed {
            encounter,
            leg,
            played,
        } = leg;
        let missing = self.state.missing_legs(encounter);
        let Some((contenders, _)) = missing.filter(|(_, legs)| legs.contains(&leg)) else {
            // It was given up, because a player came back with another build.
            return Ok(());
        };
        let mut seated = contenders.map(Clone::clone);
        if leg == Leg::Two {
            seated.swap(0, 1);
        }
        let title = format!(
            "{}/e{encounter}/m{}",
            self.setting.event.name(),
            leg.number()
        );
        let names = seated.each_ref().map(|one| self.public_name(one));
        let transcript = Transcript::of_match(self.setting.event.rules(), title, names, &played);
        let result = LegResult {
            winner: played.winner,
            termination: played.termination,
            // Without an action it is no repetition of another match.
            moves: (played.plies > 0).then(|| transcript.digest()),
            faults: played.faults.clone(),
        };
        let entry = self.journal.end(encounter, leg, &played, result)?;
        let before = seated.each_ref().map(|one| self.state.parked(one));
        self.state.apply(&entry).expect("the leg was missing");
        for (contender, before) in seated.iter().zip(before) {
            if let (None, Some(reason)) = (before, self.state.parked(contender)) {
                let name = self.public_name(contender);
                (self.note)(&format!("{name} ({contender}): {reason}"));
            }
        }
        self.note_anchors(&seated, &played);
        self.tell();
        Ok(())
    }

    /// Gives an anchor with too many faults in a row a rest.
    fn note_anchors(&mut self, seated: &[Contender; 2], played: &Played) {
        for seat in Seat::BOTH {
            let Contender::Anchor(name) = &seated[seat.index()] else {
                continue;
            };
            let Some(fault) = played.faults.iter().find(|fault| fault.seat == seat) else {
                if !played.is_void() {
                    self.rests.played(name);
                }
                continue;
            };
            let most = self.state.rules().park_after;
            if let Some(rest) = self.rests.fault(name, most, Instant::now()) {
                let (faults, minutes) = (counted(most, "fault"), rest.as_secs() / 60);
                let (kind, detail) = (fault.kind, &fault.detail);
                (self.note)(&format!(
                    "the anchor {name} had {faults} in a row and rests for {minutes} min; the last one was {kind}: {detail}"
                ));
            }
        }
    }

    fn end_encounter(&mut self, encounter: u64, ended: Result<(), WatchError>) {
        self.running.remove(&encounter);
        if let Some(page) = &self.setting.page {
            page.ended_in_arena(encounter);
        }
        if let Err(error) = ended {
            self.held.insert(encounter, Instant::now() + HELD);
            let seconds = HELD.as_secs();
            (self.note)(&format!(
                "encounter {encounter} is tried again in {seconds} s: {error}"
            ));
        }
    }

    fn tell(&self) {
        if let Some(page) = &self.setting.page {
            page.arena_changed(self.state.counts().matches);
        }
    }

    /// Gives the page the state as it is.
    pub(super) fn show(&self) {
        if let Some(page) = &self.setting.page {
            let present = self.present.borrow();
            let present: Vec<_> = present.values().map(|one| one.contender.clone()).collect();
            page.show_arena(&self.state, &present);
        }
    }
}

/// Ready when the page needs the state; never without a page.
async fn asked(page: Option<&EventPage>) {
    match page {
        Some(page) => page.asks().await,
        None => pending().await,
    }
}

fn both(players: [Option<ArenaPlayer>; 2]) -> Option<[ArenaPlayer; 2]> {
    let [one, other] = players;
    Some([one?, other?])
}
