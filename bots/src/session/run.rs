use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use dragontooth_service_client::{
    Backoff, Client, ClientError, CloseReason, Code, Invitation, MatchView, PlayEvent, PlayOptions,
    PlaySender, PlaySession, Reason,
};
use dragontooth_service_vocabulary::MatchId;
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::table::{Table, Todo};
use super::thinking::{Task, Thought};
use super::{
    BotFactory, MakeBotError, Notice, SessionError, SessionOptions, Summary, ThinkingPool,
};
use crate::{Bot, MatchInfo};

/// How many heartbeats may be missing before the connection counts as lost.
const MISSING_HEARTBEATS: u32 = 3;
/// How often it is looked for missing heartbeats, at most.
const WATCHDOG_PERIOD: Duration = Duration::from_secs(1);
/// How long a stream has to live before the pauses between tries start from the shortest again:
/// clocks may run, but a service that closes every stream at once is to be left alone.
const STEADY: Duration = Duration::from_secs(1);
/// How many matches are asked for at once after a stream was opened.
const CHECKS_AT_ONCE: usize = 16;

/// Plays all the matches of a player.
///
/// It goes on after a lost connection, a service that shuts down, and a stream that was closed
/// because it was read too slowly. It ends when it is stopped, when all is played that was to be
/// played, or with a [`SessionError`].
pub struct Session {
    client: Client,
    pool: ThinkingPool,
    table: Table,
    factory: Arc<BotFactory>,
    wants: Box<dyn FnMut(&Invitation) -> bool + Send>,
    tell: Box<dyn FnMut(Notice) + Send>,
    thoughts: UnboundedReceiver<Thought>,
    reply: UnboundedSender<Thought>,
}

/// Why a stream is not served any more.
enum End {
    Stopped,
    Lost(ClientError),
    Failed(SessionError),
}

/// What is under way on a stream besides the stream itself.
#[derive(Default)]
struct Pending {
    to_check: VecDeque<(MatchId, Duration)>,
    checks: FuturesUnordered<BoxFuture<'static, (MatchId, Result<MatchView, ClientError>)>>,
    retries: FuturesUnordered<BoxFuture<'static, MatchId>>,
}

impl Session {
    /// A session of the client's player, whose bots `factory` makes and who think on `pool`. It
    /// accepts every invitation.
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
            table: Table::new(options, Instant::now(), SystemTime::now()),
            factory: Arc::new(factory),
            wants: Box::new(|_| true),
            tell: Box::new(|_| {}),
            thoughts,
            reply,
        }
    }

    /// Accepts only the invitations that `wants` picks.
    #[must_use]
    pub fn accept_if(mut self, wants: impl FnMut(&Invitation) -> bool + Send + 'static) -> Self {
        self.wants = Box::new(wants);
        self
    }

    /// Tells what happens. It must not take long.
    #[must_use]
    pub fn on_notice(mut self, tell: impl FnMut(Notice) + Send + 'static) -> Self {
        self.tell = Box::new(tell);
        self
    }

    /// Plays until `stop` is there or all is played that was to be played. Bots that think at the
    /// end are left alone, and what they choose is not sent.
    ///
    /// # Errors
    ///
    /// Another program plays with the token, the service refuses the token or to play, or there
    /// was no connection for longer than the session's patience.
    pub async fn run(mut self, stop: impl Future<Output = ()>) -> Result<Summary, SessionError> {
        let mut stop = pin!(stop);
        let mut backoff = Backoff::new();
        let mut patience = self.table.options().first_patience;
        let mut lost_at = Instant::now();
        while !self.table.is_done() {
            let failure = match open(&self.client, stop.as_mut()).await {
                None => break,
                Some(Err(failure)) => failure,
                Some(Ok(stream)) => {
                    patience = self.table.options().patience;
                    let opened_at = Instant::now();
                    let failure = match self.serve(stream, stop.as_mut()).await {
                        End::Stopped => break,
                        End::Failed(error) => return Err(error),
                        End::Lost(failure) => failure,
                    };
                    lost_at = Instant::now();
                    if opened_at.elapsed() > STEADY {
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
            let pause = backoff.pause(failure.retry_after()).min(left);
            (self.tell)(Notice::Disconnected {
                reason: reason(&failure),
                pause,
            });
            tokio::select! {
                () = stop.as_mut() => break,
                () = sleep(pause) => {}
            }
        }
        Ok(self.table.summary())
    }

    async fn serve(
        &mut self,
        stream: PlaySession,
        mut stop: Pin<&mut impl Future<Output = ()>>,
    ) -> End {
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
        self.table.connected(player);
        loop {
            if let Some(error) = self.carry_out(&sender, &mut pending).await {
                return End::Failed(error);
            }
            if self.table.is_done() {
                return End::Stopped;
            }
            tokio::select! {
                () = stop.as_mut() => return End::Stopped,
                event = receiver.next() => {
                    heard_at = Instant::now();
                    let end = match event {
                        Some(Ok(event)) => self.take(event, heard_at),
                        Some(Err(error)) => Some(End::Lost(error)),
                        None => Some(lost("the stream has ended")),
                    };
                    if let Some(end) = end {
                        return end;
                    }
                }
                Some(thought) = self.thoughts.recv() => {
                    self.table.thought(thought, Instant::now());
                }
                Some((match_id, found)) = pending.checks.next() => {
                    self.table.checked(match_id, found);
                }
                Some(match_id) = pending.retries.next() => {
                    self.table.retry(match_id, Instant::now());
                }
                _ = watchdog.tick() => {
                    if heard_at.elapsed() > silence {
                        return lost("the service is silent");
                    }
                }
            }
        }
    }

    fn take(&mut self, event: PlayEvent, now: Instant) -> Option<End> {
        match event {
            PlayEvent::Ready { .. } => {}
            PlayEvent::Invitation(invitation) => {
                if (self.wants)(&invitation) {
                    self.table.invited(invitation.view.id);
                }
            }
            PlayEvent::Opened(opened) => self.table.opened(opened),
            PlayEvent::Decision(decision) => self.table.decision(decision, now),
            PlayEvent::Accepted(accepted) => self.table.accepted(&accepted, now),
            PlayEvent::Refused(refused) => self.table.refused(&refused),
            PlayEvent::Closed(view) => self.table.closed(view),
            PlayEvent::Heartbeat(server_time) => self.table.heartbeat(server_time, now),
            PlayEvent::Closing(reason) => return Some(closed(reason)),
        }
        None
    }

    /// Does what is to be done. What cannot be sent any more is due again on the next stream.
    async fn carry_out(
        &mut self,
        sender: &PlaySender,
        pending: &mut Pending,
    ) -> Option<SessionError> {
        for todo in self.table.take_todo() {
            match todo {
                Todo::Answer(answer) => {
                    let _ = sender.answer(answer).await;
                }
                Todo::Accept(match_id) => {
                    let options = self.table.options();
                    let (name, seed) = (options.name.clone(), options.draw_seed.clone());
                    let _ = sender.accept_invitation(match_id, name, seed).await;
                }
                Todo::Resign(resignation) => {
                    let _ = sender.resign(resignation).await;
                }
                Todo::Ask(question) => {
                    let (factory, reply) = (Arc::clone(&self.factory), self.reply.clone());
                    self.pool.think(Task {
                        question,
                        factory,
                        reply,
                    });
                }
                Todo::Check(match_id, pause) => pending.to_check.push_back((match_id, pause)),
                Todo::Retry(match_id, pause) => pending.retries.push(Box::pin(async move {
                    sleep(pause).await;
                    match_id
                })),
                Todo::Tell(notice) => (self.tell)(notice),
                Todo::Fail(error) => return Some(error),
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
            .field("options", self.table.options())
            .finish_non_exhaustive()
    }
}

/// Opens a stream; none if the session is stopped meanwhile.
async fn open(
    client: &Client,
    stop: Pin<&mut impl Future<Output = ()>>,
) -> Option<Result<PlaySession, ClientError>> {
    tokio::select! {
        () = stop => None,
        opened = client.play(PlayOptions { omit_legal_actions: true }) => Some(opened),
    }
}

fn closed(reason: CloseReason) -> End {
    match reason {
        CloseReason::Superseded => End::Failed(SessionError::Superseded),
        CloseReason::Draining => lost("the service is shutting down"),
        CloseReason::SlowReader => {
            lost("the service has closed the stream: it was read too slowly")
        }
        CloseReason::ConnectionAged => lost("the connection is as old as it may become"),
        CloseReason::MatchEnded | CloseReason::Other(_) => {
            lost("the service has closed the stream")
        }
        // The next try is told why.
        CloseReason::TokenEnded => lost("the service has closed the stream: the token has ended"),
        CloseReason::LogDamaged => lost("the service has closed the stream: its log is damaged"),
        CloseReason::LogUnavailable => {
            lost("the service has closed the stream: its log cannot be read for now")
        }
    }
}

fn lost(message: &str) -> End {
    End::Lost(ClientError::Unreachable {
        message: message.to_owned(),
        cause: None,
    })
}

/// Why there is no stream, for people.
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
        | ClientError::Refused(_)
        | ClientError::Failed { .. }
        | ClientError::Request(_)
        | ClientError::Response(_) => failure.to_string(),
    }
}

/// Whether it makes sense to open the stream again after this failure.
fn is_passing(failure: &ClientError) -> bool {
    match failure {
        // What stands between here and the service gives these codes in passing, too.
        ClientError::Failed { code, .. } => {
            failure.is_transient()
                || matches!(code, Code::Internal | Code::Unknown | Code::Cancelled)
        }
        ClientError::Unreachable { .. }
        | ClientError::Tls { .. }
        | ClientError::Setup { .. }
        | ClientError::Identity { .. }
        | ClientError::NoTls(_)
        | ClientError::Refused(_)
        | ClientError::Request(_)
        | ClientError::Response(_) => failure.is_transient(),
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
        | ClientError::Request(_)
        | ClientError::Response(_) => false,
    };
    if token {
        SessionError::TokenRefused(failure)
    } else {
        SessionError::Service(failure)
    }
}
