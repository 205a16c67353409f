use std::collections::VecDeque;

use dragontooth_games::Seat;

use crate::{RequestId, Sequence};

/// The number of a match's latest requests whose answers are remembered. A request that is
/// repeated after so many others is refused as stale.
pub const REMEMBERED_REQUESTS: usize = 64;

/// What was asked and answered, to answer it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// An action was played.
    Acted {
        /// The seat that played it.
        seat: Seat,
        /// The decision that it answered.
        decision: Sequence,
        /// The event that records it.
        sequence: Sequence,
        /// The action in canonical notation.
        action: String,
    },
    /// The match was ended.
    Ended,
}

/// The latest requests of a match with their answers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requests(VecDeque<(RequestId, Answer)>);

impl Requests {
    pub(crate) fn remember(&mut self, id: Option<&RequestId>, answer: Answer) {
        let Some(id) = id else { return };
        if self.0.len() == REMEMBERED_REQUESTS {
            self.0.pop_front();
        }
        self.0.push_back((id.clone(), answer));
    }

    pub(crate) fn answer(&self, id: Option<&RequestId>) -> Option<&Answer> {
        let id = id?;
        self.0
            .iter()
            .rev()
            .find(|(known, _)| known == id)
            .map(|(_, answer)| answer)
    }
}
