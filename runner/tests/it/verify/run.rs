use std::fs;
use std::future::pending;
use std::path::{Path, PathBuf};

use dragontooth_runner::config::RunConfig;
use dragontooth_runner::drive::{self, RunLimits};
use dragontooth_runner::record::{Cover, RunFolder, Seal, SessionStopwatch};
use dragontooth_runner::reports::{Covered, PastRun, ReportsLock, luck_figures, publish};
use dragontooth_runner::verify::{BookCheck, Verification, verify};
use dragontooth_runner_tournament::Event;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::fixture::silent;
use crate::recorded::json_lines;

/// A finished run, to be changed.
pub(super) struct Run {
    pub(super) folder: TempDir,
    pub(super) event: Event,
}

impl Run {
    pub(super) async fn new(event: &str, bots: [&str; 2]) -> Self {
        Self::on("direct", event, bots).await
    }

    /// A run of four matches on the embedded service.
    pub(super) async fn served() -> Self {
        let event = "game = 'kamisado'\ntarget = 1\ncycles = 2\nconcurrency = 1";
        Self::served_event(event, ["random", "greedy"]).await
    }

    /// A run on the embedded service.
    pub(super) async fn served_event(event: &str, bots: [&str; 2]) -> Self {
        Self::on("embedded", event, bots).await
    }

    pub(super) async fn on(service: &str, event: &str, bots: [&str; 2]) -> Self {
        let [a, b] = bots;
        let text = format!(
            "[event]\nname = 'cup'\n{event}\n[service]\n{service} = true\n\
             [[bot]]\nname = 'a'\nbuiltin = '{a}'\n[[bot]]\nname = 'b'\nbuiltin = '{b}'\n"
        );
        let config = RunConfig::parse(&text, Path::new(""), None).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let run = drive::run(&config, folder.path(), RunLimits::USUAL, silent, pending());
        let outcome = run.await.unwrap();
        let run = Self {
            folder,
            event: outcome.schedule.event().clone(),
        };
        let session = SessionStopwatch::start().stop(0, 0);
        session
            .append_to(&run.path().join("sessions.jsonl"))
            .unwrap();
        run.seal();
        run.report(Cover::ALL);
        run
    }

    /// A copy of it.
    pub(super) fn copy(&self) -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy_folder(self.path(), folder.path());
        Self {
            folder,
            event: self.event.clone(),
        }
    }

    /// Seals the folder as it is.
    pub(super) fn seal(&self) -> Seal {
        Seal::write(self.path()).unwrap()
    }

    /// Writes the reports of the first lines.
    pub(super) fn report(&self, lines: Cover) {
        let lines = Seal::of(self.path(), lines).unwrap().cover();
        let mut past = PastRun::read(self.path(), lines).unwrap();
        past.luck = luck_figures(self.path(), &past.schedule, &past.results, false).unwrap();
        let lock = ReportsLock::to_write(self.path()).unwrap();
        publish(&lock, &past, &Covered::new(lines, 3)).unwrap();
    }

    /// Removes what a run leaves that was not killed.
    pub(super) fn forget_end(&self) {
        for file in ["sessions.jsonl", "report.json", "report.md", "report.html"] {
            fs::remove_file(self.path().join(file)).unwrap();
        }
    }

    /// Makes all hashes again, as a forger does who knows everything but the event digest.
    pub(super) fn reforge(&self) {
        let [results, games] =
            [self.results(), self.games()].map(|file| fs::read_to_string(file).unwrap_or_default());
        let transcripts: Vec<(Value, &str)> = games
            .lines()
            .filter_map(|line| Some((serde_json::from_str(line).ok()?, line)))
            .collect();
        let mut head = "0".repeat(64);
        let mut forged = String::new();
        for line in results.split_inclusive('\n') {
            let parsed = serde_json::from_str::<Value>(line).ok();
            let line = match parsed {
                Some(mut record) if record.is_object() && record.get("title").is_some() => {
                    let same = |(one, _): &&(Value, &str)| one["title"] == record["title"];
                    if let Some((_, line)) = transcripts.iter().find(same) {
                        record["transcript"] = json!(sha256(line));
                    }
                    record["previous"] = json!(head);
                    format!("{record}\n")
                }
                _ => line.to_owned(),
            };
            head = sha256(line.trim_end_matches('\n'));
            forged.push_str(&line);
        }
        if self.results().is_file() {
            fs::write(self.results(), forged).unwrap();
        }
        self.seal();
    }

    pub(super) async fn of_backgammon() -> Self {
        // The first seat opens the first match.
        let secret = "01".repeat(32);
        let event = format!(
            "draw_secret = '{secret}'\ngame = 'backgammon'\ntarget = 1\ncycles = 2\nconcurrency = 1"
        );
        Self::new(&event, ["random", "greedy"]).await
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
        // A manifest that was changed may be none.
        let manifest = RunFolder::look(self.path());
        let book = manifest.map_or_else(
            |_| BookCheck::default(),
            |manifest| BookCheck::new(self.path(), &manifest, &self.event, None).unwrap(),
        );
        verify(self.path(), &self.event, None, &book).unwrap()
    }

    /// The findings in the folder as it is.
    pub(super) fn told(&self) -> Vec<String> {
        let disagreements = self.verify().disagreements;
        disagreements.iter().map(ToString::to_string).collect()
    }

    /// The findings after all hashes were made again, so that they find nothing.
    pub(super) fn found(&self) -> Vec<String> {
        self.reforge();
        self.told()
    }

    /// The findings after `change` and after all hashes were made again, which is then undone.
    pub(super) fn changed(&self, change: impl FnOnce(&Self)) -> Vec<String> {
        let files = ["results.jsonl", "games.jsonl", "report.md", "seal.json"];
        let files = files.map(|file| self.path().join(file));
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
    json_lines(&fs::read_to_string(file).unwrap())
}

/// Writes lines with the title first, as the runner does.
pub(super) fn write(file: &Path, lines: &[Value]) {
    let lines = lines.iter().map(|line| format!("{line}\n"));
    fs::write(file, lines.collect::<String>()).unwrap();
}

/// The digest of a record, computed as the documentation says.
pub(super) fn digest(record: &str) -> String {
    let start = record.find("\nGame 1: ").map_or(record.len(), |at| at + 1);
    let lines = record[start..].split_inclusive('\n');
    let moves: String = lines.filter(|line| !line.starts_with('[')).collect();
    sha256(&moves)
}

fn copy_folder(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let place = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir(&place).unwrap();
            copy_folder(&entry.path(), &place);
        } else {
            fs::copy(entry.path(), place).unwrap();
        }
    }
}

fn sha256(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let digits = digest.iter().map(|byte| format!("{byte:02x}"));
    digits.collect::<Vec<_>>().concat()
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
