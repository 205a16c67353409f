use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// How much of the end of what a program wrote is read.
const LOG_TAIL_BYTES: u64 = 4096;
/// The most lines of it that are told, and the most characters of each.
const LOG_TAIL_LINES: usize = 5;
const LOG_LINE_CHARS: usize = 200;

/// The last lines of what a program wrote into its log.
pub(super) fn log_tail(path: &Path) -> io::Result<Vec<String>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LOG_TAIL_BYTES)))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let last = lines
        .iter()
        .skip(lines.len().saturating_sub(LOG_TAIL_LINES));
    Ok(last
        .map(|line| line.chars().take(LOG_LINE_CHARS).collect())
        .collect())
}
