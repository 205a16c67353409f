use sled::IVec;

use crate::{Sequence, StreamId};

/// A record with its place; cheap to clone.
pub(super) type Record = (StreamId, Sequence, IVec);
