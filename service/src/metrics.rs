//! The metrics: each has its name here, and a function that the code calls.
//!
//! Without [`install`] no values are kept: a service within another program measures for the recorder of
//! that program, if it has one.

use std::sync::OnceLock;
use std::time::Duration;

use dragontooth_service_store::GroupCommit;
use metrics::{counter, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

/// A metric as it is described to Prometheus.
struct Metric {
    name: &'static str,
    kind: Kind,
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the names in the documentation follow from it")
    )]
    labels: &'static [&'static str],
    doc: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Counter,
    Gauge,
    Histogram,
}

const fn metric(
    kind: Kind,
    name: &'static str,
    labels: &'static [&'static str],
    doc: &'static str,
) -> Metric {
    Metric {
        name,
        kind,
        labels,
        doc,
    }
}

const RPC_DURATION: Metric = metric(
    Kind::Histogram,
    "dragontooth_rpc_duration_seconds",
    &["method", "code"],
    "Time from the headers of a request to the end of its response; for a stream, the time it was open.",
);
const APPEND_DURATION: Metric = metric(
    Kind::Histogram,
    "dragontooth_log_append_duration_seconds",
    &[],
    "Time from handing events of a match to the event log until they are durable.",
);
const FLUSH_DURATION: Metric = metric(
    Kind::Histogram,
    "dragontooth_log_flush_duration_seconds",
    &[],
    "Time to write and sync one batch of the event log.",
);
const BATCH_APPENDS: Metric = metric(
    Kind::Histogram,
    "dragontooth_log_batch_appends",
    &[],
    "Number of appends synced together.",
);
const OVERTAKEN_APPENDS: Metric = metric(
    Kind::Counter,
    "dragontooth_overtaken_appends_total",
    &[],
    "Appends refused because another service on the log was first; what they were for was decided again.",
);
const NEWS_DELAY: Metric = metric(
    Kind::Histogram,
    "dragontooth_news_delay_seconds",
    &[],
    "Time from an event of another service on the log until this service has it.",
);
const LOG_FAILED: Metric = metric(
    Kind::Gauge,
    "dragontooth_log_failed",
    &[],
    "1 once the event log has failed and accepts nothing more, 0 before.",
);
const CLOCK_ERROR: Metric = metric(
    Kind::Gauge,
    "dragontooth_clock_error_seconds",
    &[],
    "The least by which the service's time was ahead of the database's when they were last compared. Less than 0 if it was behind; 0 \
        without a database.",
);
const RECOVERY: Metric = metric(
    Kind::Gauge,
    "dragontooth_recovery_seconds",
    &[],
    "Time to read the event log at the start.",
);
const LIVE_MATCHES: Metric = metric(
    Kind::Gauge,
    "dragontooth_live_matches",
    &[],
    "Unfinished matches; with replicas, those that this one follows.",
);
const OPEN_STREAMS: Metric = metric(
    Kind::Gauge,
    "dragontooth_open_streams",
    &["kind"],
    "Streams that are open, of kind `play`, `watch`, `export`, `backup`, `health` or `reflection`.",
);
const ACTIONS: Metric = metric(
    Kind::Counter,
    "dragontooth_actions_total",
    &["game"],
    "Durable actions.",
);
const ILLEGAL_ACTIONS: Metric = metric(
    Kind::Counter,
    "dragontooth_illegal_actions_total",
    &["game"],
    "Answers refused by the rules of the game.",
);
const FORFEITS: Metric = metric(
    Kind::Counter,
    "dragontooth_forfeits_total",
    &["kind"],
    "Matches lost on time (`time`), by absence (`disconnect`) or by illegal actions (`illegal_action`).",
);
const SLOW_READER_CLOSES: Metric = metric(
    Kind::Counter,
    "dragontooth_slow_reader_closes_total",
    &[],
    "Play streams closed because their reader was too slow.",
);
const REFUSALS: Metric = metric(
    Kind::Counter,
    "dragontooth_refusals_total",
    &["reason"],
    "Refused requests, by reason.",
);

const PHASE: Metric = metric(
    Kind::Gauge,
    "dragontooth_phase",
    &["phase"],
    "1 for the current phase, `recovering`, `ready`, `log away`, `log failed` or `draining`; 0 for the others.",
);
const DISK_FREE: Metric = metric(
    Kind::Gauge,
    "dragontooth_disk_free_bytes",
    &[],
    "Space available to the service on the disk of its event log.",
);
const DISK_SIZE: Metric = metric(
    Kind::Gauge,
    "dragontooth_disk_size_bytes",
    &[],
    "Size of the disk of the event log.",
);
const BUILD_INFO: Metric = metric(
    Kind::Gauge,
    "dragontooth_build_info",
    &["version"],
    "Always 1, labelled with the version of the service.",
);
const RESIDENT_MEMORY: Metric = metric(
    Kind::Gauge,
    "process_resident_memory_bytes",
    &[],
    "Resident memory of the process.",
);
const OPEN_FILES: Metric = metric(
    Kind::Gauge,
    "process_open_fds",
    &[],
    "Open file descriptors of the process: its connections and a few more.",
);

const METRICS: &[Metric] = &[
    RPC_DURATION,
    APPEND_DURATION,
    FLUSH_DURATION,
    BATCH_APPENDS,
    OVERTAKEN_APPENDS,
    NEWS_DELAY,
    LOG_FAILED,
    CLOCK_ERROR,
    RECOVERY,
    LIVE_MATCHES,
    OPEN_STREAMS,
    ACTIONS,
    ILLEGAL_ACTIONS,
    FORFEITS,
    SLOW_READER_CLOSES,
    REFUSALS,
    PHASE,
    DISK_FREE,
    DISK_SIZE,
    BUILD_INFO,
    RESIDENT_MEMORY,
    OPEN_FILES,
];

/// Upper bounds of the classes of durations, in seconds.
const SECONDS: &[f64] = &[
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0,
];

/// Upper bounds of the classes of batches.
const BATCHES: &[f64] = &[
    1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0,
];

static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();

/// Keeps what is measured in this process from here on. The second time nothing happens.
pub(crate) fn install() {
    RECORDER.get_or_init(|| {
        let recorder = PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), SECONDS)
            .and_then(|builder| {
                let batches = Matcher::Full(BATCH_APPENDS.name.to_owned());
                builder.set_buckets_for_metric(batches, BATCHES)
            })
            .expect("the bounds are not empty")
            .build_recorder();
        let handle = recorder.handle();
        // A program that has another recorder keeps that one, and nothing is rendered here.
        let _ = metrics::set_global_recorder(recorder);
        handle
    });
    describe();
    // So that they are there before anything happens.
    gauge!(LOG_FAILED.name).set(0.0);
    gauge!(CLOCK_ERROR.name).set(0.0);
    gauge!(LIVE_MATCHES.name).set(0.0);
    gauge!(BUILD_INFO.name, "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    counter!(SLOW_READER_CLOSES.name).absolute(0);
    counter!(OVERTAKEN_APPENDS.name).absolute(0);
    let _ = histogram!(NEWS_DELAY.name);
    for kind in StreamKind::ALL {
        gauge!(OPEN_STREAMS.name, "kind" => kind.name()).set(0.0);
    }
    for kind in [Forfeit::Time, Forfeit::Disconnect, Forfeit::IllegalAction] {
        counter!(FORFEITS.name, "kind" => kind.name()).absolute(0);
    }
}

fn describe() {
    for Metric {
        name, kind, doc, ..
    } in METRICS
    {
        match kind {
            Kind::Counter => metrics::describe_counter!(*name, *doc),
            Kind::Gauge => metrics::describe_gauge!(*name, *doc),
            Kind::Histogram => metrics::describe_histogram!(*name, *doc),
        }
    }
}

/// All metrics in Prometheus' form; nothing without [`install`].
pub(crate) fn render() -> Option<String> {
    RECORDER.get().map(PrometheusHandle::render)
}

/// Puts the values that were measured into their classes.
pub(crate) fn gather() {
    if let Some(recorder) = RECORDER.get() {
        recorder.run_upkeep();
    }
}

/// A call has ended.
pub(crate) fn called(method: &'static str, code: &'static str, took: Duration) {
    histogram!(RPC_DURATION.name, "method" => method, "code" => code).record(took);
}

/// Events have become durable, or the log has refused them.
pub(crate) fn appended(took: Duration) {
    histogram!(APPEND_DURATION.name).record(took);
}

/// The event log has written a batch.
#[expect(
    clippy::cast_precision_loss,
    reason = "a batch has at most as many appends as the log's limit allows"
)]
pub(crate) fn wrote(written: GroupCommit) {
    histogram!(FLUSH_DURATION.name).record(written.took);
    histogram!(BATCH_APPENDS.name).record(written.appends as f64);
}

/// Another service on the log was first to append to a match.
pub(crate) fn overtaken() {
    counter!(OVERTAKEN_APPENDS.name).increment(1);
}

/// An event of another service on the log has come after this time.
pub(crate) fn heard(delay: Duration) {
    histogram!(NEWS_DELAY.name).record(delay);
}

/// The event log has failed.
pub(crate) fn log_failed() {
    gauge!(LOG_FAILED.name).set(1.0);
}

/// The service's clock was compared with that of the event log: it was ahead by this many microseconds.
#[expect(
    clippy::cast_precision_loss,
    reason = "no clock is ahead by 2^53 microseconds"
)]
pub(crate) fn clock_error(micros: i64) {
    gauge!(CLOCK_ERROR.name).set(micros as f64 / 1e6);
}

/// The event log was read.
pub(crate) fn recovered(took: Duration) {
    gauge!(RECOVERY.name).set(took.as_secs_f64());
}

/// Sets whether the service is in this phase.
pub(crate) fn in_phase(phase: &'static str, is_in: bool) {
    gauge!(PHASE.name, "phase" => phase).set(f64::from(u8::from(is_in)));
}

/// Sets the size of the event log's disk and the free part of it, in bytes.
#[expect(
    clippy::cast_precision_loss,
    reason = "the last bytes of a disk of 2^53 do not matter"
)]
pub(crate) fn disk(size_bytes: u64, free_bytes: u64) {
    gauge!(DISK_SIZE.name).set(size_bytes as f64);
    gauge!(DISK_FREE.name).set(free_bytes as f64);
}

/// Sets the memory of the process, in bytes.
#[expect(
    clippy::cast_precision_loss,
    reason = "no process has 2^53 bytes in use"
)]
pub(crate) fn resident_memory(bytes: u64) {
    gauge!(RESIDENT_MEMORY.name).set(bytes as f64);
}

/// Sets the number of open file descriptors.
#[expect(
    clippy::cast_precision_loss,
    reason = "a process has far fewer than 2^53 files open"
)]
pub(crate) fn open_files(count: usize) {
    gauge!(OPEN_FILES.name).set(count as f64);
}

/// Sets the number of live matches.
#[expect(
    clippy::cast_precision_loss,
    reason = "live matches are limited to far fewer than 2^53"
)]
pub(crate) fn live_matches(count: usize) {
    gauge!(LIVE_MATCHES.name).set(count as f64);
}

/// The kind of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamKind {
    Play,
    Watch,
    Export,
    Backup,
    Health,
    Reflection,
}

impl StreamKind {
    const ALL: [Self; 6] = [
        Self::Play,
        Self::Watch,
        Self::Export,
        Self::Backup,
        Self::Health,
        Self::Reflection,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Play => "play",
            Self::Watch => "watch",
            Self::Export => "export",
            Self::Backup => "backup",
            Self::Health => "health",
            Self::Reflection => "reflection",
        }
    }
}

/// A stream that counts as open until it is dropped.
#[derive(Debug)]
pub(crate) struct OpenStream(StreamKind);

impl OpenStream {
    pub(crate) fn new(kind: StreamKind) -> Self {
        gauge!(OPEN_STREAMS.name, "kind" => kind.name()).increment(1.0);
        Self(kind)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        gauge!(OPEN_STREAMS.name, "kind" => self.0.name()).decrement(1.0);
    }
}

/// An action was played.
pub(crate) fn acted(game: &'static str) {
    counter!(ACTIONS.name, "game" => game).increment(1);
}

/// An answer was against the rules.
pub(crate) fn answered_illegally(game: &'static str) {
    counter!(ILLEGAL_ACTIONS.name, "game" => game).increment(1);
}

/// The way in which a match was lost without losing a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Forfeit {
    Time,
    Disconnect,
    IllegalAction,
}

impl Forfeit {
    const fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Disconnect => "disconnect",
            Self::IllegalAction => "illegal_action",
        }
    }
}

/// A match was forfeited.
pub(crate) fn forfeited(by: Forfeit) {
    counter!(FORFEITS.name, "kind" => by.name()).increment(1);
}

/// A stream was closed because its reader is too slow.
pub(crate) fn closed_slow_reader() {
    counter!(SLOW_READER_CLOSES.name).increment(1);
}

/// A request was refused.
pub(crate) fn refused(reason: &'static str) {
    counter!(REFUSALS.name, "reason" => reason).increment(1);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fmt::Write;

    use super::*;

    const PAGE: &str = include_str!("../../docs/operations.md");
    const RUNBOOK: &str = include_str!("../../docs/operations/alerts.md");
    const DASHBOARD: &str = include_str!("../../deploy/grafana/dashboards/dragontooth.json");
    const ALERTS: &str = include_str!("../../deploy/prometheus/alerts.yaml");
    const BEGIN: &str = "<!-- metrics: begin -->\n";
    const END: &str = "<!-- metrics: end -->\n";

    #[test]
    fn the_documentation_has_every_metric() {
        let (_, rest) = PAGE.split_once(BEGIN).unwrap();
        let (written, _) = rest.split_once(END).unwrap();
        let table = table();
        assert_eq!(
            written, table,
            "the page should have this (metrics):\n{table}"
        );
    }

    /// The dashboard and the alerts ask for what there is, and for all of it.
    #[test]
    fn what_is_measured_is_looked_at() {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let words = [DASHBOARD, ALERTS]
            .into_iter()
            .flat_map(|text| text.split(|c| !is_part(c)));
        let is_name =
            |word: &&str| word.starts_with("dragontooth_") || word.starts_with("process_");
        let used: BTreeSet<&str> = words.filter(is_name).collect();
        let series = |metric: &Metric| match metric.kind {
            Kind::Counter | Kind::Gauge => vec![metric.name.to_owned()],
            Kind::Histogram => ["_bucket", "_sum", "_count"]
                .map(|end| format!("{}{end}", metric.name))
                .to_vec(),
        };
        let all: BTreeSet<String> = METRICS.iter().flat_map(series).collect();
        let unknown: Vec<_> = used.iter().filter(|name| !all.contains(**name)).collect();
        assert!(unknown.is_empty(), "nothing measures {unknown:?}");
        let is_used = |metric: &&Metric| series(metric).iter().any(|name| used.contains(&**name));
        let unused: Vec<_> = METRICS.iter().filter(|metric| !is_used(metric)).collect();
        let unused: Vec<_> = unused.iter().map(|metric| metric.name).collect();
        assert!(unused.is_empty(), "no panel or alert uses {unused:?}");
    }

    /// Every alert has a section that says what to do.
    #[test]
    fn every_alert_is_explained() {
        let alerts = ALERTS
            .lines()
            .filter_map(|line| line.trim().strip_prefix("- alert: "));
        let explained: Vec<_> = RUNBOOK
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .collect();
        assert_eq!(alerts.collect::<Vec<_>>(), explained);
        for alert in explained {
            let link = format!("docs/operations/alerts.md#{}", alert.to_lowercase());
            let link = format!("runbook_url: {link}\n");
            assert!(ALERTS.contains(&link), "{link}");
        }
    }

    fn table() -> String {
        let mut text = "| metric | kind | labels | meaning |\n|---|---|---|---|\n".to_owned();
        for metric in METRICS {
            let kind = format!("{:?}", metric.kind).to_lowercase();
            let labels: Vec<String> = metric
                .labels
                .iter()
                .map(|label| format!("`{label}`"))
                .collect();
            let labels = labels.join(", ");
            writeln!(
                text,
                "| `{}` | {kind} | {labels} | {} |",
                metric.name, metric.doc
            )
            .unwrap();
        }
        text
    }
}
