//! Records of matches: fetched, converted into other formats, and verified.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::slice;

use dragontooth_bots_builtin::backgammon::MatchLuck;
use dragontooth_games::catalogue::Game;
use dragontooth_games::record::{
    Headers, MatchRecord, ReadRecord, RecordFormat, RecordReadError, RecordWarning, read_text,
    write_text,
};
use dragontooth_games::verify::replay_record;
use dragontooth_games::{catalogue, counted};

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
                name => {
                    let game = arguments.game.as_deref();
                    // The service may have games that are unknown here.
                    let game = game.and_then(|game| catalogue::find(game).ok());
                    find_format(name, game)?.extension
                }
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
    let record = service::run(async {
        let client = arguments.service.client()?;
        arguments
            .service
            .retry(&client, || client.export_match(arguments.match_id, format))
            .await
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
            let game = catalogue::find(&record.game);
            let format = find_format(name, game.as_ref().ok().copied())?;
            game.map_err(Failure::usage)?;
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
            "the luck of the first seat in {}: {:+.5} in the chance to win the {whole}",
            counted(rolls, "roll"),
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
    let bytes = read_file(file)?;
    let read = match from {
        TEXT => read_text(&utf8(file, bytes)?),
        name => {
            let reader = find_format(name, None)?
                .read
                .ok_or_else(|| Failure::usage(only_written(name)))?;
            let (text, foreign) = lossy_text(&bytes);
            let mut read = reader(&text).map_err(|error| unreadable(file, &error))?;
            read.warnings.splice(0..0, foreign);
            report(file, strict, &read)?;
            return Ok((read.record, Headers::default()));
        }
    };
    read.map_err(|error| match meant(file) {
        Some(meant) => {
            let why = format!("{}; {meant}", error.why);
            unreadable(file, &RecordReadError { why, ..error })
        }
        None => unreadable(file, &error),
    })
}

/// The likely meaning of a file that is not a record in our own format, by its extension.
fn meant(file: &Path) -> Option<String> {
    let extension = file.extension()?.to_str()?;
    let all = catalogue::GAMES.iter();
    let all = all.flat_map(|game| game.formats.iter().map(move |format| (game, format)));
    let texts = all.filter(|(_, format)| format.extension == extension);
    let texts = texts.map(|(game, format)| match (format.name, format.read) {
        (name, Some(_)) => format!("--from {name} reads a record of {}", game.title),
        (name, None) => format!(
            "one of {} cannot be read: {}",
            game.title,
            only_written(name)
        ),
    });
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}

/// Says that a format cannot be read, and which can in its place.
fn only_written(name: &str) -> String {
    let mut games = catalogue::GAMES.iter();
    let game = games.find(|game| game.formats.iter().any(|format| format.name == name));
    let readable = game.and_then(|game| {
        let mut formats = game.formats.iter();
        formats.find(|format| format.read.is_some())
    });
    let instead = readable.map_or_else(String::new, |format| {
        format!("; {} can be read", format.name)
    });
    format!("the format {name} can be written but not read{instead}")
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
    let text = utf8(path, read_file(path)?)?;
    let (record, headers) = read_text(&text).map_err(|error| unreadable(path, &error))?;
    let Some(draws) = headers.draws() else {
        let message = format!(
            "{name} has no server seed: it was made before the seed was revealed, which is when all matches with \
             it are over, or from another format; of a run, use `dragontooth-runner verify`"
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
    let (checked, play) = replay_record(&record, &draws).map_err(Failure::unfair)?;
    let (header, score) = (&headers.result, play.score().to_string());
    let (agrees, played, says) = match checked.result {
        Some(result) => {
            let says = format!("the result is {result}");
            (result == *header, result, says)
        }
        None => (
            is_early_end(header, &score),
            format!("not played to its end, at {score}"),
            format!("the score is {score}; the record says {header:?}, which actions cannot prove"),
        ),
    };
    if !agrees {
        let message =
            format!("the header says the result is {header:?}, but the match is {played}");
        return Err(Failure::unfair(message));
    }
    output::write(|output| {
        writeln!(
            output,
            "the seed matches its commitment; the deals ({}) and the rolls ({}) follow from it; {says}",
            checked.deals, checked.rolls
        )
    })
}

/// Returns true if a match that is not played to its end may have a result: none yet, or an end other than by the rules at its score.
fn is_early_end(result: &str, score: &str) -> bool {
    let words: Vec<&str> = result.split(' ').collect();
    match words[..] {
        ["unfinished"] => true,
        [winner, points, how] if points == score => matches!(
            (winner, how),
            (
                "first" | "second",
                "resignation" | "timeout" | "illegal_action" | "disconnect"
            ) | ("nobody", "disconnect" | "aborted" | "expired" | "declined")
        ),
        _ => false,
    }
}

/// The text of a record of another program, whose names may be in another encoding than UTF-8, and a warning that
/// says so.
fn lossy_text(bytes: &[u8]) -> (Cow<'_, str>, Option<RecordWarning>) {
    let text = String::from_utf8_lossy(bytes);
    let warning = str::from_utf8(bytes).err().map(|error| RecordWarning {
        line: line_of(bytes, error.valid_up_to()),
        why: "not UTF-8: what cannot be read is replaced by U+FFFD".to_owned(),
    });
    (text, warning)
}

/// The text of a record in our own format.
fn utf8(file: &Path, bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|error| {
        let line = line_of(error.as_bytes(), error.utf8_error().valid_up_to());
        let why = "the text is not UTF-8".to_owned();
        unreadable(file, &RecordReadError { line, why })
    })
}

/// The line of a byte, from 1.
fn line_of(bytes: &[u8], at: usize) -> usize {
    bytes[..at].split(|byte| *byte == b'\n').count()
}

/// Reads a file, or standard input for `-`.
fn read_file(file: &Path) -> Result<Vec<u8>, Failure> {
    let name = file.display();
    let failed = |error: io::Error| Failure::usage(format!("{name} cannot be read: {error}"));
    let source: Box<dyn Read> = if file == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(file).map_err(failed)?)
    };
    let mut bytes = Vec::new();
    let length = source
        .take(RECORD_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if length as u64 > RECORD_BYTES_MAX {
        let message = format!("{name} is longer than {RECORD_BYTES_MAX} bytes");
        return Err(Failure::usage(message));
    }
    Ok(bytes)
}

/// Finds a format by its name, of `game` or of any.
fn find_format(name: &str, game: Option<&'static Game>) -> Result<&'static RecordFormat, Failure> {
    let games = game.map_or(catalogue::GAMES, slice::from_ref);
    let all = || games.iter().flat_map(|game| game.formats);
    all().find(|format| format.name == name).ok_or_else(|| {
        let fault = game.map_or_else(
            || format!("unknown format {name:?}"),
            |game| format!("a match of {} cannot be written as {name:?}", game.name),
        );
        let names = all().map(|format| format.name);
        let known: Vec<&str> = std::iter::once(TEXT).chain(names).collect();
        Failure::usage(format!("{fault}; expected one of {}", known.join(", ")))
    })
}

fn unreadable(file: &Path, RecordReadError { line, why }: &RecordReadError) -> Failure {
    Failure::usage(format!("{}:{line}: {why}", file.display()))
}
