use dragontooth_proto::v1;
use dragontooth_service_wire::offer;

use super::Field;
use super::fields::{player_id, time};
use crate::{FieldFault, InvalidResponse, PlayerView};

/// Converts the present players of a page.
pub(crate) fn present_players(
    wire: Vec<v1::PresentPlayer>,
) -> Result<Vec<PlayerView>, InvalidResponse> {
    let players = wire.into_iter().enumerate().map(|(index, present)| {
        let read = present_player(present);
        read.within(&format!("players[{index}]"))
    });
    players.collect()
}

fn present_player(wire: v1::PresentPlayer) -> Result<PlayerView, InvalidResponse> {
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
    })
}
