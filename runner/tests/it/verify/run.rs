use std::fs;
use std::future::pending;
use std::path::{Path, PathBuf};

use dragontooth_runner::config::Config;
use dragontooth_runner::drive::{self, Limits};
use dragontooth_runner::verify::{Verification, verify};
use dragontooth_runner_report::Document;
use dragontooth_runner_tournament::Event;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::fixture::silent;

/// A finished run, to be changed.
pub(super) struct Run {
    pub(super) folder: TempDir,
    pub(super) event: Event,
}

impl Run {
    pub(super) async fn new(event: &str, bots: [&str; 2]) -> Self {
        let [a, b] = bots;
        let text = format!(
            "[event]\nname = 'cup'\n{event}\n[service]\ndirect = true\n\
             [[bot]]\nname = 'a'\nbuiltin = '{a}'\n[[bot]]\nname = 'b'\nbuiltin = '{b}'\n"
        );
        let config = Config::parse(&text, Path::new(""), None).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let run = drive::run(&config, folder.path(), Limits::USUAL, silent, pending());
        let outcome = run.await.unwrap();
        let tables = Document::new(&outcome.schedule, &outcome.results).markdown();
        outcome.folder.write_report(&tables).unwrap();
        Self {
            folder,
            event: outcome.schedule.event().clone(),
        }
    }

    pub(super) async fn of_backgammon() -> Self {
        let event = "game = 'backgammon'\ntarget = 1\ncycles = 2\nconcurrency = 1";
        Self::new(event, ["random", "greedy"]).await
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn results(&self) -> PathBuf {
        self.path().join("results.jsonl")
    }

    pub(super) fn games(&self) -> PathBuf {
        self.path().join("games.jsonl")
    }

    pub(super) fn verify(&self) -> Verification {
        verify(self.path(), &self.event).unwrap()
    }

    /// The findings.
    pub(super) fn found(&self) -> Vec<String> {
        let disagreements = self.verify().disagreements;
        disagreements.iter().map(ToString::to_string).collect()
    }

    /// The findings after `change`, which is then undone.
    pub(super) fn changed(&self, change: impl FnOnce(&Self)) -> Vec<String> {
        let files = [self.results(), self.games(), self.path().join("report.md")];
        let before = files.each_ref().map(|file| fs::read(file).unwrap());
        change(self);
        let found = self.found();
        for (file, bytes) in files.iter().zip(before) {
            fs::write(file, bytes).unwrap();
        }
        found
    }

    /// The findings when a line of a file, from 0, is changed.
    pub(super) fn changed_line(
        &self,
        file: &Path,
        line: usize,
        change: impl FnOnce(&mut Value),
    ) -> Vec<String> {
        self.changed(|_| {
            let mut lines = read(file);
            change(&mut lines[line]);
            write(file, &lines);
        })
    }

    /// The findings when the result of the first match, won by `second`, is changed.
    pub(super) fn changed_result(&self, change: impl FnOnce(&mut Value)) -> Vec<String> {
        self.changed_line(&self.results(), 0, change)
    }

    /// The findings when the text of the first record is changed together with its digest.
    pub(super) fn changed_record(&self, change: impl FnOnce(&str) -> String) -> Vec<String> {
        self.changed(|_| {
            let mut games = read(&self.games());
            let text = games[0]["record"].as_str().unwrap();
            let text_after = change(text);
            assert_ne!(text, text_after, "nothing was changed");
            let mut results = read(&self.results());
            results[0]["digest"] = json!(digest(&text_after));
            games[0]["record"] = json!(text_after);
            write(&self.games(), &games);
            write(&self.results(), &results);
        })
    }
}

pub(super) fn read(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Writes lines with the title first, as the runner does.
pub(super) fn write(file: &Path, lines: &[Value]) {
    let lines = lines.iter().map(|line| format!("{line}\n"));
    fs::write(file, lines.collect::<String>()).unwrap();
}

/// The digest of a record, computed as the documentation says.
pub(super) fn digest(record: &str) -> String {
    let start = record.find("\nGame 1: ").map_or(record.len(), |at| at + 1);
    let bytes = Sha256::digest(&record.as_bytes()[start..]);
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}

/// Asserts that there is one finding, which contains all of `parts`.
pub(super) fn assert_found(found: &[String], parts: &[&str]) {
    let [one] = found else {
        panic!("{parts:?}: {found:#?}")
    };
    for part in parts {
        assert!(one.contains(part), "{part}: {one}");
    }
}

/// The place of findings about the first match.
pub(super) const FIRST: &str = "cup/c1/r1/p1/m1: ";
