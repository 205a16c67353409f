use std::future::Future;
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_runner_live::MatchFeed;
use dragontooth_runner_tournament::{Fault, FaultKind};
use dragontooth_service_client::{
    Client, ClientError, Closing, MatchResignation, Reason, Resume, WatchUpdate, WatchedEvent,
};
use dragontooth_service_vocabulary::{
    CloseReason, MatchEvent, MatchId, PlayerId, RequestId, Sequence, Stage, TimeControl,
};
use tokio::time::{Instant, sleep_until};

use super::RunLimits;
use super::apply_event::Facts;
use super::match_progress::MatchProgress;
use super::outage::{Outage, PATIENCE};
use super::players::Player;
use crate::adjudicator::EarlyEnd;
use crate::record::Played;

mod judgement;

/// The detail of a bot's absence, without the limit.
pub(super) const ABSENT: &str = "it did not take its seat";

/// The longest silence on a match's stream behind which the service still is: it says something at
/// least every 10 seconds. While it is not there no bot can do anything.
const SILENCE: Duration = Duration::from_secs(15);

/// The longest answer of a service that takes actions as they come.
const AT_ONCE: Duration = Duration::from_secs(1);

/// The name of the request by which a match is resigned for a bot. Made again it has the same
/// answer, so that it is known whether it was this that ended the match.
const RESIGNATION: &str = "dragontooth-runner-resigns";

/// A match that is watched to its end. It is resigned on behalf of a bot that cannot continue or does not
/// act.
pub(super) struct WatchedMatch<'a> {
    client: &'a Client,
    outage: &'a Outage,
    id: MatchId,
    players: [&'a Player; 2],
    /// Number of exits of each seat's program when the match began, including those requested by then.
    ends: [u32; 2],
    /// Which seats have a clock, that the service looks at.
    clocked: [bool; 2],
    limits: RunLimits,
    progress: MatchProgress,
    last: Sequence,
    /// Up to where it had come before this program watched it.
    known: Sequence,
    began: Instant,
    heard: Instant,
    /// The time of the last message from the service.
    contact: Instant,
    /// The absence of the service since then.
    absence: Absence,
    /// Since when the service has not let an idle bot lose.
    refused: Option<Instant>,
    /// The faults by which the seats have to lose.
    forfeits: [Option<Forfeit>; 2],
    /// The seats whose bots were disabled when the match began, so that they lose it against any
    /// opponent.
    out: [bool; 2],
    /// True if it was aborted because of the forfeits.
    called_off: bool,
    /// The fault of the bot that called it off or declined it itself.
    desertion: Option<Fault>,
    /// True if it was stopped because its result is called, or at its limit of actions.
    adjudicated: bool,
}

/// The signs of an absence of the service that a match has noticed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Absence {
    /// Nothing.
    #[default]
    None,
    /// The stream was lost, and not replaced at once.
    Untold,
    /// So much that it was reported.
    Told,
}

/// The fault by which a seat has to lose, and the steps taken.
struct Forfeit {
    fault: Fault,
    /// True if it did nothing, which is no fault unless the service would have taken an action.
    is_idle: bool,
    joined: bool,
    /// True if the match was resigned for it; `None` before the attempt. The match may have ended
    /// first.
    resigned: Option<bool>,
}

/// The reason why a match cannot be watched to its end.
#[derive(Debug, thiserror::Error)]
pub(super) enum WatchError {
    /// A call failed.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The service has ended the stream of events.
    #[error("the service has ended the stream of the match: {}", reason_of(*.0))]
    Closed(Closing),
    /// The stream of events has ended too early.
    #[error("the stream of the match has ended before the match")]
    Ended,
}

impl WatchError {
    /// Returns true if the service has another match under the id of the request.
    pub(super) fn is_taken(&self) -> bool {
        matches!(self, Self::Client(error) if error.reason() == Some(&Reason::RequestIdReused))
    }

    /// Returns true if the infrastructure failed, so that the match may be played again.
    pub(super) fn is_infrastructure(&self) -> bool {
        match self {
            Self::Client(error) => {
                matches!(
                    error.reason(),
                    Some(Reason::MatchNotFound | Reason::LogDamaged)
                )
            }
            Self::Closed(reason) => *reason == Closing::Reason(CloseReason::LogDamaged),
            Self::Ended => false,
        }
    }
}

/// Returns the reason why a stream ended, for people.
const fn reason_of(closing: Closing) -> &'static str {
    let Closing::Reason(reason) = closing else {
        return "a reason of later versions";
    };
    match reason {
        CloseReason::MatchEnded => "the match is over",
        CloseReason::SlowReader => "what it tells was read too slowly",
        CloseReason::Draining => "the service shuts down",
        CloseReason::Superseded => "another stream took its place",
        CloseReason::LogDamaged => "the log of the match is damaged",
        CloseReason::ConnectionAged => "the connection was open for as long as it may be",
        CloseReason::TokenEnded => "the token is valid no more",
        CloseReason::LogUnavailable => "the event log cannot be read",
    }
}

impl<'a> WatchedMatch<'a> {
    /// A match that has been created. `clocked` marks the seats that the service times.
    pub(super) fn new(
        client: &'a Client,
        outage: &'a Outage,
        id: MatchId,
        players: [&'a Player; 2],
        clocked: [bool; 2],
        limits: RunLimits,
    ) -> Self {
        let now = Instant::now();
        Self {
            client,
            outage,
            id,
            players,
            ends: players.map(|player| player.pulse.ends_so_far()),
            clocked,
            limits,
            progress: MatchProgress::default(),
            last: Sequence(0),
            known: Sequence(0),
            began: now,
            heard: now,
            contact: now,
            absence: Absence::None,
            refused: None,
            forfeits: [None, None],
            out: players.map(|player| player.pulse.gone().is_some()),
            called_off: false,
            desertion: None,
            adjudicated: false,
        }
    }

    /// The match, ended early under these conditions.
    pub(super) fn ended_by(self, early_end: EarlyEnd) -> Self {
        let progress = MatchProgress::new(early_end);
        Self { progress, ..self }
    }

    /// The match, whose steps go to the page of the event.
    pub(super) fn shown_on(
        mut self,
        feed: Option<MatchFeed>,
        time_controls: [Option<TimeControl>; 2],
    ) -> Self {
        self.progress.show_on(feed, time_controls);
        self
    }

    /// The match, which had come so far before.
    pub(super) fn known_to(self, known: Sequence) -> Self {
        Self { known, ..self }
    }

    /// The match, with bots that lose it whatever they do.
    pub(super) fn with_forfeits(mut self, faults: Vec<Fault>) -> Self {
        for Fault { seat, kind, detail } in faults {
            self.out[seat.index()] = true;
            self.forfeit(seat, kind, detail);
        }
        self
    }

    /// Follows it until it is over.
    pub(super) async fn follow(mut self) -> Result<Played, WatchError> {
        let mut watch = self.client.watch(self.id, self.last, Resume::For(PATIENCE));
        let [first_end, second_end] = Seat::BOTH.map(|seat| self.end_of(seat));
        let (mut first_end, mut second_end) = (pin!(first_end), pin!(second_end));
        loop {
            if let Some(played) = self.progress.played(self.id) {
                return Ok(self.with_faults(played));
            }
            if self.progress.is_spent() && !self.adjudicated {
                self.adjudicated = true;
                self.call_off().await?;
            }
            self.carry_out().await?;
            let [first_may_fail, second_may_fail] = Seat::BOTH.map(|seat| self.may_fail(seat));
            let deadline = self.deadline();
            tokio::select! {
                update = watch.next_reporting(|error, gone| {
                    let is_told = self.outage.lasts(error, gone);
                    let noticed = if is_told { Absence::Told } else { Absence::Untold };
                    self.absence = self.absence.max(noticed);
                }) => self.take(update)?,
                (kind, end) = &mut first_end, if first_may_fail => {
                    self.forfeit(Seat::First, kind, end);
                }
                (kind, end) = &mut second_end, if second_may_fail => {
                    self.forfeit(Seat::Second, kind, end);
                }
                () = passed(deadline) => self.look_for_idlers().await?,
                () = sleep_until(self.contact + SILENCE), if self.absence < Absence::Told => {
                    self.absence = Absence::Told;
                    let seconds = SILENCE.as_secs();
                    self.outage.began(&format!("it has said nothing for {seconds} s"));
                }
            }
        }
    }

    fn take(&mut self, update: Option<Result<WatchUpdate, ClientError>>) -> Result<(), WatchError> {
        let update = update.ok_or(WatchError::Ended)??;
        let now = Instant::now();
        self.hear_from_service(now);
        match update {
            WatchUpdate::Events(events) => {
                for event in events {
                    self.apply_event(event);
                }
                self.heard = now;
                if self.refused.take().is_some() {
                    self.outage.ended();
                }
                Ok(())
            }
            WatchUpdate::CaughtUp { .. } | WatchUpdate::Heartbeat { .. } => Ok(()),
            WatchUpdate::Closing(reason) => Err(WatchError::Closed(reason)),
        }
    }

    fn apply_event(&mut self, event: WatchedEvent) {
        let WatchedEvent { recorded, facts } = event;
        if let Some(seat) = recorded.event.actor()
            && recorded.sequence > self.known
        {
            self.player(seat).seen.store(true, Ordering::Relaxed);
        }
        if let MatchEvent::MatchEnded { outcome, .. } = &recorded.event {
            self.desertion = self.desertion_in(outcome);
        }
        self.last = recorded.sequence;
        let score = facts.score.unwrap_or_default();
        let facts = Facts {
            score: Seat::BOTH.map(|seat| score.of(seat)),
            rule: facts.rule.as_deref(),
        };
        self.progress.apply_event(recorded, facts);
    }

    /// The time at which an idle bot has to be looked for; `None` while a clock runs.
    fn deadline(&self) -> Option<Instant> {
        if !self.progress.is_full() {
            return Some(self.began + self.limits.join);
        }
        (self.clocked != [true; 2]).then(|| self.heard + self.limits.stall)
    }

    /// The deadline has passed: a bot that had to act loses.
    async fn look_for_idlers(&mut self) -> Result<(), WatchError> {
        let get = || self.client.get_match(self.id);
        let asked = Instant::now();
        let (view, is_answered) = match get().await {
            Err(error) if error.is_transient() => {
                (self.outage.retry(self.client, get).await?, false)
            }
            answered => (answered?, true),
        };
        let now = Instant::now();
        // A service that was frozen until now has taken no action either.
        let at_once = is_answered && now - asked < AT_ONCE;
        // While the service is away no bot can act.
        let was_there = at_once && !self.was_away(now);
        self.hear_from_service(now);
        // The limits restart in any case.
        self.begin_limits(now);
        if !was_there || view.head_sequence > self.last {
            return Ok(());
        }
        match (view.state, view.to_act) {
            (Stage::Open, _) => self.forfeit_absent(),
            (Stage::Active, Some(seat)) if self.may_fail(seat) && !self.clocked[seat.index()] => {
                let detail = format!("it did nothing for {} s", self.limits.stall.as_secs_f32());
                self.forfeit_idle(seat, detail);
            }
            (Stage::Active | Stage::Ended, _) => {}
        }
        Ok(())
    }

    /// The service answers; if it was away, the limits restart.
    fn hear_from_service(&mut self, now: Instant) {
        if self.was_away(now) {
            self.begin_limits(now);
        }
        self.contact = now;
        if std::mem::take(&mut self.absence) == Absence::Told {
            self.outage.ended();
        }
    }

    const fn begin_limits(&mut self, now: Instant) {
        (self.began, self.heard) = (now, now);
    }

    /// Returns true if the service was away, or the silence so long that it or this program was
    /// suspended.
    fn was_away(&self, now: Instant) -> bool {
        self.absence > Absence::None || now - self.contact > SILENCE
    }

    fn forfeit_absent(&mut self) {
        for seat in Seat::BOTH {
            if !self.progress.has_joined(seat) && self.may_fail(seat) {
                self.forfeit_idle(seat, self.absence());
            }
        }
    }

    /// Returns true if a seat can still lose by its actions. Once one seat forfeits, the other can only
    /// be absent.
    const fn may_fail(&self, seat: Seat) -> bool {
        !self.called_off
            && !self.has_forfeited(seat)
            && (!self.has_forfeited(seat.other()) || !self.progress.has_joined(seat))
    }

    const fn has_forfeited(&self, seat: Seat) -> bool {
        self.forfeits[seat.index()].is_some()
    }

    async fn call_off(&self) -> Result<(), WatchError> {
        let is_idle = self.idlers().next().is_some();
        let abort = || self.client.abort_match(self.id, None);
        unless_over(persist(self.outage, self.client, is_idle, abort).await).map(|_| ())
    }

    /// The seats of the bots that have to lose because they did nothing.
    fn idlers(&self) -> impl Iterator<Item = Seat> {
        let forfeits = self.forfeits.iter().flatten();
        let idle = forfeits.filter(|forfeit| forfeit.is_idle);
        idle.map(|forfeit| forfeit.fault.seat)
    }

    fn forfeit_idle(&mut self, seat: Seat, detail: String) {
        self.add_forfeit(seat, FaultKind::Stall, detail, true);
    }

    fn forfeit(&mut self, seat: Seat, kind: FaultKind, detail: String) {
        self.add_forfeit(seat, kind, detail, false);
    }

    fn add_forfeit(&mut self, seat: Seat, kind: FaultKind, detail: String, is_idle: bool) {
        let fault = Fault { seat, kind, detail };
        self.forfeits[seat.index()].get_or_insert(Forfeit {
            fault,
            is_idle,
            joined: false,
            resigned: None,
        });
    }

    /// Has the bots lose that forfeit, and restarts the programs of idle ones. While the service takes
    /// no resignation it takes no action either: an idle bot may have tried, so its limit restarts.
    async fn carry_out(&mut self) -> Result<(), WatchError> {
        match self.try_to_carry_out().await {
            Ok(true) => {
                for seat in self.idlers() {
                    self.replace(seat);
                }
                Ok(())
            }
            Ok(false) => Ok(()),
            Err(WatchError::Client(error)) if error.is_transient() => self.pardon(error),
            Err(error) => Err(error),
        }
    }

    /// Drops the forfeits of idle bots because of this error.
    ///
    /// # Errors
    ///
    /// The error, if no bot is idle, or the service has refused for too long.
    fn pardon(&mut self, error: ClientError) -> Result<(), WatchError> {
        let now = Instant::now();
        let refused = *self.refused.get_or_insert(now);
        if self.idlers().next().is_none() || now - refused >= PATIENCE {
            return Err(error.into());
        }
        self.outage.began(&error.to_string());
        self.called_off = false;
        for forfeit in &mut self.forfeits {
            forfeit.take_if(|forfeit| forfeit.is_idle);
        }
        self.begin_limits(now);
        Ok(())
    }

    /// Takes the seat of the bot that forfeits, if necessary, and resigns for it as soon as there is an
    /// opponent. If there will be none, or the bot has no client, the match is aborted. Returns true if
    /// this ended the match.
    async fn try_to_carry_out(&mut self) -> Result<bool, WatchError> {
        if self.called_off {
            return Ok(false);
        }
        let forfeit = match &mut self.forfeits {
            [None, None] => return Ok(false),
            [Some(_), Some(_)] => {
                self.called_off = true;
                self.call_off().await?;
                return Ok(true);
            }
            [Some(forfeit), None] | [None, Some(forfeit)] => forfeit,
        };
        let seat = forfeit.fault.seat;
        let player = self.players[seat.index()];
        let Some(client) = &player.client else {
            self.called_off = true;
            self.call_off().await?;
            return Ok(true);
        };
        if !self.progress.has_joined(seat) && !forfeit.joined {
            let join = || client.join_match(self.id, Some(seat), player.name.as_str(), None);
            match persist(self.outage, client, forfeit.is_idle, join).await {
                // The bot has just joined, with a share of its own.
                Err(error) if error.reason() == Some(&Reason::AlreadyJoined) => {}
                joined => {
                    unless_over(joined)?;
                }
            }
            forfeit.joined = true;
        }
        if !self.progress.is_full() || forfeit.resigned.is_some() {
            return Ok(false);
        }
        let name: RequestId = RESIGNATION.parse().expect("it has letters and hyphens");
        let resignation = MatchResignation {
            request_id: Some(name),
            ..MatchResignation::by_failure(self.id, &forfeit.fault.detail)
        };
        let resign = || client.resign_match(resignation.clone());
        let resigned = persist(self.outage, client, forfeit.is_idle, resign).await;
        forfeit.resigned = Some(unless_over(resigned)?);
        Ok(true)
    }

    /// Ready when the program of `seat` has ended since the match was begun.
    fn end_of(&self, seat: Seat) -> impl Future<Output = (FaultKind, String)> + use<> {
        let pulse = self.player(seat).pulse.clone();
        pulse.end_after(self.ends[seat.index()])
    }

    /// Requests a restart of the program of `seat`.
    fn replace(&self, seat: Seat) {
        self.player(seat)
            .pulse
            .replace_after(self.ends[seat.index()]);
    }

    fn absence(&self) -> String {
        let limit = self.limits.join.as_secs_f32();
        format!("{ABSENT} within {limit} s")
    }

    /// The seat of the bot that is this player.
    fn seat_of(&self, id: PlayerId) -> Option<Seat> {
        Seat::BOTH
            .into_iter()
            .find(|seat| self.player(*seat).id == id)
    }

    const fn player(&self, seat: Seat) -> &'a Player {
        self.players[seat.index()]
    }
}

async fn passed(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Makes a call: once if an idle bot loses by it, otherwise until the service takes it.
async fn persist<T, F>(
    outage: &Outage,
    client: &Client,
    is_idle: bool,
    call: impl Fn() -> F + Send,
) -> Result<T, ClientError>
where
    F: Future<Output = Result<T, ClientError>> + Send,
{
    if is_idle {
        call().await
    } else {
        outage.retry(client, call).await
    }
}

/// Whatever was to be done to a match that is over needs not be done: whether it was done.
fn unless_over<T>(result: Result<T, ClientError>) -> Result<bool, WatchError> {
    match result {
        Ok(_) => Ok(true),
        Err(error) if error.reason() == Some(&Reason::MatchEnded) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests;
