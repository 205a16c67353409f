/// The service stopped as it was told, or the command did what it was asked.
pub const EXIT_STOPPED: u8 = 0;
/// The command line or a setting is wrong. (The parser of the command line ends the program with it,
/// too.)
pub const EXIT_USAGE: u8 = 2;
/// The service could not start: the address or the data folder is not to be had.
pub const EXIT_NOT_STARTED: u8 = 3;
/// A service that runs cannot be reached or refuses what it is asked.
pub const EXIT_REFUSED: u8 = 4;
