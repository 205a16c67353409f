use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::command_line::runner;
use crate::recorded::json_lines;

/// Extra time for a match beyond the limits: the grace period and what a slow machine needs.
const MARGIN: Duration = Duration::from_secs(4);
/// A folder with an event of a built-in bot and a program, the script `bad`.
pub(super) struct Place {
    folder: tempfile::TempDir,
    /// A mark in the environment of all processes of the program and nowhere else.
    pub(super) mark: String,
}

impl Place {
    /// `keys` are the keys of the program, `limits` those of `[limits]`.
    pub(super) fn new(script: &str, keys: &str, limits: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mark = format!("dragontooth-test-{}", folder.path().display());
        write_program(
            &folder.path().join("bad"),
            &format!("#!/bin/sh\n{script}\n"),
        );
        let event = format!(
            "[event]\nname = 'cup'\ngame = 'kamisado'\ntarget = 1\nconcurrency = 1\n\
             time_control = {{ per_action_ms = 400 }}\n[limits]\n{limits}\n\
             [[bot]]\nname = 'good'\nbuiltin = 'random'\n\
             [[bot]]\nname = 'bad'\ncommand = ['./bad']\nenv = {{ MARK = '{mark}' }}\n{keys}\n"
        );
        fs::write(folder.path().join("cup.toml"), event).unwrap();
        fs::create_dir(folder.path().join("own")).unwrap();
        Self { folder, mark }
    }

    /// Has the program run these lines, say that it is here, and wait; all of its processes have a fifo open,
    /// whose other end the thread opens.
    pub(super) fn watched(&self, lines: &str) -> JoinHandle<BufReader<File>> {
        let fifo = self.path().join("fifo");
        let made = Command::new("mkfifo").arg(&fifo).status().unwrap();
        assert!(made.success());
        let script = format!(
            "#!/bin/sh\ntrap '' TERM\nexec 9>'{}'\n{lines}\necho here >&9\nwait\n",
            fifo.display()
        );
        write_program(&self.path().join("bad"), &script);
        thread::spawn(move || BufReader::new(File::open(fifo).unwrap()))
    }

    /// The same with enough time for a bot on a busy machine.
    pub(super) fn without_haste(self) -> Self {
        let path = self.path().join("cup.toml");
        let event = fs::read_to_string(&path).unwrap();
        let event = event.replace("per_action_ms = 400", "per_action_ms = 20000");
        fs::write(path, event).unwrap();
        self
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The records of each run of the program.
    pub(super) fn ends(&self) -> Vec<Value> {
        let ends = fs::read_to_string(self.path().join("runs/cup/logs/programs.jsonl")).unwrap();
        json_lines(&ends)
    }

    pub(super) fn start(&self) -> Child {
        runner(self.path(), &["run", "cup.toml"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Runs the event. Asserts that nothing of the program is left, no match has cost
    /// more than `limit` and the margin, and the runner has taken no more memory than it needs.
    pub(super) fn run(&self, limit: Duration) -> Played {
        let began = Instant::now();
        let mut runner = self.start();
        let status = format!("/proc/{}/status", runner.id());
        let mut said = String::new();
        let mut peak_kib = 0;
        for line in BufReader::new(runner.stderr.take().unwrap()).lines() {
            said.push_str(&line.unwrap());
            said.push('\n');
            peak_kib = peak_kib.max(peak_of(&status));
        }
        let code = runner.wait().unwrap().code();
        let took = began.elapsed();
        assert_eq!(left_of(&self.mark), [""; 0], "{said}");
        let results = fs::read_to_string(self.path().join("runs/cup/results.jsonl"));
        let results = json_lines(&results.unwrap_or_default());
        for result in &results {
            let cost = Duration::from_millis(result["duration_ms"].as_u64().unwrap());
            assert!(cost < limit + MARGIN, "{result}");
        }
        assert!(took < 2 * (limit + MARGIN) + MARGIN, "{took:?}");
        assert!(peak_kib < 200 * 1024, "{peak_kib} KiB");
        Played {
            code: code.unwrap(),
            said,
            results,
        }
    }
}

/// The outcome of a run.
pub(super) struct Played {
    pub(super) code: i32,
    pub(super) said: String,
    pub(super) results: Vec<Value>,
}

impl Played {
    /// Asserts that the program lost both matches by faults of these kinds.
    pub(super) fn lost_by(&self, kinds: &[&str]) {
        assert_eq!(self.results.len(), 2, "{}", self.said);
        for result in &self.results {
            let fault = &result["faults"][0];
            let kind = fault["kind"].as_str().unwrap_or_default();
            assert!(kinds.contains(&kind), "{result}");
            assert_eq!(fault["bot"], "bad", "{result}");
            let winner = result["winner"].as_str().unwrap();
            assert_eq!(result["bots"][winner], "good", "{result}");
        }
        assert_eq!(self.code, 1, "{}", self.said);
    }
}
pub(crate) fn write_program(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn peak_of(status: &str) -> u64 {
    let text = fs::read_to_string(status).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or(0, |line| {
        line.trim_end_matches("kB").trim().parse().unwrap()
    })
}

/// The processes that have the mark in their environment, by their command lines.
pub(super) fn left_of(mark: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let marked = processes.filter(|process| {
        let environment = fs::read(process.path().join("environ")).unwrap_or_default();
        environment
            .windows(mark.len())
            .any(|part| part == mark.as_bytes())
    });
    marked
        .map(|process| {
            let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
            format!(
                "{} {}",
                process.file_name().display(),
                String::from_utf8_lossy(&line)
            )
        })
        .collect()
}
