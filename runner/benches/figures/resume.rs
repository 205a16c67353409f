use std::env;
use std::fs;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use super::figure::figure;
use super::run::{Bots, Event, Place, count, median};
use super::scale::Scale;

/// The number of measurements of each figure.
const TIMES: usize = 3;

/// The matches of a cycle of five bots: two of each pairing.
const IN_A_CYCLE: usize = 20;

/// The variable with which this program is the runner, and then prints the most memory that it had.
const AS_RUNNER: &str = "FIGURES_AS_RUNNER";

/// The text before the most memory in KiB.
const PEAK: &str = "peak_kib ";

/// True for the runner.
pub(crate) fn is_asked_for() -> bool {
    env::var_os(AS_RUNNER).is_some()
}

/// Runs the runner in this process.
#[expect(clippy::print_stderr, reason = "standard output is for tables")]
pub(crate) fn run_runner() -> ExitCode {
    let exit = dragontooth_runner::cli::main();
    let status = fs::read_to_string("/proc/self/status").expect("a system with /proc");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|line| line.split_whitespace().next());
    eprintln!("{PEAK}{}", peak.expect("a number of KiB"));
    exit.into()
}

/// The time and the memory to go on with runs of 10,000 to 1,000,000 matches, and the memory to play them.
#[expect(clippy::print_stdout, reason = "it is what the bench prints")]
pub(crate) fn print(scale: Scale) {
    println!(
        "  matches of Kamisado to 1, five built-in bots, direct; each run resumes with one cycle more"
    );
    println!("  goal: less than 300 MB for the largest event");
    for matches in [10_000, 100_000, 1_000_000] {
        // Each measurement needs another cycle.
        let cycles = scale
            .count(matches / IN_A_CYCLE)
            .saturating_sub(TIMES)
            .max(1);
        let event = |cycles| Event {
            players: 5,
            game: "kamisado",
            target: 1,
            cycles,
            time_control: "\"none\"",
            place: Place::Direct,
            bots: Bots::Builtin("\"random\""),
            concurrency: 2,
            affinity: false,
        };
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let run = |cycles| {
            let file = folder.path().join("event.toml");
            fs::write(&file, event(cycles).text()).expect("the folder can be written");
            let started = Instant::now();
            let output = Command::new(env::current_exe().expect("the bench has a file"))
                .env(AS_RUNNER, "1")
                .arg("run")
                .arg(&file)
                .arg("--folder")
                .arg(folder.path().join("run"))
                .args(["--concurrency", "2", "--pages", "0"])
                .stdout(Stdio::null())
                .output()
                .expect("the program starts");
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {told}", output.status);
            let peak = told.lines().find_map(|line| line.strip_prefix(PEAK));
            let peak: f64 = peak.and_then(|kib| kib.parse().ok()).expect("it prints it");
            (started.elapsed().as_secs_f64(), peak / 1024.0)
        };
        let (played, peak) = run(cycles);
        let bytes = |name: &str| {
            let file = fs::metadata(folder.path().join("run").join(name));
            count(file.map_or(0, |file| file.len())) / 1e6
        };
        println!(
            "  {matches:>9} matches            played in {played:>7.2} s with {peak:>4.0} MiB; results.jsonl \
             {:.0} MB, games.jsonl {:.0} MB",
            bytes("results.jsonl"),
            bytes("games.jsonl"),
        );
        let resumed: Vec<(f64, f64)> = (1..=TIMES).map(|more| run(cycles + more)).collect();
        let seconds = median(resumed.iter().map(|(seconds, _)| *seconds).collect());
        let resumed_peak = median(resumed.iter().map(|(_, peak)| *peak).collect());
        println!(
            "                               resumed in {seconds:>6.2} s with {resumed_peak:>4.0} MiB, tables and \
             report included"
        );
        figure(&format!("resume/{matches}"), seconds, "s");
        figure(
            &format!("resume/{matches}-memory"),
            peak.max(resumed_peak),
            "MiB",
        );
    }
}
