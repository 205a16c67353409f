use std::collections::BTreeSet;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Requests a path from a side port. Returns the status and the body.
pub(crate) async fn ask_side(side: SocketAddr, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(side).await.unwrap();
    let request = format!("GET {path} HTTP/1.0\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}

/// The metrics of a service at one moment.
#[derive(Debug)]
pub(crate) struct Scrape(String);

impl Scrape {
    pub(crate) async fn of(side: SocketAddr) -> Self {
        let (status, text) = ask_side(side, "/metrics").await;
        assert_eq!(status, 200, "{text}");
        Self(text)
    }

    /// The value of a metric with exactly these labels. `None` if it has none.
    pub(crate) fn value(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let wanted: BTreeSet<String> = labels
            .iter()
            .map(|(label, value)| format!(r#"{label}="{value}""#))
            .collect();
        let mut found = self.0.lines().filter_map(|line| {
            let rest = line.strip_prefix(name)?;
            let (labels, value) = match rest.strip_prefix('{') {
                Some(rest) => rest.split_once("} ")?,
                None => ("", rest.strip_prefix(' ')?),
            };
            let labels = labels.split(',').filter(|label| !label.is_empty());
            let same = labels.map(str::to_owned).collect::<BTreeSet<_>>() == wanted;
            same.then(|| value.parse().unwrap())
        });
        let value = found.next();
        assert!(
            found.next().is_none(),
            "{name} {labels:?} twice: {}",
            self.0
        );
        value
    }

    /// The names and kinds of all metrics.
    pub(crate) fn kinds(&self) -> BTreeSet<(&str, &str)> {
        let types = self
            .0
            .lines()
            .filter_map(|line| line.strip_prefix("# TYPE "));
        types.map(|line| line.split_once(' ').unwrap()).collect()
    }

    /// The documented metrics.
    pub(crate) fn explained(&self) -> BTreeSet<&str> {
        let helps = self
            .0
            .lines()
            .filter_map(|line| line.strip_prefix("# HELP "));
        helps.map(|line| line.split_once(' ').unwrap().0).collect()
    }
}
