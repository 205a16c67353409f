use dragontooth_service_vocabulary::InvalidText;
use dragontooth_service_wire::thinking::UnreadablePart;

/// A malformed answer of the service.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed answer: the field {field} {fault}")]
pub struct InvalidResponse {
    /// The path of the field.
    pub field: String,
    /// The fault.
    pub fault: FieldFault,
}

/// The fault of a field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldFault {
    /// It is missing.
    #[error("is missing")]
    Missing,
    /// The enum has no such number.
    #[error("has the unknown number {0}")]
    UnknownNumber(i32),
    /// It is not a valid duration or timestamp.
    #[error("is not a valid time")]
    Time,
    /// It is not an id.
    #[error("is not an id: {0}")]
    Id(String),
    /// It is not a valid text of its kind.
    #[error("is invalid: {0}")]
    Text(InvalidText),
    /// It is not an offer.
    #[error("is invalid: {0}")]
    Offer(String),
    /// It is part of thoughts that break a rule.
    #[error("is invalid: {0}")]
    Thinking(UnreadablePart),
    /// It has too few or too many elements.
    #[error("has {0} elements")]
    Count(usize),
    /// It is not expected at this point.
    #[error("comes out of order")]
    Order,
}

impl InvalidResponse {
    pub(crate) fn new(field: impl Into<String>, fault: FieldFault) -> Self {
        Self {
            field: field.into(),
            fault,
        }
    }

    pub(crate) fn missing(field: &str) -> Self {
        Self::new(field, FieldFault::Missing)
    }

    pub(crate) fn within(self, parent: &str) -> Self {
        Self {
            field: format!("{parent}.{}", self.field),
            fault: self.fault,
        }
    }
}
