use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Appends lines to a file, which is created if it is missing, and returns the file. What was left of a line that could
/// not be written whole stays a line of its own.
pub(super) fn append_lines(path: &Path, lines: &str) -> io::Result<File> {
    let mut file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)?;
    let is_torn = !ends_with_newline(&mut file)?;
    let text = if is_torn {
        &format!("\n{lines}")
    } else {
        lines
    };
    file.write_all(text.as_bytes())?;
    Ok(file)
}

/// Returns true if the last byte is a newline, or if there is none.
fn ends_with_newline(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_torn_line_stays_alone() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("lines");
        append_lines(&path, "one\n").unwrap();
        append_lines(&path, "two\nthr").unwrap();
        append_lines(&path, "four\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\nthr\nfour\n");
    }
}
