//! Admission of a call: its caller is identified, authorised and held to its limits.
//!
//! It comes before any other work for the call, so that a caller beyond its limits costs as little as
//! possible.

use std::sync::Arc;

use dragontooth_service_vocabulary::{MatchId, Scope};
use futures::stream::{BoxStream, Stream, StreamExt};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Status};

use super::fault::Fault;
use crate::access::{Caller, Gate, Viewer};
use crate::limits::{CallerKey, StreamSlot};
use crate::matches::{Matches, Refusal};

/// The gate and the limits that every service passes, and the matches that it then uses.
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
                // Without an identity there is no player to charge an action to, so it counts as a call.
                self.call(request)?;
                return Err(fault.into());
            }
        };
        let guard = self.matches.guard();
        guard
            .spend_action(caller.player, self.matches.now())
            .map_err(Refusal::from)?;
        Ok(caller)
    }

    /// A call that changes nothing and needs no token.
    pub(super) fn call<T>(&self, request: &Request<T>) -> Result<(), Fault> {
        let guard = self.matches.guard();
        let spent = guard.spend_call(self.limited(request), self.matches.now());
        Ok(spent.map_err(Refusal::from)?)
    }

    /// A call with a valid token of any scope.
    pub(super) fn caller<T>(&self, request: &Request<T>) -> Result<Caller, Fault> {
        self.call(request)?;
        Ok(self.gate.caller(request.metadata())?)
    }

    /// A call that needs a token with `scope` and changes no match.
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
        let opened = guard.open_stream(self.limited(request), watched);
        Ok(opened.map_err(Refusal::from)?)
    }

    /// Cancelled when the connection of a call is as old as it may become.
    pub(super) fn connection_aged<T>(&self, request: &Request<T>) -> CancellationToken {
        let connections = self.matches.guard().connections();
        connections.old(request.remote_addr())
    }

    fn limited<T>(&self, request: &Request<T>) -> CallerKey {
        match self.gate.caller(request.metadata()) {
            Ok(caller) => CallerKey::Player(caller.player),
            Err(_) => CallerKey::at(request.remote_addr().map(|address| address.ip())),
        }
    }
}

/// A stream that counts towards the limits while it is open.
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
