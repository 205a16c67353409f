//! Admission of calls, by their headers: the one place that decides on the token, the scope, the rates and the
//! number of things at once, and then receives the request within its budgets and its time.
//!
//! It stands around all services, health and reflection included. Nothing of a request is kept before it is
//! admitted, so that a caller beyond its limits costs as little as possible.

mod held;
mod messages;
mod request_body;
mod rules;
mod unsent;

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::http::{Extensions, Request, Response};
use http_body::Body as _;
use tonic::Status;
use tonic::body::Body;
use tower::{Layer, Service};

pub(super) use self::rules::method;

use self::held::Held;
use self::messages::Messages;
use self::request_body::{discard, receive};
use self::rules::{Charge, RequestShape, Rule};
use self::unsent::Unsent;
use super::fault::Fault;
use crate::access::{AuthError, Caller, Gate, Need, Viewer};
use crate::config::Limits;
use crate::limits::{
    CallerKey, Counted, LimitExceeded, LimitName, OpenConnection, ResponseShare, StreamSlot,
};
use crate::matches::{Matches, Refusal};
use crate::metrics::StreamKind;

/// Admits calls to a service.
#[derive(Clone, Debug)]
pub(crate) struct AdmissionLayer(Arc<Desk>);

/// A service whose calls are admitted.
#[derive(Clone, Debug)]
pub(crate) struct Admission<S> {
    inner: S,
    desk: Arc<Desk>,
}

/// The place where it is decided.
#[derive(Debug)]
struct Desk {
    gate: Gate,
    matches: Arc<Matches>,
    request_bytes: usize,
    request_bytes_without_token: usize,
    request_timeout: Duration,
}

/// A call that may be made.
#[derive(Debug)]
struct Admitted {
    viewer: Viewer,
    key: CallerKey,
    call: Option<Counted<IpAddr>>,
    stream: Option<StreamSlot>,
    /// The share of its response, unless that is a stream.
    response: Option<Counted<CallerKey>>,
}

/// A call that may not be made.
#[derive(Debug)]
struct Refused {
    fault: Fault,
    /// True if its request is read to the end, and forgotten, before the answer: HTTP/2 counts data that
    /// arrive after the end of their stream as a mistake of the client.
    hear_out: bool,
    _call: Option<Counted<IpAddr>>,
}

impl AdmissionLayer {
    pub(crate) fn new(matches: &Arc<Matches>, gate: &Gate, limits: &Limits) -> Self {
        Self(Arc::new(Desk {
            gate: gate.clone(),
            matches: Arc::clone(matches),
            request_bytes: limits.request_bytes,
            request_bytes_without_token: limits.request_bytes_without_token,
            request_timeout: limits.request_timeout,
        }))
    }
}

impl<S> Layer<S> for AdmissionLayer {
    type Service = Admission<S>;

    fn layer(&self, inner: S) -> Admission<S> {
        let desk = Arc::clone(&self.0);
        Admission { inner, desk }
    }
}

impl<S> Service<Request<Body>> for Admission<S>
where
    S: Service<Request<Body>, Response = Response<Body>> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = Response<Held>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        // The one that is ready is used, and a clone waits for the next call.
        let next = self.inner.clone();
        let inner = std::mem::replace(&mut self.inner, next);
        let desk = Arc::clone(&self.desk);
        let rule = rules::of(request.uri().path());
        // At once, so that a call that is cancelled at once is charged too.
        let mut decided = desk.decide(rule, &request);
        Box::pin(async move {
            if let Err(refused) = &mut decided
                && let Fault::Auth(AuthError::Unknown) = refused.fault
            {
                // Another service may have issued the token a moment ago.
                match desk.gate.catch_up().await {
                    Ok(true) => decided = desk.decide(rule, &request),
                    Ok(false) => {}
                    Err(fault) => refused.fault = fault.into(),
                }
            }
            desk.serve(inner, rule, decided, request).await
        })
    }
}

impl Desk {
    /// Decides on a call by its headers.
    fn decide(&self, rule: Rule, request: &Request<Body>) -> Result<Admitted, Box<Refused>> {
        let connection = connection(request.extensions());
        let guard = self.matches.guard();
        let caller = self.gate.caller(request.headers());
        let player = caller.as_ref().ok().map(|caller| caller.player);
        let key = player.map_or(CallerKey::Address(connection.host()), CallerKey::Player);
        let viewer = self.gate.viewer(rule.need, caller);
        let is_nameless = player.is_none() && rule.need == Need::Nothing;
        let call = is_nameless.then(|| guard.begin_call(connection.host()));
        let call = call.transpose().map_err(|limit| {
            Box::new(Refused {
                fault: fault(limit),
                hear_out: false,
                _call: None,
            })
        })?;
        let admitted = self.charge(rule, key, &viewer).and_then(|()| {
            if let Some(player) = player {
                let connections = guard.connections();
                connections.name(connection, player).map_err(fault)?;
            }
            let viewer = viewer?;
            let stream = rule.stream.map(|kind| guard.open_stream(key, kind));
            let stream = stream.transpose().map_err(fault)?;
            let is_one = stream.is_none();
            let response = is_one.then(|| guard.begin_response(key));
            Ok((viewer, stream, response.transpose().map_err(fault)?))
        });
        match admitted {
            Ok((viewer, stream, response)) => Ok(Admitted {
                viewer,
                key,
                call,
                stream,
                response,
            }),
            Err(fault) => Err(Box::new(Refused {
                fault,
                hear_out: player.is_some() || call.is_some(),
                _call: call,
            })),
        }
    }

    /// Charges a call, even one that is refused; without a player that may act it counts as one that changes
    /// nothing.
    fn charge<E>(
        &self,
        rule: Rule,
        key: CallerKey,
        viewer: &Result<Viewer, E>,
    ) -> Result<(), Fault> {
        let guard = self.matches.guard();
        let now = self.matches.now();
        let player = viewer.as_ref().ok().and_then(Viewer::player);
        let charged = match (rule.charge, player) {
            (Charge::Action, Some(player)) => guard.spend_action(player, now),
            (Charge::Action, None) | (Charge::Call, _) => guard.spend_call(key, now),
        };
        charged.map_err(fault)
    }

    /// Receives the request of an admitted call and has it answered.
    async fn serve<S>(
        self: Arc<Self>,
        mut inner: S,
        rule: Rule,
        decided: Result<Admitted, Box<Refused>>,
        request: Request<Body>,
    ) -> Result<Response<Held>, S::Error>
    where
        S: Service<Request<Body>, Response = Response<Body>>,
    {
        let (mut head, body) = request.into_parts();
        let Admitted {
            viewer,
            key,
            call,
            stream,
            response: begun,
        } = match decided {
            Ok(admitted) => admitted,
            Err(refused) => {
                drop(head);
                if refused.hear_out && rule.request == RequestShape::One {
                    let discarded = discard(body, self.request_bytes);
                    // What takes longer is cut off.
                    let _ = tokio::time::timeout(self.request_timeout, discarded).await;
                }
                return Ok(Held::refused(refused.fault.into()));
            }
        };
        let share = self.matches.guard().body(connection(&head.extensions), key);
        let mut broken = None;
        let body = match rule.request {
            RequestShape::One => {
                let most = match key {
                    CallerKey::Player(_) => self.request_bytes,
                    CallerKey::Address(_) => self.request_bytes_without_token,
                };
                let received = receive(body, most.min(self.request_bytes), share);
                let received = tokio::time::timeout(self.request_timeout, received).await;
                match received.unwrap_or_else(|_| Err(too_slow(self.request_timeout))) {
                    Ok(body) => body,
                    Err(status) => return Ok(Held::refused(status)),
                }
            }
            RequestShape::Play | RequestShape::Questions => {
                let why = Arc::<OnceLock<Status>>::default();
                broken = Some(Arc::clone(&why));
                let messages = Messages::new(body, share, self.request_timeout, why);
                Body::new(match rule.request {
                    RequestShape::Questions => messages.charged(Arc::clone(&self.matches), key),
                    RequestShape::One | RequestShape::Play => messages,
                })
            }
        };
        head.extensions.insert(viewer);
        head.extensions.insert(key);
        let response = inner.call(Request::from_parts(head, body)).await?;
        // Only calls that change nothing have large ones.
        let bytes = response.body().size_hint().lower();
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        // A player has one stream of moves, whose queue is bounded, and moves do not wait for each other.
        let waits = rule.stream.is_some_and(|kind| kind != StreamKind::Play);
        let unsent = waits.then(Unsent::default);
        let share = begun.map(|begun| ResponseShare::of(begun, bytes));
        Ok(match share.transpose() {
            Ok(share) => Held::new(response, call, stream, unsent, share, broken),
            Err(limit) => Held::refused(fault(limit).into()),
        })
    }
}

/// The client of an admitted call.
pub(super) fn viewer<T>(request: &tonic::Request<T>) -> &Viewer {
    let viewer = request.extensions().get();
    viewer.expect("every call comes through the admission")
}

/// The key by which the limits know the client of an admitted call.
pub(super) fn caller_key<T>(request: &tonic::Request<T>) -> CallerKey {
    let key = request.extensions().get();
    *key.expect("every call comes through the admission")
}

/// The caller of an admitted call whose rule demands a token.
pub(super) fn caller<T>(request: &tonic::Request<T>) -> &Caller {
    let caller = viewer(request).caller();
    caller.expect("the rule of the method demands a token")
}

/// The connection of a call.
pub(super) fn connection(extensions: &Extensions) -> &Arc<OpenConnection> {
    let connection = extensions.get();
    connection.expect("every connection gives itself to its calls")
}

fn fault(limit: LimitExceeded) -> Fault {
    Refusal::from(limit).into()
}

/// The refusal of a request that took too long to arrive.
fn too_slow(allowed: Duration) -> Status {
    fault(LimitExceeded::Time {
        limit: LimitName::RequestTimeout,
        allowed,
    })
    .into()
}

#[cfg(test)]
mod tests;
