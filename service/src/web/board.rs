use axum::http::StatusCode;
use dragontooth_games_boards::{CannotDraw, board_of, drawing};

use super::query::parameters;

/// The longest query that is read, in bytes: two of the longest positions, with every byte encoded.
const MAX_QUERY_BYTES: usize = 4096;

/// The longest position that is read, in bytes; those of matches are shorter.
const MAX_POSITION_BYTES: usize = 512;

/// The reason why there is no picture: a status, and a sentence for whoever wrote the link.
pub(super) type NoPicture = (StatusCode, &'static str);

const UNKNOWN_GAME: NoPicture = (
    StatusCode::NOT_FOUND,
    "there is no such board; there are /board/backgammon.svg, /board/kamisado.svg, /board/linja.svg and /board/tzaar.svg",
);

const fn bad(sentence: &'static str) -> NoPicture {
    (StatusCode::BAD_REQUEST, sentence)
}

/// Draws the position of a query as SVG. `file` is the name of the picture: `kamisado.svg`.
pub(super) fn picture(file: &str, query: &str) -> Result<String, NoPicture> {
    let game = file.strip_suffix(".svg").ok_or(UNKNOWN_GAME)?;
    let board = board_of(game).ok_or(UNKNOWN_GAME)?;
    if query.len() > MAX_QUERY_BYTES {
        return Err(bad("the query has more than 4096 bytes"));
    }
    let parameters =
        parameters(query).map_err(|_| bad("the query is not percent-encoded UTF-8"))?;
    let (mut position, mut before) = (None, None);
    for (name, value) in parameters {
        let place = match &*name {
            "position" => &mut position,
            "before" => &mut before,
            _ => return Err(bad("the parameters are `position` and `before`")),
        };
        if value.len() > MAX_POSITION_BYTES {
            return Err(bad("a position has more than 512 bytes"));
        }
        if place.replace(value).is_some() {
            return Err(bad("a parameter is given twice"));
        }
    }
    let position = position.ok_or(bad(
        "the parameter `position` is missing: a position in the notation of the game, percent-encoded",
    ))?;
    drawing(board, &position, before.as_deref()).map_err(|why| match why {
        CannotDraw::Position => bad("`position` is not a position of the game"),
        CannotDraw::Before => bad("`before` is not a position of the game"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "position=6,1,1,1,1,1,1,0/0,1,1,1,1,1,1,6%20r%201";

    #[test]
    fn a_position_is_drawn() {
        let svg = picture("linja.svg", START).unwrap();
        assert!(svg.starts_with("<svg"), "{svg}");
        // Twelve pieces a side.
        assert_eq!(svg.matches("<use ").count(), 24);
        let twice = format!("{START}&before={}", &START["position=".len()..]);
        assert_eq!(picture("linja.svg", &twice), Ok(svg), "nothing has changed");
    }

    #[test]
    fn bad_links_are_told_what_is_wrong() {
        let long = format!("position={}", "x".repeat(MAX_POSITION_BYTES + 1));
        let longer = format!("position={}", "x".repeat(MAX_QUERY_BYTES));
        for (file, query, expected) in [
            ("chess.svg", START, "no such board"),
            ("linja.png", START, "no such board"),
            ("", START, "no such board"),
            ("linja.svg", "", "`position` is missing"),
            ("linja.svg", "position=nonsense", "not a position"),
            ("linja.svg", "position=%zz", "percent-encoded"),
            ("linja.svg", &format!("{START}&before=x"), "`before` is not"),
            ("linja.svg", &format!("{START}&{START}"), "twice"),
            ("linja.svg", &format!("{START}&size=9"), "parameters are"),
            ("linja.svg", &long, "more than 512"),
            ("linja.svg", &longer, "more than 4096"),
        ] {
            let (status, sentence) = picture(file, query).unwrap_err();
            assert!(sentence.contains(expected), "{file}?{query}: {sentence}");
            let is_unknown = sentence.contains("no such board");
            assert_eq!(status == StatusCode::NOT_FOUND, is_unknown);
        }
    }
}
