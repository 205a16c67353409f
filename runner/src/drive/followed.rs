use std::future::Future;
use std::pin::pin;

use dragontooth_games::Seat;
use dragontooth_service_client::{
    Client, ClientError, CloseReason, MatchId, MatchState, Reason, Resume, Sequence, WatchUpdate,
};
use tokio::time::{Instant, sleep_until};

use super::Limits;
use super::course::Course;
use super::insist::{PATIENCE, insist};
use super::players::Player;
use crate::record::{Fault, Played};
use crate::tournament::{FaultKind, Termination};

/// How it is told that a bot did not come, before the limit.
pub(super) const ABSENT: &str = "it did not take its seat";

/// A match that is followed to its end. Where a bot cannot go on, or does not, the match is
/// resigned for it.
pub(super) struct Followed<'a> {
    client: &'a Client,
    id: MatchId,
    players: [&'a Player; 2],
    /// How often the program of each seat had ended when the match was begun.
    ends: [u32; 2],
    clocked: bool,
    limits: Limits,
    course: Course,
    last: Sequence,
    began: Instant,
    heard: Instant,
    condemned: Option<Condemned>,
    /// Why it is called off, if nobody is there who could win.
    called_off: Vec<Fault>,
    /// Whether it was broken off after as many actions as it may have.
    adjudicated: bool,
}

/// The seat that is to lose, and why.
struct Condemned {
    fault: Fault,
    joined: bool,
    resigned: bool,
}

/// Why a match cannot be followed to its end.
#[derive(Debug, thiserror::Error)]
pub(super) enum FollowError {
    /// A call failed.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The service has ended the stream of events.
    #[error("the service has closed the stream of the match: {0:?}")]
    Closed(CloseReason),
    /// The stream of events has ended too early.
    #[error("the stream of the match has ended before the match")]
    Ended,
}

impl FollowError {
    /// Whether it is the fault of what the match was played on, so that it may be played again.
    pub(super) fn is_infrastructure(&self) -> bool {
        match self {
            Self::Client(error) => {
                matches!(
                    error.reason(),
                    Some(Reason::MatchNotFound | Reason::LogDamaged)
                )
            }
            Self::Closed(_) | Self::Ended => false,
        }
    }
}

impl<'a> Followed<'a> {
    /// A match that has been created. `clocked` tells whether the service times it.
    pub(super) fn new(
        client: &'a Client,
        id: MatchId,
        players: [&'a Player; 2],
        clocked: bool,
        limits: Limits,
    ) -> Self {
        let now = Instant::now();
        Self {
            client,
            id,
            players,
            ends: players.map(|player| player.pulse.ends()),
            clocked,
            limits,
            course: Course::default(),
            last: Sequence::new(0),
            began: now,
            heard: now,
            condemned: None,
            called_off: Vec::new(),
            adjudicated: false,
        }
    }

    /// The match, drawn after so many actions; none for no limit.
    pub(super) fn limited_to(self, max_plies: Option<u32>) -> Self {
        let course = Course::limited_to(max_plies);
        Self { course, ..self }
    }

    /// The match, with bots that lose it whatever they do.
    pub(super) fn sentenced(mut self, mut faults: Vec<Fault>) -> Self {
        if faults.len() > 1 {
            self.called_off = faults;
        } else if let Some(Fault { seat, kind, detail }) = faults.pop() {
            self.condemn(seat, kind, detail);
        }
        self
    }

    /// Follows it until it is over.
    pub(super) async fn follow(mut self) -> Result<Played, FollowError> {
        let mut watch = self.client.watch(self.id, self.last, Resume::For(PATIENCE));
        let [first_end, second_end] = Seat::BOTH.map(|seat| self.end_of(seat));
        let (mut first_end, mut second_end) = (pin!(first_end), pin!(second_end));
        if !self.called_off.is_empty() {
            self.call_off().await?;
        }
        loop {
            if let Some(played) = self.course.played(self.id) {
                return Ok(self.with_faults(played));
            }
            if self.course.is_spent() && !self.adjudicated {
                self.adjudicated = true;
                self.call_off().await?;
            }
            self.carry_out().await?;
            let innocent = self.condemned.is_none();
            let deadline = self.deadline();
            tokio::select! {
                update = watch.next() => self.take(update)?,
                (kind, end) = &mut first_end, if innocent => {
                    self.condemn(Seat::First, kind, end);
                }
                (kind, end) = &mut second_end, if innocent => {
                    self.condemn(Seat::Second, kind, end);
                }
                () = passed(deadline) => self.look_for_idlers().await?,
            }
        }
    }

    fn take(
        &mut self,
        update: Option<Result<WatchUpdate, ClientError>>,
    ) -> Result<(), FollowError> {
        match update.ok_or(FollowError::Ended)?? {
            WatchUpdate::Events(events) => {
                for event in &events {
                    self.course.hear(event);
                    self.last = event.sequence;
                }
                self.heard = Instant::now();
                Ok(())
            }
            WatchUpdate::CaughtUp { .. } | WatchUpdate::Heartbeat { .. } => Ok(()),
            WatchUpdate::Closing(reason) => Err(FollowError::Closed(reason)),
        }
    }

    /// When it has to be looked whether a bot does nothing; none while a clock tells.
    fn deadline(&self) -> Option<Instant> {
        if !self.course.is_full() {
            return Some(self.began + self.limits.join);
        }
        (!self.clocked).then(|| self.heard + self.limits.stall)
    }

    /// The deadline has passed: whoever should have done something loses.
    async fn look_for_idlers(&mut self) -> Result<(), FollowError> {
        let view = insist(PATIENCE, || self.client.get_match(self.id)).await?;
        // The limits begin anew, whatever comes of it.
        let now = Instant::now();
        (self.began, self.heard) = (now, now);
        if view.head_sequence > self.last {
            return Ok(());
        }
        match (view.state, view.to_act) {
            (MatchState::Open, _) => self.condemn_absent().await,
            (MatchState::Active, Some(seat)) => {
                let detail = format!("it did nothing for {} s", self.limits.stall.as_secs_f32());
                self.condemn_idle(seat, detail);
                Ok(())
            }
            (MatchState::Active, None) | (MatchState::Ended, _) => Ok(()),
        }
    }

    async fn condemn_absent(&mut self) -> Result<(), FollowError> {
        let absent: Vec<Seat> = Seat::BOTH
            .into_iter()
            .filter(|seat| !self.course.has_joined(*seat))
            .collect();
        if let [seat] = absent[..]
            && self.condemned.is_none()
        {
            self.condemn_idle(seat, self.absence());
            return Ok(());
        }
        // Nobody is there who could win.
        for seat in absent {
            self.replace(seat);
            self.called_off.push(Fault {
                seat,
                kind: FaultKind::Stall,
                detail: self.absence(),
            });
        }
        self.call_off().await
    }

    async fn call_off(&self) -> Result<(), FollowError> {
        let aborted = insist(PATIENCE, || self.client.abort_match(self.id, None)).await;
        unless_over(aborted)
    }

    fn condemn_idle(&mut self, seat: Seat, detail: String) {
        self.replace(seat);
        self.condemn(seat, FaultKind::Stall, detail);
    }

    fn condemn(&mut self, seat: Seat, kind: FaultKind, detail: String) {
        let fault = Fault { seat, kind, detail };
        self.condemned.get_or_insert(Condemned {
            fault,
            joined: false,
            resigned: false,
        });
    }

    /// Takes the seat of the bot that is to lose, if need be, and resigns for it as soon as there
    /// is an opponent. If nobody can act for it, the match is called off.
    async fn carry_out(&mut self) -> Result<(), FollowError> {
        let Some(condemned) = &mut self.condemned else {
            return Ok(());
        };
        let seat = condemned.fault.seat;
        let player = self.players[seat.index()];
        let Some(client) = &player.client else {
            if condemned.resigned {
                return Ok(());
            }
            condemned.resigned = true;
            return self.call_off().await;
        };
        if !self.course.has_joined(seat) && !condemned.joined {
            condemned.joined = true;
            let join = || client.join_match(self.id, Some(seat), player.name.as_str(), None);
            unless_over(insist(PATIENCE, join).await)?;
        }
        if self.course.is_full() && !condemned.resigned {
            condemned.resigned = true;
            let resign = || client.resign_match(self.id, None);
            unless_over(insist(PATIENCE, resign).await)?;
        }
        Ok(())
    }

    /// Adds what the service does not know: why a match was resigned or called off.
    fn with_faults(&self, mut played: Played) -> Played {
        match (played.termination, played.winner) {
            (Termination::Resignation, Some(winner)) => {
                played.faults.extend(self.fault_of(winner.other()));
            }
            (Termination::Aborted, _) => self.judge_aborted(&mut played),
            (
                Termination::Normal
                | Termination::Timeout
                | Termination::Resignation
                | Termination::Adjudicated
                | Termination::Disconnect,
                _,
            ) => {}
        }
        played
    }

    /// A match that was called off because nobody could act for the bot that is to lose is lost by
    /// it all the same.
    fn judge_aborted(&self, played: &mut Played) {
        if let Some(Condemned {
            fault, resigned, ..
        }) = &self.condemned
            && *resigned
            && self.player(fault.seat).client.is_none()
        {
            played.winner = Some(fault.seat.other());
            played.termination = Termination::Disconnect;
            played.faults.push(fault.clone());
        } else {
            played.faults.extend(self.called_off.iter().cloned());
        }
    }

    /// Why `seat` has resigned. A program may do so of its own will; a built-in bot never does.
    fn fault_of(&self, seat: Seat) -> Option<Fault> {
        let condemned = self.condemned.as_ref().map(|condemned| &condemned.fault);
        if let Some(fault) = condemned.filter(|fault| fault.seat == seat) {
            return Some(fault.clone());
        }
        let failures = self.player(seat).failures.as_ref()?;
        let detail = failures
            .of(self.id)
            .unwrap_or_else(|| "it made no choice".to_owned());
        Some(Fault {
            seat,
            kind: FaultKind::Crash,
            detail,
        })
    }

    /// Ready when the program of `seat` has ended since the match was begun.
    fn end_of(&self, seat: Seat) -> impl Future<Output = (FaultKind, String)> + use<> {
        let pulse = self.player(seat).pulse.clone();
        pulse.end_after(self.ends[seat.index()])
    }

    /// Has the program of `seat` started anew.
    fn replace(&self, seat: Seat) {
        self.player(seat)
            .pulse
            .replace_after(self.ends[seat.index()]);
    }

    fn absence(&self) -> String {
        let limit = self.limits.join.as_secs_f32();
        format!("{ABSENT} within {limit} s")
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

/// Whatever was to be done to a match that is over needs not be done.
fn unless_over<T>(result: Result<T, ClientError>) -> Result<(), FollowError> {
    match result {
        Ok(_) => Ok(()),
        Err(error) if error.reason() == Some(&Reason::MatchEnded) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
