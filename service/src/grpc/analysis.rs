use dragontooth_games::analysis::{Question, Start};
use dragontooth_games::catalogue;
use dragontooth_proto::v1 as wire;
use dragontooth_service_vocabulary::SeedText;

use super::fault::{Fault, InvalidField};
use super::from_proto::MAX_ACTION_BYTES;
use super::{from_proto, to_proto};

/// The most actions in a question.
const MAX_ACTIONS: usize = 10_000;

pub(super) fn list_games(
    request: &wire::ListGamesRequest,
) -> Result<wire::ListGamesResponse, Fault> {
    let size = from_proto::page_size(request.page_size, 100, 100)?;
    let start = match request.page_token.as_str() {
        "" => 0,
        name => catalogue::GAMES
            .iter()
            .position(|game| game.name == name)
            .ok_or_else(|| InvalidField::new("page_token", "no list gave it"))?,
    };
    let rest = &catalogue::GAMES[start..];
    let (page, later) = rest.split_at(size.min(rest.len()));
    Ok(wire::ListGamesResponse {
        games: page.iter().map(game).collect(),
        next_page_token: later
            .first()
            .map_or_else(String::new, |game| game.name.to_owned()),
    })
}

fn game(game: &catalogue::Game) -> wire::Game {
    let variant = |variant: catalogue::VariantInfo| wire::Variant {
        name: variant.name.to_owned(),
        summary: variant.summary.to_owned(),
        targets: variant.targets.usual.to_vec(),
        target_max: variant.targets.max.unwrap_or(0),
    };
    wire::Game {
        name: game.name.to_owned(),
        title: game.title.to_owned(),
        variants: game.variants().into_iter().map(variant).collect(),
        formats: game
            .formats
            .iter()
            .map(|format| format.name.to_owned())
            .collect(),
    }
}

pub(super) fn analyze_position(
    request: &wire::AnalyzePositionRequest,
) -> Result<wire::AnalyzePositionResponse, Fault> {
    let game = catalogue::find(from_proto::game(&request.game)?).map_err(Fault::UnknownGame)?;
    let variant = from_proto::variant(&request.variant)?;
    if request.actions.len() > MAX_ACTIONS {
        let why = format!(
            "{} are too many: at most {MAX_ACTIONS}",
            request.actions.len()
        );
        return Err(InvalidField::new("actions", why).into());
    }
    from_proto::short_texts("actions", &request.actions, MAX_ACTION_BYTES)?;
    SeedText::new(&request.seed).map_err(|error| InvalidField::new("seed", error))?;
    let actions: Vec<&str> = request.actions.iter().map(String::as_str).collect();
    let question = Question {
        start: Start {
            variant,
            position: (!request.position.is_empty()).then_some(request.position.as_str()),
            seed: &request.seed,
        },
        actions: &actions,
        results: request.with_results,
    };
    let analysis = game.analyze(&question)?;
    Ok(wire::AnalyzePositionResponse {
        position: analysis.position,
        seat: to_proto::seat(analysis.seat),
        legal_actions: analysis.legal,
        passes: analysis
            .passes
            .into_iter()
            .map(|seat| to_proto::seat(Some(seat)))
            .collect(),
        outcome: analysis.outcome.as_ref().map(to_proto::game_outcome),
        results: analysis.results,
        offers: analysis.offers,
        roll: analysis.rolled.unwrap_or_default(),
        rolls: analysis.rolls,
        other_notations: analysis
            .notations
            .into_iter()
            .map(|(name, text)| wire::OtherNotation {
                name: name.to_owned(),
                text,
            })
            .collect(),
    })
}
