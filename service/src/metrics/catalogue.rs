/// A metric as it is described to Prometheus.
pub(super) struct Metric {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the names in the documentation follow from it")
    )]
    labels: &'static [&'static str],
    pub(super) doc: &'static str,
}

/// The kind of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
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

pub(super) const RPC_DURATION: Metric = metric(
    Kind::Histogram,
    "dragontooth_rpc_duration_seconds",
    &["method", "code"],
    "Time from the headers of a request to the end of its response; for a stream, the time it was open.",
);
pub(super) const APPEND_DURATION: Metric = metric(
    Kind::Histogram,
    "dragontooth_log_append_duration_seconds",
    &[],
    "Time from handing events of a match to the event log until they are durable.",
);
pub(super) const FLUSH_DURATION: Metric = metric(
    Kind::Histogram,
    "dragontooth_log_flush_duration_seconds",
    &[],
    "Time to write and sync one batch of the event log.",
);
pub(super) const LOG_WRITE_AGE: Metric = metric(
    Kind::Gauge,
    "dragontooth_log_write_age_seconds",
    &[],
    "Age of the write to the event log that is under way; 0 if there is none, and with a database, which is `log away` instead.",
);
pub(super) const BATCH_APPENDS: Metric = metric(
    Kind::Histogram,
    "dragontooth_log_batch_appends",
    &[],
    "Number of appends synced together.",
);
pub(super) const OVERTAKEN_APPENDS: Metric = metric(
    Kind::Counter,
    "dragontooth_overtaken_appends_total",
    &[],
    "Appends refused because another service on the log was first; what they were for was decided again.",
);
pub(super) const NEWS_DELAY: Metric = metric(
    Kind::Histogram,
    "dragontooth_news_delay_seconds",
    &[],
    "Time from an event of another service on the log until this service has it.",
);
pub(super) const LOG_FAILED: Metric = metric(
    Kind::Gauge,
    "dragontooth_log_failed",
    &[],
    "1 once the event log has failed and accepts nothing more, 0 before.",
);
pub(super) const CLOCK_ERROR: Metric = metric(
    Kind::Gauge,
    "dragontooth_clock_error_seconds",
    &[],
    "The least by which the service's time was ahead of the database's when they were last compared. Less than 0 if it was behind; 0 \
        without a database.",
);
pub(super) const RECOVERY: Metric = metric(
    Kind::Gauge,
    "dragontooth_recovery_seconds",
    &[],
    "Time to read the event log at the start.",
);
pub(super) const LIVE_MATCHES: Metric = metric(
    Kind::Gauge,
    "dragontooth_live_matches",
    &[],
    "Unfinished matches; with replicas, those that this one follows.",
);
pub(super) const OPEN_STREAMS: Metric = metric(
    Kind::Gauge,
    "dragontooth_open_streams",
    &["kind"],
    "Streams that are open, of kind `play`, `watch`, `export`, `backup`, `health` or `reflection`.",
);
pub(super) const ACTIONS: Metric = metric(
    Kind::Counter,
    "dragontooth_actions_total",
    &["game"],
    "Durable actions.",
);
pub(super) const ILLEGAL_ACTIONS: Metric = metric(
    Kind::Counter,
    "dragontooth_illegal_actions_total",
    &["game"],
    "Answers refused by the rules of the game.",
);
pub(super) const FORFEITS: Metric = metric(
    Kind::Counter,
    "dragontooth_forfeits_total",
    &["kind"],
    "Matches lost on time (`time`), by absence (`disconnect`) or by illegal actions (`illegal_action`).",
);
pub(super) const SLOW_READER_CLOSES: Metric = metric(
    Kind::Counter,
    "dragontooth_slow_reader_closes_total",
    &[],
    "Play streams closed because their reader was too slow.",
);
pub(super) const REFUSALS: Metric = metric(
    Kind::Counter,
    "dragontooth_refusals_total",
    &["reason"],
    "Refused requests, by reason.",
);

pub(super) const PHASE: Metric = metric(
    Kind::Gauge,
    "dragontooth_phase",
    &["phase"],
    "1 for the current phase, `recovering`, `ready`, `log away`, `log failed` or `draining`; 0 for the others.",
);
pub(super) const DISK_FREE: Metric = metric(
    Kind::Gauge,
    "dragontooth_disk_free_bytes",
    &[],
    "Space available to the service on the disk of its event log.",
);
pub(super) const DISK_SIZE: Metric = metric(
    Kind::Gauge,
    "dragontooth_disk_size_bytes",
    &[],
    "Size of the disk of the event log.",
);
pub(super) const CERTIFICATE_EXPIRY: Metric = metric(
    Kind::Gauge,
    "dragontooth_tls_certificate_expiry_timestamp_seconds",
    &[],
    "Time at which the certificate expires, in seconds since 1970; missing without TLS.",
);
pub(super) const BUILD_INFO: Metric = metric(
    Kind::Gauge,
    "dragontooth_build_info",
    &["version"],
    "Always 1, labelled with the version of the service.",
);
pub(super) const RESIDENT_MEMORY: Metric = metric(
    Kind::Gauge,
    "process_resident_memory_bytes",
    &[],
    "Resident memory of the process.",
);
pub(super) const OPEN_FILES: Metric = metric(
    Kind::Gauge,
    "process_open_fds",
    &[],
    "Open file descriptors of the process: its connections and a few more.",
);
pub(super) const START_TIME: Metric = metric(
    Kind::Gauge,
    "process_start_time_seconds",
    &[],
    "Time at which the process started, in seconds since 1970.",
);

/// All metrics.
pub(super) const METRICS: &[Metric] = &[
    RPC_DURATION,
    APPEND_DURATION,
    FLUSH_DURATION,
    LOG_WRITE_AGE,
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
    CERTIFICATE_EXPIRY,
    BUILD_INFO,
    RESIDENT_MEMORY,
    OPEN_FILES,
    START_TIME,
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fmt::Write;

    use super::*;

    const PAGE: &str = include_str!("../../../docs/operations.md");
    const RUNBOOK: &str = include_str!("../../../docs/operations/alerts.md");
    const DASHBOARD: &str = include_str!("../../../deploy/grafana/dashboards/dragontooth.json");
    const ALERTS: &str = include_str!("../../../deploy/prometheus/alerts.yaml");
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
