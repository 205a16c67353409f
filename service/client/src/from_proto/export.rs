use dragontooth_proto::v1;

use super::events::event;
use super::fields::filled;
use super::matches::match_view;
use crate::{ExportedMatch, InvalidResponse};

/// Converts the record of a match.
pub(crate) fn exported_match(
    wire: v1::ExportMatchResponse,
) -> Result<ExportedMatch, InvalidResponse> {
    let events = wire.events.into_iter().map(event);
    Ok(ExportedMatch {
        view: match_view(wire.r#match)?,
        events: events.collect::<Result<_, _>>()?,
        seed: filled(wire.seed),
        text: wire.text,
    })
}
