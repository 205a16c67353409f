use dragontooth_proto::v1;
use dragontooth_service_vocabulary::{EndReason, MatchId, NewToken, RequestId};

use crate::client::{call, call_once, call_with_id};
use crate::{Client, ClientError, IssuedToken, MatchView, Page, PageToken, TokenView};
use crate::{from_proto, to_proto};

/// Calls for operators, with a token that has the scope `admin`.
impl Client {
    /// Issues a token.
    ///
    /// # Errors
    ///
    /// The identity already has the maximum number of tokens, a field is invalid, the token lacks
    /// the scope, or the call failed.
    pub async fn create_token(&self, new: NewToken) -> Result<IssuedToken, ClientError> {
        let request = call_once(to_proto::create_token(new)?);
        let answer = self.admin.clone().create_token(request).await?;
        Ok(from_proto::issued_token(answer.into_inner())?)
    }

    /// Lists tokens in the order of their ids.
    ///
    /// # Errors
    ///
    /// The token lacks the scope, or the call failed.
    pub async fn list_tokens(
        &self,
        page: Option<PageToken>,
    ) -> Result<Page<TokenView>, ClientError> {
        let request = v1::ListTokensRequest {
            page_size: 0,
            page_token: page.map_or_else(String::new, |page| page.0),
        };
        let answer = self.admin.clone().list_tokens(call(request)).await?;
        let answer = answer.into_inner();
        let tokens = answer.tokens.into_iter();
        let views = tokens.map(|token| from_proto::token_view(Some(token)));
        Ok(Page {
            items: views.collect::<Result<_, _>>()?,
            next: from_proto::page_token(answer.next_page_token),
        })
    }

    /// Revokes a token.
    ///
    /// # Errors
    ///
    /// There is no such token, the token lacks the scope, or the call failed.
    pub async fn revoke_token(&self, id: impl Into<String>) -> Result<TokenView, ClientError> {
        let token_id = id.into();
        let request = call(v1::RevokeTokenRequest { token_id });
        let answer = self.admin.clone().revoke_token(request).await?;
        Ok(from_proto::token_view(answer.into_inner().token)?)
    }
    /// Aborts any match that is not over.
    ///
    /// # Errors
    ///
    /// There is no such match, it is over, the token lacks the scope, or the call failed.
    pub async fn abort_match_as_operator(
        &self,
        match_id: MatchId,
        reason: EndReason,
        request_id: Option<RequestId>,
    ) -> Result<MatchView, ClientError> {
        let message = v1::AdminServiceAbortMatchRequest {
            match_id: match_id.to_string(),
            reason: reason.into_string(),
            request_id: to_proto::request_id(request_id.clone()),
        };
        let request = call_with_id(message, request_id.as_ref());
        let answer = self.admin.clone().abort_match(request).await?;
        Ok(from_proto::match_view(answer.into_inner().r#match)?)
    }
}
