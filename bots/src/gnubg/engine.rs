use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use dragontooth_bots_engines::supervise::{Restarter, supervisor};

use super::EngineError;

/// The most plies that GNU Backgammon may be told to look ahead.
pub const PLIES_MAX: u8 = 4;
/// The most bytes of an answer.
const ANSWER_BYTES_MAX: usize = 1024;
/// How long an answer may take where the decision has no limit.
const ANSWER_TIME_MAX: Duration = Duration::from_mins(10);
/// How long the program may take until it can be connected to.
const START_LIMIT: Duration = Duration::from_mins(1);
/// How often it is started, if it ends before it can be connected to.
const STARTS_MAX: usize = 3;
/// What the program says when it can be connected to.
const LISTENS: &str = "Waiting for a connection";

/// How GNU Backgammon is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// The program that has the command `supervise`, and by it stands between: `dragontooth-gnubg`.
    pub supervisor: PathBuf,
    /// The program.
    pub program: PathBuf,
    /// The plies that it looks ahead, 0 to [`PLIES_MAX`], for plays and for the cube.
    pub plies: u8,
}

/// A running GNU Backgammon as external player: it listens on a port of 127.0.0.1, reads a board
/// line a question and answers with a line. It ends when this is dropped, and with this process however
/// that ends: by itself it would wait for the next connection.
#[derive(Debug)]
pub struct Engine {
    /// What keeps it, and kills it in the end.
    _restarter: Restarter,
    stream: BufReader<TcpStream>,
}

impl Engine {
    /// Starts the program and connects to it.
    ///
    /// # Errors
    ///
    /// It cannot be started, ends at once, does not listen or cannot be connected to.
    pub fn start(options: &EngineOptions) -> Result<Self, EngineError> {
        let mut started = Self::start_once(options);
        for _ in 1..STARTS_MAX {
            // It ends, too, if somebody has just taken its port.
            if !matches!(started, Err(EngineError::Ended { .. })) {
                break;
            }
            started = Self::start_once(options);
        }
        started
    }

    fn start_once(options: &EngineOptions) -> Result<Self, EngineError> {
        // The system gives a free port; nobody else is likely to take it at once.
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
            .local_addr()?
            .port();
        let not_started = |source| EngineError::Start {
            program: options.program.clone(),
            source,
        };
        let words = [options.program.as_os_str()].into_iter();
        let words: Vec<_> = words
            .chain(["-t", "-q", "-r"].map(OsStr::new))
            .map(OsStr::to_owned)
            .collect();
        let mut command = supervisor(&options.supervisor, Duration::ZERO, &words);
        command.env("LC_ALL", "C").stderr(Stdio::null());
        let mut restarter = Restarter::new(command).map_err(not_started)?;
        let pipes = restarter.start().map_err(not_started)?;
        tell(pipes.stdin, options.plies, port)?;
        match listen(pipes.stdout).recv_timeout(START_LIMIT) {
            Ok(Heard::Listens) => {}
            Ok(Heard::Ended { said }) => return Err(EngineError::Ended { said }),
            Err(_) => return Err(EngineError::Mute(START_LIMIT)),
        }
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_nodelay(true)?;
        Ok(Self {
            _restarter: restarter,
            stream: BufReader::new(stream),
        })
    }

    /// Sends a line and gives the line that answers it, without blanks at its ends.
    ///
    /// # Errors
    ///
    /// There is no answer within `time`, or none that ends.
    pub fn ask(&mut self, question: &str, time: Option<Duration>) -> Result<String, EngineError> {
        let time = time
            .unwrap_or(ANSWER_TIME_MAX)
            .max(Duration::from_millis(1));
        self.stream.get_ref().set_read_timeout(Some(time))?;
        let line = format!("{question}\n");
        self.stream.get_mut().write_all(line.as_bytes())?;
        let mut answer = Vec::new();
        let limit = u64::try_from(ANSWER_BYTES_MAX).unwrap_or(u64::MAX);
        (&mut self.stream)
            .take(limit)
            .read_until(b'\n', &mut answer)?;
        match answer.last() {
            Some(b'\n') => Ok(String::from_utf8_lossy(&answer).trim().to_owned()),
            Some(_) if answer.len() >= ANSWER_BYTES_MAX => {
                Err(EngineError::TooLong(ANSWER_BYTES_MAX))
            }
            _ => Err(EngineError::Closed),
        }
    }
}

/// What was heard of the program after its start.
enum Heard {
    /// It can be connected to.
    Listens,
    /// It has ended.
    Ended {
        /// The last line that it wrote.
        said: String,
    },
}

/// Tells the program what to do: when it cannot listen, to end.
fn tell(stdin: OwnedFd, plies: u8, port: u16) -> Result<(), EngineError> {
    let commands = format!(
        "set evaluation chequerplay evaluation plies {plies}\n\
         set evaluation cubedecision evaluation plies {plies}\n\
         external localhost:{port}\n\
         quit\n"
    );
    match File::from(stdin).write_all(commands.as_bytes()) {
        // What it says before it ends tells more.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        told => Ok(told?),
    }
}

/// Listens to what the program says until it can be connected to, or has ended. Nobody wants to know
/// what else it says, but it must be able to say it.
fn listen(stdout: OwnedFd) -> Receiver<Heard> {
    let (sender, heard) = channel();
    thread::spawn(move || {
        let mut stdout = BufReader::new(File::from(stdout));
        let mut said = String::new();
        let mut line = Vec::new();
        // One that cannot be read has ended.
        while stdout
            .read_until(b'\n', &mut line)
            .is_ok_and(|read| read > 0)
        {
            let text = String::from_utf8_lossy(&line);
            if text.contains(LISTENS) {
                let _ = sender.send(Heard::Listens);
                return io::copy(&mut stdout, &mut io::sink());
            }
            if !text.trim().is_empty() {
                text.trim().clone_into(&mut said);
            }
            line.clear();
        }
        let _ = sender.send(Heard::Ended { said });
        Ok(0)
    });
    heard
}
