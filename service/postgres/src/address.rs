//! The address of a database, and the way to it.

use std::{
    fmt, fs,
    hash::{BuildHasher, Hasher, RandomState},
    io,
    net::IpAddr,
    path::PathBuf,
    str::FromStr,
    time::Duration,
};

use tokio_postgres::config::{Config, Host, SslMode, TargetSessionAttrs};

/// The time limit for a connection to one host, unless the address names another.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// A host that has answered nothing for so long is taken as gone.
const SILENCE: Duration = Duration::from_secs(10);

/// The name under which the service's connections stand in `pg_stat_activity`, before the number of the instance.
pub(crate) const APPLICATION: &str = "dragontooth-service";

/// The address of a database: `postgres://user:password@host:5432/database`, with several hosts apart by commas.
///
/// Its text may have a password, so it has no [`Display`](fmt::Display), and its [`Debug`] leaves the password out.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresAddress(Box<Config>);

impl fmt::Debug for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A text is not the address of a database.
#[derive(Debug, thiserror::Error)]
pub enum AddressError {
    /// It cannot be read.
    #[error("it cannot be read")]
    Unreadable,
    /// A part of it, or a parameter, has a value that is none.
    #[error("the value of {0} is not valid")]
    Value(String),
    /// It has a parameter that no address has. What stands there may be a part of a password.
    #[error("a parameter of it, after the question mark, is unknown")]
    UnknownParameter,
    /// It has no scheme.
    #[error("it does not begin with postgres://")]
    Scheme,
    /// It names no host.
    #[error("it names no host")]
    NoHost,
    /// A host is not one: what stands there may be a part of a password.
    #[error(
        "a host of it is empty or has an @: write that as %40 in a password, or use --log-password-file"
    )]
    BadHost,
    /// It names no database.
    #[error("it names no database")]
    NoDatabase,
}

impl FromStr for PostgresAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        if !["postgres://", "postgresql://"]
            .iter()
            .any(|scheme| text.starts_with(scheme))
        {
            return Err(AddressError::Scheme);
        }
        let config: Config = text.parse().map_err(unreadable)?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(AddressError::NoHost);
        }
        let is_bad = |host: &Host| match host {
            Host::Tcp(name) => name.is_empty() || name.contains('@'),
            Host::Unix(_) => false,
        };
        if config.get_hosts().iter().any(is_bad) {
            return Err(AddressError::BadHost);
        }
        if config.get_dbname().is_none_or(str::is_empty) {
            return Err(AddressError::NoDatabase);
        }
        Ok(Self(Box::new(config)))
    }
}

/// The reason why an address cannot be read, without what stands in it.
fn unreadable(error: tokio_postgres::Error) -> AddressError {
    // The kind of an error of the client is only in the text of its cause.
    let why = error
        .into_source()
        .map_or_else(String::new, |why| why.to_string());
    if let Some(of) = why.strip_prefix("invalid value for option ") {
        AddressError::Value(of.to_owned())
    } else if why.starts_with("unknown option ") {
        AddressError::UnknownParameter
    } else {
        AddressError::Unreadable
    }
}

/// The port of PostgreSQL where an address names none.
const USUAL_PORT: u16 = 5432;

impl PostgresAddress {
    /// The hosts, with unusual ports, and the database, for messages: no user and no password.
    #[must_use]
    pub fn place(&self) -> String {
        let (hosts, addresses) = (self.0.get_hosts(), self.0.get_hostaddrs());
        let ports = self.0.get_ports();
        let hosts: Vec<_> = (0..hosts.len().max(addresses.len()))
            .map(|at| {
                // It is the address that is connected to; the name is that of the certificate.
                let host = addresses
                    .get(at)
                    .map(|address| Host::Tcp(address.to_string()));
                let host = host
                    .as_ref()
                    .or(hosts.get(at))
                    .expect("one of them is as long");
                // One port may be that of all hosts.
                let port = ports.get(at).or(ports.first());
                host_text(host, port.copied().unwrap_or(USUAL_PORT))
            })
            .collect();
        let database = self.0.get_dbname().unwrap_or_default();
        format!("{}/{database}", hosts.join(","))
    }

    /// Returns true if no other machine is on the way.
    fn is_local(&self) -> bool {
        let addresses = self.0.get_hostaddrs();
        if addresses.is_empty() {
            self.0.get_hosts().iter().all(is_local)
        } else {
            addresses.iter().all(IpAddr::is_loopback)
        }
    }
}

/// A host, with its port unless that is the usual one.
fn host_text(host: &Host, port: u16) -> String {
    match host {
        Host::Tcp(name) if port == USUAL_PORT => name.clone(),
        Host::Tcp(name) => format!("{name}:{port}"),
        Host::Unix(path) => path.display().to_string(),
    }
}

fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            let address = name.trim_matches(['[', ']']).parse::<IpAddr>();
            name == "localhost" || address.is_ok_and(|address| address.is_loopback())
        }
        Host::Unix(_) => true,
    }
}

/// The place of an event log on PostgreSQL, and what it must be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresOptions {
    /// The address of the database.
    pub address: PostgresAddress,
    /// A file with the password, instead of one in the address. A line feed at its end does not count.
    pub password_file: Option<PathBuf>,
    /// PEM file with the authorities that sign the server's certificate: turns TLS on. Required unless all hosts are
    /// this machine.
    pub ca: Option<PathBuf>,
    /// Refuse a database without a synchronous standby.
    pub requires_standby: bool,
}

/// The way to the database cannot be used as it is described.
#[derive(Debug, thiserror::Error)]
pub enum WayError {
    /// Other machines could read the password and the events.
    #[error(
        "{0} is another machine, so the connection needs TLS: name the authorities of its certificate (--log-ca)"
    )]
    NoTls(String),
    /// Authorities are named for TLS, or it is needed, and the address turns it off.
    #[error(
        "the address turns TLS off (sslmode=disable), which --log-ca and a database on another machine need: leave that out"
    )]
    TlsOff,
    /// TLS is asked for, and nobody is trusted to sign the server's certificate.
    #[error(
        "the address asks for TLS (sslmode=require): name the authorities of the server's certificate (--log-ca)"
    )]
    NoAuthorities,
    /// The file with the password cannot be read.
    #[error("cannot read the file with the password of the database, {}", path.display())]
    PasswordFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file with the password has none, or more than that.
    #[error(
        "the file with the password of the database, {}, must have one line, the password",
        _0.display()
    )]
    Password(PathBuf),
}

impl PostgresOptions {
    /// The options for `address`, with defaults.
    #[must_use]
    pub const fn new(address: PostgresAddress) -> Self {
        Self {
            address,
            password_file: None,
            ca: None,
            requires_standby: false,
        }
    }

    /// The configuration of a connection to each host, under the name of this instance.
    ///
    /// One for each, so that each has its time: a host that accepts connections and then says nothing holds the others up
    /// otherwise.
    pub(crate) fn configs(&self, instance: Instance) -> Result<Vec<Config>, WayError> {
        let given = &self.address.0;
        let asks_for_tls = given.get_ssl_mode() == SslMode::Require;
        let refuses_tls = given.get_ssl_mode() == SslMode::Disable;
        let needs_tls = asks_for_tls || !self.address.is_local();
        if refuses_tls && (needs_tls || self.ca.is_some()) {
            return Err(WayError::TlsOff);
        }
        if needs_tls && self.ca.is_none() {
            return Err(if self.address.is_local() {
                WayError::NoAuthorities
            } else {
                WayError::NoTls(self.address.place())
            });
        }
        let mut each = Config::new();
        each.ssl_mode(if self.ca.is_some() {
            SslMode::Require
        } else {
            SslMode::Disable
        });
        each.ssl_negotiation(given.get_ssl_negotiation())
            .channel_binding(given.get_channel_binding())
            .target_session_attrs(TargetSessionAttrs::ReadWrite)
            .connect_timeout(
                given
                    .get_connect_timeout()
                    .copied()
                    .unwrap_or(CONNECT_TIMEOUT),
            )
            .keepalives_idle(SILENCE / 2)
            .keepalives_interval(SILENCE / 5)
            .keepalives_retries(3)
            .tcp_user_timeout(SILENCE)
            .application_name(instance.name());
        if let Some(user) = given.get_user() {
            each.user(user);
        }
        if let Some(database) = given.get_dbname() {
            each.dbname(database);
        }
        if let Some(options) = given.get_options() {
            each.options(options);
        }
        if let Some(path) = &self.password_file {
            let password = fs::read(path).map_err(|source| WayError::PasswordFile {
                path: path.clone(),
                source,
            })?;
            let password = password.trim_ascii_end();
            if password.is_empty() || password.contains(&b'\n') {
                return Err(WayError::Password(path.clone()));
            }
            each.password(password);
        } else if let Some(password) = given.get_password() {
            each.password(password);
        }
        let (hosts, addresses) = (given.get_hosts(), given.get_hostaddrs());
        let configs = (0..hosts.len().max(addresses.len())).map(|at| {
            let mut config = each.clone();
            match hosts.get(at) {
                Some(Host::Tcp(name)) => _ = config.host(name),
                Some(Host::Unix(path)) => _ = config.host_path(path),
                None => {}
            }
            if let Some(address) = addresses.get(at) {
                config.hostaddr(*address);
            }
            // One port is that of all hosts.
            let ports = given.get_ports();
            if let Some(port) = ports.get(at).or(ports.first()) {
                config.port(*port);
            }
            config
        });
        Ok(configs.collect())
    }
}

/// A log that is open: its connections are told apart from those of others by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instance(u64);

impl Instance {
    /// A new one, with a random number.
    pub(crate) fn new() -> Self {
        Self(RandomState::new().build_hasher().finish())
    }

    /// The name of its connections.
    pub(crate) fn name(self) -> String {
        format!("{APPLICATION} {:016x}", self.0)
    }

    /// The key of the lock that its connection holds which writes.
    pub(crate) const fn key(self) -> i32 {
        (self.0 >> 32) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(address: &str) -> PostgresOptions {
        PostgresOptions::new(address.parse().unwrap())
    }

    #[test]
    fn texts_that_are_no_addresses_are_refused() {
        let refused = |text: &str| text.parse::<PostgresAddress>().unwrap_err();
        assert!(matches!(refused("/var/lib/data"), AddressError::Scheme));
        for (address, what) in [
            ("postgres://h:x/d", "`port`"),
            ("postgres://h/d?sslmode=maybe", "`sslmode`"),
        ] {
            let refused = refused(address).to_string();
            assert_eq!(refused, format!("the value of {what} is not valid"));
        }
        assert!(matches!(
            refused("postgres://h/d?ge=heim"),
            AddressError::UnknownParameter
        ));
        assert!(matches!(
            refused("postgres://h/d?heim"),
            AddressError::Unreadable
        ));
        assert!(matches!(refused("postgres:///d"), AddressError::NoHost));
        assert!(matches!(refused("postgres://h"), AddressError::NoDatabase));
        for address in ["postgres://u:ge@heim@h/d", "postgres://u@h,/d"] {
            let refused = refused(address);
            assert!(matches!(refused, AddressError::BadHost), "{address}");
        }
    }

    #[test]
    fn other_machines_need_tls() {
        let instance = Instance::new();
        for address in [
            "postgres://db.example/d",
            "postgres://127.0.0.1,db.example/d",
        ] {
            let refused = options(address).configs(instance);
            assert!(matches!(refused, Err(WayError::NoTls(_))), "{address}");
        }
        let off = options("postgres://10.0.0.7/d?sslmode=disable").configs(instance);
        assert!(matches!(off, Err(WayError::TlsOff)));
        let unused = PostgresOptions {
            ca: Some("ca.pem".into()),
            ..options("postgres://localhost/d?sslmode=disable")
        };
        assert!(matches!(unused.configs(instance), Err(WayError::TlsOff)));
        let asked = options("postgres://localhost/d?sslmode=require").configs(instance);
        assert!(matches!(asked, Err(WayError::NoAuthorities)));
        for address in [
            "postgres://127.0.0.1/d",
            "postgres://localhost,[::1]/d",
            "postgres://%2Frun%2Fpostgresql/d",
        ] {
            let config = options(address).configs(instance).unwrap();
            assert_eq!(config[0].get_ssl_mode(), SslMode::Disable, "{address}");
        }
        let with_ca = PostgresOptions {
            ca: Some("ca.pem".into()),
            ..options("postgres://db.example/d")
        };
        let config = with_ca.configs(instance).unwrap();
        assert_eq!(config[0].get_ssl_mode(), SslMode::Require);
    }

    #[test]
    fn a_password_file_has_one_line() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let options = PostgresOptions {
            password_file: Some(file.path().to_owned()),
            ..options("postgres://user@localhost/d")
        };
        let configs = |text: &str| {
            fs::write(file.path(), text).unwrap();
            options.configs(Instance::new())
        };
        for text in ["", "\n", "ge\nheim\n"] {
            assert!(
                matches!(configs(text), Err(WayError::Password(_))),
                "{text:?}"
            );
        }
        let config = configs("ge heim\n").unwrap();
        assert_eq!(config[0].get_password(), Some(&b"ge heim"[..]));
    }

    #[test]
    fn no_text_has_the_password() {
        let options = options("postgres://user:geheim@127.0.0.1/d");
        assert!(!format!("{options:?}").contains("geheim"));
        assert_eq!(options.address.place(), "127.0.0.1/d");
    }

    #[test]
    fn a_place_has_what_is_connected_to() {
        for (address, place) in [
            ("postgres://a,b:6432/d", "a,b:6432/d"),
            (
                "postgres://db.example:6432/d?hostaddr=10.0.0.7",
                "10.0.0.7:6432/d",
            ),
        ] {
            assert_eq!(options(address).address.place(), place);
        }
    }
}
