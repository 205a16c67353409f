use std::path::{Path, PathBuf};

use dragontooth_runner_report::{AllMatchDetails, Overview, ProgramTotal, junit, programs_text};
use dragontooth_runner_tournament::{Results, Schedule};

use super::{Failure, cannot_run, usage};
use crate::record::{
    Manifest, ProgramEnd, RunFolder, Session, program_ends_in, program_totals, read_match_details,
    read_program_ends, read_results, write_whole,
};

/// A run as its folder tells it, over or under way.
pub(super) struct PastRun {
    pub(super) manifest: Manifest,
    pub(super) schedule: Schedule,
    pub(super) results: Results,
    pub(super) details: AllMatchDetails,
    pub(super) session: Option<Session>,
    folder: PathBuf,
}

impl PastRun {
    /// Reads the folder, which is neither locked nor changed.
    pub(super) fn read(folder: &Path) -> Result<Self, Failure> {
        let manifest = RunFolder::look(folder).map_err(usage)?;
        let event = manifest.event().map_err(cannot_run)?;
        let path = RunFolder::results_in(folder);
        let recovered = read_results(&path, &event).map_err(cannot_run)?;
        Ok(Self {
            manifest,
            schedule: recovered.schedule,
            results: recovered.results,
            details: read_match_details(&path).map_err(cannot_run)?,
            session: Session::sum_in(&RunFolder::sessions_in(folder)).map_err(cannot_run)?,
            folder: folder.to_owned(),
        })
    }

    /// The table of what the programs took; empty if there are none.
    pub(super) fn programs(&self) -> Result<String, Failure> {
        Ok(programs_text(&self.program_totals()?))
    }

    /// The resources used by the programs, by bot.
    pub(super) fn program_totals(&self) -> Result<Vec<ProgramTotal>, Failure> {
        Ok(program_totals(&self.program_ends()?))
    }

    fn program_ends(&self) -> Result<Vec<ProgramEnd>, Failure> {
        let file = program_ends_in(&RunFolder::logs_in(&self.folder));
        read_program_ends(&file).map_err(cannot_run)
    }

    /// All that follows from its results.
    pub(super) fn overview(&self) -> Overview<'_> {
        Overview::new(&self.schedule, &self.results)
    }

    /// Writes its faults as JUnit XML.
    pub(super) fn write_junit(&self, file: &Path) -> Result<(), Failure> {
        let xml = junit(&self.overview(), &self.details);
        write_whole(file, &xml).map_err(cannot_run)
    }
}
