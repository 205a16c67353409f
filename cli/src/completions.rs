use std::io::{self, Write};

use clap::{Args, Command};
use clap_complete::{Shell, generate};

/// The arguments of the command `completions`.
#[derive(Clone, Copy, Debug, Args)]
pub struct Completions {
    /// The shell that reads the script.
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    /// Writes the script that completes the arguments of `program` in the shell.
    ///
    /// # Errors
    ///
    /// `out` cannot be written.
    pub fn write(&self, mut program: Command, out: &mut dyn Write) -> io::Result<()> {
        let name = program.get_name().to_owned();
        // The generator panics where it cannot write.
        let mut script = Vec::new();
        generate(self.shell, &mut program, name, &mut script);
        out.write_all(&script)
    }
}
