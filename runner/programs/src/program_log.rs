use std::fs::{self, File, OpenOptions};
use std::io::{self, PipeReader, PipeWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use dragontooth_runner_tournament::Name;

/// The most bytes of a program's output that are kept; the rest is read and thrown away.
pub const MAX_LOG_BYTES: u64 = 16 << 20;

/// The bytes that are read at once.
const CHUNK_BYTES: usize = 8 << 10;

/// The bytes of the end of a log that are read for its last lines.
const TAIL_BYTES: u64 = 4096;
/// The most lines of a tail, and the most characters of each.
const TAIL_LINES: usize = 5;
const TAIL_LINE_CHARS: usize = 200;
/// The longest wait for what was written to arrive in the file.
const TAIL_PATIENCE: Duration = Duration::from_secs(1);

/// The file that gets what the processes of a bot write, each through a pipe of its own.
#[derive(Clone, Debug)]
pub struct ProgramLog {
    path: PathBuf,
    copies: Arc<Copies>,
}

/// The pipes that are still being copied.
#[derive(Debug, Default)]
struct Copies {
    running: Mutex<usize>,
    ended: Condvar,
    /// Held while one of them adds to the file.
    adding: Mutex<()>,
}

impl ProgramLog {
    /// The log of a bot in the folder of the logs.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use dragontooth_runner_programs::ProgramLog;
    /// use dragontooth_runner_tournament::Name;
    ///
    /// let log = ProgramLog::of(Path::new("logs"), &Name::new("greedy")?);
    /// assert_eq!(log.path(), Path::new("logs/greedy.log"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of(folder: &Path, bot: &Name) -> Self {
        Self::at(folder.join(format!("{bot}.log")))
    }

    /// The log in a file, which need not exist.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self {
            path,
            copies: Arc::default(),
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of the file.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Opens a pipe into the end of the file, which is created with its folder if it does not exist.
    ///
    /// # Errors
    ///
    /// The file cannot be written, or the system gives no pipe or thread.
    pub fn pipe(&self) -> io::Result<PipeWriter> {
        fs::create_dir_all(self.folder())?;
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path)?;
        let (reader, writer) = io::pipe()?;
        let copies = Arc::clone(&self.copies);
        copies.add();
        let copying = thread::Builder::new()
            .name("bot-log".to_owned())
            .spawn(move || {
                copy(reader, file, &copies.adding);
                copies.remove();
            });
        if let Err(error) = copying {
            self.copies.remove();
            return Err(error);
        }
        Ok(writer)
    }

    /// Waits until all pipes but `open` have been copied, a second at most, and blocks the thread until then.
    pub fn settle(&self, open: usize) {
        self.copies.wait(open);
    }

    /// The last lines of the file as it is now.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn tail(&self) -> io::Result<Vec<String>> {
        let mut file = File::open(&self.path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        let last = lines.iter().skip(lines.len().saturating_sub(TAIL_LINES));
        Ok(last
            .map(|line| line.chars().take(TAIL_LINE_CHARS).collect())
            .collect())
    }
}

impl Copies {
    fn add(&self) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) += 1;
    }

    fn remove(&self) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.ended.notify_all();
    }

    /// Waits until at most `open` are running.
    fn wait(&self, open: usize) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        // A process that was left behind may hold its pipe open.
        let _ = self
            .ended
            .wait_timeout_while(running, TAIL_PATIENCE, |running| *running > open);
    }
}

/// Reads all that comes, so that no program waits to write, and adds it to the file while that has room.
fn copy(mut reader: PipeReader, mut file: File, adding: &Mutex<()>) {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match reader.read(&mut chunk) {
            Ok(0) => return,
            Ok(length) => {
                let _one = adding.lock().unwrap_or_else(PoisonError::into_inner);
                // A full disk ends the log, not the bot.
                let _ = add(&mut file, &chunk[..length]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Adds as much to the file as it has room for.
fn add(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    let room = MAX_LOG_BYTES.saturating_sub(file.metadata()?.len());
    let room = usize::try_from(room).unwrap_or(usize::MAX);
    file.write_all(&bytes[..room.min(bytes.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_has_all_that_was_written() {
        let place = tempfile::tempdir().unwrap();
        let log = ProgramLog::at(place.path().join("deep").join("bot.log"));
        let mut kept_open = log.pipe().unwrap();
        for number in 1..=3 {
            let mut pipe = log.pipe().unwrap();
            write!(pipe, "line {number}\n\nmore of {number}\n").unwrap();
            drop(pipe);
            log.settle(1);
            let tail = log.tail().unwrap();
            assert_eq!(tail.last(), Some(&format!("more of {number}")));
        }
        let tail = log.tail().unwrap();
        let expected = ["more of 1", "line 2", "more of 2", "line 3", "more of 3"];
        assert_eq!(tail, expected);
        writeln!(kept_open, "{}", "x".repeat(300)).unwrap();
        drop(kept_open);
        log.settle(0);
        assert_eq!(log.tail().unwrap()[4], "x".repeat(TAIL_LINE_CHARS));
    }

    #[test]
    fn all_pipes_together_have_one_limit() {
        let place = tempfile::tempdir().unwrap();
        let log = ProgramLog::at(place.path().join("bot.log"));
        let mut pipes = [(); 3].map(|()| log.pipe().unwrap());
        let chunk = vec![b'x'; 1 << 20];
        for _ in 0..MAX_LOG_BYTES >> 20 {
            for pipe in &mut pipes {
                pipe.write_all(&chunk).unwrap();
            }
        }
        drop(pipes);
        log.settle(0);
        assert_eq!(fs::metadata(log.path()).unwrap().len(), MAX_LOG_BYTES);
    }
}
