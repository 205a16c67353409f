use std::fs;
use std::path::Path;
use std::time::Instant;

use dragontooth_runner::record::{Journal, RunFolder};

use super::run::{Bots, Event, Place, count, median, runner};
use super::scale::Scale;

/// How often it is measured.
const TIMES: usize = 5;

/// The time to go on with a journal of 100,000 matches.
#[expect(clippy::print_stdout, reason = "it is what the bench prints")]
pub(crate) fn print(scale: Scale) {
    let event = Event {
        players: 2,
        game: "kamisado",
        target: 1,
        cycles: scale.count(50_000),
        time_control: "\"none\"",
        place: Place::Direct,
        bots: Bots::Builtin("\"random\""),
        concurrency: 2,
    };
    let run = event.run();
    let folder = run.folder.path().join("run");
    let event = RunFolder::look(&folder).expect("it is the folder of a run");
    let event = event.event().expect("the event is one");
    let bytes = |name: &str| {
        let there = fs::metadata(folder.join(name)).map_or(0, |file| file.len());
        count(there) / 1e6
    };
    println!(
        "  a journal of {} matches: results.jsonl {:.0} MB, games.jsonl {:.0} MB; played in {:.1} s",
        run.matches,
        bytes("results.jsonl"),
        bytes("games.jsonl"),
        run.wall.as_secs_f64()
    );
    let open = || {
        let started = Instant::now();
        let results = RunFolder::results_in(&folder);
        let opened = Journal::open(&results, &RunFolder::games_in(&folder), &event, 0);
        let (_, recovered) = opened.expect("the journal is sound");
        assert_eq!(recovered.results.played(), run.matches);
        started.elapsed().as_secs_f64()
    };
    let opened = median((0..TIMES).map(|_| open()).collect());
    println!("  reading it                   {opened:>8.2} s");
    let go_on = || {
        cut_last_line(&folder.join("results.jsonl"));
        // A runner that is killed does not note that it has played.
        let _ = fs::remove_file(folder.join("sessions.jsonl"));
        let started = Instant::now();
        let status = runner(&run.folder.path().join("event.toml"), &folder, 2);
        assert!(status.success(), "the run ended with {status}");
        started.elapsed().as_secs_f64()
    };
    let gone_on = median((0..TIMES).map(|_| go_on()).collect());
    println!("  a whole run of the last match{gone_on:>8.2} s, with tables and report");
}

/// Takes the last result away, as if the runner had been killed before it was written.
fn cut_last_line(file: &Path) {
    let text = fs::read_to_string(file).expect("there are results");
    let start = text.trim_end().rfind('\n').map_or(0, |at| at + 1);
    fs::write(file, &text[..start]).expect("the file can be written");
}
