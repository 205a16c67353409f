use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use super::{Counted, Counts, LimitName, one_host};

/// The connections that are open, by where they come from.
#[derive(Debug)]
pub(crate) struct OpenConnections {
    in_all: Counts<()>,
    of_address: Counts<IpAddr>,
    open: Mutex<HashMap<SocketAddr, CancellationToken>>,
}

/// A connection that has been let in; it counts until it is dropped.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    peer: SocketAddr,
    old: CancellationToken,
    connections: Arc<OpenConnections>,
    _in_all: Counted<()>,
    _of_address: Counted<IpAddr>,
}

impl OpenConnections {
    pub(crate) fn new(in_all: usize, of_address: usize) -> Self {
        Self {
            in_all: Counts::new(in_all),
            of_address: Counts::new(of_address),
            open: Mutex::default(),
        }
    }

    /// Lets a connection in, or names the limit that forbids it.
    pub(crate) fn let_in(self: &Arc<Self>, peer: SocketAddr) -> Result<ConnectionSlot, LimitName> {
        let in_all = self.in_all.take(());
        let in_all = in_all.ok_or(LimitName::Connections)?;
        let of_address = self.of_address.take(one_host(peer.ip()));
        let of_address = of_address.ok_or(LimitName::ConnectionsOfAddress)?;
        let old = CancellationToken::new();
        self.lock().insert(peer, old.clone());
        Ok(ConnectionSlot {
            peer,
            old,
            connections: Arc::clone(self),
            _in_all: in_all,
            _of_address: of_address,
        })
    }

    /// Cancelled when the connection from `peer` has lived as long as it may: its streams are to
    /// end. A connection that is not known never grows old.
    pub(crate) fn old(&self, peer: Option<SocketAddr>) -> CancellationToken {
        let old = peer.and_then(|peer| self.lock().get(&peer).cloned());
        old.unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SocketAddr, CancellationToken>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionSlot {
    /// The connection has lived as long as it may.
    pub(crate) fn grow_old(&self) {
        self.old.cancel();
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.connections.lock().remove(&self.peer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(address: &str) -> SocketAddr {
        address.parse().unwrap()
    }

    #[test]
    fn counts_by_address_and_in_all() {
        let open = Arc::new(OpenConnections::new(3, 2));
        let one = open.let_in(peer("192.0.2.1:1")).unwrap();
        let _two = open.let_in(peer("192.0.2.1:2")).unwrap();
        let refused = open.let_in(peer("192.0.2.1:3")).unwrap_err();
        assert_eq!(refused, LimitName::ConnectionsOfAddress);
        let _three = open.let_in(peer("[2001:db8::1]:1")).unwrap();
        let refused = open.let_in(peer("192.0.2.2:1")).unwrap_err();
        assert_eq!(refused, LimitName::Connections);
        drop(one);
        let _four = open.let_in(peer("192.0.2.1:3")).unwrap();
        assert_eq!(open.in_all.of(&()), 3);
    }

    #[test]
    fn each_grows_old_by_itself() {
        let open = Arc::new(OpenConnections::new(9, 9));
        let one = open.let_in(peer("192.0.2.1:1")).unwrap();
        let _two = open.let_in(peer("192.0.2.1:2")).unwrap();
        let old = open.old(Some(peer("192.0.2.1:1")));
        one.grow_old();
        assert!(old.is_cancelled());
        assert!(!open.old(Some(peer("192.0.2.1:2"))).is_cancelled());
        assert!(!open.old(None).is_cancelled());
        drop(one);
        assert_eq!(open.lock().len(), 1, "what is closed is forgotten");
    }
}
