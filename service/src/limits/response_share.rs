use std::sync::Arc;

use axum::body::Bytes;

use super::counts::resize;
use super::{CallerKey, Counted, Counts, LimitExceeded, LimitName};

/// Bytes as which a response counts at least: as much as small ones and their calls take.
const LEAST_BYTES: usize = 16 << 10;

/// The budget of the bytes that callers have not read.
#[derive(Debug)]
pub(crate) struct ResponseBudget(Counts<CallerKey>);

/// The bytes of one response in the budget of its caller, until it and all bytes made with it are dropped.
#[derive(Clone, Debug)]
pub(crate) struct ResponseShare {
    _counted: Arc<Counted<CallerKey>>,
}

impl ResponseBudget {
    /// A budget that has room for one response of `most_bytes` at least, beside its call.
    pub(super) fn new(of_caller: usize, most_bytes: usize) -> Self {
        Self(Counts::new(of_caller.max(most_bytes + LEAST_BYTES)))
    }

    /// The share of a response that begins.
    pub(super) fn begin(&self, caller: CallerKey) -> Result<Counted<CallerKey>, LimitExceeded> {
        let mut share = self.0.nothing(caller);
        grow(&mut share, LEAST_BYTES)?;
        Ok(share)
    }
}

/// Counts a response as `bytes`, if that is more.
fn grow(share: &mut Counted<CallerKey>, bytes: usize) -> Result<(), LimitExceeded> {
    resize(
        share,
        bytes.max(LEAST_BYTES),
        LimitName::ResponseBytesOfCaller,
    )
}

impl ResponseShare {
    /// The share of a response of `bytes`.
    ///
    /// # Errors
    ///
    /// The caller has no room for it.
    pub(crate) fn of(mut begun: Counted<CallerKey>, bytes: usize) -> Result<Self, LimitExceeded> {
        grow(&mut begun, bytes)?;
        Ok(Self {
            _counted: Arc::new(begun),
        })
    }

    /// Bytes of the response, which count as long as anybody has them.
    pub(crate) fn hold(&self, bytes: Bytes) -> Bytes {
        Bytes::from_owner(HeldBytes {
            bytes,
            _share: self.clone(),
        })
    }
}

struct HeldBytes {
    bytes: Bytes,
    _share: ResponseShare,
}

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    #[test]
    fn bytes_count_as_long_as_anybody_has_them() {
        let caller = CallerKey::Address(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let budget = ResponseBudget::new(0, 3 * LEAST_BYTES);
        let share = ResponseShare::of(budget.begin(caller).unwrap(), 3 * LEAST_BYTES).unwrap();
        let mut bytes = share.hold(vec![1; 3 * LEAST_BYTES].into());
        let sent = bytes.split_to(1);
        drop(bytes);
        // There is room for the call, but not for another large response.
        let begun = budget.begin(caller).unwrap();
        assert!(ResponseShare::of(begun, 2 * LEAST_BYTES).is_err());
        drop(share);
        let begun = budget.begin(caller).unwrap();
        assert!(budget.begin(caller).is_err());
        drop(sent);
        assert!(ResponseShare::of(begun, 3 * LEAST_BYTES).is_ok());
    }
}
