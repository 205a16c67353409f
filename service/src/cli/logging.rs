use std::io::IsTerminal;

use tracing::Subscriber;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, registry};

use super::tracing_export::{Export, ExportError};
use crate::settings::{LogFormat, Values};

/// Logs on standard error from here on, and exports traces if that is set. Called within a runtime.
///
/// # Errors
///
/// The place where traces are to go is none.
pub(super) fn start(values: &Values) -> Result<Export, ExportError> {
    let (export, exported) = Export::start(values.otlp_endpoint.as_deref())?;
    let filter = EnvFilter::new(&values.log_filter.0);
    let logged = on_standard_error(values.log_format).with_filter(filter);
    registry().with(logged).with(exported).init();
    Ok(export)
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
