use std::fmt;
use std::net::{IpAddr, Ipv4Addr};

use dragontooth_service_vocabulary::PlayerId;

/// The key of a caller's limits: its player, or the origin of a call without an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum CallerKey {
    Player(PlayerId),
    /// One host, by [`one_host`].
    Address(IpAddr),
}

impl CallerKey {
    /// The key of what the service does by itself.
    pub(crate) const SERVICE: Self = Self::Address(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
}

/// The address that represents a host. With IPv6 that is its 64-bit network, which one host can use at will.
pub(crate) fn one_host(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            let network = address.to_bits() >> 64 << 64;
            IpAddr::V6(network.into())
        }
    }
}

impl fmt::Display for CallerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Player(player) => write!(f, "player {player}"),
            Self::Address(address) => write!(f, "address {address}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_64_bits_is_one_host() {
        let host = |text: &str| one_host(text.parse().unwrap()).to_string();
        assert_eq!(host("192.0.2.7"), "192.0.2.7");
        assert_eq!(host("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(host("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(host("2001:db8:1:2:ffff::"), "2001:db8:1:2::");
        assert_ne!(host("2001:db8:1:3::"), host("2001:db8:1:2::"));
    }
}
