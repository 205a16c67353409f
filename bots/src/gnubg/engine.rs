use std::fmt;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use super::EngineError;

/// The most plies that GNU Backgammon may be told to look ahead.
pub const PLIES_MAX: u8 = 4;
/// The most bytes of an answer.
const ANSWER_BYTES_MAX: usize = 1024;
/// How long an answer may take where the decision has no limit.
const ANSWER_TIME_MAX: Duration = Duration::from_mins(10);
/// What the program says when it can be connected to.
const LISTENS: &str = "Waiting for a connection";

/// How GNU Backgammon is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// The program.
    pub program: PathBuf,
    /// The plies that it looks ahead, 0 to [`PLIES_MAX`], for plays and for the cube.
    pub plies: u8,
}

/// A running GNU Backgammon as external player: it listens on a port of 127.0.0.1, reads a board
/// line a question and answers with a line. It ends when this is dropped.
pub struct Engine {
    child: Child,
    stream: BufReader<TcpStream>,
}

impl Engine {
    /// Starts the program and connects to it.
    ///
    /// # Errors
    ///
    /// It cannot be started, ends at once or cannot be connected to.
    pub fn start(options: &EngineOptions) -> Result<Self, EngineError> {
        // The system gives a free port; nobody else is likely to take it at once.
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
            .local_addr()?
            .port();
        let child = Command::new(&options.program)
            .args(["-t", "-q", "-r"])
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|source| EngineError::Start {
                program: options.program.clone(),
                source,
            })?;
        let mut child = Killed(Some(child));
        child.tell(options.plies, port)?;
        child.wait_until_it_listens()?;
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_nodelay(true)?;
        let child = child.0.take().ok_or(EngineError::Closed)?;
        Ok(Self {
            child,
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

impl Drop for Engine {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("process", &self.child.id())
            .finish_non_exhaustive()
    }
}

/// A program that is ended if it cannot be used.
struct Killed(Option<Child>);

impl Killed {
    fn tell(&mut self, plies: u8, port: u16) -> Result<(), EngineError> {
        let commands = format!(
            "set evaluation chequerplay evaluation plies {plies}\n\
             set evaluation cubedecision evaluation plies {plies}\n\
             external localhost:{port}\n"
        );
        let stdin = self.0.as_mut().and_then(|child| child.stdin.as_mut());
        let stdin = stdin.ok_or(EngineError::Closed)?;
        match stdin.write_all(commands.as_bytes()) {
            // What it says before it ends tells more.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            told => Ok(told?),
        }
    }

    fn wait_until_it_listens(&mut self) -> Result<(), EngineError> {
        let stdout = self.0.as_mut().and_then(|child| child.stdout.take());
        let mut stdout = BufReader::new(stdout.ok_or(EngineError::Closed)?);
        let mut said = String::new();
        loop {
            let mut line = Vec::new();
            if stdout.read_until(b'\n', &mut line)? == 0 {
                return Err(EngineError::Ended { said });
            }
            let line = String::from_utf8_lossy(&line);
            if line.contains(LISTENS) {
                break;
            }
            if !line.trim().is_empty() {
                line.trim().clone_into(&mut said);
            }
        }
        // Nobody wants to know what else it says, but it must be able to say it.
        thread::spawn(move || io::copy(&mut stdout, &mut io::sink()));
        Ok(())
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            end(child);
        }
    }
}

fn end(child: &mut Child) {
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
}
