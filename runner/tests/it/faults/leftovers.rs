use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use dragontooth_runner_programs::Isolation;
use rustix::process::{Pid, Signal, kill_process};

use super::place::{Place, left_of};
use super::{ABSENT, ABSENT_COSTS};

#[test]
fn children_are_not_left_behind() {
    let script = "trap '' TERM\n\
        sleep 1000 &\n\
        setsid sleep 1000 &\n\
        setsid sh -c \"trap '' TERM HUP; sleep 1000 & setsid sleep 1000 & exit 0\" &\n\
        setsid sh -c 'while :; do sleep 0.001 & done' &\n";
    for end in ["wait", "exit 0"] {
        let played = Place::new(&format!("{script}{end}"), "", ABSENT).run(ABSENT_COSTS);
        played.lost_by(&["stall", "crash"]);
    }
}

#[test]
fn killing_the_supervisor_only_loses() {
    for keys in ["", "namespace = false"] {
        let played = Place::new("kill -9 $PPID; sleep 1000", keys, ABSENT).run(ABSENT_COSTS);
        // In a namespace it cannot.
        played.lost_by(&["crash", "stall"]);
    }
}

/// Only the kernel is left to end them.
#[test]
fn nothing_outlives_a_killed_supervisor() {
    if !Isolation::of_this_system().namespace {
        assert!(std::env::var_os("CI").is_none(), "no PID namespaces");
        return;
    }
    let place = Place::new("", "", "join_ms = 600000");
    let reader = place.watched("setsid env -i sleep 1000 &");
    let mut runner = place.start();
    let mut line = String::new();
    let mut opened = reader.join().unwrap();
    opened.read_line(&mut line).unwrap();
    assert_eq!(line, "here\n");
    let own = runner.id().to_string();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let supervisor = processes.filter_map(|process| {
        let stat = fs::read_to_string(process.path().join("stat")).ok()?;
        let parent = stat.rsplit_once(") ")?.1.split(' ').nth(1)?;
        let pid = process.file_name().to_str()?.parse::<i32>().ok()?;
        (parent == own).then_some(pid)
    });
    let supervisor: Vec<i32> = supervisor.collect();
    let [supervisor] = supervisor[..] else {
        panic!("{supervisor:?}")
    };
    let kill = |pid: i32, signal| kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
    let runner_pid = i32::try_from(runner.id()).unwrap();
    kill(runner_pid, Signal::STOP);
    kill(supervisor, Signal::KILL);
    let closed = closes(opened);
    runner.kill().unwrap();
    runner.wait().unwrap();
    assert!(closed, "{:?}", left_of(&place.mark));
}

/// The runner gets no chance to clean up.
#[test]
fn no_program_outlives_a_killed_runner() {
    let place = Place::new("", "", "join_ms = 600000");
    let lines = "setsid sleep 1000 &\nsetsid sh -c 'sleep 1000 & exit 0'\nsleep 1000 &";
    let reader = place.watched(lines);
    let mut runner = place.start();
    let mut reader = reader.join().unwrap();
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    assert_eq!(line, "here\n");
    assert!(
        left_of(&place.mark).len() > 4,
        "the supervisor and four processes"
    );
    runner.kill().unwrap();
    runner.wait().unwrap();
    assert!(closes(reader), "{:?}", left_of(&place.mark));
}

/// Returns true if every process that has the other end open has ended.
fn closes(mut reader: BufReader<File>) -> bool {
    let (sender, closed) = channel();
    thread::spawn(move || {
        let mut rest = String::new();
        reader.read_to_string(&mut rest).unwrap();
        sender.send(()).unwrap();
    });
    closed.recv_timeout(Duration::from_secs(10)).is_ok()
}
