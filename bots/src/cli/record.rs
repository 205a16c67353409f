//! Records of matches: fetched, converted into other formats, and verified.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use dragontooth_bots_builtin::backgammon::MatchLuck;
use dragontooth_games::catalogue;
use dragontooth_games::record::{
    Headers, MatchRecord, ReadRecord, RecordFormat, RecordReadError, read_text, write_text,
};
use dragontooth_games::verify::verify_draws;

use super::arguments::{Convert, Export, Luck, Record};
use super::failure::Failure;
use super::{Exit, export_all, output, service};

/// Name of the format that every game has.
const TEXT: &str = "text";

/// Extension of its files.
const TEXT_EXTENSION: &str = "txt";

/// Largest record in bytes.
const RECORD_BYTES_MAX: u64 = 64 << 20;

/// Runs a subcommand of `record`.
pub(super) fn run(record: Record) -> Result<Exit, Failure> {
    match record {
        Record::Export(arguments) => export(&arguments),
        Record::ExportAll(arguments) => {
            let extension = match arguments.format.as_str() {
                TEXT => TEXT_EXTENSION,
                name => find_format(name)?.extension,
            };
            export_all::run(&arguments, extension)
        }
        Record::Convert(arguments) => convert(&arguments),
        Record::Luck(arguments) => luck(&arguments),
        Record::Verify { file } => verify(&file),
    }
}

/// Prints the record of a match of the service.
fn export(arguments: &Export) -> Result<Exit, Failure> {
    let format = arguments.format.as_deref();
    let record = service::runtime()?.block_on(async {
        let client = arguments.service.client()?;
        arguments
            .service
            .retry(|| client.export_match(arguments.match_id, format))
            .await
            .map_err(Failure::from)
    })?;
    output::write(|output| output.write_all(record.text.as_bytes()))
}

/// Reads a record in one format and prints it in another.
fn convert(arguments: &Convert) -> Result<Exit, Failure> {
    let Convert {
        file, from, strict, ..
    } = arguments;
    let (record, headers) = read(file, from, *strict)?;
    let written = match arguments.to.as_str() {
        TEXT => write_text(&record, &headers),
        name => {
            let format = find_format(name)?;
            let game = catalogue::find(&record.game).map_err(Failure::usage)?;
            if !game.formats.iter().any(|known| known.name == name) {
                let message = format!("a match of {} cannot be written as {name}", record.game);
                return Err(Failure::usage(message));
            }
            (format.write)(&record).map_err(Failure::usage)?
        }
    };
    output::write(|output| output.write_all(written.as_bytes()))
}

/// Prints the luck of the first seat in the dice of a match.
fn luck(arguments: &Luck) -> Result<Exit, Failure> {
    let Luck { file, from } = arguments;
    let (record, _) = read(file, from, false)?;
    let luck = MatchLuck::of(&record)
        .map_err(|error| Failure::usage(format!("{}: {error}", file.display())))?;
    let rolls = luck.rolls;
    let whole = luck.points.map_or("match", |_| "game");
    output::write(|output| {
        writeln!(
            output,
            "the luck of the first seat in {rolls} rolls: {:+.5} in the chance to win the {whole}",
            luck.chance
        )?;
        if let Some(points) = luck.points {
            writeln!(output, "{points:+.5} points")?;
        }
        Ok(())
    })
}

/// Reads a record in a format; `strict` refuses one with warnings.
fn read(file: &Path, from: &str, strict: bool) -> Result<(MatchRecord, Headers), Failure> {
    let text = read_file(file)?;
    let read = match from {
        TEXT => read_text(&text),
        name => {
            let reader = find_format(name)?.read.ok_or_else(|| {
                Failure::usage(format!("the format {name} can be written but not read"))
            })?;
            let read = reader(&text).map_err(|error| unreadable(file, &error))?;
            report(file, strict, &read)?;
            return Ok((read.record, Headers::default()));
        }
    };
    read.map_err(|error| {
        let mut formats = catalogue::GAMES.iter().flat_map(|game| game.formats);
        let extension = file.extension();
        let meant = formats.find(|format| {
            format.read.is_some() && extension.is_some_and(|it| it == format.extension)
        });
        match meant {
            Some(RecordFormat { name, .. }) => {
                let why = format!("{}; --from {name} reads the format {name}", error.why);
                unreadable(file, &RecordReadError { why, ..error })
            }
            None => unreadable(file, &error),
        }
    })
}

/// Prints the warnings about a record. With `--strict`, the first of them refuses it.
fn report(file: &Path, strict: bool, read: &ReadRecord) -> Result<(), Failure> {
    for warning in &read.warnings {
        let place = format!("{}:{}", file.display(), warning.line);
        if strict {
            let message = format!("{place}: {}; without --strict it is read", warning.why);
            return Err(Failure::usage(message));
        }
        output::warn(&format!("{place}: {}", warning.why));
    }
    Ok(())
}

/// Verifies that the server's seed matches the commitment to it, and that every deal and every roll of a
/// match follows from the seeds.
fn verify(path: &Path) -> Result<Exit, Failure> {
    let name = path.display();
    let text = read_file(path)?;
    let (record, headers) = read_text(&text).map_err(|error| unreadable(path, &error))?;
    let Some(draws) = headers.draws() else {
        let message = format!(
            "{name} has no server seed: only a record in the format text contains it, exported when all \
             matches with this seed were over"
        );
        return Err(Failure::usage(message));
    };
    match headers.keeps_commitment() {
        Some(true) => {}
        Some(false) => {
            let message = "the server's seed does not match the commitment to it";
            return Err(Failure::unfair(message));
        }
        None => {
            let message = format!("{name} has no commitment to the server's seed");
            return Err(Failure::usage(message));
        }
    }
    let checked = verify_draws(&record, &draws).map_err(Failure::unfair)?;
    let is_normal = headers.result.ends_with(" normal");
    if (is_normal || checked.result.is_some()) && checked.result.as_ref() != Some(&headers.result) {
        let played = checked.result.as_deref().unwrap_or("not played to its end");
        let message = format!(
            "the header says the result is {:?}, but the match is {played}",
            headers.result
        );
        return Err(Failure::unfair(message));
    }
    output::write(|output| {
        writeln!(
            output,
            "the seed matches its commitment; the deals ({}) and the rolls ({}) follow from it; the \
             result is {}",
            checked.deals,
            checked.rolls,
            checked.result.as_deref().unwrap_or(&headers.result)
        )
    })
}

/// Reads a file, or standard input for `-`.
fn read_file(file: &Path) -> Result<String, Failure> {
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
        let message = format!("{name} is longer than {RECORD_BYTES_MAX} bytes");
        return Err(Failure::usage(message));
    }
    Ok(text)
}

/// Finds a format of any game by its name.
fn find_format(name: &str) -> Result<&'static RecordFormat, Failure> {
    let all = || catalogue::GAMES.iter().flat_map(|game| game.formats);
    all().find(|format| format.name == name).ok_or_else(|| {
        let names = all().map(|format| format.name);
        let known: Vec<&str> = std::iter::once(TEXT).chain(names).collect();
        let message = format!(
            "unknown format {name:?}; expected one of {}",
            known.join(", ")
        );
        Failure::usage(message)
    })
}

fn unreadable(file: &Path, RecordReadError { line, why }: &RecordReadError) -> Failure {
    Failure::usage(format!("{}:{line}: {why}", file.display()))
}
