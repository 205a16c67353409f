//! Engines that speak the protocol of `docs/stdio.md`: real programs, most of them broken on purpose.

mod bridge;
mod example;
mod faults;
mod several;
mod thinking;
mod transcript;

pub(crate) use faults::left_of;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use dragontooth_bots::Choice;
use dragontooth_bots_engines::stdio::{
    AnswerDeadline, DecisionRequest, EngineFault, EngineMatch, Engines, GRACE, Launch, MatchInfo,
};
use dragontooth_games::Seat;

/// The beginning of a script that says hello and is ready; the test appends further cases.
pub(crate) const POLITE: &str = r#"#!/bin/sh
say() { printf '%s\n' "$1"; }
while read -r line; do case "$line" in
*'"type":"hello"'*) say '{"type":"hello","protocol":1,"name":"sh","games":["kamisado"],"legal":true}';;
*'"type":"isready"'*) say '{"type":"readyok"}';;
*'"type":"quit"'*) exit 0;;
*'"type":"position"'*) action=${line#*'"legal":["'}; action=${action%%'"'*};
  decision=${line#*'"decision":'}; decision=${decision%%,*};;
"#;

/// The case that plays the first legal action, after those of [`POLITE`].
pub(crate) const FIRST: &str = r#"*'"type":"go"'*)
  say '{"type":"bestaction","match":"m","decision":'"$decision"',"action":"'"$action"'"}';;
"#;

/// Writes a script with these cases.
pub(crate) fn script(folder: &tempfile::TempDir, cases: &str) -> PathBuf {
    let path = folder.path().join("engine");
    fs::write(&path, format!("{POLITE}{cases}esac; done\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// The lines for the engine's author.
pub(crate) type Notes = Arc<Mutex<Vec<String>>>;

pub(crate) fn launch(program: PathBuf) -> (Launch, Notes) {
    let notes = Notes::default();
    let kept = Arc::clone(&notes);
    let launch = Launch {
        command: Box::new(move || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_dragontooth-bot"));
            command.arg("supervise").arg("--grace-ms");
            command.arg(GRACE.as_millis().to_string()).arg("--");
            command.arg(&program);
            Ok(command)
        }),
        bridge: "test 1.0".to_owned(),
        options: [("level".to_owned(), "9".to_owned())].into(),
        seed: 7,
        start_limit: Duration::from_secs(10),
        processes_max: 2,
        restart: false,
        ends_max: None,
        note: Box::new(move |text| kept.lock().unwrap().push(text.to_owned())),
        info: Box::new(|_| {}),
        on_end: Box::new(|_, _| {}),
        idle: Mutex::default(),
    };
    (launch, notes)
}

/// Engines of a script.
pub(crate) fn engines(cases: &str) -> (Engines, Notes, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let (launch, notes) = launch(script(&folder, cases));
    (Engines::new(launch), notes, folder)
}

pub(crate) fn terms(id: &str) -> MatchInfo {
    MatchInfo {
        id: id.to_owned(),
        title: "a friendly".to_owned(),
        game: "kamisado".to_owned(),
        variant: "standard".to_owned(),
        target: 1,
        seat: Seat::First,
        time_controls: [None; 2],
    }
}

pub(crate) const START: &str = "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -";

/// A question about the start.
pub(crate) const fn asked(decision: u64) -> DecisionRequest<'static> {
    DecisionRequest {
        decision,
        game_number: 1,
        ply: 0,
        position: START,
        score: [0; 2],
        roll: None,
        history: None,
        seed: 1 << 20,
        time: None,
        left: None,
        clocks: None,
    }
}

/// Asks for a decision, and waits for `limit`.
pub(crate) fn ask(
    playing: &mut EngineMatch,
    decision: u64,
    limit: Duration,
) -> Result<Choice, EngineFault> {
    let patience = AnswerDeadline {
        until: Some(Instant::now() + limit),
        fault: &EngineFault::Late,
        is_over: &|| false,
    };
    playing.ask(&asked(decision), patience)
}

pub(crate) const LONG: Duration = Duration::from_secs(20);
