use dragontooth_proto::v1;
use dragontooth_service_vocabulary::PlayerId;
use dragontooth_service_wire::offer;

use super::fields::{id, player_id, time};
use crate::{FieldFault, InvalidResponse, OfferUntil, PlayerView, PresenceId};

/// Converts a player that is present no more.
pub(crate) fn gone_player_id(text: &str) -> Result<PlayerId, InvalidResponse> {
    id("gone_player_id", text)
}

/// Converts an offer that was made.
pub(crate) fn offer_until(wire: v1::SetOfferResponse) -> Result<OfferUntil, InvalidResponse> {
    Ok(OfferUntil {
        presence: PresenceId(wire.presence_id),
        expires: time(wire.expire_time, "expire_time")?,
    })
}

/// Converts a player that is present.
pub(crate) fn present_player(wire: v1::PresentPlayer) -> Result<PlayerView, InvalidResponse> {
    let offer = wire.offer.map(offer::from_proto).transpose();
    Ok(PlayerView {
        player: player_id(&wire.player_id)?,
        name: wire.name,
        offer: offer.map_err(|invalid| {
            InvalidResponse::new(
                format!("offer.{}", invalid.field),
                FieldFault::Offer(invalid.fault),
            )
        })?,
        opened: time(wire.open_time, "open_time")?,
        expires: (wire.expire_time)
            .map(|expires| time(Some(expires), "expire_time"))
            .transpose()?,
    })
}
