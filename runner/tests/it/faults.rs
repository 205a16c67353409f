//! Misbehaving programs and the cost of their faults: each is a real program under the real
//! runner, of which nothing is left afterwards.

use std::env;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use dragontooth_runner_programs::Isolation;
use dragontooth_service_client::{
    Answer, Client, MatchResignation, PlayEvent, PlayOptions, Reason, Token,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// Extra time for a match beyond the limits: the grace period and what a slow machine needs.
const MARGIN: Duration = Duration::from_secs(4);

/// Not a test: with a server in its environment, this is a bot that misbehaves.
#[tokio::test(flavor = "multi_thread")]
async fn misbehaving_bot_process() {
    let Ok(server) = env::var("DRAGONTOOTH_SERVER") else {
        return;
    };
    let how = env::args().next_back().unwrap();
    if how == "garbage" {
        let address = server.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).unwrap();
        let _ = stream.write_all(&vec![0xff; 100_000]);
        wait_for_ever();
    }
    let token = Token::new(env::var("DRAGONTOOTH_TOKEN").unwrap()).unwrap();
    let client = Client::connect(&server.parse().unwrap(), &token).await;
    let client = client.unwrap();
    let mut session = client.play(PlayOptions::default()).await.unwrap();
    while let Some(Ok(event)) = session.receiver.next().await {
        match event {
            PlayEvent::Invitation(invitation) => {
                let accept = session
                    .sender
                    .accept_invitation(invitation.view.id, "bad", None);
                accept.await.unwrap();
            }
            PlayEvent::Opened(opened) if how == "abort" => {
                let _ = client.abort_match(opened.view.id, None).await;
            }
            PlayEvent::Decision(decision) if NONSENSE.contains(&how.as_str()) => {
                let answer = Answer {
                    match_id: decision.match_id,
                    decision_id: decision.id,
                    action: "nonsense".to_owned(),
                    request_id: None,
                };
                session.sender.answer(answer).await.unwrap();
            }
            PlayEvent::Decision(decision) if how == "fails" => {
                let resignation = MatchResignation::by_failure(decision.match_id, "ValueError: 7");
                session.sender.resign(resignation).await.unwrap();
            }
            PlayEvent::Decision(_) if how == "crash" => std::process::exit(9),
            PlayEvent::Refused(refused)
                if matches!(
                    refused.error.reason(),
                    Some(Reason::IllegalAction | Reason::ActionUnreadable)
                ) =>
            {
                println!("refused");
                let (match_id, decision) = (refused.match_id.unwrap(), refused.decision_id);
                match how.as_str() {
                    "stubborn" => {
                        let answer = Answer {
                            match_id,
                            decision_id: decision.unwrap(),
                            action: "a1a1".to_owned(),
                            request_id: None,
                        };
                        session.sender.answer(answer).await.unwrap();
                    }
                    "quitter" => session
                        .sender
                        .resign(MatchResignation::by_choice(match_id))
                        .await
                        .unwrap(),
                    _ => {}
                }
            }
            // It never answers.
            PlayEvent::Ready { .. }
            | PlayEvent::Opened(_)
            | PlayEvent::Decision(_)
            | PlayEvent::Accepted(_)
            | PlayEvent::Refused(_)
            | PlayEvent::Closed(_)
            | PlayEvent::Heartbeat(_)
            | PlayEvent::Closing(_) => {}
        }
    }
}

/// The bots that answer nonsense: once, until they are stopped, or until they give up.
const NONSENSE: [&str; 3] = ["illegal", "stubborn", "quitter"];

fn wait_for_ever() -> ! {
    loop {
        thread::park();
    }
}

/// A folder with an event of a built-in bot and a program, the script `bad`.
struct Place {
    folder: tempfile::TempDir,
    /// A mark in the environment of all processes of the program and nowhere else.
    mark: String,
}

impl Place {
    /// `keys` are the keys of the program, `limits` those of `[limits]`.
    fn new(script: &str, keys: &str, limits: &str) -> Self {
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
    fn watched(&self, lines: &str) -> JoinHandle<BufReader<File>> {
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
    fn without_haste(self) -> Self {
        let path = self.path().join("cup.toml");
        let event = fs::read_to_string(&path).unwrap();
        let event = event.replace("per_action_ms = 400", "per_action_ms = 20000");
        fs::write(path, event).unwrap();
        self
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The records of each run of the program.
    fn ends(&self) -> Vec<Value> {
        let ends = fs::read_to_string(self.path().join("runs/cup/logs/programs.jsonl")).unwrap();
        let ends = ends.lines().map(|line| serde_json::from_str(line).unwrap());
        ends.collect()
    }

    fn start(&self) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dragontooth-runner"));
        command.args(["run", "cup.toml"]).current_dir(self.path());
        command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Runs the event. Asserts that nothing of the program is left, no match has cost
    /// more than `limit` and the margin, and the runner has taken no more memory than it needs.
    fn run(&self, limit: Duration) -> Played {
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
        let results = results.unwrap_or_default();
        let results: Vec<Value> = results
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
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
struct Played {
    code: i32,
    said: String,
    results: Vec<Value>,
}

impl Played {
    /// Asserts that the program lost both matches by faults of these kinds.
    fn lost_by(&self, kinds: &[&str]) {
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

/// This program as a bot that misbehaves, as a line of a script.
pub(crate) fn own(how: &str) -> String {
    let program = env::current_exe().unwrap();
    let test = "faults::misbehaving_bot_process";
    format!(
        "exec '{}' {test} --exact --nocapture -- {how}",
        program.display()
    )
}

/// This program as a bot that behaves, as a line of a script.
fn rightly() -> String {
    let program = env::current_exe().unwrap();
    let test = "programs::built_in_bot_process";
    format!(
        "exec '{}' {test} --exact --nocapture -- random:seed=3",
        program.display()
    )
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
fn left_of(mark: &str) -> Vec<String> {
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

/// A program that does not take its seat.
const ABSENT: &str = "join_ms = 500\nstart_failure = 'forfeit'";
const ABSENT_COSTS: Duration = Duration::from_millis(500);
/// A clock that runs out at the first decision.
const LATE_COSTS: Duration = Duration::from_millis(5400);
const PRESENT: &str = "join_ms = 5000";

#[test]
fn a_crash_costs_nothing() {
    for script in ["exit 3", "kill -SEGV $$", "exec /does/not/exist"] {
        let played = Place::new(script, "", ABSENT).run(Duration::ZERO);
        played.lost_by(&["crash"]);
    }
    let played = Place::new(&own("crash"), "", PRESENT).run(LATE_COSTS);
    played.lost_by(&["crash"]);
}

/// Its program keeps running.
#[test]
fn a_failure_reported_by_the_bot_is_a_crash() {
    let played = Place::new(&own("fails"), "", PRESENT).without_haste();
    let played = played.run(Duration::ZERO);
    played.lost_by(&["crash"]);
    for result in &played.results {
        assert_eq!(result["faults"][0]["detail"], "ValueError: 7", "{result}");
        assert_eq!(result["termination"], "resignation", "{result}");
    }
}

#[test]
fn a_hang_costs_the_limit() {
    let place = Place::new("sleep 1000 & wait", "", ABSENT);
    place.run(ABSENT_COSTS).lost_by(&["stall", "crash"]);
}

#[test]
fn endless_output_costs_the_limit() {
    let place = Place::new("yes", "", ABSENT);
    place.run(ABSENT_COSTS).lost_by(&["stall", "crash"]);
    let log = fs::metadata(place.path().join("runs/cup/logs/bad.log")).unwrap();
    assert!(log.len() <= dragontooth_runner_programs::MAX_LOG_BYTES);
}

#[test]
fn gigabytes_without_a_line_cost_the_limit_and_no_memory() {
    let place = Place::new("exec cat /dev/zero", "", ABSENT);
    place.run(ABSENT_COSTS).lost_by(&["stall", "crash"]);
}

#[test]
fn a_closed_stream_costs_the_limit() {
    let place = Place::new("exec >&- 2>&- <&-; sleep 1000", "", ABSENT);
    place.run(ABSENT_COSTS).lost_by(&["stall", "crash"]);
}

#[test]
fn garbage_costs_the_limit() {
    let place = Place::new(&own("garbage"), "", ABSENT);
    place.run(ABSENT_COSTS).lost_by(&["stall", "crash"]);
}

#[test]
fn an_illegal_action_costs_the_time() {
    let place = Place::new(&own("illegal"), "", PRESENT);
    place.run(LATE_COSTS).lost_by(&["time"]);
    let log = fs::read_to_string(place.path().join("runs/cup/logs/bad.log")).unwrap();
    assert!(log.contains("refused"), "{log}");
}

/// As many as the limit allows, at one decision.
#[test]
fn illegal_actions_lose_the_match() {
    let place = Place::new(&own("stubborn"), "time_control = 'none'", PRESENT);
    let played = place.run(LATE_COSTS);
    played.lost_by(&["illegal"]);
    for result in &played.results {
        assert_eq!(result["termination"], "illegal_action", "{result}");
        let detail = "too many illegal actions at one decision, the last \"a1a1\", which rule ";
        let told = result["faults"][0]["detail"].as_str().unwrap();
        assert!(told.starts_with(detail), "{told}");
    }
    let log = fs::read_to_string(place.path().join("runs/cup/logs/bad.log")).unwrap();
    let refused = log.lines().filter(|line| *line == "refused").count();
    // The run may be over before it has read the last one.
    assert!((5..=6).contains(&refused), "{log}");
    for arguments in [
        &["verify", "runs/cup"][..],
        &["table", "runs/cup", "--junit", "faults.xml"],
    ] {
        let mut runner = Command::new(env!("CARGO_BIN_EXE_dragontooth-runner"));
        let output = runner.args(arguments).current_dir(place.path()).output();
        let output = output.unwrap();
        let expected = i32::from(arguments[0] == "table");
        assert_eq!(output.status.code(), Some(expected), "{output:?}");
    }
    let faults = fs::read_to_string(place.path().join("faults.xml")).unwrap();
    assert!(faults.contains("illegal"), "{faults}");
}

#[test]
fn illegal_actions_are_free_without_a_limit() {
    let limits = format!("{PRESENT}\nillegal_actions = 0");
    let played = Place::new(&own("stubborn"), "", &limits).run(LATE_COSTS);
    played.lost_by(&["time"]);
}

#[test]
fn resigning_after_an_illegal_action_counts_as_illegal() {
    let played = Place::new(&own("quitter"), "time_control = 'none'", PRESENT).run(LATE_COSTS);
    played.lost_by(&["illegal"]);
    for result in &played.results {
        assert_eq!(result["termination"], "resignation", "{result}");
    }
}

/// The match is neither void nor replayed: a bot that has seen the first position cannot undo it.
#[test]
fn a_match_under_way_is_not_aborted() {
    let limits = format!("{PRESENT}\ndecision_ms = 2000");
    let played = Place::new(&own("abort"), "time_control = 'none'", &limits).run(LATE_COSTS);
    played.lost_by(&["stall"]);
    for result in &played.results {
        assert_eq!(result.get("replays"), None, "{result}");
    }
}

#[test]
fn a_late_answer_costs_the_time() {
    let played = Place::new(&own("late"), "", PRESENT).run(LATE_COSTS);
    played.lost_by(&["time"]);
}

#[test]
fn a_refusal_to_quit_costs_the_grace() {
    let script = "trap '' TERM INT HUP\nwhile :; do sleep 1; done";
    let played = Place::new(script, "", ABSENT).run(ABSENT_COSTS);
    let told = "waiting until the programs have ended, at most 2 s\n";
    assert!(played.said.contains(told), "{}", played.said);
    played.lost_by(&["stall", "crash"]);
}

#[test]
fn a_fault_costs_one_match_however_long_the_program_takes_to_end() {
    let script = format!(
        "if mkdir once; then trap '' TERM; while :; do sleep 1; done; fi\n{}",
        rightly()
    );
    let place = Place::new(&script, "", PRESENT).without_haste();
    let played = place.run(Duration::from_mins(1));
    let [first, second] = &played.results[..] else {
        panic!("{}", played.said);
    };
    assert_eq!(first["faults"][0]["kind"], "stall", "{first}");
    assert_eq!(second["faults"], Value::Array(vec![]), "{second}");
}

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
fn a_program_that_cannot_be_started_ends_the_run() {
    let place = Place::new("exit 0", "", ABSENT);
    // It is marked as a program but is not one.
    write_program(&place.path().join("bad"), "\u{7f}ELF");
    let played = place.run(Duration::ZERO);
    assert_eq!(played.code, 3);
    assert!(
        played.said.contains("the bot bad cannot be started"),
        "{}",
        played.said
    );
}

#[test]
fn a_slow_start_is_not_a_fault() {
    let script = format!("sleep 0.5\n{}", rightly());
    let place = Place::new(&script, "", "join_ms = 60000").without_haste();
    let played = place.run(Duration::from_mins(1));
    assert_eq!(
        (played.code, played.results.len()),
        (0, 2),
        "{}",
        played.said
    );
}

#[test]
fn excessive_memory_is_reported() {
    // It keeps all of a line that never ends.
    let script = "head -c 1000000000 /dev/zero | tail -n 1 | sleep 1000";
    let limits = format!("{PRESENT}\nstart_failure = 'forfeit'");
    let place = Place::new(script, "memory_mib = 64", &limits);
    let played = place.run(LATE_COSTS);
    played.lost_by(&["resources"]);
    let detail = played.results[0]["faults"][0]["detail"].as_str().unwrap();
    assert!(
        detail.contains("MiB of memory, over the limit of 64 MiB"),
        "{detail}"
    );
    for end in place.ends().iter().filter(|end| !end["exceeded"].is_null()) {
        assert!(end["peak_kib"].as_u64().unwrap() > 64 * 1024, "{end}");
    }
    let mut table = Command::new(env!("CARGO_BIN_EXE_dragontooth-runner"));
    let table = table.args(["table", "runs/cup"]).current_dir(place.path());
    let table = String::from_utf8(table.output().unwrap().stdout).unwrap();
    assert!(table.contains("\nPrograms\n"), "{table}");
}

#[test]
fn excessive_processor_time_is_reported() {
    let script = "(while :; do :; done) & while :; do :; done";
    let limits = "join_ms = 20000\nstart_failure = 'forfeit'";
    let place = Place::new(script, "cpu_s = 1", limits);
    place.run(Duration::from_secs(20)).lost_by(&["resources"]);
    let ends = place.ends();
    assert!(ends.len() > 1, "{ends:?}");
    for end in ends.iter().filter(|end| !end["exceeded"].is_null()) {
        let cpu_ms = end["cpu_ms"].as_u64().unwrap();
        assert!((1000..3000).contains(&cpu_ms), "{end}");
        assert_eq!(end["bot"], "bad");
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

/// Children that nobody waits for are counted, too.
#[test]
fn processor_time_of_short_lived_children_is_counted() {
    let script = "trap '' CHLD\n\
        while :; do sh -c 'i=0; while [ $i -lt 5000 ]; do i=$((i+1)); done'; done";
    let limits = "join_ms = 20000\nstart_failure = 'forfeit'";
    let place = Place::new(script, "cpu_s = 1", limits);
    place.run(Duration::from_secs(20)).lost_by(&["resources"]);
    let ends = place.ends();
    for end in ends.iter().filter(|end| !end["exceeded"].is_null()) {
        let cpu_ms = end["cpu_ms"].as_u64().unwrap();
        assert!((1000..4000).contains(&cpu_ms), "{end}");
    }
}

#[test]
fn too_many_processes_are_reported() {
    let script = "for i in 1 2 3 4 5 6 7 8; do sleep 1000 & done; wait";
    let limits = "join_ms = 20000\nstart_failure = 'forfeit'";
    let place = Place::new(script, "processes = 5", limits);
    let played = place.run(LATE_COSTS);
    played.lost_by(&["resources"]);
    let detail = played.results[0]["faults"][0]["detail"].as_str().unwrap();
    assert!(
        detail.contains("processes, over the limit of 5"),
        "{detail}"
    );
}

#[test]
fn a_full_folder_is_reported() {
    let script = "head -c 6000000 /dev/zero > a; head -c 6000000 /dev/zero > b; sleep 1000";
    let limits = "join_ms = 20000\nstart_failure = 'forfeit'";
    let place = Place::new(script, "cwd = 'own'\ndisk_mib = 8", limits);
    let played = place.run(LATE_COSTS);
    played.lost_by(&["resources"]);
    let detail = played.results[0]["faults"][0]["detail"].as_str().unwrap();
    let told = "its working folder has more than the limit of 8 MiB";
    assert!(detail.contains(told), "{detail}");
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
