use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dragontooth_runner_report::{
    DEFAULT_PAGES, MatchPages, MatchSources, PAGES_FOLDER, SelectedMatch, Sources, ThinkingTime,
    match_page, report_page, selected,
};

use super::{Covered, PastRun, ReportError, ReportsLock, luck_figures};
use crate::record::{Cover, FolderError, RunFolder, Seal, Transcript, Transcripts, write_whole};

/// The tables in a run directory.
pub const TABLES: &str = "report.md";

/// The report for a browser in a run directory.
pub const PAGE: &str = "report.html";

/// Renders and writes all reports of a run into its locked folder.
///
/// # Errors
///
/// A file cannot be read or written.
pub fn publish(lock: &ReportsLock, past: &PastRun, covered: &Covered) -> Result<(), ReportError> {
    let folder = lock.folder();
    // Until all are written, nothing says what they cover.
    Covered::remove(folder)?;
    // Earlier reports may have had other pages.
    let pages = folder.join(PAGES_FOLDER);
    match fs::remove_dir_all(&pages) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            return Err(unusable(&pages)(source).into());
        }
        Ok(()) | Err(_) => {}
    }
    write_file(&folder.join(TABLES), &past.document().markdown())?;
    render_page(folder, past, covered, PAGE, &mut |place, text| {
        write_file(&folder.join(place), text)
    })?;
    Ok(covered.write(folder)?)
}

/// Renders and writes all reports of the first lines of a run, unless `report.json` says that there are some.
///
/// # Errors
///
/// A file cannot be read or written.
pub fn publish_missing(folder: &Path, lines: Cover) -> Result<(), ReportError> {
    let lock = ReportsLock::to_write(folder)?;
    if Covered::file_in(folder).exists() {
        return Ok(());
    }
    let mut past = PastRun::read(folder, lines)?;
    past.luck = luck_figures(folder, &past.schedule, &past.results, false)
        .expect("luck that is unknown is left out unasked");
    publish(&lock, &past, &Covered::new(lines, DEFAULT_PAGES))
}

fn unusable(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path = path.to_owned();
    move |source| FolderError::Unusable { path, source }
}

/// Writes a file of a report, in a folder that is made if it is missing. Pages of matches are many, and are
/// not synced.
///
/// # Errors
///
/// It cannot be written.
pub fn write_file(path: &Path, text: &str) -> Result<(), ReportError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    if folder.file_name() != Some(PAGES_FOLDER.as_ref()) {
        return Ok(write_whole(path, text)?);
    }
    match fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(unusable(folder)(error).into());
        }
        Ok(()) | Err(_) => {}
    }
    Ok(fs::write(path, text).map_err(unusable(path))?)
}

/// Renders the report for a browser, called `name`, and the pages of matches beside it. Hands each to `take`
/// with its place.
///
/// # Errors
///
/// A file of the run cannot be read, or `take` fails.
pub fn render_page(
    folder: &Path,
    past: &PastRun,
    covered: &Covered,
    name: &str,
    take: &mut dyn FnMut(&Path, &str) -> Result<(), ReportError>,
) -> Result<(), ReportError> {
    let chosen = selected(&past.schedule, &past.results, covered.pages);
    let (transcripts, thinking) = read_played(folder, &chosen, covered.lines.results)?;
    let shown: Vec<&SelectedMatch> = chosen
        .iter()
        .filter(|one| transcripts.contains_key(&one.title))
        .collect();
    render_matches(past, name, &shown, &transcripts, take)?;
    let places = shown.iter().map(|one| {
        let place = format!("{PAGES_FOLDER}/{}", one.file);
        (one.title.clone(), place)
    });
    let digest = Seal::of(folder, covered.lines)?.event_digest().to_string();
    let page = report_page(&Sources {
        overview: &past.overview(),
        details: &past.details,
        luck: &past.luck,
        manifest: &past.manifest.text(),
        thinking: &thinking,
        session: past.session.map(Into::into),
        programs: &past.programs,
        pages: &MatchPages::new(places.collect()),
        event_digest: &digest,
    });
    take(Path::new(name), &page)
}

/// The durations of the decisions in the first matches of a run.
///
/// # Errors
///
/// The transcripts cannot be read.
pub fn read_thinking(folder: &Path, matches: usize) -> Result<ThinkingTime, ReportError> {
    Ok(read_played(folder, &[], matches)?.1)
}

/// The moves of the chosen matches, by title, and the durations of their decisions. Each result has its
/// transcript at its place.
fn read_played(
    folder: &Path,
    chosen: &[SelectedMatch],
    matches: usize,
) -> Result<(HashMap<String, Transcript>, ThinkingTime), ReportError> {
    let mut wanted: HashSet<&str> = chosen.iter().map(|one| one.title.as_str()).collect();
    let mut found = HashMap::new();
    let mut all = Transcripts::open(&RunFolder::games_in(folder))?.take(matches);
    let mut thinking = ThinkingTime::default();
    let mut has_room = true;
    while (has_room || !wanted.is_empty())
        && let Some(transcript) = all.next().transpose()?
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

/// Renders the pages of matches.
fn render_matches(
    past: &PastRun,
    report: &str,
    shown: &[&SelectedMatch],
    transcripts: &HashMap<String, Transcript>,
    take: &mut dyn FnMut(&Path, &str) -> Result<(), ReportError>,
) -> Result<(), ReportError> {
    let report = format!("../{report}");
    for (at, one) in shown.iter().enumerate() {
        let transcript = &transcripts[&one.title];
        let (record, _) = transcript.read().map_err(|source| ReportError::Record {
            title: one.title.clone(),
            source,
        })?;
        let thinking = transcript.thinking_us().iter();
        let thinking: Vec<Duration> = thinking.map(|us| Duration::from_micros(*us)).collect();
        let neighbour = |at: Option<usize>| Some(shown.get(at?)?.file.as_str());
        let page = match_page(&MatchSources {
            title: &one.title,
            record: &record,
            outcome: &one.outcome,
            thinking: &thinking,
            faults: past.details.faults(one.number),
            report: &report,
            neighbours: [neighbour(at.checked_sub(1)), neighbour(Some(at + 1))],
        });
        take(&PathBuf::from(PAGES_FOLDER).join(&one.file), &page)?;
    }
    Ok(())
}
