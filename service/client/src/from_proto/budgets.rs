use dragontooth_proto::v1;

use super::Field;
use super::fields;
use crate::LimitBudget;
use crate::invalid_response::InvalidResponse;

/// Converts the budgets of a player.
pub(crate) fn budgets(wire: v1::GetBudgetsResponse) -> Result<Vec<LimitBudget>, InvalidResponse> {
    let budgets = wire.budgets.into_iter().map(budget);
    budgets.collect::<Result<_, _>>().within("budgets")
}

fn budget(wire: v1::Budget) -> Result<LimitBudget, InvalidResponse> {
    let if_limited = |number| (!wire.unlimited).then_some(number);
    Ok(LimitBudget {
        allowed: if_limited(wire.allowed),
        available: if_limited(wire.available),
        limit: wire.limit,
        per_second: wire.per_second,
        full_in: wire
            .full_in
            .map(|full_in| fields::duration(full_in, "full_in"))
            .transpose()?,
    })
}
