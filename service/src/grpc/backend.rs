use std::sync::Arc;

use tonic::Request;

use super::admission;
use super::stream_ends::StreamEnds;
use crate::access::Gate;
use crate::matches::Matches;

/// The matches and the tokens behind the API.
#[derive(Clone, Debug)]
pub(super) struct Backend {
    pub(super) gate: Gate,
    pub(super) matches: Arc<Matches>,
}

impl Backend {
    /// The conditions that end the stream of a call.
    pub(super) fn stream_ends<T>(&self, request: &Request<T>) -> StreamEnds {
        let token = admission::viewer(request).token();
        StreamEnds {
            token: self.gate.watch(token),
            connection_aged: admission::connection(request.extensions()).old().clone(),
        }
    }
}
