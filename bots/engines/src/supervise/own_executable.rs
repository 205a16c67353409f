use std::path::PathBuf;
use std::{env, io};

/// Returns a path of the executable of this process, also if its file was replaced while it runs.
///
/// # Errors
///
/// The system does not say which it is.
pub fn own_executable() -> io::Result<PathBuf> {
    let own = env::current_exe()?;
    Ok(if own.exists() {
        own
    } else {
        PathBuf::from("/proc/self/exe")
    })
}
