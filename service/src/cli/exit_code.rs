/// The service stopped on a signal, or the command succeeded.
pub const EXIT_STOPPED: u8 = 0;
/// The health check found no service that is ready.
pub const EXIT_UNHEALTHY: u8 = 1;
/// The command line or a setting is wrong. (The parser of the command line ends the program with it,
/// too.)
pub const EXIT_USAGE: u8 = 2;
/// The service could not start: an address or the data folder cannot be used.
pub const EXIT_NOT_STARTED: u8 = 3;
/// A service that runs cannot be reached or refuses what it is asked.
pub const EXIT_REFUSED: u8 = 4;
/// The event log was not closed in time, or the shutdown took longer than its timeout and was broken off.
pub const EXIT_TOO_SLOW: u8 = 5;
/// A second signal ended the service at once.
pub const EXIT_SECOND_SIGNAL: u8 = 6;
/// A match or the tokens are damaged: `verify` has found it, or a backup lacks them.
pub const EXIT_DAMAGED: u8 = 7;
/// The event log has failed, and the service was set to end then.
pub const EXIT_LOG_FAILED: u8 = 8;
