use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use dragontooth_service_vocabulary::PlayerId;
use tokio_util::sync::CancellationToken;
use tracing::debug;

use super::{Counted, Counts, LimitExceeded, LimitName, one_host};

/// The connections that are open.
///
/// A connection is nameless until a call on it has shown a valid token; from then on it counts for the player of
/// that token. Where nameless ones leave no room for a new connection, the oldest is cut, and the new one is served
/// as soon as that has released what it held. So neither callers without a token nor one player alone can keep
/// others out, or make the service hold more than the limits say.
#[derive(Debug)]
pub(crate) struct OpenConnections {
    in_all: Counts<()>,
    of_player: Counts<PlayerId>,
    /// The most nameless ones of an address.
    of_address: usize,
    nameless: Mutex<HashMap<IpAddr, VecDeque<Arc<OpenConnection>>>>,
    ids: AtomicU64,
}

/// An open connection, as its calls see it.
#[derive(Debug)]
pub(crate) struct OpenConnection {
    id: u64,
    host: IpAddr,
    /// Cancelled when it is as old as it may become: its streams are to end.
    old: CancellationToken,
    /// Cancelled when it is to end at once.
    cut: CancellationToken,
    /// Cancelled when it has ended, and all of its calls have.
    gone: CancellationToken,
    /// Its place among those of a player, once it has one.
    named: OnceLock<Counted<PlayerId>>,
    /// The bytes that have come and gone.
    moved: AtomicU64,
    /// True once a request has come on the port for browsers.
    has_asked: AtomicBool,
}

/// The place of a connection that has been let in; it counts until it is dropped.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    connection: Arc<OpenConnection>,
    /// Cancelled when those that have given way to it are gone.
    displaced: Vec<CancellationToken>,
    connections: Arc<OpenConnections>,
    _in_all: Counted<()>,
}

impl OpenConnections {
    pub(crate) fn new(in_all: usize, of_address: usize, of_player: usize) -> Self {
        Self {
            in_all: Counts::new(in_all),
            of_player: Counts::new(of_player),
            of_address,
            nameless: Mutex::default(),
            ids: AtomicU64::new(0),
        }
    }

    /// Lets a connection in, or names the limit that forbids it. `cut` ends it at once.
    pub(crate) fn let_in(
        self: &Arc<Self>,
        address: IpAddr,
        cut: CancellationToken,
    ) -> Result<ConnectionSlot, LimitName> {
        let host = one_host(address);
        let mut nameless = self.lock();
        let mut displaced = Vec::new();
        let in_all = if let Some(place) = self.in_all.take(()) {
            place
        } else {
            displaced.push(displace_one(&mut nameless).ok_or(LimitName::Connections)?);
            self.in_all.take_anyway(())
        };
        let of_host = nameless.entry(host).or_default();
        while of_host.len() >= self.of_address {
            displaced.extend(displace(of_host));
        }
        let connection = Arc::new(self.connection(host, cut));
        of_host.push_back(Arc::clone(&connection));
        Ok(ConnectionSlot {
            connection,
            displaced,
            connections: Arc::clone(self),
            _in_all: in_all,
        })
    }

    /// A connection from this process: it counts only for the player of its token.
    pub(crate) fn in_process(&self) -> Arc<OpenConnection> {
        let host = Ipv4Addr::LOCALHOST.into();
        Arc::new(self.connection(host, CancellationToken::new()))
    }

    fn connection(&self, host: IpAddr, cut: CancellationToken) -> OpenConnection {
        OpenConnection {
            id: self.ids.fetch_add(1, Ordering::Relaxed),
            host,
            old: CancellationToken::new(),
            cut,
            gone: CancellationToken::new(),
            named: OnceLock::new(),
            moved: AtomicU64::new(0),
            has_asked: AtomicBool::new(false),
        }
    }

    /// Counts a connection for the first player that a call on it has identified.
    ///
    /// # Errors
    ///
    /// The player has as many as it may have; the connection stays nameless.
    pub(crate) fn name(
        &self,
        connection: &OpenConnection,
        player: PlayerId,
    ) -> Result<(), LimitExceeded> {
        if connection.named.get().is_some() {
            return Ok(());
        }
        let place = self.of_player.take(player);
        let place = place.ok_or(LimitExceeded::Count {
            limit: LimitName::ConnectionsOfPlayer,
            allowed: self.of_player.allowed(),
        })?;
        // If another call was first, that one counts.
        if connection.named.set(place).is_ok() {
            self.forget_nameless(connection);
        }
        Ok(())
    }

    fn forget_nameless(&self, connection: &OpenConnection) {
        let mut nameless = self.lock();
        if let Some(of_host) = nameless.get_mut(&connection.host) {
            of_host.retain(|other| other.id != connection.id);
            if of_host.is_empty() {
                nameless.remove(&connection.host);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, VecDeque<Arc<OpenConnection>>>> {
        self.nameless.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Cuts the oldest nameless connection of the address that has the most, and returns a token that is cancelled when
/// it is gone; `None` if there is none.
fn displace_one(
    nameless: &mut HashMap<IpAddr, VecDeque<Arc<OpenConnection>>>,
) -> Option<CancellationToken> {
    let most = nameless.values_mut().max_by_key(|of_host| of_host.len());
    most.and_then(displace)
}

fn displace(of_host: &mut VecDeque<Arc<OpenConnection>>) -> Option<CancellationToken> {
    let oldest = of_host.pop_front()?;
    debug!(host = %oldest.host, "a connection without a token gives way to a new one");
    oldest.cut.cancel();
    Some(oldest.gone.clone())
}

impl OpenConnection {
    /// Its number, which no other connection has.
    pub(crate) const fn id(&self) -> u64 {
        self.id
    }

    /// The host at its other end.
    pub(crate) const fn host(&self) -> IpAddr {
        self.host
    }

    /// Cancelled when it has lived as long as it may.
    pub(crate) const fn old(&self) -> &CancellationToken {
        &self.old
    }

    /// Cancelled when it is to end at once.
    pub(crate) const fn cut(&self) -> &CancellationToken {
        &self.cut
    }

    /// Notes a request on the port for browsers.
    pub(crate) fn note_request(&self) {
        self.has_asked.store(true, Ordering::Relaxed);
    }

    /// Returns true once a request has come on the port for browsers.
    pub(crate) fn has_asked(&self) -> bool {
        self.has_asked.load(Ordering::Relaxed)
    }

    /// Counts bytes that have come or gone.
    pub(crate) fn note_moved(&self, bytes: usize) {
        self.moved.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Ready when no byte has come or gone for the time `pause`, or twice as long at most.
    pub(crate) async fn still_for(&self, pause: Duration) {
        let mut before = None;
        loop {
            let moved = self.moved.load(Ordering::Relaxed);
            if before == Some(moved) {
                return;
            }
            before = Some(moved);
            tokio::time::sleep(pause).await;
        }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.gone.cancel();
    }
}

impl ConnectionSlot {
    pub(crate) const fn connection(&self) -> &Arc<OpenConnection> {
        &self.connection
    }

    /// Waits until the connections that have given way to this one have ended.
    pub(crate) async fn vacated(&mut self) {
        for gone in std::mem::take(&mut self.displaced) {
            gone.cancelled().await;
        }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.connections.forget_nameless(&self.connection);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn let_in(open: &Arc<OpenConnections>, address: &str) -> Result<ConnectionSlot, LimitName> {
        open.let_in(address.parse().unwrap(), CancellationToken::new())
    }

    fn is_cut(slot: &ConnectionSlot) -> bool {
        slot.connection.cut.is_cancelled()
    }

    fn name(open: &OpenConnections, slot: &ConnectionSlot, player: u8) -> bool {
        let player = PlayerId::from_bytes([player; 16]);
        open.name(&slot.connection, player).is_ok()
    }

    #[test]
    fn the_oldest_nameless_one_of_an_address_gives_way() {
        let open = Arc::new(OpenConnections::new(9, 2, 9));
        let one = let_in(&open, "192.0.2.1").unwrap();
        let two = let_in(&open, "192.0.2.1").unwrap();
        let other = let_in(&open, "192.0.2.2").unwrap();
        assert!(name(&open, &one, 1));
        let three = let_in(&open, "192.0.2.1").unwrap();
        assert!(!is_cut(&one) && !is_cut(&two) && !is_cut(&three));
        let four = let_in(&open, "192.0.2.1").unwrap();
        assert!(is_cut(&two));
        drop((three, four));
        let _five = let_in(&open, "192.0.2.1").unwrap();
        assert!(!is_cut(&one) && !is_cut(&other));
    }

    #[test]
    fn named_ones_do_not_give_way() {
        let open = Arc::new(OpenConnections::new(3, 9, 9));
        let one = let_in(&open, "192.0.2.1").unwrap();
        let two = let_in(&open, "192.0.2.2").unwrap();
        let nameless = let_in(&open, "192.0.2.3").unwrap();
        assert!(name(&open, &one, 1) && name(&open, &two, 2));
        let three = let_in(&open, "192.0.2.4").unwrap();
        assert!(is_cut(&nameless) && name(&open, &three, 3));
        drop(nameless);
        assert_eq!(
            let_in(&open, "192.0.2.5").unwrap_err(),
            LimitName::Connections
        );
        drop(one);
        let_in(&open, "192.0.2.5").unwrap();
    }

    #[test]
    fn a_player_has_only_its_share() {
        let open = Arc::new(OpenConnections::new(9, 9, 2));
        let slots = [(); 3].map(|()| let_in(&open, "192.0.2.1").unwrap());
        assert!(name(&open, &slots[0], 1) && name(&open, &slots[1], 1));
        assert!(!name(&open, &slots[2], 1) && name(&open, &slots[2], 2));
        // The first player counts.
        assert!(name(&open, &slots[2], 1));
        drop(slots);
        assert!(open.lock().is_empty(), "what is closed is forgotten");
        assert_eq!(open.of_player.of(&PlayerId::from_bytes([1; 16])), 0);
    }
}
