use super::counts::resize;
use super::{CallerKey, Counted, Counts, LimitExceeded, LimitName, OpenConnection};
use crate::config::Limits;

/// The budgets of the bytes that wait for the rest of their request.
#[derive(Debug)]
pub(crate) struct BodyBudgets {
    in_all: Counts<()>,
    of_caller: Counts<CallerKey>,
    of_connection: Counts<u64>,
}

/// The bytes of one request in all budgets, until it is dropped.
#[derive(Debug)]
pub(crate) struct BodyShare {
    in_all: Counted<()>,
    of_caller: Counted<CallerKey>,
    of_connection: Counted<u64>,
}

impl BodyBudgets {
    /// Budgets that have room for one request at least.
    pub(super) fn new(limits: &Limits) -> Self {
        let at_least_one = |bytes: usize| bytes.max(limits.request_bytes);
        Self {
            in_all: Counts::new(at_least_one(limits.body_bytes)),
            of_caller: Counts::new(at_least_one(limits.body_bytes_of_caller)),
            of_connection: Counts::new(at_least_one(limits.body_bytes_of_connection)),
        }
    }

    /// A share of no bytes yet.
    pub(super) fn share(&self, connection: &OpenConnection, caller: CallerKey) -> BodyShare {
        BodyShare {
            in_all: self.in_all.nothing(()),
            of_caller: self.of_caller.nothing(caller),
            of_connection: self.of_connection.nothing(connection.id()),
        }
    }
}

impl BodyShare {
    /// Counts `bytes` from now on.
    ///
    /// # Errors
    ///
    /// A budget has no room for them.
    pub(crate) fn resize(&mut self, bytes: usize) -> Result<(), LimitExceeded> {
        resize(
            &mut self.of_connection,
            bytes,
            LimitName::BodyBytesOfConnection,
        )?;
        resize(&mut self.of_caller, bytes, LimitName::BodyBytesOfCaller)?;
        resize(&mut self.in_all, bytes, LimitName::BodyBytes)
    }
}
