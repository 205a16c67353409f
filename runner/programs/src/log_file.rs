use std::fs::{self, File, OpenOptions};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;

use dragontooth_runner_tournament::Name;

/// The most bytes of a program's output that are kept; what it writes beyond that is read and
/// thrown away.
pub const MAX_LOG_BYTES: u64 = 16 << 20;

/// The file in `folder` with what the program of a bot writes.
pub fn log_of(folder: &Path, bot: &Name) -> PathBuf {
    folder.join(format!("{bot}.log"))
}

/// Opens a pipe into the end of a file, which is made with its folder if it is not there.
pub fn pipe_to(path: &Path) -> io::Result<PipeWriter> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    let room = MAX_LOG_BYTES.saturating_sub(file.metadata()?.len());
    let (reader, writer) = io::pipe()?;
    thread::Builder::new()
        .name("bot-log".to_owned())
        .spawn(move || copy(reader, file, room))?;
    Ok(writer)
}

/// Reads all that comes, so that nobody has to wait with writing, and keeps the first `room` bytes.
fn copy(mut reader: PipeReader, mut file: File, room: u64) {
    let kept = io::copy(&mut (&mut reader).take(room), &mut file).and_then(|_| file.flush());
    // A full disk ends the log, not the bot.
    drop(kept);
    let _ = io::copy(&mut reader, &mut io::sink());
}
