//! Traces by OTLP.

use std::time::Duration;

use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{ExporterBuildError, SpanExporter, WithExportConfig, WithTonicConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tonic::transport::ClientTlsConfig;
use tracing::level_filters::LevelFilter;
use tracing::{Subscriber, warn};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;

/// Time that the collector has to take the last traces.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(500);

/// The name of the service in its traces.
const SERVICE_NAME: &str = "dragontooth-service";

/// The reason why traces cannot be exported.
#[derive(Debug, thiserror::Error)]
#[error("traces cannot be exported")]
pub(super) struct ExportError(#[from] ExporterBuildError);

/// The exporter of traces, if one is set.
#[derive(Debug)]
pub(super) struct Export(Option<SdkTracerProvider>);

impl Export {
    /// Begins to export to the collector at `endpoint`, if there is one; gives what sees the spans.
    pub(super) fn start<S>(
        endpoint: Option<&str>,
    ) -> Result<(Self, Option<impl Layer<S> + use<S>>), ExportError>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let Some(endpoint) = endpoint else {
            return Ok((Self(None), None));
        };
        let mut exporter = SpanExporter::builder().with_tonic().with_endpoint(endpoint);
        if endpoint.starts_with("https:") {
            let tls = ClientTlsConfig::new().with_native_roots();
            exporter = exporter.with_tls_config(tls);
        }
        let exporter = exporter.build()?;
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(Resource::builder().with_service_name(SERVICE_NAME).build())
            .build();
        let tracer = provider.tracer(SERVICE_NAME);
        // Only spans of this program: the exporter's calls would create further ones.
        let ours = Targets::new().with_target("dragontooth_service", LevelFilter::DEBUG);
        let layer = tracing_opentelemetry::layer()
            .with_tracer(tracer)
            .with_filter(ours);
        Ok((Self(Some(provider)), Some(layer)))
    }

    /// Exports what is left, for a moment at most.
    pub(super) fn end(self) {
        if let Some(provider) = self.0
            && let Err(error) = provider.shutdown_with_timeout(FLUSH_TIMEOUT)
        {
            warn!(%error, "the last traces are lost");
        }
    }
}
