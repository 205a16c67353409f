use std::env;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;

/// Before the role of a program that is a neighbour.
pub(crate) const AS: &str = "as";

/// This program once more, in a role of its own: clients that stand for those on other machines. It runs in the
/// scheduling class that gets only the time that no other needs, and ends with its input.
pub(crate) struct Neighbour {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Neighbour {
    /// Starts it, and waits until it is ready.
    pub(crate) fn start(role: &str, arguments: &[String]) -> Self {
        let program = env::current_exe().expect("a system that knows the program");
        let mut child = Command::new("chrt")
            .args(["--idle", "0"])
            .arg(program)
            .args([AS, role])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("util-linux is installed");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        let neighbour = Self {
            child,
            input,
            lines,
        };
        assert_eq!(neighbour.line(), "ready");
        neighbour
    }

    /// Tells it to begin.
    pub(crate) fn begin(&mut self) {
        let input = self.input.as_mut().expect("it is open until the end");
        input.write_all(b"begin\n").expect("it reads");
    }

    /// Waits for what it says next.
    pub(crate) fn line(&self) -> String {
        self.lines.recv().expect("it goes on")
    }

    /// The next thing that it has said, if it has.
    pub(crate) fn said(&self) -> Option<String> {
        self.lines.try_recv().ok()
    }

    /// Ends it; returns its last words.
    pub(crate) fn stop(mut self) -> Option<String> {
        drop(self.input.take());
        self.lines.iter().last()
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// In a neighbour: says that it is ready, and waits until it is to begin.
pub(crate) fn ready() {
    println!("ready");
    let mut line = String::new();
    std::io::stdin()
        .read_line(&mut line)
        .expect("the program that started it writes");
}

/// In a neighbour: waits until it is to end.
pub(crate) fn wait_for_end() {
    // Nothing more is written before the end.
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
}
