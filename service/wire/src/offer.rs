//! Offers: what players accept.

use std::num::NonZeroU32;

use dragontooth_proto::store::v1::OfferPeriod as WirePeriod;
use dragontooth_proto::v1::{AcceptedGame as WireGame, Offer as Wire};
use dragontooth_service_vocabulary::{
    AcceptedGame, MAX_OFFERED, Offer, OfferPeriod, TimeControl, Timestamp,
};
use prost::Message;

use crate::time_control;

/// The error for an offer that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {fault}")]
pub struct InvalidOffer {
    /// The path of the field, from the offer: `games[1].target_max`.
    pub field: String,
    /// The fault.
    pub fault: String,
}

/// The offer in the form of the API.
#[must_use]
pub fn to_proto(offer: &Offer) -> Wire {
    let games = offer.games.iter().map(|accepted| WireGame {
        game: accepted.game.clone(),
        variants: accepted.variants.clone(),
        target_min: accepted.target_min,
        target_max: accepted.target_max,
        time_controls: (accepted.time_controls.iter())
            .map(|control| control.map_or_else(Default::default, time_control::to_proto))
            .collect(),
    });
    Wire {
        games: games.collect(),
        matches_at_once: offer.matches_at_once.map_or(0, NonZeroU32::get),
        build: offer.build.to_string(),
    }
}

/// The offer of the API. Its games need not be in the catalogue.
///
/// # Errors
///
/// A field is out of its range, or not a text of its kind.
pub fn from_proto(wire: Wire) -> Result<Offer, InvalidOffer> {
    let terms = wire
        .games
        .iter()
        .map(|game| game.variants.len() + game.time_controls.len());
    let offered = wire.games.len() + terms.sum::<usize>();
    if offered > MAX_OFFERED {
        let why = format!(
            "{offered} games, variants and time controls are too many: at most {MAX_OFFERED} in all"
        );
        return Err(invalid("games", &why));
    }
    let games = wire.games.into_iter().enumerate();
    let games = games.map(|(index, wire)| {
        accepted_game(wire).map_err(|invalid| InvalidOffer {
            field: format!("games[{index}].{}", invalid.field),
            ..invalid
        })
    });
    Ok(Offer {
        games: games.collect::<Result<_, _>>()?,
        matches_at_once: NonZeroU32::new(wire.matches_at_once),
        build: wire
            .build
            .parse()
            .map_err(|error| invalid("build", &error))?,
    })
}

/// The offer, with its period if it has one, as bytes for [`from_bytes`] and [`period_from_bytes`].
#[must_use]
pub fn to_bytes(offer: Option<&Offer>, period: Option<OfferPeriod>) -> Vec<u8> {
    let mut bytes = offer.map_or_else(Vec::new, |offer| to_proto(offer).encode_to_vec());
    if let Some(period) = period {
        let period = WirePeriod {
            since_us: period.since.micros(),
            expire_us: period.expires.micros(),
        };
        bytes.extend(period.encode_to_vec());
    }
    bytes
}

/// The period of the offer of these bytes; `None` if it has none.
#[must_use]
pub fn period_from_bytes(bytes: &[u8]) -> Option<OfferPeriod> {
    let wire = WirePeriod::decode(bytes).ok()?;
    (wire != WirePeriod::default()).then(|| OfferPeriod {
        since: Timestamp::from_micros(wire.since_us),
        expires: Timestamp::from_micros(wire.expire_us),
    })
}

/// The offer of these bytes; `None` if they are not one, or one of another version.
#[must_use]
pub fn from_bytes(bytes: &[u8]) -> Option<Offer> {
    from_proto(Wire::decode(bytes).ok()?).ok()
}

fn accepted_game(wire: WireGame) -> Result<AcceptedGame, InvalidOffer> {
    if wire.game.is_empty() {
        return Err(invalid("game", &"it is missing"));
    }
    if wire.target_max != 0 && wire.target_max < wire.target_min {
        let why = format!("it is less than the least, {}", wire.target_min);
        return Err(invalid("target_max", &why));
    }
    let controls = wire.time_controls.into_iter().enumerate();
    let controls = controls.map(|(index, control)| {
        time_control::from_proto(Some(control)).map_err(|error| {
            let part = error.field.trim_start_matches("time_control.");
            invalid(&format!("time_controls[{index}].{part}"), &error.fault)
        })
    });
    Ok(AcceptedGame {
        game: wire.game,
        variants: wire.variants,
        target_min: wire.target_min,
        target_max: wire.target_max,
        time_controls: controls.collect::<Result<Vec<Option<TimeControl>>, _>>()?,
    })
}

fn invalid(field: &str, fault: &dyn std::fmt::Display) -> InvalidOffer {
    InvalidOffer {
        field: field.to_owned(),
        fault: fault.to_string(),
    }
}
