use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::command_line::runner;

/// Time after which a page that says nothing has failed.
const PATIENCE: Duration = Duration::from_mins(1);

/// A runner with a page.
pub(super) struct Runner {
    pub(super) child: Child,
    pub(super) address: SocketAddr,
    /// Its other lines, which must be read.
    _lines: BufReader<std::process::ChildStderr>,
}

impl Runner {
    /// Runs `cup.toml` in a folder with a page at an address.
    pub(super) fn start(place: &Path, address: &str, more: &[&str]) -> Self {
        let mut child = runner(place, &["run", "cup.toml", "--web", address])
            .args(more)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        let address = line
            .trim()
            .strip_prefix("the event is shown at http://")
            .unwrap_or_else(|| panic!("{line}"));
        Self {
            address: address.parse().unwrap(),
            child,
            _lines: lines,
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Requests a path. The body of the response follows its head, without chunks.
pub(super) fn request(address: SocketAddr, path: &str, headers: &str) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = format!("GET {path} HTTP/1.0\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    BufReader::new(stream)
}

/// The status line, the headers and the body of a response.
pub(crate) fn get(address: SocketAddr, path: &str) -> (String, String) {
    let mut text = String::new();
    request(address, path, "")
        .read_to_string(&mut text)
        .unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

/// A page that is kept as its script keeps it.
pub(super) struct Page {
    lines: BufReader<TcpStream>,
    /// Everything that was received.
    pub(super) received: String,
    pub(super) parts: BTreeMap<String, String>,
    pub(super) id: String,
    pub(super) phase: String,
}

impl Page {
    /// Opens the stream of events for a page with this id.
    pub(super) fn open(address: SocketAddr, id: &str) -> Self {
        let headers = format!("Last-Event-ID: {id}\r\n");
        let mut lines = request(address, "/events", &headers);
        let mut received = String::new();
        while !received.ends_with("\r\n\r\n") {
            assert_ne!(lines.read_line(&mut received).unwrap(), 0, "{received}");
        }
        assert!(received.starts_with("HTTP/1.0 200"), "{received}");
        Self {
            lines,
            received,
            parts: BTreeMap::new(),
            id: id.to_owned(),
            phase: String::new(),
        }
    }

    /// Takes the next state, and returns the names of the parts that came with it; `None` when the stream ends.
    pub(super) fn next(&mut self) -> Option<Vec<String>> {
        let mut changed = Vec::new();
        let mut event: BTreeMap<String, String> = BTreeMap::new();
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).ok()? == 0 {
                return None;
            }
            self.received.push_str(&line);
            let line = line.trim_end_matches('\n');
            if let Some((field, value)) = line.split_once(':') {
                let value = value.strip_prefix(' ').unwrap_or(value);
                let field = event.entry(field.to_owned()).or_default();
                if !field.is_empty() {
                    field.push('\n');
                }
                field.push_str(value);
                continue;
            }
            assert_eq!(line, "");
            let of = |name: &str| event.get(name).map_or("", String::as_str);
            match of("event") {
                "part" => {
                    let (name, inside) = of("data").split_once('\n').unwrap();
                    self.parts.insert(name.to_owned(), inside.to_owned());
                    changed.push(name.to_owned());
                }
                "state" => {
                    of("id").clone_into(&mut self.id);
                    of("data").clone_into(&mut self.phase);
                    return Some(changed);
                }
                "" | "beat" | "time" => {}
                other => panic!("{other}"),
            }
            event.clear();
        }
    }

    /// The places in the schedule of the matches in a part.
    pub(super) fn titles(&self, part: &str) -> Vec<String> {
        let inside = self.parts.get(part).map_or("", String::as_str);
        let words = inside.split(['<', '>', ' ']);
        let titles = words.filter(|word| word.ends_with("/m1") || word.ends_with("/m2"));
        // A title is the name of the event and the place.
        titles
            .map(|title| {
                let words: Vec<&str> = title.split('/').collect();
                words[words.len() - 4..].join("/")
            })
            .collect()
    }
}

/// Writes an event of built-in bots into a folder.
pub(super) fn write_event(place: &Path, event: &str, bots: &[(&str, &str)]) {
    let bot = |(name, kind): &(&str, &str)| format!("[[bot]]\nname = '{name}'\n{kind}\n");
    let bots: String = bots.iter().map(bot).collect();
    let text = format!("[event]\nname = 'cup'\n{event}\n{bots}");
    fs::write(place.join("cup.toml"), text).unwrap();
}
