use std::collections::VecDeque;

use dragontooth_games::Seat;
use dragontooth_service_vocabulary::{MAX_ILLEGAL_ACTIONS, RequestId, Sequence};

use crate::Rejection;

/// The number of a match's latest requests whose answers are remembered. A request that is
/// repeated after so many others counts as new: an action is then refused as stale.
pub const REMEMBERED_REQUESTS: usize = 64;

// A repeated illegal action must count once only.
const _: () = assert!((MAX_ILLEGAL_ACTIONS as usize) < REMEMBERED_REQUESTS);

/// What was asked and answered, to answer it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A seat was taken.
    Joined,
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
        /// The action as the request had it.
        written: String,
    },
    /// An illegal action was refused, in a match with a limit on them.
    Refused {
        /// The decision that it was to answer.
        decision: Sequence,
        /// The action as the request had it.
        written: String,
        /// Why it was refused.
        rejection: Box<Rejection>,
    },
    /// The match was ended.
    Ended,
}

/// The latest requests of a match with their answers.
///
/// Every asker has its own ids, so that players who number their requests do not meet. An asker is
/// the seat for which the request was made, or none for calling the match off: that the event does
/// not tell, and it can happen only once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requests(VecDeque<Remembered>);

#[derive(Clone, Debug)]
struct Remembered {
    asker: Option<Seat>,
    id: RequestId,
    answer: Answer,
}

impl Requests {
    pub(crate) fn remember(&mut self, asker: Option<Seat>, id: Option<&RequestId>, answer: Answer) {
        let Some(id) = id.cloned() else { return };
        if self.0.len() == REMEMBERED_REQUESTS {
            self.0.pop_front();
        }
        self.0.push_back(Remembered { asker, id, answer });
    }

    /// The latest answer to this request of this asker.
    pub(crate) fn answer(&self, asker: Option<Seat>, id: Option<&RequestId>) -> Option<&Answer> {
        let id = id?;
        self.0
            .iter()
            .rev()
            .find(|known| known.asker == asker && known.id == *id)
            .map(|known| &known.answer)
    }
}
