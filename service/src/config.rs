use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

/// How the service is to run.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen. Port 0 lets the system choose one.
    pub listen: SocketAddr,
    /// Where the event log is.
    pub storage: Storage,
    /// What is allowed at most.
    pub limits: Limits,
}

impl Default for Config {
    /// On the loopback at port 4640, in memory.
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 4640)),
            storage: Storage::Memory,
            limits: Limits::default(),
        }
    }
}

/// Where the event log is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In memory: gone when the service ends.
    Memory,
    /// In a folder, which is made if it does not exist.
    Folder(PathBuf),
}

/// What is allowed at most. A request beyond a limit is refused and says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Matches that are not over.
    pub live_matches: usize,
    /// Bytes of a request.
    pub request_bytes: usize,
    /// Messages that wait for the reader of a `Play` stream. A reader with more is too slow and its
    /// stream is closed.
    pub waiting_messages: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            live_matches: 100_000,
            request_bytes: 1 << 20,
            waiting_messages: 4096,
        }
    }
}
