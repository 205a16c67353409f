use std::ffi::OsStr;
use std::io;
use std::net::SocketAddr;
use std::os::unix::net::UnixDatagram;

use tracing::warn;

/// The variable with the name of the service manager's socket.
const SOCKET_VARIABLE: &str = "NOTIFY_SOCKET";

/// The service manager that started the service: systemd, for a unit of `Type=notify`. The protocol is that
/// of `sd_notify(3)`.
///
/// The crate `sd-notify` (0.5) does not fit: it cannot reach an abstract socket (`@name`), and it blocks when the
/// manager does not read.
#[derive(Debug)]
pub(super) struct ServiceManager(Option<UnixDatagram>);

impl ServiceManager {
    /// The one that the environment names, if any.
    pub(super) fn of_environment() -> Self {
        let Some(name) = std::env::var_os(SOCKET_VARIABLE) else {
            return Self(None);
        };
        match connect(&name) {
            Ok(socket) => Self(Some(socket)),
            Err(error) => {
                warn!(%error, ?name, "the socket of NOTIFY_SOCKET cannot be used");
                Self(None)
            }
        }
    }

    /// The event log is being read.
    pub(super) fn recovering(&self) {
        self.notify("STATUS=reading the event log");
    }

    /// The service takes calls.
    pub(super) fn ready(&self, address: SocketAddr) {
        self.notify(&format!("READY=1\nSTATUS=serving on {address}"));
    }

    /// The service shuts down.
    pub(super) fn stopping(&self) {
        self.notify("STOPPING=1\nSTATUS=draining");
    }

    fn notify(&self, message: &str) {
        if let Some(socket) = &self.0
            && let Err(error) = socket.send(message.as_bytes())
        {
            warn!(%error, "failed to notify the service manager");
        }
    }
}

fn connect(name: &OsStr) -> io::Result<UnixDatagram> {
    let socket = UnixDatagram::unbound()?;
    // A manager that does not read must not block the service.
    socket.set_nonblocking(true)?;
    match name.as_encoded_bytes().strip_prefix(b"@") {
        Some(name) => connect_abstract(&socket, name)?,
        None => socket.connect(name)?,
    }
    Ok(socket)
}

/// Connects to a name that is not in the file system.
#[cfg(target_os = "linux")]
fn connect_abstract(socket: &UnixDatagram, name: &[u8]) -> io::Result<()> {
    use std::os::linux::net::SocketAddrExt;
    let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
    socket.connect_addr(&address)
}

#[cfg(not(target_os = "linux"))]
fn connect_abstract(_: &UnixDatagram, _: &[u8]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
