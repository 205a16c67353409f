use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::engine::SPEAK;
use super::processor_time::cpu_of_children;
use super::program::{CPU_MS, PLAY};

/// The names of the bots.
const NAMES: [&str; 5] = ["one", "two", "three", "four", "five"];

/// An event of bots of one kind.
#[derive(Clone, Copy)]
pub(crate) struct Event {
    pub(crate) players: usize,
    pub(crate) game: &'static str,
    pub(crate) target: u32,
    pub(crate) cycles: usize,
    pub(crate) time_control: &'static str,
    pub(crate) place: Place,
    pub(crate) bots: Bots,
    pub(crate) concurrency: usize,
    pub(crate) affinity: bool,
}

/// Where it is played.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Direct,
    Embedded,
}

/// What plays in both seats.
#[derive(Clone, Copy)]
pub(crate) enum Bots {
    Builtin(&'static str),
    Program { restart: bool },
    Engine { restart: bool },
}

/// What a whole run took.
pub(crate) struct Measured {
    pub(crate) wall: Duration,
    /// The processor time of the runner and all that it has started.
    pub(crate) cpu: Duration,
    /// The processor time of the programs of the bots.
    pub(crate) bots_cpu: Duration,
    pub(crate) matches: usize,
    pub(crate) plies: u64,
    pub(crate) faults: usize,
}

impl Event {
    /// Plays it from the start of the program to its tables.
    pub(crate) fn run(&self) -> Measured {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let file = folder.path().join("event.toml");
        fs::write(&file, self.text()).expect("the folder can be written");
        let (cpu, started) = (cpu_of_children(), Instant::now());
        let status = runner(&file, &folder.path().join("run"), self.concurrency);
        let wall = started.elapsed();
        let code = status.code().expect("the run was not killed");
        assert!(code < 2, "the run ended with {code}");
        let cpu = cpu_of_children().saturating_sub(cpu);
        let results =
            fs::read_to_string(folder.path().join("run/results.jsonl")).expect("there are results");
        let mut measured = Measured {
            wall,
            cpu,
            bots_cpu: bots_cpu(&folder.path().join("run/logs")),
            matches: 0,
            plies: 0,
            faults: 0,
        };
        for line in results.lines() {
            let line: Value = serde_json::from_str(line).expect("a result is JSON");
            measured.matches += 1;
            measured.plies += line["plies"].as_u64().unwrap_or_default();
            measured.faults += line["faults"].as_array().map_or(0, Vec::len);
        }
        measured
    }

    /// The file of the event.
    pub(crate) fn text(&self) -> String {
        let Self {
            game,
            target,
            cycles,
            time_control,
            affinity,
            ..
        } = self;
        let service = match self.place {
            Place::Direct => "direct = true",
            Place::Embedded => "embedded = true",
        };
        let bot = match self.bots {
            Bots::Builtin(bot) => format!("builtin = {bot}"),
            Bots::Program { restart } => this_program(PLAY, restart),
            Bots::Engine { restart } => {
                format!("{}\nprotocol = \"stdio\"", this_program(SPEAK, restart))
            }
        };
        let bots = NAMES[..self.players].iter();
        let bots: Vec<String> = bots
            .map(|name| format!("[[bot]]\nname = \"{name}\"\n{bot}\n"))
            .collect();
        format!(
            "[event]\nname = \"bench\"\ngame = \"{game}\"\ntarget = {target}\ncycles = {cycles}\n\
             time_control = {time_control}\naffinity = {affinity}\n[service]\n{service}\n{}",
            bots.concat()
        )
    }
}

impl Measured {
    /// Processor time a ply without that of the bots' programs, in microseconds.
    pub(crate) fn cpu_us_per_ply(&self) -> f64 {
        let own = self.cpu.saturating_sub(self.bots_cpu);
        own.as_secs_f64() * 1e6 / count(self.plies)
    }

    /// Processor time a ply with that of the bots' programs, in microseconds.
    pub(crate) fn all_cpu_us_per_ply(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / count(self.plies)
    }

    pub(crate) fn plies_per_second(&self) -> f64 {
        count(self.plies) / self.wall.as_secs_f64()
    }

    pub(crate) fn matches_per_second(&self) -> f64 {
        count(self.matches as u64) / self.wall.as_secs_f64()
    }
}

/// This program as a bot.
fn this_program(argument: &str, restart: bool) -> String {
    let this = env::current_exe().expect("the bench has a file");
    let this = this.display();
    format!("command = ['{this}', '{argument}']\nrestart = {restart}")
}

/// Starts the runner and waits for it.
fn runner(file: &Path, folder: &Path, concurrency: usize) -> std::process::ExitStatus {
    Command::new(env!("CARGO_BIN_EXE_dragontooth-runner"))
        .arg("run")
        .arg(file)
        .arg("--folder")
        .arg(folder)
        .arg("--concurrency")
        .arg(concurrency.to_string())
        .args(["--pages", "0"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("the program starts")
}

/// The middle one of some figures.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// A count as a number.
#[expect(
    clippy::cast_precision_loss,
    reason = "a bench has far fewer than 2^53 of anything"
)]
pub(crate) const fn count(count: u64) -> f64 {
    count as f64
}

/// The processor time that the programs of the bots tell of at their end.
fn bots_cpu(logs: &Path) -> Duration {
    let read = |bot: &str| fs::read_to_string(logs.join(bot)).unwrap_or_default();
    let text = ["one.log", "two.log"].map(read).concat();
    let told = text
        .lines()
        .filter_map(|line| line.strip_prefix(CPU_MS)?.parse::<u64>().ok());
    Duration::from_millis(told.sum())
}
