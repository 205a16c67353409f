use std::time::UNIX_EPOCH;

use dragontooth_games::{Seat, counted};
use dragontooth_games_boards::{DrawnBoard, Element, Picture, Rounded, board_of};
use dragontooth_runner_tournament::Event;

use super::super::document::kind;
use super::super::live_board::LiveBoard;
use super::super::live_clocks::{LiveClock, clock_text};
use super::page::{STYLE, note, section};
use super::{bracket, crosstable, facts, faults, figures, luck, match_page, matches, standings};
use crate::{AllMatchDetails, LuckFigures, Overview};

/// The style of the page of an event in progress.
pub const LIVE_STYLE: [&str; 3] = [STYLE, match_page::STYLE, include_str!("live.css")];

/// The script of the page of an event in progress.
pub const LIVE_SCRIPT: &str = include_str!("live.js");

/// The icon of the page.
pub const LIVE_ICON: &str = include_str!("live.svg");

/// The part of the page that shows the matches under way.
pub const UNDER_WAY: &str = "under-way";

/// The part of the page with the results without the luck in the dice.
const LUCK: &str = "luck";

/// The most cells that are marked for a change: an action that changes more of them sets up another game.
const MAX_MARKS: usize = 8;

/// The parts of the page that follow from the results, in their order.
const PARTS: [&str; 8] = [
    "summary",
    "standings",
    "bracket",
    "figures",
    "crosstable",
    LUCK,
    "faults",
    "matches",
];

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunPhase {
    /// Matches are being played.
    Live,
    /// All matches that count are over.
    Over,
    /// The runner has stopped before the end; it may resume.
    Stopped,
}

impl RunPhase {
    /// A word for scripts.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Over => "over",
            Self::Stopped => "stopped",
        }
    }
}

/// The matches under way, and the number of those over.
#[derive(Clone, Copy, Debug)]
pub struct UnderWay<'a> {
    /// The state of the run.
    pub phase: RunPhase,
    /// The name of the game.
    pub game: &'static str,
    /// The matches over.
    pub played: usize,
    /// All matches, as far as it is known.
    pub expected: u64,
    /// The matches that are drawn.
    pub boards: &'a [&'a LiveBoard],
    /// The number of other matches under way.
    pub others: usize,
}

/// The parts of the page that follow from the results: the same elements as in the report, but for the latest
/// matches and encounters, and faults without what happened. Each has a name, and may be empty.
#[must_use]
pub fn live_tables(
    overview: &Overview<'_>,
    details: &AllMatchDetails,
    luck: &LuckFigures,
) -> Vec<(&'static str, String)> {
    let or_empty = |part: Option<Element>| part.map_or_else(String::new, |part| part.to_string());
    let all = [
        facts::tiles(overview, details).to_string(),
        standings::standings(overview, standings::MAX_LATEST_ENCOUNTERS).to_string(),
        or_empty(bracket::bracket(overview)),
        figures::figures(overview, details).to_string(),
        crosstable::crosstable(overview).to_string(),
        or_empty(luck::luck(overview, luck)),
        faults::faults(overview, None).to_string(),
        matches::latest(overview, details).to_string(),
    ];
    PARTS.into_iter().zip(all).collect()
}

/// The part of the page that shows the matches under way.
#[must_use]
pub fn live_matches(now: &UnderWay<'_>) -> String {
    let count = now.boards.len() + now.others;
    let (word, text) = match now.phase {
        RunPhase::Live => ("Live", format!("{} under way", counted(count, "match"))),
        RunPhase::Over => ("Over", "all matches are played".to_owned()),
        RunPhase::Stopped => ("Stopped", "the run may be resumed".to_owned()),
    };
    let class = if now.phase == RunPhase::Live {
        "phase live"
    } else {
        "phase"
    };
    let badge = Element::new("strong").with("class", class).text(word);
    let (played, expected) = (now.played, now.expected);
    // An arena has no end.
    let over = if expected == 0 {
        counted(played, "match").to_string()
    } else {
        format!("{played} of {}", counted(expected, "match"))
    };
    let line = Element::new("p")
        .with("class", "state")
        .child(badge)
        .child(Element::new("span").text(format!("{over} over; {text}")));
    let bar = Element::new("progress")
        .with("max", expected.max(1))
        .with("value", played)
        .with("aria-label", "matches over");
    let heading = match now.phase {
        RunPhase::Live => "Matches under way",
        RunPhase::Over | RunPhase::Stopped => "Progress",
    };
    let bar = (expected > 0).then_some(bar);
    let mut part = section(UNDER_WAY, heading).child(line).children(bar);
    if now.phase != RunPhase::Live {
        return part.to_string();
    }
    let board = board_of(now.game);
    let is_wide = board.is_some_and(|board| {
        let [width, height] = board.size();
        width > height * 1.2
    });
    let class = if is_wide { "boards wide" } else { "boards" };
    let cards = now.boards.iter().map(|one| card(board, one));
    part = part.child(Element::new("div").with("class", class).children(cards));
    if now.others > 0 {
        let are = if now.others == 1 { "is" } else { "are" };
        let text = format!("{} {are} under way.", counted(now.others, "more match"));
        part = part.child(note(&text));
    }
    part.to_string()
}

/// The page of an event, whose parts a script replaces as they change. `parts` has their names and their contents,
/// and `since` is the id of this state.
#[must_use]
pub fn live_page(event: &Event, parts: &[(&str, &str)], since: &str) -> String {
    let rules = event.rules();
    let lead = format!(
        "{}, {} ({}), matches to {}",
        kind(event.format(), event.bots().len()),
        rules.game(),
        rules.variant(),
        rules.target(),
    );
    let has_luck = parts
        .iter()
        .any(|(name, inside)| *name == LUCK && !inside.is_empty());
    let link = Element::new("p")
        .with("id", "link")
        .with("class", "note")
        .with("role", "status");
    let script = Element::new("noscript").child(note(
        "Without scripts the page shows the state at which it was loaded.",
    ));
    let header = Element::new("header")
        .child(Element::new("h1").text(event.name()))
        .child(Element::new("p").with("class", "lead").text(lead))
        .child(link)
        .child(script)
        .child(places(event, has_luck));
    let mut main = String::new();
    for name in std::iter::once(UNDER_WAY).chain(PARTS) {
        let found = parts.iter().find(|(part, _)| *part == name);
        let inside = found.map_or("", |(_, inside)| *inside);
        for text in ["<div id=\"part-", name, "\">", inside, "</div>"] {
            main.push_str(text);
        }
    }
    let head = Element::new("head")
        .child(Element::new("meta").with("charset", "utf-8"))
        .child(meta("viewport", "width=device-width, initial-scale=1"))
        .child(meta("color-scheme", "light dark"))
        .child(Element::new("title").text(event.name()))
        .child(
            Element::new("link")
                .with("rel", "stylesheet")
                .with("href", "page.css"),
        )
        .child(
            Element::new("link")
                .with("rel", "icon")
                .with("href", "icon.svg"),
        )
        .child(
            Element::new("script")
                .with("src", "page.js")
                .with("defer", "defer"),
        );
    let footer = Element::new("footer").text(format!(
        "Shown by dragontooth-runner {}.",
        env!("CARGO_PKG_VERSION")
    ));
    let glyphs = glyphs(rules.game()).map_or_else(String::new, |glyphs| glyphs.to_string());
    let since = Element::new("meta")
        .with("name", "since")
        .with("content", since);
    let head = head.child(since);
    format!(
        "<!doctype html>\n<html lang=\"en\">{head}<body>{header}<main>{main}</main>{footer}{glyphs}</body></html>\n"
    )
}

fn meta(name: &'static str, content: &str) -> Element {
    Element::new("meta")
        .with("name", name)
        .with("content", content)
}

fn places(event: &Event, has_luck: bool) -> Element {
    let has_bracket = bracket::has_bracket(event);
    let all = [
        ("#under-way", "Under way"),
        ("#standings", "Standings"),
        ("#bracket", "Bracket"),
        ("#figures", "Figures"),
        ("#crosstable", "Crosstable"),
        ("#luck", "Luck"),
        ("#faults", "Faults"),
        ("#matches", "Matches over"),
    ];
    let all = all.into_iter();
    let all = all.filter(|(place, _)| has_luck || *place != "#luck");
    let is_arena = event.format().is_arena();
    let all = all.filter(|(place, _)| has_bracket || *place != "#bracket");
    let all = all.filter(|(place, _)| !is_arena || !["#faults", "#matches"].contains(place));
    let link = |(place, name): (&str, &str)| Element::new("a").with("href", place).text(name);
    Element::new("nav")
        .with("aria-label", "parts of the page")
        .children(all.map(link))
}

/// The parts that all boards of the page share: the pieces, and the empty board.
fn glyphs(game: &str) -> Option<Element> {
    let board = board_of(game)?;
    let ground = Element::new("g")
        .with("id", "ground")
        .children(board.ground());
    let drawn = Element::new("defs").children(board.glyphs()).child(ground);
    let frame = Element::new("svg")
        .with("class", "board glyphs")
        .with("aria-hidden", "true")
        .with("width", 0)
        .with("height", 0);
    Some(frame.child(drawn))
}

/// A match under way: its bots with their points, its board, and the last action.
fn card(board: Option<&'static dyn DrawnBoard>, one: &LiveBoard) -> Element {
    let below = one.first_side();
    let sides = board.map_or(["first", "second"], DrawnBoard::sides);
    let seat = |seat: Seat| {
        let side = sides[usize::from(seat != below)];
        Element::new("p")
            .with("class", "seat")
            .child(Element::new("span").with("class", "side").text(side))
            .child(Element::new("strong").text(&one.players[seat.index()]))
            .child(
                Element::new("span")
                    .with("class", "points")
                    .text(one.score[seat.index()]),
            )
            .children(one.clock(seat).map(clock))
    };
    let position = one.position();
    let picture = |position: Option<&String>| board?.picture(position?);
    let now = picture(position.as_ref());
    let status = now.as_ref().map(|picture| picture.status.as_str());
    let last = one.last.as_ref().map(|(by, what)| match by {
        Some(seat) => format!("{} {what}", sides[usize::from(*seat != below)]),
        None => what.clone(),
    });
    let game = (one.game() > 0).then(|| format!("game {}", one.game()));
    let words = [game, last, status.map(str::to_owned)];
    let words: Vec<String> = words.into_iter().flatten().collect();
    let words = if words.is_empty() {
        "waiting for the bots".to_owned()
    } else {
        words.join(" · ")
    };
    let drawn = match (board, &now) {
        (Some(board), Some(now)) => {
            let before = picture(one.before.as_ref());
            let [first, second] = &one.players;
            let label = format!("{first} – {second}: {words}");
            drawing(board, now, before.as_ref(), &label)
        }
        (Some(board), None) if position.is_none() => {
            drawing(board, &Picture::default(), None, "a board")
        }
        (_, _) => Element::new("code")
            .with("class", "position")
            .text(position.unwrap_or_default()),
    };
    Element::new("article")
        .child(seat(below.other()))
        .child(drawn)
        .child(seat(below))
        .child(note(&words))
        .child(note(&one.slot))
}

/// A clock, which the script of the page moves if it runs.
fn clock(clock: LiveClock) -> Element {
    let drawn = Element::new("span")
        .with("class", "clock")
        .with("role", "timer")
        .with("aria-label", "time left")
        .text(clock_text(clock.left));
    let since = clock.since.map(|since| since.duration_since(UNIX_EPOCH));
    match since {
        Some(Ok(since)) => drawn
            .with("data-left", clock.left.as_millis())
            .with("data-since", since.as_millis()),
        Some(Err(_)) | None => drawn,
    }
}

fn drawing(
    board: &dyn DrawnBoard,
    now: &Picture,
    before: Option<&Picture>,
    label: &str,
) -> Element {
    let [width, height] = board.size();
    let used = |glyph: &str, [x, y]: [f64; 2]| {
        Element::new("use")
            .with("href", format!("#{glyph}"))
            .with("x", Rounded(x))
            .with("y", Rounded(y))
    };
    let mut changes = before.map_or_else(Vec::new, |before| now.changes(before));
    if changes.len() > MAX_MARKS {
        changes.clear();
    }
    let marks = changes
        .iter()
        .map(|cell| used("mark", board.middle_of(*cell)));
    let pieces = now.pieces.iter().map(|piece| used(&piece.glyph, piece.at));
    Element::new("svg")
        .with("viewBox", format!("0 0 {width:.0} {height:.0}"))
        .with("class", "board")
        .with("role", "img")
        .with("aria-label", label)
        .child(Element::new("use").with("href", "#ground"))
        .children(marks)
        .children(pieces)
}
