//! The records of all matches that fit, in a folder.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

use dragontooth_service_client::{
    ClientError, ExportUpdate, MatchExport, MatchFilter, PageToken, Resume,
};
use dragontooth_service_vocabulary::{ListOrder, Stage, Timestamp};
use serde::{Deserialize, Serialize};

use super::arguments::{ExportAll, ExportedState};
use super::failure::Failure;
use super::{Exit, output, service};

/// The file that says how far an export has come. It is there until the export is complete.
const PROGRESS_FILE: &str = "export.json";

/// Longest time between two notes of the progress: what comes after the last one is received again.
const NOTE_INTERVAL: Duration = Duration::from_secs(1);

/// The progress of an export.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Progress {
    /// The options that select the matches, and the format.
    options: BTreeMap<String, String>,
    /// The place after the last match; empty at the start.
    resume_token: String,
    matches: u64,
    /// The matches without a record.
    refused: u64,
}

/// Writes the records of all matches that fit. `extension` is that of their files.
pub(super) fn run(arguments: &ExportAll, extension: &str) -> Result<Exit, Failure> {
    let folder = &arguments.folder;
    if let (Some(from), Some(before)) = (arguments.created_from, arguments.created_before)
        && from >= before
    {
        let why = "no match fits: --created-from must be before --created-before";
        return Err(Failure::usage(why));
    }
    if folder.exists() && !folder.is_dir() {
        let place = folder.display();
        return Err(Failure::usage(format!("{place} is a file, not a folder")));
    }
    let mut progress = Progress::read(folder, options(arguments))?;
    let exported = service::run(async {
        let client = arguments.service.client()?;
        arguments
            .service
            .retry(&client, || client.who_am_i())
            .await?;
        let token = Some(progress.resume_token.as_str()).filter(|token| !token.is_empty());
        let resume = Resume::For(arguments.service.wait);
        let export = client.export_matches(
            filter(arguments),
            Some(&arguments.format),
            token.map(PageToken::new),
            resume,
        );
        receive(export, folder, extension, &mut progress).await
    });
    if let Err(failure) = exported {
        if !progress.resume_token.is_empty() {
            progress.write(folder)?;
        }
        return Err(failure);
    }
    let note = folder.join(PROGRESS_FILE);
    match fs::remove_file(&note) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(unusable(&note, &error)),
        Ok(()) | Err(_) => {}
    }
    let Progress {
        matches, refused, ..
    } = progress;
    output::write(|output| writeln!(output, "{matches} matches in {}", folder.display()))?;
    if refused > 0 {
        return Err(Failure {
            exit: Exit::Refused,
            message: format!("{refused} matches have no record"),
        });
    }
    Ok(Exit::Done)
}

async fn receive(
    mut export: MatchExport,
    folder: &Path,
    extension: &str,
    progress: &mut Progress,
) -> Result<(), Failure> {
    let mut noted = Instant::now();
    let mut next = answer(&mut export, folder).await?;
    // A call that is refused leaves no folder behind.
    fs::create_dir_all(folder).map_err(|error| unusable(folder, &error))?;
    while let Some(update) = next {
        match update {
            ExportUpdate::Match(record) => {
                let file = folder.join(format!("{}.{extension}", record.view.id));
                write_whole(&file, record.text.as_bytes())?;
                progress.matches += 1;
            }
            ExportUpdate::Refused { match_id, error } => {
                output::warn(&format!("the match {match_id} has no record: {error}"));
                progress.refused += 1;
            }
            ExportUpdate::Heartbeat => {}
        }
        let token = export.resume_token().map_or("", PageToken::as_str);
        token.clone_into(&mut progress.resume_token);
        if noted.elapsed() >= NOTE_INTERVAL {
            progress.write(folder)?;
            noted = Instant::now();
        }
        next = answer(&mut export, folder).await?;
    }
    Ok(())
}

async fn answer(export: &mut MatchExport, folder: &Path) -> Result<Option<ExportUpdate>, Failure> {
    let update = export.next().await.transpose();
    update.map_err(|error| failed(folder, error))
}

impl Progress {
    /// Reads how far an export with these options has come in a folder.
    fn read(folder: &Path, options: BTreeMap<String, String>) -> Result<Self, Failure> {
        let file = folder.join(PROGRESS_FILE);
        let bytes = match fs::read(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Self {
                    options,
                    resume_token: String::new(),
                    matches: 0,
                    refused: 0,
                });
            }
            read => read.map_err(|error| unusable(&file, &error))?,
        };
        let place = file.display();
        let progress: Self = serde_json::from_slice(&bytes).map_err(|error| {
            Failure::usage(format!("{place} is not the progress of an export: {error}"))
        })?;
        if progress.options == options {
            return Ok(progress);
        }
        let words = progress.options.iter();
        let words: Vec<String> = words
            .map(|(name, value)| format!("--{name} {value}"))
            .collect();
        Err(Failure::usage(format!(
            "the folder has an unfinished export with other options: {}; go on with them, or remove {place} to begin",
            words.join(" ")
        )))
    }

    fn write(&self, folder: &Path) -> Result<(), Failure> {
        let mut text = serde_json::to_vec_pretty(self).expect("texts and numbers are JSON");
        text.push(b'\n');
        write_whole(&folder.join(PROGRESS_FILE), &text)
    }
}

/// Writes a file so that it is on the disk whole or not at all.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".unfinished");
    let unfinished = PathBuf::from(unfinished);
    let write = || {
        let mut file = File::create(&unfinished)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&unfinished, path)
    };
    write().map_err(|error| unusable(path, &error))
}

fn unusable(path: &Path, error: &io::Error) -> Failure {
    Failure::system(format!("{}: {error}", path.display()))
}

/// The fields of a request whose names differ from those of their options.
const OPTIONS_OF_FIELDS: [(&str, &str); 3] = [
    ("`filter.game`", "--game"),
    ("filter.game", "--game"),
    ("filter.variant", "--variant"),
];

/// The failure of an export. A token that the service does not take comes from another one, or another player.
fn failed(folder: &Path, error: ClientError) -> Failure {
    let refusal = error.refusal();
    let field = refusal.and_then(|refusal| refusal.metadata.get("field"));
    if field.is_some_and(|field| field == "resume_token") {
        let file = folder.join(PROGRESS_FILE);
        return Failure::usage(format!("{error}; remove {} to begin again", file.display()));
    }
    let mut failure = Failure::from(error);
    for (field, option) in OPTIONS_OF_FIELDS {
        failure.message = failure.message.replace(field, option);
    }
    if failure.message.starts_with("format: ") {
        failure.message.insert_str(0, "--");
    }
    failure
}

fn filter(arguments: &ExportAll) -> MatchFilter {
    MatchFilter {
        state: match arguments.state {
            ExportedState::Open => Some(Stage::Open),
            ExportedState::Active => Some(Stage::Active),
            ExportedState::Ended => Some(Stage::Ended),
            ExportedState::Any => None,
        },
        game: arguments.game.clone(),
        variant: arguments.variant.clone(),
        player: arguments.player,
        opponent: arguments.opponent,
        creator: arguments.creator,
        created_from: arguments.created_from,
        created_before: arguments.created_before,
        order: ListOrder::OldestFirst,
        page_size: None,
    }
}

/// The options by which a run is known to go on with an earlier one, as they are typed.
fn options(arguments: &ExportAll) -> BTreeMap<String, String> {
    let time = |time: Timestamp| {
        let since = Duration::from_micros(time.micros());
        humantime::format_rfc3339_micros(UNIX_EPOCH + since).to_string()
    };
    let state = match arguments.state {
        ExportedState::Open => "open",
        ExportedState::Active => "active",
        ExportedState::Ended => "ended",
        ExportedState::Any => "any",
    };
    let options = [
        ("format", Some(arguments.format.clone())),
        ("state", Some(state.to_owned())),
        ("game", arguments.game.clone()),
        ("variant", arguments.variant.clone()),
        ("player", arguments.player.map(|id| id.to_string())),
        ("opponent", arguments.opponent.map(|id| id.to_string())),
        ("creator", arguments.creator.map(|id| id.to_string())),
        ("created-from", arguments.created_from.map(time)),
        ("created-before", arguments.created_before.map(time)),
    ];
    let options = options.into_iter();
    let options = options.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    options.collect()
}
