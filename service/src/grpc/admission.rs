//! Whether a call is within its caller's limits: asked before anything else is done for it.

use dragontooth_service_domain::{MatchId, PlayerId};
use futures::stream::{BoxStream, Stream, StreamExt};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Status};

use super::fault::Fault;
use crate::auth;
use crate::limits::{Caller, StreamSlot};
use crate::matches::Matches;

/// A call that changes a match.
pub(super) fn action(matches: &Matches, player: PlayerId) -> Result<(), Fault> {
    Ok(matches.guard().spend_action(player, matches.now())?)
}

/// A call that changes nothing.
pub(super) fn call<T>(matches: &Matches, request: &Request<T>) -> Result<(), Fault> {
    let guard = matches.guard();
    Ok(guard.spend_call(caller(request), matches.now())?)
}

/// A call for a stream, to watch a match or to play.
pub(super) fn stream<T>(
    matches: &Matches,
    request: &Request<T>,
    watched: Option<MatchId>,
) -> Result<StreamSlot, Fault> {
    call(matches, request)?;
    Ok(matches.guard().open_stream(caller(request), watched)?)
}

/// A stream that counts as long as it is open.
pub(super) fn held<S, T>(stream: S, slot: StreamSlot) -> BoxStream<'static, Result<T, Status>>
where
    S: Stream<Item = Result<T, Status>> + Send + 'static,
{
    stream
        .inspect(move |_| {
            let _held = &slot;
        })
        .boxed()
}

/// Cancelled when the connection of a call is as old as it may become.
pub(super) fn connection_aged<T>(matches: &Matches, request: &Request<T>) -> CancellationToken {
    let connections = matches.guard().connections();
    connections.old(request.remote_addr())
}

fn caller<T>(request: &Request<T>) -> Caller {
    match auth::player(request.metadata()) {
        Ok(player) => Caller::Player(player),
        Err(_) => Caller::at(request.remote_addr().map(|address| address.ip())),
    }
}
