use std::collections::HashSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use dragontooth_runner_report::PAGES_FOLDER;

use super::mismatch::{Disagreement, Mismatch};
use crate::record::Cover;
use crate::reports::{Covered, PAGE, PastRun, ReportError, TABLES, luck_figures, render_page};

/// The state of the reports in a run directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reports {
    /// There are none.
    Missing,
    /// Those of the first results, as an interruption leaves them; the number of results.
    Of(usize),
    /// They are something else, which is a disagreement.
    Wrong,
    /// They are not compared, because what they follow from disagrees.
    Unknown,
}

/// Finds out what the reports cover. `are_due` says that a run has written some.
pub(super) fn covered(
    folder: &Path,
    there: Cover,
    are_due: bool,
) -> Result<Covered, Option<Disagreement>> {
    let disagree = |place: &str, mismatch| {
        let place = place.to_owned();
        Some(Disagreement { place, mismatch })
    };
    let covered = match Covered::read(folder) {
        Ok(Some(covered)) => covered,
        Ok(None) if are_due => return Err(disagree("report.json", Mismatch::NoReports)),
        Ok(None) => return Err(None),
        Err(error) => {
            return Err(disagree(
                "report.json",
                Mismatch::Reports(error.to_string()),
            ));
        }
    };
    let lines = covered.lines;
    let pairs = [
        ("results.jsonl", lines.results, there.results),
        ("sessions.jsonl", lines.sessions, there.sessions),
        ("logs/programs.jsonl", lines.programs, there.programs),
    ];
    for (file, over, lines) in pairs {
        if over > lines {
            let mismatch = Mismatch::MissingLines { file, over, lines };
            return Err(disagree("report.json", mismatch));
        }
    }
    if covered.runner == Covered::own_version() {
        Ok(covered)
    } else {
        let runner = covered.runner.clone();
        Err(disagree("report.json", Mismatch::OtherRunner { runner }))
    }
}

/// Renders the reports again and compares them with the files.
pub(super) fn compare(folder: &Path, covered: &Covered) -> Vec<Disagreement> {
    let mut found = Vec::new();
    let mut rendered_places = HashSet::new();
    let mut compare = |place: &Path, text: &str| {
        rendered_places.insert(place.to_owned());
        let mismatch = match fs::read(folder.join(place)) {
            Ok(bytes) if bytes == text.as_bytes() => return Ok(()),
            Ok(_) => Mismatch::Report,
            Err(error) => Mismatch::Reports(format!("it cannot be read: {error}")),
        };
        let place = place.display().to_string();
        found.push(Disagreement { place, mismatch });
        Ok(())
    };
    match render(folder, covered, &mut compare) {
        Ok(()) => found.extend(strays(folder, &rendered_places)),
        Err(error) => found.push(unrendered(&*error)),
    }
    found
}

/// Renders the reports, and hands each to `take` with its place.
fn render(
    folder: &Path,
    covered: &Covered,
    take: &mut dyn FnMut(&Path, &str) -> Result<(), ReportError>,
) -> Result<(), Box<dyn Error>> {
    let mut past = PastRun::read(folder, covered.lines)?;
    past.luck = luck_figures(folder, &past.schedule, &past.results, covered.luck)?;
    take(Path::new(TABLES), &past.document().markdown())?;
    Ok(render_page(folder, &past, covered, PAGE, take)?)
}

/// Finds the files among the pages of matches that belong to no report.
fn strays(folder: &Path, rendered: &HashSet<PathBuf>) -> Vec<Disagreement> {
    // Without pages there is no folder; one that cannot be read has been found by its pages.
    let entries = fs::read_dir(folder.join(PAGES_FOLDER))
        .into_iter()
        .flatten();
    let places = entries
        .flatten()
        .map(|entry| Path::new(PAGES_FOLDER).join(entry.file_name()));
    let mut strays: Vec<PathBuf> = places.filter(|place| !rendered.contains(place)).collect();
    strays.sort_unstable();
    let strays = strays.into_iter().map(|place| Disagreement {
        place: place.display().to_string(),
        mismatch: Mismatch::StrayPage,
    });
    strays.collect()
}

fn unrendered(error: &dyn Error) -> Disagreement {
    Disagreement {
        place: PAGE.to_owned(),
        mismatch: Mismatch::Reports(format!("it cannot be rendered again: {error}")),
    }
}
