//! The players' sessions at services that share a log.

use std::fmt::Debug;
use std::sync::Arc;

use dragontooth_service_vocabulary::{PlayerId, Timestamp};
use futures::future::BoxFuture;

use crate::StorageError;

/// A player's session at a service, or at several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerSession {
    /// The player.
    pub player: PlayerId,
    /// The time at which its open stream was opened; `None` if it has none.
    pub opened: Option<Timestamp>,
    /// The time at which the player called or its stream ended, or an earlier one while the stream is open.
    pub seen: Timestamp,
    /// Words of the player about itself on that stream, as bytes that the services understand; `None` if nothing.
    pub offer: Option<Arc<[u8]>>,
}

/// The board on which the services that share a log post the sessions of their players.
pub trait SessionBoard: Debug + Send + Sync {
    /// Posts the session of a player at this service, in place of the one before, with the next exchange.
    fn post(&self, session: PlayerSession);

    /// Writes what was posted and returns the sessions that have changed at the other services since the last exchange, each put
    /// together from all of them. A service that has not exchanged for some seconds counts as gone: its streams have ended.
    ///
    /// # Errors
    ///
    /// A storage error. Nothing is lost: the next exchange continues where the last one was.
    fn exchange(&self) -> BoxFuture<'_, Result<Vec<PlayerSession>, StorageError>>;

    /// Ready when an exchange should not wait: a stream was opened or has ended, here or elsewhere.
    fn has_news(&self) -> BoxFuture<'_, ()>;
}
