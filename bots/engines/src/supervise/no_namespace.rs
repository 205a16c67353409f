//! Namespaces exist on Linux alone.

use std::ffi::OsString;
use std::io;

/// Starts this program again in a namespace of its own.
///
/// # Errors
///
/// Always: there are none here.
pub fn run_inside(_: &[OsString]) -> io::Result<bool> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Completes the namespace as its first process.
///
/// # Errors
///
/// Always: there are none here.
pub fn settle() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
