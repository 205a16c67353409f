use dragontooth_proto::v1;
use dragontooth_service_vocabulary::MatchId;
use v1::export_matches_response::Response;

use crate::from_proto::{self, Field};
use crate::resuming_stream::{Resume, ResumingStream, opening};
use crate::{
    Client, ClientError, ExportedMatch, InvalidResponse, MatchFilter, PageToken, to_proto,
};

/// Receives the records of all matches that fit a filter, in its order.
#[derive(Debug)]
pub struct MatchExport {
    client: Client,
    filter: MatchFilter,
    format: String,
    resume_token: Option<PageToken>,
    stream: ResumingStream<v1::ExportMatchesResponse>,
    is_over: bool,
}

/// An update of an export.
#[derive(Debug)]
pub enum ExportUpdate {
    /// The next match.
    Match(Box<ExportedMatch>),
    /// A match that fits, or may fit, and has no record: its log is damaged, the format cannot represent it, or it
    /// is too large.
    Refused {
        /// The match.
        match_id: MatchId,
        /// The reason.
        error: ClientError,
    },
    /// The service waits, or looks for the next match.
    Heartbeat,
}

impl Client {
    /// Exports the matches that fit a filter, each as it is when its turn comes, as text in a format of their game;
    /// without a format, in our own. A format other than `text` needs the game in the filter, whose page size does
    /// not count. The first [`MatchExport::next`] opens the stream.
    ///
    /// `after` is the [`resume_token`](MatchExport::resume_token) of an earlier export with the same filter.
    #[must_use]
    pub fn export_matches(
        &self,
        filter: MatchFilter,
        format: Option<&str>,
        after: Option<PageToken>,
        resume: Resume,
    ) -> MatchExport {
        MatchExport {
            client: self.clone(),
            filter,
            format: format.unwrap_or_default().to_owned(),
            resume_token: after,
            stream: ResumingStream::new(self, resume),
            is_over: false,
        }
    }
}

impl MatchExport {
    /// The place after the last update, where another export can go on; `None` at the start.
    #[must_use]
    pub const fn resume_token(&self) -> Option<&PageToken> {
        self.resume_token.as_ref()
    }

    /// Returns the next update; `None` after the last match or an error. Cancel safe.
    ///
    /// # Errors
    ///
    /// The filter, the format or the token is refused, a message is malformed, or the connection was lost and the
    /// export does not resume.
    pub async fn next(&mut self) -> Option<Result<ExportUpdate, ClientError>> {
        while !self.is_over {
            match self.receive().await {
                Ok(Some(update)) => return Some(Ok(update)),
                Ok(None) => {}
                Err(failure) => {
                    if let Err(failure) = self.stream.lose(failure, |_, _| ()) {
                        self.is_over = true;
                        return Some(Err(failure));
                    }
                }
            }
        }
        None
    }

    /// Handles a message; returns `None` if it has no news.
    async fn receive(&mut self) -> Result<Option<ExportUpdate>, ClientError> {
        let Self {
            client,
            filter,
            format,
            resume_token,
            stream,
            ..
        } = self;
        let open = || async {
            let message =
                to_proto::export_matches(filter.clone(), format.clone(), resume_token.clone());
            client
                .matches
                .clone()
                .export_matches(opening(message))
                .await
        };
        let message = stream.message(open).await?;
        if let Some(Response::Closing(closing)) = &message.response {
            if !from_proto::closing(closing.reason).is_of_the_replica() {
                stream.stay();
            }
            // If a new stream is of no use, its refusal says why.
            return Err(ClientError::ended());
        }
        stream.has_answered();
        let update = match message.response {
            Some(Response::Record(record)) => {
                let record = from_proto::exported_match(*record).within("record")?;
                Some(ExportUpdate::Match(Box::new(record)))
            }
            Some(Response::Refused(refused)) => {
                let missing = || InvalidResponse::missing("refused.status");
                Some(ExportUpdate::Refused {
                    match_id: from_proto::match_id(&refused.match_id).within("refused")?,
                    error: from_proto::refusal(refused.status.ok_or_else(missing)?),
                })
            }
            Some(Response::Heartbeat(_)) => Some(ExportUpdate::Heartbeat),
            Some(Response::Finished(_)) => {
                self.is_over = true;
                None
            }
            // Later versions of the API may have unknown kinds of messages.
            Some(Response::Closing(_)) | None => None,
        };
        self.resume_token = from_proto::page_token(message.resume_token);
        Ok(update)
    }
}
