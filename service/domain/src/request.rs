use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use dragontooth_games::Seat;
use dragontooth_service_vocabulary::{MAX_ILLEGAL_ACTIONS, PlayerId, RequestId, Sequence};

use crate::Rejection;

/// Number of recent requests of a match whose answers are remembered. A request repeated after that
/// counts as new: an action is then refused as stale.
pub const REMEMBERED_REQUESTS: usize = 64;

// A repeated illegal action must count only once.
const _: () = assert!((MAX_ILLEGAL_ACTIONS as usize) < REMEMBERED_REQUESTS);

/// A request with its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestAnswer {
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
        /// The action as written in the request.
        written: String,
    },
    /// An illegal action was refused, in a match with a limit on them.
    Refused {
        /// The decision.
        decision: Sequence,
        /// The action as written in the request.
        written: String,
        /// The refusal.
        rejection: Box<Rejection>,
    },
    /// The match was ended.
    Ended,
}

/// The recent requests of a match with their answers.
///
/// Each caller has its own ids, so that players who number their requests do not collide. The copies of a match share
/// them: a match is copied often. Each has a hash of its caller and id: almost every request is a new one, and is compared
/// with all of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requests(VecDeque<(u64, Arc<Remembered>)>);

/// The caller of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Asker {
    /// The player in a seat.
    Seat(Seat),
    /// A player or an operator that calls the match off, with or without a seat.
    Player(PlayerId),
}

#[derive(Debug)]
struct Remembered {
    asker: Asker,
    id: RequestId,
    answer: RequestAnswer,
}

impl Requests {
    /// Remembers the answer to a request that has an id.
    pub(crate) fn remember(
        &mut self,
        asker: Asker,
        id: Option<&RequestId>,
        answer: impl FnOnce() -> RequestAnswer,
    ) {
        let Some(id) = id.cloned() else { return };
        if self.0.len() == REMEMBERED_REQUESTS {
            self.0.pop_front();
        }
        let remembered = Remembered {
            asker,
            id,
            answer: answer(),
        };
        let hash = hash_of(asker, &remembered.id);
        self.0.push_back((hash, Arc::new(remembered)));
    }

    /// Returns the latest answer to this request of this caller.
    pub(crate) fn answer(&self, asker: Asker, id: Option<&RequestId>) -> Option<&RequestAnswer> {
        let id = id?;
        let wanted = hash_of(asker, id);
        let known = self.0.iter().rev().filter(|known| known.0 == wanted);
        known
            .map(|(_, known)| known)
            .find(|known| known.asker == asker && known.id == *id)
            .map(|known| &known.answer)
    }
}

fn hash_of(asker: Asker, id: &RequestId) -> u64 {
    let mut hasher = DefaultHasher::new();
    (asker, id).hash(&mut hasher);
    hasher.finish()
}
