use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use dragontooth_runner_report::{
    DEFAULT_PAGES, MAX_PAGES, MatchPages, MatchSources, PAGES_FOLDER, SelectedMatch, Sources,
    Thinking, match_page, report_page, selected,
};

use super::past_run::PastRun;
use super::{Failure, cannot_run};
use crate::exit_code::Exit;
use crate::record::{FolderError, RunFolder, Transcript, Transcripts, write_whole};

#[derive(Debug, Args)]
pub(super) struct Report {
    /// The folder of the run.
    folder: PathBuf,
    /// The file of the report, instead of `report.html` in the folder. Its folder has to be there.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    pages: Pages,
}

#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Pages {
    /// Number of matches with a page of their own in the report, those with faults first; at most
    /// 10000.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_PAGES, value_parser = pages)]
    pages: usize,
}

/// Writes the report of a run.
pub(super) fn run(arguments: &Report) -> Result<Exit, Failure> {
    let past = PastRun::read(&arguments.folder)?;
    let in_folder = || arguments.folder.join("report.html");
    let file = arguments.output.clone().unwrap_or_else(in_folder);
    write(&past, &arguments.folder, &file, arguments.pages)?;
    Ok(Exit::Success)
}

/// Writes the report of the run in `folder` into a file, and the pages of matches beside it.
pub(super) fn write(
    past: &PastRun,
    folder: &Path,
    file: &Path,
    pages: Pages,
) -> Result<(), Failure> {
    let chosen = selected(&past.schedule, &past.results, pages.pages);
    let (transcripts, thinking) = read_played(folder, &chosen)?;
    let shown: Vec<&SelectedMatch> = chosen
        .iter()
        .filter(|one| transcripts.contains_key(&one.title))
        .collect();
    write_matches(past, file, &shown, &transcripts)?;
    let places = shown.iter().map(|one| {
        let place = format!("{PAGES_FOLDER}/{}", one.file);
        (one.title.clone(), place)
    });
    let page = report_page(&Sources {
        overview: &past.overview(),
        details: &past.details,
        manifest: &past.manifest.text(),
        thinking: &thinking,
        session: past.session.map(Into::into),
        programs: &past.program_totals()?,
        pages: &MatchPages::new(places.collect()),
    });
    write_whole(file, &page).map_err(cannot_run)
}

/// The moves of the chosen matches, by title, and the times of their decisions.
pub(super) fn read_played(
    folder: &Path,
    chosen: &[SelectedMatch],
) -> Result<(HashMap<String, Transcript>, Thinking), Failure> {
    let mut wanted: HashSet<&str> = chosen.iter().map(|one| one.title.as_str()).collect();
    let mut found = HashMap::new();
    let mut all = Transcripts::open(&RunFolder::games_in(folder)).map_err(cannot_run)?;
    let mut thinking = Thinking::default();
    let mut has_room = true;
    while (has_room || !wanted.is_empty())
        && let Some(transcript) = all.next().transpose().map_err(cannot_run)?
    {
        has_room = !thinking.is_full();
        if has_room && let Ok((record, _)) = transcript.read() {
            thinking.add(&record, transcript.thinking_us());
        }
        if wanted.remove(transcript.title()) {
            found.insert(transcript.title().to_owned(), transcript);
        }
    }
    Ok((found, thinking))
}

/// Writes the pages of matches into a folder beside the report.
fn write_matches(
    past: &PastRun,
    report: &Path,
    shown: &[&SelectedMatch],
    transcripts: &HashMap<String, Transcript>,
) -> Result<(), Failure> {
    if shown.is_empty() {
        return Ok(());
    }
    let folder = report.with_file_name(PAGES_FOLDER);
    let unusable = |path: &Path| {
        let path = path.to_owned();
        move |source| cannot_run(FolderError::Unusable { path, source })
    };
    match fs::create_dir(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(unusable(&folder)(error));
        }
        Ok(()) | Err(_) => {}
    }
    let name = report.file_name().unwrap_or_default().to_string_lossy();
    let report = format!("../{name}");
    for (at, one) in shown.iter().enumerate() {
        let transcript = &transcripts[&one.title];
        let (record, _) = transcript.read().map_err(cannot_run)?;
        let thinking = transcript.thinking_us().iter();
        let thinking: Vec<Duration> = thinking.map(|us| Duration::from_micros(*us)).collect();
        let neighbour = |at: Option<usize>| Some(shown.get(at?)?.file.as_str());
        let details = past.details.of(&one.title);
        let page = match_page(&MatchSources {
            title: &one.title,
            record: &record,
            outcome: &one.outcome,
            thinking: &thinking,
            faults: details.map_or(&[], |details| &details.faults),
            report: &report,
            neighbours: [neighbour(at.checked_sub(1)), neighbour(Some(at + 1))],
        });
        let path = folder.join(&one.file);
        fs::write(&path, page).map_err(unusable(&path))?;
    }
    Ok(())
}

fn pages(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number <= MAX_PAGES);
    number.ok_or_else(|| format!("must be from 0 to {MAX_PAGES}"))
}
