use std::sync::Arc;

use dragontooth_proto::v1 as wire;
use dragontooth_proto::v1::match_service_server::MatchService;
use dragontooth_service_domain::Command;
use dragontooth_service_vocabulary::{MatchId, NewMatch, PlayerId, Sequence};
use futures::stream::BoxStream;
use tonic::{Request, Response, Status};

use super::admission::{caller, caller_key, viewer};
use super::backend::Backend;
use super::export_matches::{MatchesExport, export_matches};
use super::fault::Fault;
use super::record::RecordForm;
use super::thinking_reader::ThinkingReader;
use super::{call_cost, encoded, from_proto, record, to_proto, watch, watch_matches};
use crate::access::{Caller, Viewer};
use crate::limits::CallerKey;
use crate::matches::{MatchList, Reader, Refusal};

/// The default size of a page of matches.
const DEFAULT_PAGE_MATCHES: usize = 50;

/// The greatest size of a page of matches.
const MAX_PAGE_MATCHES: usize = 500;

/// `MatchService`.
pub(super) struct MatchApi(pub(super) Backend);

#[tonic::async_trait]
impl MatchService for MatchApi {
    type WatchMatchesStream = BoxStream<'static, Result<wire::WatchMatchesResponse, Status>>;
    type ExportMatchesStream = BoxStream<'static, Result<wire::ExportMatchesResponse, Status>>;
    type WatchMatchStream = BoxStream<'static, Result<wire::WatchMatchResponse, Status>>;

    async fn create_match(
        &self,
        request: Request<wire::CreateMatchRequest>,
    ) -> Result<Response<wire::CreateMatchResponse>, Status> {
        let creator = caller(&request).player;
        let new = from_proto::new_match(request.into_inner()).map_err(Fault::from)?;
        let id = self
            .0
            .matches
            .create(new, creator)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(wire::CreateMatchResponse {
            r#match: Some(self.resource(id, creator).await?),
        }))
    }

    async fn create_rematch(
        &self,
        request: Request<wire::CreateRematchRequest>,
    ) -> Result<Response<wire::CreateRematchResponse>, Status> {
        let creator = caller(&request).player;
        let id = from_proto::match_id(&request.get_ref().match_id).map_err(Fault::from)?;
        let matches = &self.0.matches;
        let found = matches.seen(id, viewer(&request), caller_key(&request));
        let found = found.await.map_err(Fault::from)?;
        let terms = found.with(|facts| facts.rematch(creator));
        let terms = terms.map_err(Refusal::from).map_err(Fault::from)?;
        let request = request.get_ref();
        let new = NewMatch {
            join_timeout: from_proto::join_timeout(request.join_timeout).map_err(Fault::from)?,
            request_id: from_proto::request_id(&request.request_id).map_err(Fault::from)?,
            ..terms
        };
        let id = matches.create(new, creator).await.map_err(Fault::from)?;
        Ok(Response::new(wire::CreateRematchResponse {
            r#match: Some(self.resource(id, creator).await?),
        }))
    }

    async fn join_match(
        &self,
        request: Request<wire::JoinMatchRequest>,
    ) -> Result<Response<wire::JoinMatchResponse>, Status> {
        let caller = caller(&request);
        Ok(Response::new(self.join(caller, request.get_ref()).await?))
    }

    async fn get_match(
        &self,
        request: Request<wire::GetMatchRequest>,
    ) -> Result<Response<wire::GetMatchResponse>, Status> {
        let id = from_proto::match_id(&request.get_ref().match_id).map_err(Fault::from)?;
        let matches = &self.0.matches;
        let found = matches.seen(id, viewer(&request), caller_key(&request));
        let found = found.await.map_err(Fault::from)?;
        Ok(Response::new(wire::GetMatchResponse {
            r#match: Some(to_proto::found_match(matches, &found)),
        }))
    }

    async fn list_matches(
        &self,
        request: Request<wire::ListMatchesRequest>,
    ) -> Result<Response<wire::ListMatchesResponse>, Status> {
        let (viewer, caller) = (viewer(&request).clone(), caller_key(&request));
        Ok(self.list(viewer, caller, request.into_inner()).await?)
    }

    async fn watch_matches(
        &self,
        request: Request<wire::WatchMatchesRequest>,
    ) -> Result<Response<Self::WatchMatchesStream>, Status> {
        let (viewer, caller) = (viewer(&request).clone(), caller_key(&request));
        let ends = self.0.stream_ends(&request);
        let request = request.into_inner();
        let filter = from_proto::nested_filter(request.filter.as_ref(), 0).map_err(Fault::from)?;
        let size = page_size(request.page_size)?;
        let pages = self.0.page_tokens.matches(&viewer, &filter);
        self.0.charge(caller, call_cost::of_page(size))?;
        let list = MatchList { viewer, filter };
        let first = watch_matches::FirstPage { size, pages };
        let matches = Arc::clone(&self.0.matches);
        let watched = watch_matches::watch_matches(
            matches,
            &self.0.news,
            ends,
            caller,
            list,
            first,
            request.moves,
        );
        Ok(Response::new(watched))
    }

    async fn watch_match(
        &self,
        request: Request<wire::WatchMatchRequest>,
    ) -> Result<Response<Self::WatchMatchStream>, Status> {
        let id = from_proto::match_id(&request.get_ref().match_id).map_err(Fault::from)?;
        let ends = self.0.stream_ends(&request);
        let matches = Arc::clone(&self.0.matches);
        let after = request.get_ref().after_sequence;
        let by = (viewer(&request), caller_key(&request));
        let stream = watch::watch(matches, &self.0.audiences, ends, id, by, after).await?;
        Ok(Response::new(stream))
    }

    async fn resign_match(
        &self,
        request: Request<wire::ResignMatchRequest>,
    ) -> Result<Response<wire::ResignMatchResponse>, Status> {
        let player = caller(&request).player;
        let request = request.get_ref();
        let request_id = from_proto::request_id(&request.request_id).map_err(Fault::from)?;
        let command = Command::Resign {
            player,
            failure: from_proto::failure(&request.reason).map_err(Fault::from)?,
            request_id,
        };
        let resource = self.ask(&request.match_id, player, command).await?;
        Ok(Response::new(wire::ResignMatchResponse {
            r#match: Some(resource),
        }))
    }

    async fn abort_match(
        &self,
        request: Request<wire::AbortMatchRequest>,
    ) -> Result<Response<wire::AbortMatchResponse>, Status> {
        let player = caller(&request).player;
        let request = request.get_ref();
        let request_id = from_proto::request_id(&request.request_id).map_err(Fault::from)?;
        let command = Command::Abort { player, request_id };
        let resource = self.ask(&request.match_id, player, command).await?;
        Ok(Response::new(wire::AbortMatchResponse {
            r#match: Some(resource),
        }))
    }

    async fn decline_invitation(
        &self,
        request: Request<wire::DeclineInvitationRequest>,
    ) -> Result<Response<wire::DeclineInvitationResponse>, Status> {
        let player = caller(&request).player;
        let request = request.get_ref();
        let command = from_proto::decline(player, &request.reason, &request.request_id);
        let resource = self
            .ask(&request.match_id, player, command.map_err(Fault::from)?)
            .await?;
        Ok(Response::new(wire::DeclineInvitationResponse {
            r#match: Some(resource),
        }))
    }

    async fn export_match(
        &self,
        request: Request<wire::ExportMatchRequest>,
    ) -> Result<Response<wire::ExportMatchResponse>, Status> {
        let (viewer, caller) = (viewer(&request).clone(), caller_key(&request));
        let request = request.into_inner();
        let id = from_proto::match_id(&request.match_id).map_err(Fault::from)?;
        let (end, is_over) = self.readable(id, &viewer, caller).await?;
        let thinking = ThinkingReader::new(&viewer, is_over);
        let form = RecordForm {
            format: request.format,
            raw_records: request.raw_records,
        };
        let export = async move |reader: &Reader| {
            let exported = record::export(reader, id, end, &form, thinking).await?;
            Ok::<_, Fault>(encoded::answer(exported, reader.matches().response_bytes()))
        };
        let exported = self.0.matches.read(caller, export).await;
        Ok(exported.map_err(Fault::from)??)
    }

    async fn export_matches(
        &self,
        request: Request<wire::ExportMatchesRequest>,
    ) -> Result<Response<Self::ExportMatchesStream>, Status> {
        let (viewer, caller) = (viewer(&request).clone(), caller_key(&request));
        let ends = self.0.stream_ends(&request);
        let request = request.into_inner();
        let filter = from_proto::nested_filter(request.filter.as_ref(), request.order);
        let filter = filter.map_err(Fault::from)?;
        let form = RecordForm {
            format: request.format,
            raw_records: request.raw_records,
        };
        form.check(filter.game)?;
        let pages = self.0.page_tokens.matches(&viewer, &filter);
        let after = pages.place(&request.resume_token);
        let after = after.map_err(|invalid| Fault::from(invalid.named("resume_token")))?;
        let export = MatchesExport {
            list: MatchList { viewer, filter },
            form,
            pages,
            after: after.map(MatchId::from_bytes),
        };
        let matches = Arc::clone(&self.0.matches);
        Ok(export_matches(matches, ends, caller, export))
    }

    async fn verify_match(
        &self,
        request: Request<wire::VerifyMatchRequest>,
    ) -> Result<Response<wire::VerifyMatchResponse>, Status> {
        let (viewer, caller) = (viewer(&request).clone(), caller_key(&request));
        let id = from_proto::match_id(&request.get_ref().match_id).map_err(Fault::from)?;
        let (end, _) = self.readable(id, &viewer, caller).await?;
        let verify = async move |reader: &Reader| record::verify(reader, id, end).await;
        let verified = self.0.matches.read(caller, verify).await;
        Ok(Response::new(verified.map_err(Fault::from)??))
    }
}

impl MatchApi {
    /// The match after a change, as those concerned see it.
    async fn resource(&self, id: MatchId, player: PlayerId) -> Result<wire::Match, Fault> {
        let found = self
            .0
            .matches
            .changed(id, CallerKey::Player(player))
            .await?;
        Ok(to_proto::found_match(&self.0.matches, &found))
    }

    /// The last event of a match that a viewer may read, and true if the match is over, after charging for reading
    /// all up to it.
    async fn readable(
        &self,
        id: MatchId,
        viewer: &Viewer,
        caller: CallerKey,
    ) -> Result<(Sequence, bool), Fault> {
        let found = self.0.matches.seen(id, viewer, caller).await?;
        let (head, is_over) = found.with(|facts| (facts.head.sequence, facts.is_over()));
        self.0.charge(caller, call_cost::of_events(head.0))?;
        Ok((head, is_over))
    }

    async fn ask(
        &self,
        match_id: &str,
        player: PlayerId,
        command: Command,
    ) -> Result<wire::Match, Fault> {
        let id = from_proto::match_id(match_id)?;
        self.0.matches.ask(id, command).await?;
        self.resource(id, player).await
    }

    async fn join(
        &self,
        caller: &Caller,
        request: &wire::JoinMatchRequest,
    ) -> Result<wire::JoinMatchResponse, Fault> {
        let id = from_proto::match_id(&request.match_id)?;
        let seat = from_proto::seat_or_any("seat", request.seat)?;
        let player = caller.player;
        let join = Command::Join {
            player,
            seat,
            name: from_proto::seat_name(caller, &request.name)?,
            seed: from_proto::seed(&request.seed)?,
            request_id: from_proto::request_id(&request.request_id)?,
        };
        self.0.matches.ask(id, join).await?;
        let matches = &self.0.matches;
        let found = matches.changed(id, CallerKey::Player(player)).await?;
        Ok(found.with(|facts| wire::JoinMatchResponse {
            r#match: Some(to_proto::shown_match(matches, facts)),
            seat: to_proto::seat(facts.seat_of(player)),
        }))
    }

    async fn list(
        &self,
        viewer: Viewer,
        caller: CallerKey,
        request: wire::ListMatchesRequest,
    ) -> Result<Response<wire::ListMatchesResponse>, Fault> {
        let size = page_size(request.page_size)?;
        let filter = from_proto::filter(&request)?;
        let pages = self.0.page_tokens.matches(&viewer, &filter);
        let before = pages.place(&request.page_token)?.map(MatchId::from_bytes);
        self.0.charge(caller, call_cost::of_page(size))?;
        let list = async move |reader: &Reader| {
            let page = reader.list(&viewer, &filter, before, size).await?;
            let shown = page.matches.iter();
            let shown = shown.map(|(_, found)| {
                reader.yield_to_players();
                to_proto::found_match(reader.matches(), found)
            });
            let listed = wire::ListMatchesResponse {
                matches: shown.collect(),
                next_page_token: page
                    .next
                    .map_or_else(String::new, |id| pages.token(&id.bytes())),
            };
            Ok(encoded::answer(listed, reader.matches().response_bytes()))
        };
        self.0
            .matches
            .read(caller, list)
            .await
            .map_err(Refusal::from)?
    }
}

fn page_size(asked: i32) -> Result<usize, Fault> {
    let size = from_proto::page_size(asked, DEFAULT_PAGE_MATCHES, MAX_PAGE_MATCHES);
    Ok(size?)
}
