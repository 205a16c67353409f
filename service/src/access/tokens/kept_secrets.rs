use std::collections::VecDeque;
use std::time::Duration;

use dragontooth_service_domain::access::REMEMBERED_TOKEN_REQUESTS;
use dragontooth_service_vocabulary::{Timestamp, TokenId};

use super::super::Secret;

/// Time during which a repeated request for a token gets the secret again.
const SECRET_MEMORY: Duration = Duration::from_mins(10);

/// The secrets of tokens that were issued a short time ago, of as many as there are requests that can be repeated.
#[derive(Debug, Default)]
pub(super) struct KeptSecrets(VecDeque<Kept>);

/// A secret that is kept for a repeated request.
#[derive(Debug)]
struct Kept {
    id: TokenId,
    secret: Secret,
    until: Timestamp,
}

impl KeptSecrets {
    /// Keeps the secret of a token for a while.
    pub(super) fn keep(&mut self, id: TokenId, secret: &Secret, now: Timestamp) {
        self.forget_old(now);
        if self.0.len() == REMEMBERED_TOKEN_REQUESTS {
            self.0.pop_front();
        }
        self.0.push_back(Kept {
            id,
            secret: secret.clone(),
            until: now.after(SECRET_MEMORY),
        });
    }

    /// The secret of a token, if it is still kept.
    pub(super) fn of(&mut self, id: TokenId, now: Timestamp) -> Option<Secret> {
        self.forget_old(now);
        let found = self.0.iter().find(|kept| kept.id == id)?;
        Some(found.secret.clone())
    }

    fn forget_old(&mut self, now: Timestamp) {
        self.0.retain(|kept| now < kept.until);
    }
}
