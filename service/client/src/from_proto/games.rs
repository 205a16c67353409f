use std::num::NonZeroU32;

use dragontooth_games::analysis::Analysis;
use dragontooth_proto::v1;

use super::Field;
use super::events::game_outcome;
use super::fields;
use super::history::history;
use super::matches;
use crate::invalid_response::InvalidResponse;
use crate::{Decision, GameView, VariantView};

/// Converts a game of the catalogue.
pub(crate) fn game_view(wire: v1::Game) -> GameView {
    let variant = |wire: v1::Variant| VariantView {
        name: wire.name,
        summary: wire.summary,
        targets: wire.targets,
        target_max: (wire.target_max > 0).then_some(wire.target_max),
    };
    GameView {
        name: wire.name,
        title: wire.title,
        formats: wire.formats,
        variants: wire.variants.into_iter().map(variant).collect(),
    }
}

/// Converts an analysis.
pub(crate) fn analysis(
    wire: v1::AnalyzePositionResponse,
) -> Result<Analysis<String>, InvalidResponse> {
    let passes = wire
        .passes
        .into_iter()
        .map(|seat| fields::some_seat(seat, "passes"));
    Ok(Analysis {
        position: wire.position,
        seat: fields::seat(wire.seat, "seat")?,
        legal: wire.legal_actions,
        offers: wire.offers,
        rolled: fields::filled(wire.roll),
        rolls: wire.rolls,
        notations: wire
            .other_notations
            .into_iter()
            .map(|other| (other.name, other.text))
            .collect(),
        passes: passes.collect::<Result<_, _>>()?,
        outcome: wire
            .outcome
            .map(game_outcome)
            .transpose()
            .within("outcome")?,
        results: wire.results,
    })
}

/// Converts a decision.
pub(crate) fn decision(wire: v1::Decision) -> Result<Decision, InvalidResponse> {
    read_decision(wire).within("decision")
}

fn read_decision(wire: v1::Decision) -> Result<Decision, InvalidResponse> {
    let id = fields::decision_id(wire.decision_id);
    Ok(Decision {
        match_id: fields::match_id(&wire.match_id)?,
        id: id.ok_or_else(|| InvalidResponse::missing("decision_id"))?,
        seat: fields::some_seat(wire.seat, "seat")?,
        game_number: wire.game_number,
        ply: wire.ply,
        position: wire.position,
        legal_actions: wire.legal_actions,
        offers: wire.offers,
        roll: fields::filled(wire.roll),
        score: matches::score(wire.score),
        clocks: matches::clocks(&wire.clocks)?,
        deadline: fields::maybe_time(wire.deadline, "deadline")?,
        illegal_actions_left: NonZeroU32::new(wire.illegal_actions_left),
        since: history(wire.since)?,
    })
}
