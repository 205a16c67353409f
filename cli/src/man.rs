use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Command};

/// The arguments of the command `man`.
#[derive(Clone, Debug, Args)]
pub struct Man {
    /// Write a page for the program and one for each of its commands into this folder, which is created if
    /// it does not exist. Without it, the page of the program is printed.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Man {
    /// Writes the page of `program` to `out`, or all its pages into the folder.
    ///
    /// # Errors
    ///
    /// `out`, the folder or a file in it cannot be written.
    pub fn write(&self, program: Command, out: &mut dyn Write) -> io::Result<()> {
        let Some(dir) = &self.dir else {
            return clap_mangen::Man::new(program).render(out);
        };
        fs::create_dir_all(dir)?;
        clap_mangen::generate_to(program, dir)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Command {
        Command::new("program")
            .about("Does things")
            .subcommand(Command::new("play").about("Plays"))
            .subcommand(Command::new("helper").hide(true))
    }

    #[test]
    fn the_page_of_the_program_is_printed() {
        let mut page = Vec::new();
        Man { dir: None }.write(program(), &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert!(page.contains(".TH program 1"), "{page}");
        assert!(page.contains("program\\-play(1)"), "{page}");
    }

    #[test]
    fn every_command_has_a_page_but_hidden_ones() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("deep").join("man1");
        let man = Man {
            dir: Some(dir.clone()),
        };
        let mut printed = Vec::new();
        man.write(program(), &mut printed).unwrap();
        assert!(printed.is_empty());
        let names = fs::read_dir(dir).unwrap();
        let mut names: Vec<_> = names.map(|file| file.unwrap().file_name()).collect();
        names.sort_unstable();
        assert_eq!(names, ["program-play.1", "program.1"]);
    }
}
