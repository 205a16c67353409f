use dragontooth_service_vocabulary::RequestId;
use uuid::Uuid;

/// Returns a unique request id: a random UUID.
#[must_use]
pub fn random_request_id() -> RequestId {
    RequestId::new(&Uuid::new_v4().hyphenated().to_string())
        .expect("a UUID is short and visible ASCII")
}
