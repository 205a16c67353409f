use std::sync::Arc;

use tonic::Request;

use super::admission;
use super::fault::Fault;
use super::page_tokens::PageTokens;
use super::stream_ends::StreamEnds;
use super::watch::MatchAudiences;
use super::watch_matches::NewsRelay;
use crate::access::Gate;
use crate::limits::CallerKey;
use crate::matches::Matches;

/// The matches and the tokens behind the API.
#[derive(Clone, Debug)]
pub(super) struct Backend {
    pub(super) gate: Gate,
    pub(super) matches: Arc<Matches>,
    pub(super) page_tokens: PageTokens,
    pub(super) audiences: MatchAudiences,
    pub(super) news: NewsRelay,
}

impl Backend {
    /// Charges a caller what a call costs beyond the one call for which it was admitted.
    pub(super) fn charge(&self, caller: CallerKey, cost: u32) -> Result<(), Fault> {
        let guard = self.matches.guard();
        Ok(guard.spend_rest_of_call(caller, cost, self.matches.now())?)
    }

    /// The conditions that end the stream of a call.
    pub(super) fn stream_ends<T>(&self, request: &Request<T>) -> StreamEnds {
        let token = admission::viewer(request).token();
        StreamEnds {
            token: self.gate.watch(token),
            connection_aged: admission::connection(request.extensions()).old().clone(),
        }
    }
}
