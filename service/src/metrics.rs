//! The metrics: each has a name in the catalogue, and a function here that the code calls.
//!
//! Without [`install`] no values are kept: a service within another program measures for the recorder of
//! that program, if it has one.

mod catalogue;

use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use catalogue::{
    ACTIONS, APPEND_DURATION, BATCH_APPENDS, BUILD_INFO, CERTIFICATE_EXPIRY, CLOCK_ERROR,
    DISK_FREE, DISK_SIZE, FLUSH_DURATION, FORFEITS, ILLEGAL_ACTIONS, Kind, LIVE_MATCHES,
    LOG_FAILED, LOG_WRITE_AGE, METRICS, Metric, NEWS_DELAY, OPEN_FILES, OPEN_STREAMS,
    OVERTAKEN_APPENDS, PHASE, RECOVERY, REFUSALS, RESIDENT_MEMORY, RPC_DURATION,
    SLOW_READER_CLOSES, START_TIME,
};
use dragontooth_games::catalogue::GAMES;
use dragontooth_service_store::{GroupCommit, OngoingWrite};
use metrics::{counter, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

/// Upper bounds of the classes of durations, in seconds.
const SECONDS: &[f64] = &[
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0,
];

/// Upper bounds of the classes of batches.
const BATCHES: &[f64] = &[
    1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0,
];

/// The write to the event log's folder that is under way.
pub(crate) static ONGOING_WRITE: OngoingWrite = OngoingWrite::none();

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
    if let Ok(time) = SystemTime::now().duration_since(UNIX_EPOCH) {
        gauge!(START_TIME.name).set(time.as_secs_f64());
    }
    counter!(SLOW_READER_CLOSES.name).absolute(0);
    counter!(OVERTAKEN_APPENDS.name).absolute(0);
    let _ = histogram!(NEWS_DELAY.name);
    for kind in StreamKind::ALL {
        gauge!(OPEN_STREAMS.name, "kind" => kind.name()).set(0.0);
    }
    for game in GAMES {
        counter!(ACTIONS.name, "game" => game.name).absolute(0);
        counter!(ILLEGAL_ACTIONS.name, "game" => game.name).absolute(0);
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

/// Sets the age of the write that is under way.
pub(crate) fn write_age() {
    gauge!(LOG_WRITE_AGE.name).set(ONGOING_WRITE.age().as_secs_f64());
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

/// Sets the time at which the certificate expires, in seconds since 1970.
#[expect(
    clippy::cast_precision_loss,
    reason = "no certificate is valid for 2^53 seconds"
)]
pub(crate) fn certificate_expires(seconds: u64) {
    gauge!(CERTIFICATE_EXPIRY.name).set(seconds as f64);
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
