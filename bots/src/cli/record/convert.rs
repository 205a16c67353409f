use dragontooth_games::catalogue;
use dragontooth_games::record::{Headers, MatchRecord, ReadError, read_text, write_text};

use super::file::{self, TEXT};
use crate::cli::arguments::Convert;
use crate::cli::failure::Failure;
use crate::cli::{Exit, output};

/// Reads a record in one format and prints it in another.
pub(super) fn run(arguments: &Convert) -> Result<Exit, Failure> {
    let (record, headers) = read(arguments)?;
    let written = match arguments.to.as_str() {
        TEXT => write_text(&record, &headers),
        name => {
            let format = file::format(name)?;
            let game = catalogue::find(&record.game).map_err(Failure::usage)?;
            if !game.formats.iter().any(|known| known.name == name) {
                let message = format!("a match of {} is not written as {name}", record.game);
                return Err(Failure::usage(message));
            }
            (format.write)(&record).map_err(Failure::usage)?
        }
    };
    output::write(|output| output.write_all(written.as_bytes()))
}

fn read(arguments: &Convert) -> Result<(MatchRecord, Headers), Failure> {
    let text = file::read(&arguments.file)?;
    let read = match arguments.from.as_str() {
        TEXT => read_text(&text),
        name => {
            let reader = file::format(name)?.read.ok_or_else(|| {
                Failure::usage(format!("the format {name} is written and not read"))
            })?;
            reader(&text).map(|record| (record, Headers::default()))
        }
    };
    let name = arguments.file.display();
    read.map_err(|ReadError { line, why }| Failure::usage(format!("{name}:{line}: {why}")))
}
