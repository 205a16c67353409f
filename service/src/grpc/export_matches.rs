//! The records of all matches of a list, on their way to a client.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Bytes;
use dragontooth_proto::v1 as wire;
use dragontooth_service_vocabulary::{CloseReason, MatchId, Sequence};
use dragontooth_service_wire::{close_reason, timestamp};
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt};
use http_body::Frame;
use http_body_util::StreamBody;
use prost::Message;
use tokio::time::{Instant, sleep, sleep_until};
use tonic::{Response, Status};
use tracing::debug;
use wire::export_matches_response::{self as part, Closing, Finished, Heartbeat, Refused};

use super::fault::Fault;
use super::page_tokens::PagedList;
use super::record::{self, RecordForm};
use super::stream_ends::StreamEnds;
use super::thinking_reader::ThinkingReader;
use super::{call_cost, encoded, to_proto};
use crate::limits::CallerKey;
use crate::matches::{HEARTBEAT_INTERVAL, MatchList, Matches, Reader, Refusal};

/// Matches that are listed at once.
const LISTED_MATCHES: usize = 50;

/// An export of all matches of a list.
pub(super) struct MatchesExport {
    pub(super) list: MatchList,
    pub(super) form: RecordForm,
    /// The tokens with which another stream goes on.
    pub(super) pages: PagedList,
    /// The match after which it begins; `None` for the start of the list.
    pub(super) after: Option<MatchId>,
}

/// The records of the matches of a list, one after the other.
///
/// The next one is made when the client takes the message before it and never before: a slow reader costs the memory of a
/// record. It is encoded where it is made, so that no thread that serves players does it.
pub(super) fn export_matches(
    matches: Arc<Matches>,
    ends: StreamEnds,
    caller: CallerKey,
    export: MatchesExport,
) -> Response<BoxStream<'static, Result<wire::ExportMatchesResponse, Status>>> {
    let exporter = Exporter {
        matches,
        ends,
        caller,
        place: export.after,
        rest: Rest::After(export.after),
        export: Arc::new(export),
        listed: VecDeque::new(),
        work: None,
        stage: Stage::Open,
    };
    let frames = stream::unfold(exporter, |mut exporter| async move {
        let frame = exporter.next().await?;
        Some((Ok::<_, Infallible>(frame), exporter))
    });
    encoded::with_body(
        Response::new(stream::empty().boxed()),
        StreamBody::new(frames),
    )
}

struct Exporter {
    matches: Arc<Matches>,
    ends: StreamEnds,
    caller: CallerKey,
    export: Arc<MatchesExport>,
    /// The match after which another stream goes on; `None` for the start of the list.
    place: Option<MatchId>,
    /// The matches that are listed and not sent.
    listed: VecDeque<Listed>,
    rest: Rest,
    /// The work under way for the next message.
    work: Option<BoxFuture<'static, Result<Done, CloseReason>>>,
    stage: Stage,
}

/// The part of the list that is not read yet.
#[derive(Clone, Copy)]
enum Rest {
    /// The matches after this one; all of them for `None`.
    After(Option<MatchId>),
    Nothing,
}

/// A match that comes next.
struct Listed {
    id: MatchId,
    /// Its last event that the viewer sees and true if it is over, or the damage.
    sight: Result<(Sequence, bool), Refusal>,
}

/// Work for a message that is done.
enum Done {
    /// The next part of the list.
    Listing(VecDeque<Listed>, Rest),
    /// The message of a match.
    Sent(MatchId, Bytes),
}

/// The part of the stream that comes next.
enum Stage {
    Open,
    /// The status of the call.
    LastSent,
    Ended,
}

impl Exporter {
    async fn next(&mut self) -> Option<Frame<Bytes>> {
        match self.stage {
            Stage::Open => {}
            Stage::LastSent => {
                self.stage = Stage::Ended;
                return Some(encoded::end(&Status::ok("")));
            }
            Stage::Ended => return None,
        }
        let (matches, ends) = (Arc::clone(&self.matches), self.ends.clone());
        let heartbeat = Instant::now() + HEARTBEAT_INTERVAL / 2;
        let response = tokio::select! {
            biased;
            () = matches.draining().cancelled() => closing(CloseReason::Draining),
            reason = ends.reason() => closing(reason),
            () = sleep_until(heartbeat) => part::Response::Heartbeat(Heartbeat {
                server_time: Some(timestamp::to_proto(matches.now())),
            }),
            sent = self.next_match() => match sent {
                Ok(Some(bytes)) => return Some(Frame::data(bytes)),
                Ok(None) => part::Response::Finished(Finished {}),
                Err(reason) => closing(reason),
            },
        };
        if !matches!(response, part::Response::Heartbeat(_)) {
            self.stage = Stage::LastSent;
        }
        let token = self.place.map(|id| self.export.pages.token(&id.bytes()));
        Some(Frame::data(short(response, token.unwrap_or_default())))
    }

    /// The message of the next match; `None` after the last one. Cancel safe.
    async fn next_match(&mut self) -> Result<Option<Bytes>, CloseReason> {
        loop {
            let work = match &mut self.work {
                Some(work) => work,
                none => {
                    let cost = match (self.listed.front(), self.rest) {
                        (Some(listed), _) => listed.cost(),
                        (None, Rest::After(_)) => call_cost::of_page(LISTED_MATCHES),
                        (None, Rest::Nothing) => return Ok(None),
                    };
                    let (guard, now) = (self.matches.guard(), self.matches.now());
                    if let Err(wait) = guard.spend_spare_calls(self.caller, cost, now) {
                        sleep(wait).await;
                        continue;
                    }
                    let (matches, caller) = (Arc::clone(&self.matches), self.caller);
                    let export = Arc::clone(&self.export);
                    none.insert(match (self.listed.pop_front(), self.rest) {
                        (Some(listed), _) => Box::pin(send(matches, caller, export, listed)),
                        (None, Rest::After(after)) => {
                            self.place = after;
                            Box::pin(list(matches, caller, export, after))
                        }
                        (None, Rest::Nothing) => return Ok(None),
                    })
                }
            };
            let done = work.await;
            self.work = None;
            match done? {
                Done::Listing(listed, rest) => (self.listed, self.rest) = (listed, rest),
                Done::Sent(id, bytes) => {
                    self.place = Some(id);
                    return Ok(Some(bytes));
                }
            }
        }
    }
}

impl Listed {
    /// The cost of its record, in calls.
    fn cost(&self) -> u32 {
        match self.sight {
            Ok((end, _)) => call_cost::of_events(end.0),
            Err(_) => 1,
        }
    }
}

/// Reads the next part of the list. There is one such read at a time on each of the streams, which are counted.
async fn list(
    matches: Arc<Matches>,
    caller: CallerKey,
    export: Arc<MatchesExport>,
    after: Option<MatchId>,
) -> Result<Done, CloseReason> {
    let read = async move |reader: &Reader| {
        let MatchList { viewer, filter } = &export.list;
        let page = reader.list(viewer, filter, after, LISTED_MATCHES).await?;
        let mut listed: Vec<Listed> = Vec::with_capacity(page.matches.len());
        listed.extend(page.matches.iter().map(|(id, found)| Listed {
            id: *id,
            sight: Ok(found.with(|facts| (facts.head.sequence, facts.is_over()))),
        }));
        listed.extend(page.damaged.into_iter().map(|(id, refusal)| Listed {
            id,
            sight: Err(refusal),
        }));
        listed.sort_by(|one, other| filter.order.compare(one.id, other.id));
        let rest = page
            .next
            .map_or(Rest::Nothing, |next| Rest::After(Some(next)));
        Ok(Done::Listing(listed.into(), rest))
    };
    let read = matches.read_anyway(caller, read).await;
    read.map_err(|refusal: Refusal| unavailable(&refusal))
}

/// Makes the message of a match.
async fn send(
    matches: Arc<Matches>,
    caller: CallerKey,
    export: Arc<MatchesExport>,
    listed: Listed,
) -> Result<Done, CloseReason> {
    let make = async move |reader: &Reader| {
        let id = listed.id;
        let token = || export.pages.token(&id.bytes());
        let refused = |status: &Status| {
            short(
                part::Response::Refused(Refused {
                    match_id: id.to_string(),
                    status: Some(to_proto::status(status)),
                }),
                token(),
            )
        };
        let (end, is_over) = match listed.sight {
            Ok(sight) => sight,
            Err(refusal) => return Ok(Done::Sent(id, refused(&Fault::from(refusal).into()))),
        };
        let thinking = ThinkingReader::new(&export.list.viewer, is_over);
        let bytes = match record::export(reader, id, end, &export.form, thinking).await {
            Ok(record) => {
                let record = part::Response::Record(Box::new(record));
                let most_bytes = reader.matches().response_bytes();
                encode(record, token(), most_bytes).unwrap_or_else(|too_long| refused(&too_long))
            }
            Err(Fault::Refused(refusal @ (Refusal::LogUnavailable(_) | Refusal::Draining))) => {
                return Err(unavailable(&refusal));
            }
            Err(fault) => refused(&fault.into()),
        };
        Ok(Done::Sent(id, bytes))
    };
    matches.read_anyway(caller, make).await
}

fn unavailable(refusal: &Refusal) -> CloseReason {
    debug!(%refusal, "an export cannot go on");
    CloseReason::LogUnavailable
}

fn closing(reason: CloseReason) -> part::Response {
    part::Response::Closing(Closing {
        reason: close_reason::to_proto(reason),
    })
}

/// Encodes a message whose length is bounded by that of a status.
fn short(response: part::Response, resume_token: String) -> Bytes {
    encode(response, resume_token, usize::MAX).expect("a status is shorter than 4 GiB")
}

/// Encodes a message of at most `most_bytes`.
fn encode(
    response: part::Response,
    resume_token: String,
    most_bytes: usize,
) -> Result<Bytes, Status> {
    let message = wire::ExportMatchesResponse {
        response: Some(response),
        resume_token,
    };
    let mut bytes = Vec::with_capacity(message.encoded_len() + encoded::PREFIX_BYTES);
    encoded::put(&mut bytes, most_bytes, |bytes| message.encode_raw(bytes))?;
    Ok(bytes.into())
}
