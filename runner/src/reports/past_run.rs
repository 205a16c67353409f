use std::path::Path;

use dragontooth_runner_report::{
    AllMatchDetails, Document, LuckFigures, Overview, ProgramTotal, junit, programs_text,
};
use dragontooth_runner_tournament::{Results, Schedule};

use super::ReportError;
use crate::record::{
    Cover, FolderError, Manifest, RunFolder, RunSession, program_ends_in, program_totals,
    read_program_ends, read_with_details, write_whole,
};

/// A run, over or in progress, as far as the first lines of its files tell.
#[derive(Debug)]
pub struct PastRun {
    /// The definition of the event.
    pub manifest: Manifest,
    /// The schedule, as far as it follows from the results.
    pub schedule: Schedule,
    /// The results.
    pub results: Results,
    /// The details of the matches beside their results.
    pub details: AllMatchDetails,
    /// The results without the luck in the dice, for the tables.
    pub luck: LuckFigures,
    /// The resources used by the runner, if known.
    pub session: Option<RunSession>,
    /// The resources used by the programs, by bot.
    pub programs: Vec<ProgramTotal>,
}

impl PastRun {
    /// Reads the first lines of the files in a folder, which is neither locked nor changed. The luck is computed from
    /// other files: see [`luck_figures`](super::luck_figures).
    ///
    /// # Errors
    ///
    /// The folder is not a run directory, or a file cannot be read.
    pub fn read(folder: &Path, lines: Cover) -> Result<Self, ReportError> {
        let manifest = RunFolder::look(folder).map_err(|error| {
            if matches!(error, FolderError::NoRun { .. }) {
                ReportError::NoRun(error)
            } else {
                error.into()
            }
        })?;
        let event = manifest.event()?;
        let path = RunFolder::results_in(folder);
        let (recovered, details) = read_with_details(&path, &event, lines.results)?;
        let ends = program_ends_in(&RunFolder::logs_in(folder));
        let ends = read_program_ends(&ends, lines.programs).map_err(ReportError::Programs)?;
        Ok(Self {
            manifest,
            schedule: recovered.schedule,
            results: recovered.results,
            details,
            luck: LuckFigures::Unmentioned,
            session: RunSession::sum_of_first(&RunFolder::sessions_in(folder), lines.sessions)?,
            programs: program_totals(&ends),
        })
    }

    /// The table of the resources used by the programs; empty if there are none.
    #[must_use]
    pub fn programs_text(&self) -> String {
        programs_text(&self.programs)
    }

    /// Everything that follows from the results.
    #[must_use]
    pub fn overview(&self) -> Overview<'_> {
        Overview::new(&self.schedule, &self.results)
    }

    /// The tables.
    #[must_use]
    pub fn document(&self) -> Document {
        Document::new(&self.schedule, &self.results).with_luck(
            &self.schedule,
            &self.results,
            &self.luck,
        )
    }

    /// Writes the faults as JUnit XML.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write_junit(&self, file: &Path) -> Result<(), FolderError> {
        write_whole(file, &junit(&self.overview(), &self.details))
    }
}
