use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::http::header::{ACCEPT, ALLOW, CONTENT_TYPE, HOST, HeaderValue, RETRY_AFTER};
use axum::http::uri::Authority;
use axum::http::{Method, Request, Response, StatusCode};
use dragontooth_service_vocabulary::HostNames;
use futures::TryFutureExt;
use futures::future::{Either, MapOk};
use tonic::body::Body;
use tonic_web::{GrpcWebLayer, GrpcWebService};
use tower::{Layer, Service};

use super::answer::{Content, refusal};
use super::polite_body::PoliteBody;
use super::{board, files};
use crate::config::ServerTlsFiles;
use crate::limits::{CallerKey, OpenConnection};
use crate::matches::Matches;

/// The services of the API that are on this port, and before them what is not. Operators do not work in a page, and
/// browsers cannot send a stream of requests.
const SERVICES: [&str; 3] = [
    "/dragontooth.v1.GameService/",
    "/dragontooth.v1.MatchService/",
    "/dragontooth.v1.PlayerService/",
];
const NOT_HERE: &str = "/dragontooth.v1.GameService/Play";

/// The forms of requests to the API here. There is none in text: the copy of an answer that it takes would be in no budget.
const GRPC_WEB: [&str; 2] = ["application/grpc-web", "application/grpc-web+proto"];

const BOARDS: &str = "/board/";

/// Answers browsers: files and pictures by itself, the API by translating gRPC-Web for the service inside.
#[derive(Clone, Debug)]
pub(crate) struct WebLayer {
    matches: Arc<Matches>,
    /// The host names that are ours besides IP addresses and `localhost`; `None` admits any.
    names: Option<Arc<HostNames>>,
}

impl WebLayer {
    /// Without TLS it refuses requests that a browser sends for other sites.
    pub(crate) fn new(
        matches: &Arc<Matches>,
        tls: Option<&ServerTlsFiles>,
        names: &HostNames,
    ) -> Self {
        Self {
            matches: Arc::clone(matches),
            names: tls.is_none().then(|| Arc::new(names.clone())),
        }
    }
}

impl<S> Layer<S> for WebLayer {
    type Service = Web<S>;

    fn layer(&self, inner: S) -> Web<S> {
        Web {
            api: GrpcWebLayer::new().layer(inner),
            page: self.clone(),
        }
    }
}

/// A service for browsers.
#[derive(Clone, Debug)]
pub(crate) struct Web<S> {
    api: GrpcWebService<S>,
    page: WebLayer,
}

impl<S> Service<Request<Body>> for Web<S>
where
    GrpcWebService<S>: Service<Request<Body>, Response = Response<Body>>,
{
    type Response = Response<Body>;
    type Error = <GrpcWebService<S> as Service<Request<Body>>>::Error;
    type Future = Either<
        Ready<Result<Response<Body>, Self::Error>>,
        MapOk<
            <GrpcWebService<S> as Service<Request<Body>>>::Future,
            fn(Response<Body>) -> Response<Body>,
        >,
    >;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.api.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        if let Some(connection) = connection(&request) {
            connection.note_request();
        }
        if let Some(refused) = self.page.refuse_other_site(&request) {
            return Either::Left(ready(Ok(refused)));
        }
        if is_of_api(request.uri().path()) {
            return match api_fault(&request) {
                None => {
                    // It could ask for an answer in text.
                    request.headers_mut().remove(ACCEPT);
                    Either::Right(self.api.call(request).map_ok(polite))
                }
                Some(fault) => Either::Left(ready(Ok(fault))),
            };
        }
        Either::Left(ready(Ok(self.page.answer(&request))))
    }
}

fn polite(answer: Response<Body>) -> Response<Body> {
    answer.map(|body| Body::new(PoliteBody(body)))
}

impl WebLayer {
    fn refuse_other_site(&self, request: &Request<Body>) -> Option<Response<Body>> {
        let names = self.names.as_ref()?;
        let host = request.headers().get(HOST);
        let host = host.map(|host| String::from_utf8_lossy(host.as_bytes()));
        let authority = request.uri().authority().map(Authority::as_str);
        // No browser leaves it out.
        let error = names.check(authority.or(host.as_deref())?).err()?;
        let sentence = error.to_string();
        Some(refusal(StatusCode::MISDIRECTED_REQUEST, &sentence))
    }

    /// The answer to a request for a file or a picture.
    fn answer(&self, request: &Request<Body>) -> Response<Body> {
        let path = request.uri().path();
        let picture = path.strip_prefix(BOARDS);
        let file = files::at(path);
        if picture.is_none() && file.is_none() {
            let sentence =
                "there is nothing here; the page is at /, pictures of positions are below /board/";
            return refusal(StatusCode::NOT_FOUND, sentence);
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut answer = refusal(StatusCode::METHOD_NOT_ALLOWED, "it can only be read");
            let allowed = HeaderValue::from_static("GET, HEAD");
            answer.headers_mut().insert(ALLOW, allowed);
            return answer;
        }
        if let Some(file) = file {
            return file.answer(request.headers());
        }
        if let Some(refused) = self.charge(request) {
            return refused;
        }
        let query = request.uri().query().unwrap_or_default();
        match board::picture(picture.unwrap_or_default(), query) {
            Ok(svg) => Content::picture(svg).answer(request.headers()),
            Err((status, sentence)) => refusal(status, sentence),
        }
    }

    /// Charges a picture as a call of its address, or refuses it.
    fn charge(&self, request: &Request<Body>) -> Option<Response<Body>> {
        let caller = CallerKey::Address(connection(request)?.host());
        let (guard, now) = (self.matches.guard(), self.matches.now());
        let exceeded = guard.spend_call(caller, now).err()?;
        let sentence = format!("too many requests: {exceeded}");
        let mut answer = refusal(StatusCode::TOO_MANY_REQUESTS, &sentence);
        let second = HeaderValue::from_static("1");
        answer.headers_mut().insert(RETRY_AFTER, second);
        Some(answer)
    }
}

fn connection(request: &Request<Body>) -> Option<&Arc<OpenConnection>> {
    request.extensions().get()
}

fn is_of_api(path: &str) -> bool {
    path != NOT_HERE && SERVICES.iter().any(|service| path.starts_with(service))
}

/// The answer to a request to the API that is not gRPC-Web.
fn api_fault(request: &Request<Body>) -> Option<Response<Body>> {
    if request.method() != Method::POST {
        let sentence = "the API answers POST; the page is at /";
        return Some(refusal(StatusCode::METHOD_NOT_ALLOWED, sentence));
    }
    let content_type = request.headers().get(CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok());
    if content_type.is_some_and(|value| GRPC_WEB.contains(&value)) {
        return None;
    }
    let sentence = "this port speaks gRPC-Web; gRPC is on the other port";
    Some(refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, sentence))
}
