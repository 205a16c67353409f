use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use dragontooth_games::catalogue;
use dragontooth_games::record::Format;

use crate::cli::failure::Failure;

/// The name of the format that every game has.
pub(super) const TEXT: &str = "text";

/// The most bytes of a record.
const RECORD_BYTES_MAX: u64 = 64 << 20;

/// The text of a file, or of standard input for `-`.
pub(super) fn read(file: &Path) -> Result<String, Failure> {
    let name = file.display();
    let failed = |error: io::Error| Failure::usage(format!("{name} cannot be read: {error}"));
    let source: Box<dyn Read> = if file == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(file).map_err(failed)?)
    };
    let mut text = String::new();
    let length = source
        .take(RECORD_BYTES_MAX + 1)
        .read_to_string(&mut text)
        .map_err(failed)?;
    if length as u64 > RECORD_BYTES_MAX {
        let message = format!("{name} has more than {RECORD_BYTES_MAX} bytes");
        return Err(Failure::usage(message));
    }
    Ok(text)
}

/// The format of that name that some game has.
pub(super) fn format(name: &str) -> Result<&'static Format, Failure> {
    let all = || catalogue::GAMES.iter().flat_map(|game| game.formats);
    all().find(|format| format.name == name).ok_or_else(|| {
        let names = all().map(|format| format.name);
        let known: Vec<&str> = std::iter::once(TEXT).chain(names).collect();
        let message = format!("there is no format {name:?}; there is {}", known.join(", "));
        Failure::usage(message)
    })
}
