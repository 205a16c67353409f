use std::env;

use clap::{Command, Parser};

/// Parses the command line of this program.
///
/// # Errors
///
/// The command line is wrong, or asks for the help or the version.
pub fn parse<T: Parser>() -> Result<T, clap::Error> {
    let mut command = with_negative_numbers(T::command());
    let matches = command.try_get_matches_from_mut(env::args_os())?;
    T::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// The command with all arguments taking negative numbers: `--concurrency -1` is then refused with what the argument takes, and not
/// as an unknown flag `-1`.
#[must_use]
pub fn with_negative_numbers(command: Command) -> Command {
    command
        .mut_args(|argument| {
            let takes_values = argument.get_action().takes_values();
            argument.allow_negative_numbers(takes_values)
        })
        .mut_subcommands(with_negative_numbers)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use clap::error::ErrorKind;

    use super::*;

    #[derive(Debug, Parser)]
    enum Program {
        Run {
            #[arg(long)]
            count: u32,
            #[arg(long)]
            loud: bool,
        },
    }

    #[test]
    fn a_negative_number_is_the_value_of_its_argument() {
        let kind = |words: [&str; 4]| {
            let command = with_negative_numbers(Program::command());
            command.try_get_matches_from(words).unwrap_err().kind()
        };
        let refused = kind(["program", "run", "--count", "-1"]);
        assert_eq!(refused, ErrorKind::ValueValidation);
        let refused = kind(["program", "run", "--count=1", "-x"]);
        assert_eq!(refused, ErrorKind::UnknownArgument);
        let refused = kind(["program", "run", "--loud", "-1"]);
        assert_eq!(refused, ErrorKind::UnknownArgument);
    }
}
