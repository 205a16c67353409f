use dragontooth_games::Seat;
use dragontooth_proto::v1;
use dragontooth_service_vocabulary::{EndReason, MatchId, NewMatch, RequestId};

use crate::client::{call, call_with_id};
use crate::from_proto;
use crate::invalid_response::InvalidResponse;
use crate::{
    Client, ClientError, ExportedMatch, MatchFilter, MatchResignation, MatchView, Page, PageToken,
    to_proto,
};

/// A seat that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The match with the player in it.
    pub view: MatchView,
    /// The player's seat.
    pub seat: Seat,
}

/// The result of verifying a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Number of games whose first position agrees with the seeds.
    pub deals: u32,
    /// Number of rolls that agree with the seeds.
    pub rolls: u32,
    /// The first deal or roll that does not agree with the seeds.
    pub fault: Option<String>,
}

impl Client {
    /// Creates a match.
    ///
    /// # Errors
    ///
    /// The game, the variant, the target or another field is refused, or the call failed.
    pub async fn create_match(&self, new: NewMatch) -> Result<MatchView, ClientError> {
        let request_id = new.request_id.clone();
        let request = call_with_id(to_proto::create_match(new)?, request_id.as_ref());
        let answer = self.matches.clone().create_match(request).await?;
        Ok(from_proto::match_view(answer.into_inner().r#match)?)
    }

    /// Creates a match of the same players as another, with the same terms, the seats swapped and each of them reserved for its player,
    /// who joins it as usual. The request id makes a retry safe.
    ///
    /// # Errors
    ///
    /// The player has no seat in the match, a seat of it is free, a limit is reached, the opponent blocks the player, or the call failed.
    pub async fn create_rematch(
        &self,
        match_id: MatchId,
        request_id: Option<RequestId>,
    ) -> Result<MatchView, ClientError> {
        let message = v1::CreateRematchRequest {
            match_id: match_id.to_string(),
            join_timeout: None,
            request_id: to_proto::request_id(request_id.clone()),
        };
        let request = call_with_id(message, request_id.as_ref());
        let answer = self.matches.clone().create_rematch(request).await?;
        Ok(from_proto::match_view(answer.into_inner().r#match)?)
    }

    /// Takes a seat: the requested one, or else a reserved one, or else the first free one. The
    /// name has at most 64 bytes and counts for a token of the player's own choice; the seed, the player's
    /// share of the seed for the draws of the match, has at most 64 bytes.
    ///
    /// # Errors
    ///
    /// There is no such match, the seat is not free, the player has joined with another name or seed, or
    /// the call failed.
    pub async fn join_match(
        &self,
        match_id: MatchId,
        seat: Option<Seat>,
        name: impl Into<String>,
        seed: Option<String>,
    ) -> Result<Joined, ClientError> {
        let request = v1::JoinMatchRequest {
            match_id: match_id.to_string(),
            seat: to_proto::seat(seat),
            name: name.into(),
            seed: seed.unwrap_or_default(),
            // Joining again returns the same answer, so it needs no request id.
            request_id: String::new(),
        };
        let answer = self.matches.clone().join_match(call(request)).await?;
        let answer = answer.into_inner();
        let seat = from_proto::seat(answer.seat, "seat")?;
        Ok(Joined {
            view: from_proto::match_view(answer.r#match)?,
            seat: seat.ok_or_else(|| InvalidResponse::missing("seat"))?,
        })
    }

    /// Returns a match.
    ///
    /// # Errors
    ///
    /// There is no such match, or the call failed.
    pub async fn get_match(&self, match_id: MatchId) -> Result<MatchView, ClientError> {
        let request = v1::GetMatchRequest {
            match_id: match_id.to_string(),
        };
        let answer = self.matches.clone().get_match(call(request)).await?;
        Ok(from_proto::match_view(answer.into_inner().r#match)?)
    }

    /// Lists matches, in the order of the filter.
    ///
    /// # Errors
    ///
    /// The page belongs to another filter, or the call failed.
    pub async fn list_matches(
        &self,
        filter: MatchFilter,
        page: Option<PageToken>,
    ) -> Result<Page<MatchView>, ClientError> {
        let request = to_proto::list_matches(filter, page);
        let answer = self.matches.clone().list_matches(call(request)).await?;
        let answer = answer.into_inner();
        let views = answer
            .matches
            .into_iter()
            .map(|wire| from_proto::match_view(Some(wire)));
        Ok(Page {
            items: views.collect::<Result<_, _>>()?,
            next: from_proto::page_token(answer.next_page_token),
        })
    }

    /// Resigns a match.
    ///
    /// # Errors
    ///
    /// The player has no seat in the match, it is over, or the call failed.
    pub async fn resign_match(
        &self,
        resignation: MatchResignation,
    ) -> Result<MatchView, ClientError> {
        let request_id = resignation.request_id.clone();
        let message = v1::ResignMatchRequest {
            match_id: resignation.match_id.to_string(),
            request_id: to_proto::request_id(resignation.request_id),
            reason: resignation.failure.unwrap_or_default(),
        };
        let request = call_with_id(message, request_id.as_ref());
        let answer = self.matches.clone().resign_match(request).await?;
        Ok(from_proto::match_view(answer.into_inner().r#match)?)
    }

    /// Aborts a match.
    ///
    /// # Errors
    ///
    /// The player is not allowed to, the match is over, or the call failed.
    pub async fn abort_match(
        &self,
        match_id: MatchId,
        request_id: Option<RequestId>,
    ) -> Result<MatchView, ClientError> {
        let message = v1::AbortMatchRequest {
            match_id: match_id.to_string(),
            request_id: to_proto::request_id(request_id.clone()),
        };
        let request = call_with_id(message, request_id.as_ref());
        let answer = self.matches.clone().abort_match(request).await?;
        Ok(from_proto::match_view(answer.into_inner().r#match)?)
    }

    /// Declines the seat reserved for the player, which ends the match.
    ///
    /// # Errors
    ///
    /// No seat is reserved for the player, or it has joined; the match is over, or the call failed.
    pub async fn decline_invitation(
        &self,
        match_id: MatchId,
        reason: Option<EndReason>,
        request_id: Option<RequestId>,
    ) -> Result<MatchView, ClientError> {
        let message = v1::DeclineInvitationRequest {
            match_id: match_id.to_string(),
            reason: to_proto::end_reason(reason),
            request_id: to_proto::request_id(request_id.clone()),
        };
        let request = call_with_id(message, request_id.as_ref());
        let answer = self.matches.clone().decline_invitation(request).await?;
        Ok(from_proto::match_view(answer.into_inner().r#match)?)
    }

    /// Returns the record of a match as text in a format of its game; without a format, in our own.
    ///
    /// # Errors
    ///
    /// There is no such match or format, the format cannot represent the match, its log is damaged,
    /// or the call failed.
    pub async fn export_match(
        &self,
        match_id: MatchId,
        format: Option<&str>,
    ) -> Result<ExportedMatch, ClientError> {
        let request = v1::ExportMatchRequest {
            match_id: match_id.to_string(),
            format: format.unwrap_or_default().to_owned(),
            raw_records: false,
        };
        let answer = self.matches.clone().export_match(call(request)).await?;
        Ok(from_proto::exported_match(answer.into_inner())?)
    }

    /// Lets the service replay a match and repeat its draws.
    ///
    /// # Errors
    ///
    /// There is no such match, its log is damaged, or the call failed.
    pub async fn verify_match(&self, match_id: MatchId) -> Result<Verified, ClientError> {
        let request = v1::VerifyMatchRequest {
            match_id: match_id.to_string(),
        };
        let answer = self.matches.clone().verify_match(call(request)).await?;
        let answer = answer.into_inner();
        Ok(Verified {
            deals: answer.deals,
            rolls: answer.rolls,
            fault: from_proto::filled(answer.fault),
        })
    }
}
