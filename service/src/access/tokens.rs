mod kept_secrets;
mod token_book;
mod token_fault;

use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use dragontooth_service_domain::access::{
    AccessCommand, AccessDecided, AccessEvent, AccessRejection, RecordedAccess, TokenState, decide,
};
use dragontooth_service_store::{AppendError, ChainHead, TokenLog, TokenLogError};
use dragontooth_service_vocabulary::TokenStanding;
use dragontooth_service_vocabulary::{IdentityName, NewToken, PlayerId, Timestamp, TokenId};
use kept_secrets::KeptSecrets;
use token_book::TokenBook;
pub(crate) use token_fault::TokenFault;
use tokio::sync::{MutexGuard, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{error, info};
use uuid::Uuid;

use super::{AuthError, Caller, Secret};
use crate::config::Limits;
use crate::limits::{LimitExceeded, LimitName};
use crate::wall_clock::WallClock;

/// Interval at which the last uses of the tokens are recorded.
pub(crate) const RECORD_USES_INTERVAL: Duration = Duration::from_hours(1);

/// Uses in an event: a record has room for about a hundred and fifty.
const USES_IN_EVENT: usize = 100;

/// Events of uses in an append.
const USE_EVENTS_IN_APPEND: usize = 16;

/// The most draws of a secret until one has a free id.
const DRAWS: usize = 8;

/// The most decisions about a command while other services on the same log write about tokens too.
const DECISIONS: usize = 16;

/// All tokens, the players that others block, and the only writer of their log in this service.
#[derive(Debug)]
pub(crate) struct Tokens {
    clock: WallClock,
    book: RwLock<TokenBook>,
    /// The log; `None` after the tokens were closed.
    log: tokio::sync::Mutex<Option<Writer>>,
    kept: Mutex<KeptSecrets>,
    /// The blocks that other services have written and that are not enforced yet: who blocks whom.
    blocks: Mutex<Vec<(PlayerId, PlayerId)>>,
    changed: watch::Sender<()>,
    is_shared: bool,
    /// Tells whether the log is there, if it may be away for a while.
    available: Option<watch::Receiver<bool>>,
    /// Cancelled when the tokens are being closed.
    closing: CancellationToken,
}

/// The log, and how far it has come.
#[derive(Debug)]
struct Writer {
    log: TokenLog,
    head: ChainHead,
    /// The begin of the last read.
    read: Instant,
}

/// A token that was issued, with its secret.
#[derive(Clone, Debug)]
pub(crate) struct Issued {
    pub(crate) token: TokenState,
    pub(crate) secret: Secret,
}

impl Tokens {
    /// The tokens in `log`.
    pub(crate) async fn open(log: TokenLog, clock: WallClock) -> Result<Arc<Self>, TokenLogError> {
        let read = Instant::now();
        let (state, head) = log.replay().await?;
        let (is_shared, available) = (log.is_shared(), log.availability());
        Ok(Arc::new(Self {
            clock,
            book: RwLock::new(TokenBook::new(state)),
            log: tokio::sync::Mutex::new(Some(Writer { log, head, read })),
            kept: Mutex::default(),
            blocks: Mutex::default(),
            changed: watch::Sender::new(()),
            is_shared,
            available,
            closing: CancellationToken::new(),
        }))
    }

    /// The caller that a secret identifies, if its token is valid.
    pub(super) fn caller(&self, secret: &Secret) -> Result<Caller, AuthError> {
        let hash = secret.hash();
        let now = self.clock.now();
        let book = self.read();
        let token = book.state.token_of(&hash).ok_or(AuthError::Unknown)?;
        check(token, now)?;
        book.note_use(token.id(), now);
        Ok(Caller::of_token(token))
    }

    /// Checks that a token is valid now.
    pub(super) fn check(&self, id: TokenId) -> Result<(), AuthError> {
        let now = self.clock.now();
        let book = self.read();
        check(book.state.token(id).ok_or(AuthError::Unknown)?, now)
    }

    /// Ready when the token is no longer valid; returns the reason.
    pub(super) async fn ended(&self, id: TokenId) -> AuthError {
        let mut changed = self.changed.subscribe();
        loop {
            if let Err(error) = self.check(id) {
                return error;
            }
            let expires = self.read().state.token(id).and_then(TokenState::expires);
            let time_up = async {
                match expires {
                    Some(end) => tokio::time::sleep_until(self.clock.instant(end)).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                _ = changed.changed() => {}
                () = time_up => {}
            }
        }
    }

    /// The name of the identity that is a player, if there is one.
    pub(crate) fn name_of(&self, player: PlayerId) -> Option<IdentityName> {
        self.read().state.name_of(player).cloned()
    }

    /// At most `limit` tokens with ids greater than `after`, and whether there are more.
    pub(crate) fn list(&self, after: Option<TokenId>, limit: usize) -> (Vec<TokenState>, bool) {
        let book = self.read();
        let mut tokens = book
            .state
            .tokens_after(after)
            .map(|token| book.with_last_use(token));
        let page = tokens.by_ref().take(limit).collect();
        (page, tokens.next().is_some())
    }

    /// The standing of a token at this moment.
    pub(crate) fn standing(&self, token: &TokenState) -> TokenStanding {
        token.standing(self.clock.now())
    }

    /// Issues a token. The same request gets the same one for a while.
    pub(crate) async fn issue(
        self: &Arc<Self>,
        new: NewToken,
        by: Option<PlayerId>,
    ) -> Result<Issued, TokenFault> {
        let tokens = Arc::clone(self);
        finish(async move { tokens.issue_now(new, by).await }).await
    }

    async fn issue_now(&self, new: NewToken, by: Option<PlayerId>) -> Result<Issued, TokenFault> {
        let mut log = self.turn().await?;
        let mut last = TokenFault::Draining;
        for _ in 0..DRAWS {
            let secret = Secret::draw();
            let command = AccessCommand::Issue {
                new: new.clone(),
                by,
                hash: secret.hash(),
                player: PlayerId::from_bytes(Uuid::new_v4().into_bytes()),
            };
            let id = secret.hash().id();
            match self.ask(log.as_mut(), &command).await {
                Ok(AccessDecided::Events(_)) => {
                    self.kept().keep(id, &secret, self.clock.now());
                    let token = self.token(id).ok_or(TokenFault::SecretGone(id))?;
                    info!(token = %id, name = %token.name, scopes = %token.scopes, "token issued");
                    return Ok(Issued { token, secret });
                }
                Ok(AccessDecided::IssuedBefore(id)) => {
                    let secret = self.kept().of(id, self.clock.now());
                    let secret = secret.ok_or(TokenFault::SecretGone(id))?;
                    let token = self.token(id).ok_or(TokenFault::SecretGone(id))?;
                    return Ok(Issued { token, secret });
                }
                Err(fault @ TokenFault::Rejected(AccessRejection::Collision)) => last = fault,
                Err(fault) => return Err(fault),
            }
        }
        Err(last)
    }

    /// Revokes a token.
    pub(crate) async fn revoke(
        self: &Arc<Self>,
        id: TokenId,
        by: Option<PlayerId>,
    ) -> Result<TokenState, TokenFault> {
        let tokens = Arc::clone(self);
        finish(async move {
            let mut log = tokens.turn().await?;
            let command = AccessCommand::Revoke { id, by };
            tokens.ask(log.as_mut(), &command).await?;
            info!(token = %id, "token revoked");
            let unknown = AccessRejection::UnknownToken(id);
            tokens.token(id).ok_or(TokenFault::Rejected(unknown))
        })
        .await
    }

    /// Lets a player refuse the invitations of another, if the limits have room for one more.
    pub(crate) async fn block(
        self: &Arc<Self>,
        player: PlayerId,
        blocked: PlayerId,
        limits: &Limits,
    ) -> Result<(), TokenFault> {
        let tokens = Arc::clone(self);
        let limits = *limits;
        finish(async move {
            let mut log = tokens.turn().await?;
            tokens.check_room(player, blocked, &limits)?;
            let command = AccessCommand::Block { player, blocked };
            tokens.ask(log.as_mut(), &command).await?;
            Ok(())
        })
        .await
    }

    fn check_room(
        &self,
        player: PlayerId,
        blocked: PlayerId,
        limits: &Limits,
    ) -> Result<(), LimitExceeded> {
        let book = self.read();
        let blocks = book.state.blocks();
        if blocks.is_blocked(player, blocked) {
            return Ok(());
        }
        for (count, allowed, limit) in [
            (
                blocks.count(player),
                limits.blocks_of_player,
                LimitName::BlocksOfPlayer,
            ),
            (blocks.total(), limits.blocks, LimitName::Blocks),
        ] {
            if count >= allowed {
                return Err(LimitExceeded::Count { limit, allowed });
            }
        }
        Ok(())
    }

    /// Lets a player accept the invitations of another again.
    pub(crate) async fn unblock(
        self: &Arc<Self>,
        player: PlayerId,
        blocked: PlayerId,
    ) -> Result<(), TokenFault> {
        let tokens = Arc::clone(self);
        finish(async move {
            let mut log = tokens.turn().await?;
            let command = AccessCommand::Unblock { player, blocked };
            tokens.ask(log.as_mut(), &command).await?;
            Ok(())
        })
        .await
    }

    /// Returns true if `player` refuses the invitations of `other`.
    pub(crate) fn is_blocked(&self, player: PlayerId, other: PlayerId) -> bool {
        self.read().state.blocks().is_blocked(player, other)
    }

    /// The players whose invitations `player` refuses, in the order of their ids.
    pub(crate) fn blocked_by(&self, player: PlayerId) -> Vec<PlayerId> {
        self.read().state.blocks().of(player).collect()
    }

    /// Records when tokens were last used.
    pub(crate) async fn record_uses(&self) {
        let mut log = self.log.lock().await;
        self.record_uses_in(log.as_mut()).await;
    }

    /// Refuses changes from now on, records when tokens were last used and lets go of the log.
    pub(crate) async fn close(&self) {
        self.closing.cancel();
        let mut log = self.log.lock().await;
        self.record_uses_in(log.as_mut()).await;
        *log = None;
    }

    async fn record_uses_in(&self, mut log: Option<&mut Writer>) {
        let uses = self.read().uses();
        for some in uses.chunks(USES_IN_EVENT * USE_EVENTS_IN_APPEND) {
            let command = AccessCommand::NoteUse(some.to_vec());
            if let Err(fault) = self.ask(log.as_deref_mut(), &command).await {
                error!(%fault, "the last uses of tokens cannot be recorded");
                return;
            }
        }
    }

    /// Waits for the turn to use the log. Whoever has it while the log is away may keep it for as long.
    async fn turn(&self) -> Result<MutexGuard<'_, Option<Writer>>, TokenFault> {
        let mut available = self.available.clone();
        let away = async {
            match &mut available {
                Some(available) => available.wait_for(|available| !available).await.is_ok(),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.closing.cancelled() => Err(TokenFault::Draining),
            log = self.log.lock() => Ok(log),
            true = away => {
                let unanswered = "it has not answered an earlier request";
                Err(TokenFault::LogUnavailable(unanswered.to_owned()))
            }
        }
    }

    /// Decides, makes the events durable, and only then applies them. Decides again if another service has written meanwhile: an append
    /// finds that out by itself, and before any other answer the log is read.
    async fn ask(
        &self,
        log: Option<&mut Writer>,
        command: &AccessCommand,
    ) -> Result<AccessDecided, TokenFault> {
        let writer = log.ok_or(TokenFault::Draining)?;
        let mut decisions = 0;
        loop {
            decisions += 1;
            let now = self.clock.now();
            let decided = decide(&self.read().state, command, now);
            let events = match &decided {
                Ok(AccessDecided::Events(events)) => in_records(events),
                Ok(AccessDecided::IssuedBefore(_)) | Err(_) => Vec::new(),
            };
            if events.is_empty() {
                if self.read_on(writer).await? && decisions < DECISIONS {
                    continue;
                }
                return Ok(decided?);
            }
            match writer.log.append(writer.head, now, &events).await {
                Ok(head) => {
                    writer.head = head;
                    self.apply(now, events);
                    return Ok(decided?);
                }
                Err(AppendError::Conflict { .. }) if decisions < DECISIONS => {
                    self.read_on(writer).await?;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Applies events that have become durable.
    fn apply(&self, time: Timestamp, events: Vec<AccessEvent>) {
        let mut book = self.write();
        for event in events {
            let sequence = book.state.head().next();
            let recorded = RecordedAccess {
                sequence,
                time,
                event,
            };
            book.follow(&recorded)
                .expect("what `decide` returned fits the state it was asked about");
        }
        drop(book);
        self.changed.send_replace(());
    }

    /// Returns true if other services may write about tokens too.
    pub(crate) const fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Applies what other services had written when this was called.
    pub(crate) async fn catch_up(&self) -> Result<(), TokenFault> {
        let called = Instant::now();
        let mut log = self.turn().await?;
        let writer = log.as_mut().ok_or(TokenFault::Draining)?;
        // Many callers may have waited for one read.
        if writer.read <= called {
            self.read_on(writer).await?;
        }
        Ok(())
    }

    /// Takes the blocks that other services have written since the last call: who blocks whom.
    pub(crate) fn take_blocks(&self) -> Vec<(PlayerId, PlayerId)> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *blocks)
    }

    /// Applies what other services have written, and returns true if there is any.
    async fn read_on(&self, writer: &mut Writer) -> Result<bool, TokenLogError> {
        let (before, begun) = (writer.head, Instant::now());
        let follow = |recorded: &RecordedAccess| {
            self.write().follow(recorded)?;
            if let AccessEvent::Blocked { player, blocked } = recorded.event {
                let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
                blocks.push((player, blocked));
            }
            Ok(())
        };
        let read = writer.log.read_on(&mut writer.head, follow).await;
        let has_any = writer.head != before;
        if has_any {
            self.changed.send_replace(());
        }
        read?;
        writer.read = begun;
        Ok(has_any)
    }

    fn token(&self, id: TokenId) -> Option<TokenState> {
        let book = self.read();
        book.state.token(id).map(|token| book.with_last_use(token))
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, KeptSecrets> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) -> RwLockReadGuard<'_, TokenBook> {
        self.book.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, TokenBook> {
        self.book.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn check(token: &TokenState, now: Timestamp) -> Result<(), AuthError> {
    match token.standing(now) {
        TokenStanding::Live => Ok(()),
        TokenStanding::Expired => Err(AuthError::Expired),
        TokenStanding::Revoked => Err(AuthError::Revoked),
    }
}

/// Events that each have room in a record.
fn in_records(events: &[AccessEvent]) -> Vec<AccessEvent> {
    let mut small = Vec::new();
    for event in events {
        match event {
            AccessEvent::Used(uses) => {
                small.extend(
                    uses.chunks(USES_IN_EVENT)
                        .map(|some| AccessEvent::Used(some.to_vec())),
                );
            }
            AccessEvent::Issued(_)
            | AccessEvent::Revoked { .. }
            | AccessEvent::Blocked { .. }
            | AccessEvent::Unblocked { .. } => small.push(event.clone()),
        }
    }
    small
}

/// Runs to the end even if the caller goes away: a change that has begun is not left half done.
async fn finish<T: Send + 'static>(
    change: impl Future<Output = Result<T, TokenFault>> + Send + 'static,
) -> Result<T, TokenFault> {
    let done = tokio::spawn(change).await;
    done.unwrap_or(Err(TokenFault::Draining))
}

#[cfg(test)]
mod tests;
