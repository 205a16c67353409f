use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use dragontooth_service_client::{
    Backoff, Client, ClientError, Closing, Code, Invitation, MatchView, PlayEvent, PlayOptions,
    PlaySender, PlaySession, Reason,
};
use dragontooth_service_vocabulary::{CloseReason, MatchId, Offer};
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::active_matches::{ActiveMatches, Effect};
use super::error::is_passing;
use super::thinking::{Task, ThinkingResult};
use super::{
    BotFactory, MakeBotError, Notice, SessionError, SessionOptions, Summary, ThinkingPool,
};
use crate::{Bot, MatchInfo};

/// Number of missing heartbeats after which the connection counts as lost.
const MISSING_HEARTBEATS: u32 = 3;
/// Shortest interval between two checks for missing heartbeats.
const WATCHDOG_PERIOD: Duration = Duration::from_secs(1);
/// Age of a stream at which the pauses between attempts start from the shortest again, and another replica is asked
/// without a pause. Clocks may be running, but a service that closes every stream at once must not be flooded.
const STEADY: Duration = Duration::from_secs(1);
/// Number of matches checked at the same time after a stream was opened.
const CHECKS_AT_ONCE: usize = 16;

/// Plays all the matches of a player.
///
/// It continues after a lost connection, a restart of the service, and a stream that was closed because it was
/// read too slowly. It ends when it is stopped, when everything is played, or with a [`SessionError`].
///
/// ```no_run
/// use std::num::NonZeroUsize;
///
/// use dragontooth_bots::builtin::BotSpec;
/// use dragontooth_bots::session::{Session, SessionOptions, ThinkingPool};
/// use dragontooth_service_client::Client;
///
/// # async fn example(client: Client) -> Result<(), Box<dyn std::error::Error>> {
/// let spec: BotSpec = "greedy".parse()?;
/// let pool = ThinkingPool::new(NonZeroUsize::MIN)?;
/// let session = Session::new(client, pool, SessionOptions::default(), move |info| {
///     Ok(spec.make(info)?)
/// });
/// let summary = session.run(std::future::pending()).await?;
/// println!("{} matches", summary.matches);
/// # Ok(())
/// # }
/// ```
pub struct Session {
    client: Client,
    pool: ThinkingPool,
    matches: ActiveMatches,
    factory: Arc<BotFactory>,
    wants: Box<dyn FnMut(&Invitation) -> bool + Send>,
    tell: Box<dyn FnMut(Notice) + Send>,
    thoughts: UnboundedReceiver<ThinkingResult>,
    reply: UnboundedSender<ThinkingResult>,
    /// The bots that were made before their matches began.
    made: (UnboundedSender<MadeBot>, UnboundedReceiver<MadeBot>),
}

/// A match with its bot; `None` if it could not be made.
type MadeBot = (MatchId, Option<Box<dyn Bot>>);

/// The reason for the end of a stream.
enum StreamEnd {
    Stopped,
    Lost(ClientError),
    Failed(SessionError),
}

/// The tasks that belong to an open stream.
#[derive(Default)]
struct Pending {
    to_check: VecDeque<(MatchId, Duration)>,
    checks: FuturesUnordered<BoxFuture<'static, (MatchId, Result<MatchView, ClientError>)>>,
    retries: FuturesUnordered<BoxFuture<'static, MatchId>>,
}

impl Session {
    /// Creates a session of the client's player. Its bots are made by `factory` and think on `pool`. It accepts
    /// every invitation.
    pub fn new(
        client: Client,
        pool: ThinkingPool,
        options: SessionOptions,
        factory: impl Fn(&MatchInfo) -> Result<Box<dyn Bot>, MakeBotError> + Send + Sync + 'static,
    ) -> Self {
        let (reply, thoughts) = unbounded_channel();
        Self {
            client,
            pool,
            matches: ActiveMatches::new(options, Instant::now(), SystemTime::now()),
            factory: Arc::new(factory),
            wants: Box::new(|_| true),
            tell: Box::new(|_| {}),
            thoughts,
            reply,
            made: unbounded_channel(),
        }
    }

    /// Accepts only invitations for which `wants` returns true, and declines the others, which ends their matches. A session
    /// of one match leaves other invitations alone.
    #[must_use]
    pub fn accept_if(mut self, wants: impl FnMut(&Invitation) -> bool + Send + 'static) -> Self {
        self.wants = Box::new(wants);
        self
    }

    /// Calls `tell` at each notice. It must return quickly.
    #[must_use]
    pub fn on_notice(mut self, tell: impl FnMut(Notice) + Send + 'static) -> Self {
        self.tell = Box::new(tell);
        self
    }

    /// Plays until `stop` is ready or everything is played. The choices of bots that are still thinking then
    /// are discarded.
    ///
    /// # Errors
    ///
    /// Another program plays with the same token, the service refuses the token or the session, or the connection
    /// was lost for longer than the session's patience.
    pub async fn run(mut self, stop: impl Future<Output = ()>) -> Result<Summary, SessionError> {
        let mut stop = pin!(stop);
        let mut backoff = Backoff::new();
        let mut patience = self.matches.options().first_patience;
        let mut lost_at = Instant::now();
        while !self.matches.is_done() {
            let mut was_steady = false;
            let offer = self.matches.options().offer.clone();
            let failure = match open(&self.client, offer, stop.as_mut()).await {
                None => break,
                Some(Err(failure)) => failure,
                Some(Ok(stream)) => {
                    patience = self.matches.options().patience;
                    let opened_at = Instant::now();
                    let failure = match self.serve(stream, stop.as_mut()).await {
                        StreamEnd::Stopped => break,
                        StreamEnd::Failed(error) => return Err(error),
                        StreamEnd::Lost(failure) => failure,
                    };
                    lost_at = Instant::now();
                    was_steady = opened_at.elapsed() > STEADY;
                    if was_steady {
                        backoff.reset();
                    }
                    failure
                }
            };
            if !is_passing(&failure) {
                return Err(final_error(failure));
            }
            if lost_at.elapsed() >= patience {
                return Err(SessionError::Lost {
                    patience,
                    source: failure,
                });
            }
            let left = patience.saturating_sub(lost_at.elapsed());
            let pause = if was_steady && self.client.has_alternatives() {
                Duration::ZERO
            } else {
                backoff.pause(failure.retry_after()).min(left)
            };
            (self.tell)(Notice::Disconnected {
                reason: reason(&failure),
                pause,
            });
            tokio::select! {
                () = stop.as_mut() => break,
                () = sleep(pause) => {}
            }
        }
        Ok(self.matches.summary())
    }

    async fn serve(
        &mut self,
        stream: PlaySession,
        mut stop: Pin<&mut impl Future<Output = ()>>,
    ) -> StreamEnd {
        let PlaySession {
            player,
            heartbeat_interval,
            sender,
            mut receiver,
        } = stream;
        let mut pending = Pending::default();
        let mut heard_at = Instant::now();
        let period = heartbeat_interval.max(WATCHDOG_PERIOD);
        let silence = period.saturating_mul(MISSING_HEARTBEATS);
        let mut watchdog = interval(period);
        watchdog.set_missed_tick_behavior(MissedTickBehavior::Delay);
        self.matches.connected(player);
        loop {
            if let Some(error) = self.apply_effects(&sender, &mut pending).await {
                return StreamEnd::Failed(error);
            }
            if self.matches.is_done() {
                return StreamEnd::Stopped;
            }
            tokio::select! {
                () = stop.as_mut() => return StreamEnd::Stopped,
                event = receiver.next() => {
                    heard_at = Instant::now();
                    let end = match event {
                        Some(Ok(event)) => self.take(event, heard_at),
                        Some(Err(error)) => Some(StreamEnd::Lost(error)),
                        None => Some(lost("the stream has ended")),
                    };
                    if let Some(end) = end {
                        return end;
                    }
                }
                Some(thought) = self.thoughts.recv() => {
                    self.matches.thought(thought, Instant::now());
                }
                Some((match_id, bot)) = self.made.1.recv() => {
                    self.matches.bot_made(match_id, bot);
                }
                Some((match_id, found)) = pending.checks.next() => {
                    self.matches.checked(match_id, found);
                }
                Some(match_id) = pending.retries.next() => {
                    self.matches.retry(match_id, Instant::now());
                }
                _ = watchdog.tick() => {
                    if heard_at.elapsed() > silence {
                        receiver.give_up();
                        return lost("the service is silent");
                    }
                }
            }
        }
    }

    fn take(&mut self, event: PlayEvent, now: Instant) -> Option<StreamEnd> {
        match event {
            PlayEvent::Ready { .. } => {}
            PlayEvent::Invitation(invitation) => {
                if (self.wants)(&invitation) {
                    self.matches.invited(invitation);
                } else {
                    self.matches.unwanted(&invitation.view);
                }
            }
            PlayEvent::Opened(opened) => self.matches.opened(opened),
            PlayEvent::Decision(decision) => self.matches.decision(decision, now),
            PlayEvent::Accepted(accepted) => self.matches.accepted(&accepted, now),
            PlayEvent::Refused(refused) => self.matches.refused(refused),
            PlayEvent::Closed(closed) => self.matches.closed(closed),
            PlayEvent::Heartbeat(server_time) => self.matches.heartbeat(server_time, now),
            PlayEvent::Closing(reason) => return Some(closed(reason)),
        }
        None
    }

    /// Applies the effects. A request that cannot be sent becomes due again on the next stream.
    async fn apply_effects(
        &mut self,
        sender: &PlaySender,
        pending: &mut Pending,
    ) -> Option<SessionError> {
        for effect in self.matches.take_effects() {
            match effect {
                Effect::Answer(answer) => {
                    let _ = sender.answer(answer).await;
                }
                Effect::Accept(match_id, commitment) => {
                    let options = self.matches.options();
                    let (name, share) = (options.name.clone(), options.share(&commitment));
                    let _ = sender.accept_invitation(match_id, name, Some(share)).await;
                }
                Effect::Decline(match_id, reason) => {
                    let request_id = format!("{match_id}:decline").parse().ok();
                    let _ = sender
                        .decline_invitation(match_id, reason, request_id)
                        .await;
                }
                Effect::Resign(resignation) => {
                    let _ = sender.resign(resignation).await;
                }
                Effect::Ask(question) => {
                    let (factory, reply) = (Arc::clone(&self.factory), self.reply.clone());
                    self.pool.think(Task {
                        question: *question,
                        factory,
                        reply,
                    });
                }
                Effect::MakeBot(match_id, info) => {
                    let (factory, made) = (Arc::clone(&self.factory), self.made.0.clone());
                    let work = move || {
                        let bot = catch_unwind(AssertUnwindSafe(|| factory(&info)));
                        // Its error or panic comes again at its first decision. The session may have ended.
                        let _ = made.send((match_id, bot.ok().and_then(Result::ok)));
                    };
                    // Not on the pool: it may have to wait for the end of a match whose bot thinks there.
                    if thread::Builder::new().spawn(work).is_err() {
                        let _ = self.made.0.send((match_id, None));
                    }
                }
                Effect::Check(match_id, pause) => pending.to_check.push_back((match_id, pause)),
                Effect::Retry(match_id, pause) => pending.retries.push(Box::pin(async move {
                    sleep(pause).await;
                    match_id
                })),
                Effect::Tell(notice) => (self.tell)(notice),
                Effect::Fail(error) => return Some(error),
            }
        }
        pending.check_more(&self.client);
        None
    }
}

impl Pending {
    fn check_more(&mut self, client: &Client) {
        while self.checks.len() < CHECKS_AT_ONCE
            && let Some((match_id, pause)) = self.to_check.pop_front()
        {
            let client = client.clone();
            self.checks.push(Box::pin(async move {
                if !pause.is_zero() {
                    sleep(pause).await;
                }
                (match_id, client.get_match(match_id).await)
            }));
        }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("options", self.matches.options())
            .finish_non_exhaustive()
    }
}

/// Opens a stream; `None` if the session is stopped meanwhile.
async fn open(
    client: &Client,
    offer: Option<Offer>,
    stop: Pin<&mut impl Future<Output = ()>>,
) -> Option<Result<PlaySession, ClientError>> {
    let options = PlayOptions {
        omit_legal_actions: true,
        offer,
    };
    tokio::select! {
        () = stop => None,
        opened = client.play(options) => Some(opened),
    }
}

fn closed(closing: Closing) -> StreamEnd {
    let Closing::Reason(reason) = closing else {
        return lost("the service has closed the stream");
    };
    match reason {
        CloseReason::Superseded => StreamEnd::Failed(SessionError::Superseded),
        CloseReason::Draining => lost("the service is shutting down"),
        CloseReason::SlowReader => {
            lost("the service has closed the stream: it was read too slowly")
        }
        CloseReason::ConnectionAged => lost("the connection reached its greatest age"),
        CloseReason::MatchEnded => lost("the service has closed the stream"),
        // The next attempt gets the reason.
        CloseReason::TokenEnded => {
            lost("the service has closed the stream: the token expired or was revoked")
        }
        CloseReason::LogDamaged => lost("the service has closed the stream: its log is damaged"),
        CloseReason::LogUnavailable => {
            lost("the service has closed the stream: its log cannot be read for now")
        }
    }
}

fn lost(message: &str) -> StreamEnd {
    StreamEnd::Lost(ClientError::Unreachable {
        message: message.to_owned(),
        cause: None,
    })
}

/// The reason for the missing stream, for people.
fn reason(failure: &ClientError) -> String {
    match failure {
        ClientError::Unreachable {
            message,
            cause: None,
        } => message.clone(),
        ClientError::Unreachable { .. }
        | ClientError::Tls { .. }
        | ClientError::Setup { .. }
        | ClientError::Identity { .. }
        | ClientError::NoTls(_)
        | ClientError::ClearText(_)
        | ClientError::Refused(_)
        | ClientError::Failed { .. }
        | ClientError::Request(_)
        | ClientError::Response(_) => failure.to_string(),
    }
}

fn final_error(failure: ClientError) -> SessionError {
    let token = match &failure {
        ClientError::Refused(refusal) => {
            refusal.code == Code::Unauthenticated
                || matches!(
                    refusal.reason,
                    Reason::TokenMissing | Reason::TokenMalformed
                )
        }
        ClientError::Failed { code, .. } => *code == Code::Unauthenticated,
        ClientError::Unreachable { .. }
        | ClientError::Tls { .. }
        | ClientError::Setup { .. }
        | ClientError::Identity { .. }
        | ClientError::NoTls(_)
        | ClientError::ClearText(_)
        | ClientError::Request(_)
        | ClientError::Response(_) => false,
    };
    if token {
        SessionError::TokenRefused(failure)
    } else {
        SessionError::Service(failure)
    }
}
