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
use dragontooth_games::Seat;
use dragontooth_games::backgammon::Position;

use super::{FibsBoard, GnubgError};

/// Largest number of plies that GNU Backgammon looks ahead.
pub const PLIES_MAX: u8 = 4;
/// Largest answer in bytes.
const ANSWER_BYTES_MAX: usize = 1024;
/// Time for an answer if the decision has no limit.
const ANSWER_TIME_MAX: Duration = Duration::from_mins(10);
/// Time for the program to listen on its port.
const START_LIMIT: Duration = Duration::from_mins(1);
/// Number of attempts to start it if it ends before it listens.
const STARTS_MAX: usize = 3;
/// Text that the program prints once it listens.
const LISTENS: &str = "Waiting for a connection";

/// The settings with which GNU Backgammon is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GnubgOptions {
    /// The program with the command `supervise`: `dragontooth-gnubg`.
    pub supervisor: PathBuf,
    /// The program.
    pub program: PathBuf,
    /// Plies that it looks ahead, 0 to [`PLIES_MAX`], for plays and for the cube.
    pub plies: u8,
}

/// A running GNU Backgammon as external player: it listens on a port of 127.0.0.1, reads a board as a line
/// and answers with a line. It ends when this is dropped, or when this process ends for any reason: by itself
/// it would wait for the next connection.
#[derive(Debug)]
pub struct GnubgProcess {
    /// Kills it when dropped.
    _restarter: Restarter,
    stream: BufReader<TcpStream>,
    swaps_points: bool,
}

/// The Crawford game of a match to 7 points, which the side on roll leads by 6 to 0.
const LEAD: &str = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:6:0:1:7:10";

impl GnubgProcess {
    /// Starts the program and connects to it.
    ///
    /// # Errors
    ///
    /// It cannot be started, ends at once, does not listen, or refuses the connection.
    pub fn start(options: &GnubgOptions) -> Result<Self, GnubgError> {
        let mut started = Self::start_once(options);
        for _ in 1..STARTS_MAX {
            // It also ends if another process has just taken its port.
            if !matches!(started, Err(GnubgError::Ended { .. })) {
                break;
            }
            started = Self::start_once(options);
        }
        started
    }

    fn start_once(options: &GnubgOptions) -> Result<Self, GnubgError> {
        // The system returns a free port, which other processes rarely take at once.
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
            .local_addr()?
            .port();
        let not_started = |source| GnubgError::Start {
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
        send_commands(pipes.stdin, options.plies, port)?;
        match watch_start(pipes.stdout).recv_timeout(START_LIMIT) {
            Ok(StartOutcome::Listens) => {}
            Ok(StartOutcome::Ended { said }) => return Err(GnubgError::Ended { said }),
            Err(_) => return Err(GnubgError::Mute(START_LIMIT)),
        }
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_nodelay(true)?;
        let mut process = Self {
            _restarter: restarter,
            stream: BufReader::new(stream),
            swaps_points: false,
        };
        process.swaps_points = process.takes_lead_for_deficit()?;
        Ok(process)
    }

    /// Returns true if the program takes the points of one player for those of the other, as 1.07.001 does: its boards
    /// need them [swapped](FibsBoard::with_points_swapped).
    #[must_use]
    pub const fn swaps_points(&self) -> bool {
        self.swaps_points
    }

    /// Asks what a lead is worth. The last number of an evaluation is the chance to win the match.
    fn takes_lead_for_deficit(&mut self) -> Result<bool, GnubgError> {
        let lead: Position = LEAD.parse().expect("it is a position");
        let board = FibsBoard::new(&lead, Seat::First);
        let question = format!("evaluation fibsboard {board} PLIES 0 CUBE ON CUBEFUL");
        let answer = self.ask(&question, Some(START_LIMIT))?;
        let chance = answer.split_ascii_whitespace().nth(5);
        match chance.and_then(|chance| chance.parse::<f64>().ok()) {
            Some(chance) => Ok(chance < 0.5),
            None => Err(GnubgError::Answer { question, answer }),
        }
    }

    /// Sends a line and returns the line that answers it, trimmed.
    ///
    /// # Errors
    ///
    /// There is no complete answer within `time`.
    pub fn ask(&mut self, question: &str, time: Option<Duration>) -> Result<String, GnubgError> {
        let time = time
            .unwrap_or(ANSWER_TIME_MAX)
            .max(Duration::from_millis(1));
        self.stream.get_ref().set_read_timeout(Some(time))?;
        let line = format!("{question}\n");
        self.stream.get_mut().write_all(line.as_bytes())?;
        let mut answer = Vec::new();
        let limit = u64::try_from(ANSWER_BYTES_MAX).unwrap_or(u64::MAX);
        let read = (&mut self.stream)
            .take(limit)
            .read_until(b'\n', &mut answer);
        // A read that takes too long fails with either.
        let late = [ErrorKind::WouldBlock, ErrorKind::TimedOut];
        read.map_err(|error| {
            if late.contains(&error.kind()) {
                GnubgError::Late(time)
            } else {
                error.into()
            }
        })?;
        match answer.last() {
            Some(b'\n') => Ok(String::from_utf8_lossy(&answer).trim().to_owned()),
            Some(_) if answer.len() >= ANSWER_BYTES_MAX => {
                Err(GnubgError::TooLong(ANSWER_BYTES_MAX))
            }
            _ => Err(GnubgError::Closed),
        }
    }
}

/// Outcome of the program's start.
enum StartOutcome {
    /// It listens.
    Listens,
    /// It has ended.
    Ended {
        /// Its last line.
        said: String,
    },
}

/// Sends the program its commands. If it cannot listen, it ends.
fn send_commands(stdin: OwnedFd, plies: u8, port: u16) -> Result<(), GnubgError> {
    let commands = format!(
        "set evaluation chequerplay evaluation plies {plies}\n\
         set evaluation cubedecision evaluation plies {plies}\n\
         set beavers 0\n\
         external localhost:{port}\n\
         quit\n"
    );
    match File::from(stdin).write_all(commands.as_bytes()) {
        // Its output before the end explains more.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

/// Reads the program's output until it listens or has ended. The rest is discarded, but must be read so that
/// the program does not block.
fn watch_start(stdout: OwnedFd) -> Receiver<StartOutcome> {
    let (sender, outcome) = channel();
    thread::spawn(move || {
        let mut stdout = BufReader::new(File::from(stdout));
        let mut said = String::new();
        let mut line = Vec::new();
        // A read error counts as the end.
        while stdout
            .read_until(b'\n', &mut line)
            .is_ok_and(|read| read > 0)
        {
            let text = String::from_utf8_lossy(&line);
            if text.contains(LISTENS) {
                let _ = sender.send(StartOutcome::Listens);
                return io::copy(&mut stdout, &mut io::sink());
            }
            if !text.trim().is_empty() {
                text.trim().clone_into(&mut said);
            }
            line.clear();
        }
        let _ = sender.send(StartOutcome::Ended { said });
        Ok(0)
    });
    outcome
}
