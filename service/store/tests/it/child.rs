//! A process that appends until it is killed.

use std::{
    env, fs,
    io::{self, BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Arc, mpsc},
    thread,
};

use dragontooth_service_store::{EventLog, SledLog, SledOptions, StreamId};
use dragontooth_service_vocabulary::Sequence;
use tokio::task::JoinSet;

use crate::workload::{self, Heads, STREAMS};

const FOLDER: &str = "STORE_TEST_CHILD_FOLDER";

/// Set if most appends are answered early.
const EARLY: &str = "STORE_TEST_CHILD_EARLY";

/// One append of so many is durable when it is answered, if most are answered early.
const DURABLE_OF: u64 = 8;

/// The body of the process; a run of all tests passes over it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn appending_process() {
    let Some(folder) = env::var_os(FOLDER) else {
        return;
    };
    let options = SledOptions {
        // Full after some tens of appends, so that records are being moved all the time.
        journal_bytes: 32 * 1024,
        ..SledOptions::default()
    };
    let log: Arc<dyn EventLog> = Arc::new(SledLog::open_with(folder, &options).unwrap());
    let is_early = env::var_os(EARLY).is_some();
    let mut tasks = JoinSet::new();
    for number in 0..STREAMS {
        let log = Arc::clone(&log);
        tasks.spawn(async move {
            let stream = workload::stream(number);
            let mut head = log.head(stream).await.unwrap();
            for append in 1_u64.. {
                let records = workload::append_at(stream, head);
                if is_early && !append.is_multiple_of(DURABLE_OF) {
                    head = log.append_early(stream, head, records).await.unwrap();
                    continue;
                }
                head = log.append(stream, head, records).await.unwrap();
                // Fails, and ends the process, when the test that reads it has ended.
                writeln!(io::stdout(), "acknowledged {number} {head}").unwrap();
            }
        });
    }
    tasks.join_all().await;
}

/// The running process; killed when dropped.
pub(crate) struct AppendingProcess {
    child: Child,
    acknowledged: mpsc::Receiver<(StreamId, Sequence)>,
}

impl AppendingProcess {
    /// Starts the process on the log in `folder`.
    pub(crate) fn start(folder: &Path) -> Self {
        Self::run(Command::new(env::current_exe().unwrap()).env(FOLDER, folder))
    }

    /// The same, with most appends answered early; the others are reported as acknowledged.
    pub(crate) fn start_early(folder: &Path) -> Self {
        let mut command = Command::new(env::current_exe().unwrap());
        Self::run(command.env(FOLDER, folder).env(EARLY, "1"))
    }

    fn run(command: &mut Command) -> Self {
        let mut child = command
            .args(["--exact", "child::appending_process", "--nocapture"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, acknowledged) = mpsc::channel();
        thread::spawn(move || {
            // A line that the kill has cut is skipped.
            for answer in output
                .lines()
                .map_while(Result::ok)
                .filter_map(|line| parse(&line))
            {
                if sender.send(answer).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            acknowledged,
        }
    }

    /// Waits for `count` acknowledgements and enters them into `heads`.
    pub(crate) fn await_acknowledged(&self, count: u64, heads: &mut Heads) {
        for _ in 0..count {
            let (stream, head) = self
                .acknowledged
                .recv()
                .expect("the process appends on and on");
            heads.insert(stream, head);
        }
    }

    /// Kills the process, which may be stopped, and enters all that it had acknowledged into `heads`.
    pub(crate) fn kill(mut self, heads: &mut Heads) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        heads.extend(self.acknowledged.iter());
    }

    /// Stops the process where it is; returns when each of its threads stands still.
    pub(crate) fn stop(&self) {
        let id = self.child.id();
        let stop = Command::new("sh")
            .args(["-c", &format!("kill -STOP {id}")])
            .status()
            .unwrap();
        assert!(stop.success());
        while !is_stopped(id) {
            thread::yield_now();
        }
    }
}

impl Drop for AppendingProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn parse(line: &str) -> Option<(StreamId, Sequence)> {
    // The first line follows the test harness's on the same line.
    let (_, answer) = line.split_once("acknowledged ")?;
    let (number, head) = answer.split_once(' ')?;
    Some((
        workload::stream(number.parse().ok()?),
        Sequence(head.parse().ok()?),
    ))
}

fn is_stopped(id: u32) -> bool {
    fs::read_dir(format!("/proc/{id}/task"))
        .unwrap()
        .all(|task| {
            let stat = fs::read_to_string(task.unwrap().path().join("stat")).unwrap_or_default();
            // The state follows the name, which is in parentheses; an empty file is a thread that ended.
            stat.rsplit_once(") ")
                .is_none_or(|(_, rest)| rest.starts_with('T'))
        })
}
