use dragontooth_games::analysis::Analysis;
use dragontooth_proto::v1;
use dragontooth_service_vocabulary::{MatchId, RequestId, Sequence};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;

use crate::client::{call, call_with_id};
use crate::from_proto;
use crate::invalid_response::InvalidResponse;
use crate::play::{PLAY_QUEUE_REQUESTS, PlayReceiver, PlaySender};
use crate::replicas::CONNECT_TIMEOUT;
use crate::transport::CALL_TIMEOUT;
use crate::{
    AnalysisQuestion, Answer, Client, ClientError, Decision, GameView, MatchView, Page, PageToken,
    PlayEvent, PlayOptions, PlaySession, RefusedThinking, to_proto,
};

/// An answer that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submitted {
    /// The sequence of the event that records the action.
    pub sequence: Sequence,
    /// The action in canonical notation.
    pub action: String,
    /// The match as it is now.
    pub view: MatchView,
    /// The fault for which the thoughts were left out.
    pub refused_thinking: Option<RefusedThinking>,
}

impl Client {
    /// Lists the games of the catalogue.
    ///
    /// # Errors
    ///
    /// The call failed.
    pub async fn list_games(&self, page: Option<PageToken>) -> Result<Page<GameView>, ClientError> {
        let request = v1::ListGamesRequest {
            page_size: 0,
            page_token: to_proto::page_token(page),
        };
        let answer = self.games.clone().list_games(call(request)).await?;
        let answer = answer.into_inner();
        Ok(Page {
            items: answer
                .games
                .into_iter()
                .map(from_proto::game_view)
                .collect(),
            next: from_proto::page_token(answer.next_page_token),
        })
    }

    /// Analyzes a position by the rules.
    ///
    /// # Errors
    ///
    /// The question is malformed, an action is illegal, or the call failed.
    pub async fn analyze_position(
        &self,
        question: AnalysisQuestion,
    ) -> Result<Analysis<String>, ClientError> {
        let request = call(to_proto::analyze_position(question));
        let answer = self.games.clone().analyze_position(request).await?;
        Ok(from_proto::analysis(answer.into_inner())?)
    }

    /// Returns the decision that is due in a match.
    ///
    /// # Errors
    ///
    /// There is no such match, it is not under way, or the call failed.
    pub async fn get_decision(&self, match_id: MatchId) -> Result<Decision, ClientError> {
        let request = v1::GetDecisionRequest {
            match_id: match_id.to_string(),
        };
        let answer = self.games.clone().get_decision(call(request)).await?;
        let due = answer
            .into_inner()
            .decision
            .ok_or_else(|| InvalidResponse::missing("decision"))?;
        Ok(from_proto::decision(due)?)
    }

    /// Answers a decision. When it returns, the action is durable.
    ///
    /// # Errors
    ///
    /// The answer was refused or the call failed. After a transient error the same answer may be
    /// sent again if it has a request id.
    pub async fn submit_action(&self, answer: Answer) -> Result<Submitted, ClientError> {
        let request_id = answer.request_id.clone();
        let message = v1::SubmitActionRequest {
            match_id: answer.match_id.to_string(),
            decision_id: answer.decision_id.sequence().0,
            action: answer.action,
            request_id: answer
                .request_id
                .map(RequestId::into_string)
                .unwrap_or_default(),
            thinking: to_proto::thinking(answer.thinking.as_ref()),
        };
        let request = call_with_id(message, request_id.as_ref());
        let answer = self.games.clone().submit_action(request).await?;
        let answer = answer.into_inner();
        Ok(Submitted {
            sequence: Sequence(answer.sequence),
            action: answer.action,
            view: from_proto::match_view(answer.r#match)?,
            refused_thinking: answer.thinking_fault.map(from_proto::refused_thinking),
        })
    }

    /// Opens the stream on which all of the player's matches are played. A newer stream of the
    /// same player closes it.
    ///
    /// # Errors
    ///
    /// The token is refused, the service is shutting down, or the call failed.
    pub async fn play(&self, options: PlayOptions) -> Result<PlaySession, ClientError> {
        let (requests, outgoing) = mpsc::channel(PLAY_QUEUE_REQUESTS);
        let sender = PlaySender::new(requests);
        sender
            .send(to_proto::start(&options))
            .await
            .map_err(|_| ClientError::ended())?;
        let outgoing = ReceiverStream::new(outgoing);
        let answer = self.games.clone().play(outgoing).await?;
        let via = answer.extensions().get().cloned();
        let mut receiver = PlayReceiver::new(answer.into_inner(), via);
        // Another replica may be asked next.
        let limit = if self.has_alternatives() {
            CONNECT_TIMEOUT
        } else {
            CALL_TIMEOUT
        };
        let Ok(first) = timeout(limit, receiver.next()).await else {
            receiver.give_up();
            return Err(ClientError::too_late(limit));
        };
        match first {
            Some(Ok(PlayEvent::Ready {
                player,
                heartbeat_interval,
            })) => Ok(PlaySession {
                player,
                heartbeat_interval,
                sender,
                receiver,
            }),
            Some(Ok(_)) => Err(InvalidResponse::missing("ready").into()),
            Some(Err(error)) => Err(error),
            None => Err(ClientError::ended()),
        }
    }
}
