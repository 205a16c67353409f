use std::io::IsTerminal;

use tracing::Subscriber;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, registry};

use super::tracing_export::{Export, ExportError};
use crate::settings::{LogFilter, LogFormat, Values};

/// Logs on standard error from here on, and exports traces if that is set. Called within a runtime.
///
/// # Errors
///
/// The place where traces are to go is none.
pub(super) fn start(values: &Values) -> Result<Export, ExportError> {
    let (export, exported) = Export::start(values.otlp_endpoint.as_deref())?;
    let logged = on_standard_error(values.log_format).with_filter(filter(&values.log_filter));
    registry().with(logged).with(exported).init();
    Ok(export)
}

/// Leaves out what the TLS library says, unless the filter names it: anyone can have it repeat a long text.
fn filter(LogFilter(text): &LogFilter) -> EnvFilter {
    let filter = EnvFilter::new(text);
    if text.split(',').any(|target| target.starts_with("rustls")) {
        return filter;
    }
    filter.add_directive("rustls=off".parse().expect("it is a directive"))
}

fn on_standard_error<S>(format: LogFormat) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().boxed(),
    }
}
