//! Whether a call is within its caller's limits and allowed to it: asked before anything else is done
//! for it.

use std::sync::Arc;

use dragontooth_service_vocabulary::{MatchId, Scope};
use futures::stream::{BoxStream, Stream, StreamExt};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Status};

use super::fault::Fault;
use crate::access::{Caller, Gate, Viewer};
use crate::limits::{Caller as Limited, StreamSlot};
use crate::matches::Matches;

/// What every service asks before it does something, and what it then does it with.
#[derive(Clone, Debug)]
pub(super) struct Admission {
    pub(super) gate: Gate,
    pub(super) matches: Arc<Matches>,
}

impl Admission {
    pub(super) fn new(matches: &Arc<Matches>, gate: &Gate) -> Self {
        Self {
            gate: gate.clone(),
            matches: Arc::clone(matches),
        }
    }

    /// A call that changes a match.
    pub(super) fn action<T>(&self, request: &Request<T>, scope: Scope) -> Result<Caller, Fault> {
        let caller = match self.gate.demand(request.metadata(), scope) {
            Ok(caller) => caller,
            Err(fault) => {
                // Who has no identity is no player whose actions count.
                self.call(request)?;
                return Err(fault.into());
            }
        };
        let guard = self.matches.guard();
        guard.spend_action(caller.player, self.matches.now())?;
        Ok(caller)
    }

    /// A call that changes nothing and that anybody may make.
    pub(super) fn call<T>(&self, request: &Request<T>) -> Result<(), Fault> {
        let guard = self.matches.guard();
        Ok(guard.spend_call(self.limited(request), self.matches.now())?)
    }

    /// A call of somebody with a token, whatever it allows.
    pub(super) fn caller<T>(&self, request: &Request<T>) -> Result<Caller, Fault> {
        self.call(request)?;
        Ok(self.gate.caller(request.metadata())?)
    }

    /// A call of somebody whose token allows it, which changes no match.
    pub(super) fn demand<T>(&self, request: &Request<T>, scope: Scope) -> Result<Caller, Fault> {
        self.call(request)?;
        Ok(self.gate.demand(request.metadata(), scope)?)
    }

    /// A call that reads matches.
    pub(super) fn viewer<T>(&self, request: &Request<T>) -> Result<Viewer, Fault> {
        self.call(request)?;
        Ok(self.gate.reader(request.metadata())?)
    }

    /// A stream of a caller that was admitted, to watch a match or to play.
    pub(super) fn stream<T>(
        &self,
        request: &Request<T>,
        watched: Option<MatchId>,
    ) -> Result<StreamSlot, Fault> {
        let guard = self.matches.guard();
        Ok(guard.open_stream(self.limited(request), watched)?)
    }

    /// Cancelled when the connection of a call is as old as it may become.
    pub(super) fn connection_aged<T>(&self, request: &Request<T>) -> CancellationToken {
        let connections = self.matches.guard().connections();
        connections.old(request.remote_addr())
    }

    fn limited<T>(&self, request: &Request<T>) -> Limited {
        match self.gate.caller(request.metadata()) {
            Ok(caller) => Limited::Player(caller.player),
            Err(_) => Limited::at(request.remote_addr().map(|address| address.ip())),
        }
    }
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
