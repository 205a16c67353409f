use dragontooth_proto::v1;

use super::Field;
use super::fields;
use crate::LimitQuota;
use crate::invalid_response::InvalidResponse;

/// Converts the quotas of a player.
pub(crate) fn quotas(wire: v1::GetQuotasResponse) -> Result<Vec<LimitQuota>, InvalidResponse> {
    let quotas = wire.quotas.into_iter().map(quota);
    quotas.collect::<Result<_, _>>().within("quotas")
}

fn quota(wire: v1::Quota) -> Result<LimitQuota, InvalidResponse> {
    let if_limited = |number| (!wire.unlimited).then_some(number);
    Ok(LimitQuota {
        allowed: if_limited(wire.allowed),
        available: if_limited(wire.available),
        limit: wire.limit,
        per_second: wire.per_second,
        reset_in: wire
            .reset_in
            .map(|reset_in| fields::duration(reset_in, "reset_in"))
            .transpose()?,
    })
}
