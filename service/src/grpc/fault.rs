use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use dragontooth_games::analysis::{ActionFault, AnalysisError};
use dragontooth_games::match_play::InvalidOpening;
use dragontooth_games::{UnknownName, catalogue::SetupError};
use dragontooth_proto::v1::ErrorReason;
use dragontooth_service_domain::Rejection;
use dragontooth_service_domain::access::AccessRejection;
use dragontooth_service_vocabulary::PlayerId;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::access::{AuthError, TokenFault};
use crate::limits::{LimitExceeded, LimitName};
use crate::matches::Refusal;
use crate::metrics;

/// The `domain` of every `ErrorInfo`.
const DOMAIN: &str = "dragontooth.v1";

/// The delay after which a transient refusal is worth a retry.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The reason why a call is refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error(transparent)]
    Auth(#[from] AuthError),
    #[error(transparent)]
    Field(#[from] InvalidField),
    #[error(transparent)]
    UnknownGame(UnknownName),
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    #[error("no identity is the player {0}")]
    PlayerNotFound(PlayerId),
    #[error("the sequence {asked} is beyond the last event, {head}")]
    SequenceOutOfRange { asked: u64, head: u64 },
    #[error(transparent)]
    Token(#[from] TokenFault),
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// A field of a request that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {why}")]
pub(super) struct InvalidField {
    /// Its path, with an index in a list: `reservations[1].seat`.
    pub(super) field: Cow<'static, str>,
    pub(super) why: String,
}

impl InvalidField {
    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers hand over errors and literals"
    )]
    pub(super) fn new(field: impl Into<Cow<'static, str>>, why: impl ToString) -> Self {
        Self {
            field: field.into(),
            why: why.to_string(),
        }
    }

    /// The same fault of a field of another name.
    pub(super) fn named(self, field: &'static str) -> Self {
        Self {
            field: field.into(),
            ..self
        }
    }

    /// The same field of a message that is a field itself.
    pub(super) fn within(self, message: &str) -> Self {
        Self {
            field: format!("{message}.{}", self.field).into(),
            ..self
        }
    }
}

impl From<LimitExceeded> for Fault {
    fn from(limit: LimitExceeded) -> Self {
        Self::Refused(limit.into())
    }
}

impl From<Rejection> for Fault {
    fn from(rejection: Rejection) -> Self {
        Self::Refused(Refusal::Rejected(rejection))
    }
}

/// The status, reason and details of a refusal: see the comments of `ErrorReason`.
struct StatusParts {
    code: Code,
    reason: ErrorReason,
    facts: Vec<(&'static str, String)>,
    invalid_field: Option<InvalidField>,
    limit: Option<LimitName>,
    /// The kind and the id of what is not there.
    missing: Option<(&'static str, String)>,
    retry_after: Option<Duration>,
}

impl From<Fault> for Status {
    fn from(fault: Fault) -> Self {
        let parts = status_parts(&fault);
        let reason = parts
            .reason
            .as_str_name()
            .trim_start_matches("ERROR_REASON_");
        metrics::refused(reason);
        let facts: HashMap<String, String> = parts
            .facts
            .into_iter()
            .map(|(name, fact)| (name.to_owned(), fact))
            .collect();
        let mut details = ErrorDetails::with_error_info(reason, DOMAIN, facts);
        if let Some(invalid) = parts.invalid_field {
            details.add_bad_request_violation(invalid.field, invalid.why);
        }
        if let Some(limit) = parts.limit {
            details.add_quota_failure_violation(limit.as_str(), fault.to_string());
        }
        if let Some((kind, id)) = parts.missing {
            details.set_resource_info(kind, id, "", fault.to_string());
        }
        if let Some(delay) = parts.retry_after {
            details.set_retry_info(Some(delay));
        }
        Self::with_error_details(parts.code, fault.to_string(), details)
    }
}

fn status_parts(fault: &Fault) -> StatusParts {
    match fault {
        Fault::Auth(error) => auth(*error),
        Fault::Token(fault) => token(fault),
        Fault::Field(invalid) => field(invalid.clone()),
        Fault::UnknownGame(_) => plain(Code::NotFound, ErrorReason::UnknownGame),
        Fault::Analysis(error) => analysis(error),
        Fault::SequenceOutOfRange { head, .. } => {
            plain(Code::OutOfRange, ErrorReason::SequenceOutOfRange).with("head_sequence", head)
        }
        Fault::PlayerNotFound(id) => missing(ErrorReason::PlayerNotFound, "player", id),
        Fault::Refused(refusal) => refused(refusal),
    }
}

fn auth(error: AuthError) -> StatusParts {
    use ErrorReason as Reason;
    match error {
        AuthError::Missing => plain(Code::Unauthenticated, Reason::TokenMissing),
        AuthError::Malformed | AuthError::Mistyped | AuthError::NotIssued => {
            plain(Code::Unauthenticated, Reason::TokenMalformed)
        }
        AuthError::Unknown => plain(Code::Unauthenticated, Reason::TokenUnknown),
        AuthError::Expired => plain(Code::Unauthenticated, Reason::TokenExpired),
        AuthError::Revoked => plain(Code::Unauthenticated, Reason::TokenRevoked),
        AuthError::ScopeMissing(scope) => {
            plain(Code::PermissionDenied, Reason::ScopeMissing).with("scope", scope)
        }
    }
}

fn token(fault: &TokenFault) -> StatusParts {
    use AccessRejection as Rejected;
    match fault {
        TokenFault::Rejected(rejection) => match rejection {
            Rejected::NoScope => field(InvalidField::new("scopes", rejection)),
            Rejected::Ttl { .. } => field(InvalidField::new("ttl", rejection)),
            Rejected::TooManyTokens { .. } => {
                plain(Code::FailedPrecondition, ErrorReason::TooManyTokens)
                    .with("limit", "tokens_of_an_identity")
            }
            Rejected::TooManyIdentities => {
                plain(Code::FailedPrecondition, ErrorReason::TooManyTokens)
                    .with("limit", "identities")
            }
            Rejected::Confusable { like, .. } => {
                plain(Code::AlreadyExists, ErrorReason::NameConfusable).with("name", like)
            }
            Rejected::OwnBlock => field(InvalidField::new("player_id", rejection)),
            // Eight draws of 64 bits that are all taken: as good as a broken log.
            Rejected::Collision => plain(Code::Unavailable, ErrorReason::LogUnavailable).retry(),
            Rejected::UnknownToken(id) => missing(ErrorReason::TokenNotFound, "token", id),
            Rejected::RequestIdReused(id) => {
                plain(Code::AlreadyExists, ErrorReason::RequestIdReused).with("token_id", id)
            }
        },
        TokenFault::Limit(exceeded) => limit(exceeded),
        TokenFault::SecretGone(id) => {
            plain(Code::AlreadyExists, ErrorReason::RequestIdReused).with("token_id", id)
        }
        TokenFault::Draining => plain(Code::Unavailable, ErrorReason::Draining).retry(),
        TokenFault::LogUnavailable(_) => {
            plain(Code::Unavailable, ErrorReason::LogUnavailable).retry()
        }
    }
}

fn analysis(error: &AnalysisError) -> StatusParts {
    match error {
        AnalysisError::UnknownVariant(_) => plain(Code::NotFound, ErrorReason::UnknownVariant),
        AnalysisError::UnreadablePosition(why) => {
            let invalid = InvalidField::new("position", why);
            StatusParts {
                reason: ErrorReason::PositionUnreadable,
                ..field(invalid)
            }
        }
        AnalysisError::Action { index, fault, .. } => match fault {
            ActionFault::Unreadable(why) => {
                let invalid = InvalidField::new(format!("actions[{index}]"), why);
                StatusParts {
                    reason: ErrorReason::ActionUnreadable,
                    ..field(invalid)
                }
            }
            ActionFault::Illegal { rule, .. } => {
                plain(Code::FailedPrecondition, ErrorReason::IllegalAction).with("rule", rule)
            }
            ActionFault::GameOver => plain(Code::FailedPrecondition, ErrorReason::GameOver),
        }
        .with("action_index", index),
    }
}

fn refused(refusal: &Refusal) -> StatusParts {
    match refusal {
        Refusal::Rejected(rejection) => rejected(rejection),
        Refusal::MatchNotFound(id) => missing(ErrorReason::MatchNotFound, "match", id),
        Refusal::RequestIdReused => plain(Code::AlreadyExists, ErrorReason::RequestIdReused),
        Refusal::JoinTimeoutTooLong { .. } => field(InvalidField::new("join_timeout", refusal)),
        Refusal::Superseded => plain(Code::Aborted, ErrorReason::Superseded),
        Refusal::Draining => plain(Code::Unavailable, ErrorReason::Draining).retry(),
        Refusal::Blocked(player) => {
            plain(Code::PermissionDenied, ErrorReason::Blocked).with("player_id", player)
        }
        Refusal::Limit(exceeded) => limit(exceeded),
        Refusal::LogUnavailable(_) => plain(Code::Unavailable, ErrorReason::LogUnavailable).retry(),
        Refusal::LogDamaged { from, .. } => {
            let parts = plain(Code::DataLoss, ErrorReason::LogDamaged);
            match from {
                Some(first) => parts.with("sequence", first.0),
                None => parts,
            }
        }
    }
}

fn limit(exceeded: &LimitExceeded) -> StatusParts {
    match exceeded {
        LimitExceeded::Count { limit, allowed } => {
            plain(Code::ResourceExhausted, ErrorReason::LimitReached)
                .with("allowed", allowed)
                .of_limit(*limit, RETRY_AFTER)
        }
        LimitExceeded::Time { limit, allowed } => {
            plain(Code::ResourceExhausted, ErrorReason::LimitReached)
                .with("allowed", humantime::format_duration(*allowed))
                .of_limit(*limit, RETRY_AFTER)
        }
        LimitExceeded::Rate { limit, wait } => {
            plain(Code::ResourceExhausted, ErrorReason::RateLimited).of_limit(*limit, *wait)
        }
    }
}

fn rejected(rejection: &Rejection) -> StatusParts {
    use ErrorReason as Reason;
    match rejection {
        Rejection::UnknownGame(_) => plain(Code::NotFound, Reason::UnknownGame),
        Rejection::Setup(SetupError::UnknownVariant(_)) => {
            plain(Code::NotFound, Reason::UnknownVariant)
        }
        Rejection::Setup(error @ SetupError::BadTarget { .. }) => {
            field(InvalidField::new("target", error))
        }
        Rejection::Opening(error) => {
            let path = match error {
                InvalidOpening::TooLong(_) | InvalidOpening::TooShort { .. } => {
                    "opening".to_owned()
                }
                InvalidOpening::Drawn { .. }
                | InvalidOpening::Start { .. }
                | InvalidOpening::Unreadable { .. } => "opening[0]".to_owned(),
                InvalidOpening::Over { number } | InvalidOpening::Entry { number, .. } => {
                    format!("opening[{}]", number.saturating_sub(1))
                }
            };
            field(InvalidField::new(path, error))
        }
        Rejection::BothSeats => field(InvalidField::new("reservations", rejection)),
        Rejection::NotStarted => plain(Code::FailedPrecondition, Reason::MatchNotStarted),
        Rejection::Ended => plain(Code::FailedPrecondition, Reason::MatchEnded),
        Rejection::NoSeat => plain(Code::PermissionDenied, Reason::NoSeat),
        Rejection::SeatTaken(_) | Rejection::SeatsTaken | Rejection::OtherSeatHeld(_) => {
            plain(Code::FailedPrecondition, Reason::SeatTaken)
        }
        Rejection::JoinedDifferently { field } => {
            plain(Code::FailedPrecondition, Reason::AlreadyJoined).with("field", field)
        }
        Rejection::SeatReserved(_) | Rejection::SeatsReserved => {
            plain(Code::PermissionDenied, Reason::SeatReserved)
        }
        Rejection::NotYourTurn { due } => {
            plain(Code::FailedPrecondition, Reason::NotYourTurn).with("decision_id", due.0)
        }
        Rejection::StaleDecision { due, .. } => {
            plain(Code::Aborted, Reason::StaleDecision).with("decision_id", due.0)
        }
        Rejection::UnreadableAction { why, left } => {
            let invalid = InvalidField::new("action", why);
            let parts = StatusParts {
                reason: Reason::ActionUnreadable,
                ..field(invalid)
            };
            parts.with_left(*left)
        }
        Rejection::IllegalAction { rule, left, .. } => {
            plain(Code::FailedPrecondition, Reason::IllegalAction)
                .with("rule", rule)
                .with_left(*left)
        }
        Rejection::Hidden(id) => missing(Reason::MatchNotFound, "match", id),
        Rejection::AbortDenied => plain(Code::PermissionDenied, Reason::AbortDenied),
        Rejection::NotInvited => plain(Code::PermissionDenied, Reason::NotInvited),
        Rejection::RequestIdReused => plain(Code::AlreadyExists, Reason::RequestIdReused),
    }
}

const fn plain(code: Code, reason: ErrorReason) -> StatusParts {
    StatusParts {
        code,
        reason,
        facts: Vec::new(),
        invalid_field: None,
        limit: None,
        missing: None,
        retry_after: None,
    }
}

/// The refusal of a call about something that is not there.
fn missing(reason: ErrorReason, kind: &'static str, id: &impl ToString) -> StatusParts {
    StatusParts {
        missing: Some((kind, id.to_string())),
        ..plain(Code::NotFound, reason)
    }
}

fn field(invalid: InvalidField) -> StatusParts {
    let parts =
        plain(Code::InvalidArgument, ErrorReason::FieldInvalid).with("field", &invalid.field);
    StatusParts {
        invalid_field: Some(invalid),
        ..parts
    }
}

impl StatusParts {
    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers hand over numbers and names"
    )]
    fn with(mut self, name: &'static str, fact: impl ToString) -> Self {
        self.facts.push((name, fact.to_string()));
        self
    }

    /// After how many more illegal actions a match is lost, if it has a limit on them.
    fn with_left(self, left: Option<u32>) -> Self {
        match left {
            Some(left) => self.with("illegal_actions_left", left),
            None => self,
        }
    }

    const fn retry(mut self) -> Self {
        self.retry_after = Some(RETRY_AFTER);
        self
    }

    fn of_limit(mut self, limit: LimitName, retry_after: Duration) -> Self {
        self.limit = Some(limit);
        self.retry_after = Some(retry_after);
        self.with("limit", limit)
    }
}
