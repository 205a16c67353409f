use std::env;
use std::process::Command;

/// The variables that a program gets from the environment of the process that starts it. All others may hold
/// tokens and other secrets.
pub const PASSED_VARIABLES: [&str; 4] = ["PATH", "HOME", "LANG", "TMPDIR"];

/// Clears the environment of a command, but for [`PASSED_VARIABLES`].
pub fn clear_environment(command: &mut Command) {
    command.env_clear();
    for name in PASSED_VARIABLES {
        if let Some(value) = env::var_os(name) {
            command.env(name, value);
        }
    }
}
