use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::record::{MatchRecord, Thinking};
use dragontooth_games_boards::{DrawnBoard, Element, Picture, board_of};
use dragontooth_runner_tournament::Fault;
use serde::Serialize;

use super::super::elapsed::elapsed;
use super::super::playback::{Cause, Frame, Playback};
use super::super::plot::thoughts_chart;
use super::super::thoughts::{DISAGREEMENT, Thoughts, of_actions};
use super::page::{note, page, section};

pub(super) const STYLE: &str = include_str!("match.css");
const SCRIPT: &str = include_str!("match.js");

/// The sources of a match's page.
#[derive(Debug)]
pub struct MatchSources<'a> {
    /// The match's title.
    pub title: &'a str,
    /// The record.
    pub record: &'a MatchRecord,
    /// The outcome, in a few words.
    pub outcome: &'a str,
    /// The duration of each decision.
    pub thinking: &'a [Duration],
    /// The bots' faults.
    pub faults: &'a [Fault],
    /// The relative link to the report.
    pub report: &'a str,
    /// The relative links to the pages of the match before and the one after.
    pub neighbours: [Option<&'a str>; 2],
}

/// The data of the page's script.
#[derive(Serialize)]
struct Data {
    /// The captions below and above the board: as it is, and the other way round.
    sides: [[String; 2]; 2],
    frames: Vec<JsonFrame>,
}

#[derive(Serialize)]
struct JsonFrame {
    step: String,
    status: String,
    score: String,
    thoughts: String,
    position: String,
    sides: u8,
    marks: String,
    pieces: String,
}

/// The page of a match, on which one goes through it on a drawn board. It needs nothing else.
#[must_use]
pub fn match_page(sources: &MatchSources<'_>) -> String {
    let record = sources.record;
    let playback = Playback::of(record);
    let [first, second] = &record.players;
    let lead = format!(
        "{} ({}) to {}: {}",
        record.game, record.variant, record.target, sources.outcome
    );
    let header = Element::new("header")
        .child(links(sources))
        .child(Element::new("h1").text(format!("{first} – {second}")))
        .child(Element::new("p").with("class", "lead").text(sources.title))
        .child(Element::new("p").with("class", "lead").text(lead));
    let mut main = Element::new("main");
    for fault in sources.faults {
        let bot = &record.players[fault.seat.index()];
        let text = format!("Fault of {bot}: {}: {}", fault.kind, fault.detail);
        main = main.child(Element::new("p").text(text));
    }
    if playback.frames.is_empty() {
        main = main.child(Element::new("p").text("Nothing was played in this match."));
    } else {
        main = main.child(play(sources, &playback));
    }
    if let Some(thoughts) = thoughts(record) {
        main = main.child(thoughts);
    }
    if let Some(fault) = &playback.fault {
        main = main.child(note(&format!(
            "The record cannot be shown any further: {fault}."
        )));
    }
    let mut body = vec![header, main];
    if !playback.frames.is_empty() {
        let data = serde_json::to_string(&data(record, &playback));
        let data = data.expect("numbers and texts can all be written");
        let data = Element::new("script")
            .with("type", "application/json")
            .with("id", "data")
            .json(&data);
        body.push(data);
        body.push(Element::new("script").raw(SCRIPT));
    }
    page(sources.title, STYLE, body)
}

/// The curves of what the players thought; `None` if neither sent a value.
fn thoughts(record: &MatchRecord) -> Option<Element> {
    let thoughts = Thoughts::of(record);
    let drawing = thoughts_chart(&thoughts, &record.players)?;
    let [first, _] = &record.players;
    let actions = |actions: &[usize]| {
        let numbers = actions.iter().map(|action| (action + 1).to_string());
        numbers.collect::<Vec<_>>().join(", ")
    };
    let turn = match &thoughts.turns[..] {
        [] => "In no game did the mean of both change sides.".to_owned(),
        turns => format!(
            "The mean of both changed sides for the rest of a game at action {}.",
            actions(turns)
        ),
    };
    let apart = match thoughts.disagreements.len() {
        0 => "The values were never further apart".to_owned(),
        1 => "In one stretch, shaded, the values were further apart".to_owned(),
        count => format!("In {count} stretches, shaded, the values were further apart"),
    };
    let points = DISAGREEMENT * 100.0;
    let text = format!(
        "The chances of {first} in percent, as both players saw them when they acted. {turn} {apart} than {points:.0} \
         percentage points."
    );
    Some(
        section("chances", "What the players thought")
            .child(
                Element::new("div")
                    .with("class", "plots")
                    .child(Element::new("figure").child(drawing)),
            )
            .child(note(&text)),
    )
}

fn links(sources: &MatchSources<'_>) -> Element {
    let [before, after] = sources.neighbours;
    let all = [
        (Some(sources.report), "The report"),
        (before, "← the match before"),
        (after, "the next match →"),
    ];
    let links = all
        .into_iter()
        .filter_map(|(place, name)| Some(Element::new("a").with("href", place?).text(name)));
    Element::new("nav")
        .with("aria-label", "pages")
        .children(links)
}

/// The board, the controls and the steps.
fn play(sources: &MatchSources<'_>, playback: &Playback) -> Element {
    let line = |id: &'static str| Element::new("span").with("id", id);
    let now = Element::new("div")
        .with("class", "now")
        .with("aria-live", "polite")
        .child(Element::new("p").child(Element::new("strong").with("id", "step")))
        .child(Element::new("p").child(line("status")))
        .child(Element::new("p").text("Score ").child(line("score")))
        .child(Element::new("p").child(line("thoughts")))
        .child(
            Element::new("code")
                .with("class", "position")
                .with("id", "position"),
        );
    let sides = |id: &'static str| {
        Element::new("p")
            .with("class", "sides")
            .child(Element::new("strong").with("id", id))
    };
    let view = Element::new("div")
        .child(sides("side1"))
        .child(board(sources.record))
        .child(sides("side0"))
        .child(controls(playback.frames.len()))
        .child(Element::new("noscript").child(note(
            "The steps below are the whole match; to go through it on the board a browser needs scripts.",
        )))
        .child(now);
    Element::new("div")
        .with("class", "play")
        .child(view)
        .child(steps(sources, playback))
}

/// The empty board, with the layers for marks and pieces.
fn board(record: &MatchRecord) -> Element {
    let Some(board) = board_of(&record.game) else {
        let text = "There is no board for this game: positions are shown in its notation.";
        return note(text)
            .child(Element::new("span").with("id", "marks"))
            .child(Element::new("span").with("id", "pieces"));
    };
    let [width, height] = board.size();
    let layer = |id: &'static str| Element::new("g").with("id", id);
    Element::new("svg")
        .with("viewBox", format!("0 0 {width:.0} {height:.0}"))
        .with("class", "board")
        .with("role", "img")
        .with("aria-label", "the board; its position is described below")
        .child(Element::new("defs").children(board.glyphs()))
        .children(board.ground())
        .child(layer("marks"))
        .child(layer("pieces"))
}

fn controls(frames: usize) -> Element {
    let button = |id: &'static str, label: &str, sign: &str| {
        Element::new("button")
            .with("type", "button")
            .with("id", id)
            .with("aria-label", label)
            .with("title", label)
            .text(sign)
    };
    let slider = Element::new("input")
        .with("type", "range")
        .with("id", "slider")
        .with("min", 0)
        .with("max", frames - 1)
        .with("value", 0)
        .with("aria-label", "position");
    Element::new("div")
        .with("class", "controls")
        .with("hidden", "hidden")
        .child(button("first", "first position", "|◀"))
        .child(button("back", "one back", "◀"))
        .child(button("play", "play", "Play"))
        .child(button("on", "one on", "▶"))
        .child(button("last", "last position", "▶|"))
        .child(slider)
}

/// The steps as a list of buttons, each of which shows its position.
fn steps(sources: &MatchSources<'_>, playback: &Playback) -> Element {
    let mut list = Element::new("div")
        .with("class", "steps")
        .with("role", "region")
        .with("aria-label", "steps")
        .with("tabindex", 0);
    let frames = playback.frames.iter().enumerate();
    let frames: Vec<(usize, &Frame)> = frames.collect();
    for game in frames.chunk_by(|a, b| a.1.game == b.1.game) {
        let number = game.first().map_or(0, |(_, frame)| frame.game);
        let rows = game.iter().map(|(at, frame)| step(sources, *at, frame));
        list = list
            .child(Element::new("h2").text(format!("Game {number}")))
            .child(Element::new("ol").children(rows));
        let outcome = game.last().and_then(|(_, frame)| frame.outcome);
        if let Some(outcome) = outcome {
            let text = match outcome.winner {
                Some(seat) => {
                    format!(
                        "{} wins {}",
                        sources.record.players[seat.index()],
                        outcome.points
                    )
                }
                None => "drawn".to_owned(),
            };
            list = list.child(Element::new("p").text(text));
        }
    }
    list
}

fn step(sources: &MatchSources<'_>, at: usize, frame: &Frame) -> Element {
    let (who, what) = told(sources.record, frame);
    let mut button = Element::new("button")
        .with("type", "button")
        .with("data-frame", at)
        .child(Element::new("span").with("class", "who").text(who))
        .child(Element::new("span").text(what));
    if let Cause::Action { decision, .. } = &frame.cause
        && let Some(time) = sources.thinking.get(*decision)
    {
        let time = elapsed(time.as_secs_f64() * 1e6);
        button = button.child(Element::new("span").with("class", "time").text(time));
    }
    Element::new("li").child(button)
}

/// The side and the action that led to a position.
fn told(record: &MatchRecord, frame: &Frame) -> (String, String) {
    let side = |seat: Seat| match board_of(&record.game) {
        Some(board) => board.sides()[usize::from(seat != frame.first_side)].to_owned(),
        None => seat.to_string(),
    };
    match &frame.cause {
        Cause::Start => (String::new(), "start".to_owned()),
        Cause::Action { seat, action, .. } => (side(*seat), action.clone()),
        Cause::Pass { seat } => (side(*seat), "passes".to_owned()),
        Cause::Roll { roll } => ("roll".to_owned(), roll.clone()),
    }
}

fn data(record: &MatchRecord, playback: &Playback) -> Data {
    let board = board_of(&record.game);
    let names = board.map_or(["first", "second"], DrawnBoard::sides);
    let [first, second] = &record.players;
    let as_they_are = [
        format!("{}: {first}", names[0]),
        format!("{}: {second}", names[1]),
    ];
    let swapped = [
        format!("{}: {second}", names[0]),
        format!("{}: {first}", names[1]),
    ];
    let thinking: Vec<_> = of_actions(record)
        .map(|(_, _, thinking)| thinking)
        .collect();
    let mut before: Option<(u32, Picture)> = None;
    let frames = playback.frames.iter().map(|frame| {
        let picture = board
            .and_then(|board| board.picture(&frame.position))
            .unwrap_or_default();
        let marks = match (&before, board) {
            (Some((game, before)), Some(board)) if *game == frame.game => {
                let cells = picture.changes(before);
                let mut marks = Picture::default();
                for cell in cells {
                    marks.note("mark", board.middle_of(cell));
                }
                placed(&marks)
            }
            _ => String::new(),
        };
        let json = JsonFrame {
            step: sentence(record, frame),
            status: picture.status.clone(),
            score: format!("{first} {}–{} {second}", frame.score[0], frame.score[1]),
            thoughts: thoughts_of(frame, &thinking),
            position: frame.position.clone(),
            sides: u8::from(frame.first_side == Seat::Second),
            marks,
            pieces: placed(&picture),
        };
        before = Some((frame.game, picture));
        json
    });
    Data {
        frames: frames.collect(),
        sides: [as_they_are, swapped],
    }
}

/// The thoughts about the action that led to a position, in words.
fn thoughts_of(frame: &Frame, thinking: &[Option<&Thinking>]) -> String {
    let Cause::Action { decision, .. } = frame.cause else {
        return String::new();
    };
    let Some(thinking) = thinking.get(decision).copied().flatten() else {
        return String::new();
    };
    let numbers = Some(thinking.to_string()).filter(|numbers| !numbers.is_empty());
    let line = Some(thinking.line()).filter(|line| !line.is_empty());
    let line = line.map(|line| format!("expects {}", line.join(", ")));
    let tags = thinking.tags().iter();
    let tags = tags.map(|tag| format!("{}: {}", tag.name, tag.value));
    let parts: Vec<_> = numbers.into_iter().chain(line).chain(tags).collect();
    format!("Thinks: {}", parts.join("; "))
}

/// The cause of a position, as a sentence.
fn sentence(record: &MatchRecord, frame: &Frame) -> String {
    let (who, what) = told(record, frame);
    let mut text = format!("Game {}: {who} {what}", frame.game).replace("  ", " ");
    if let Some(outcome) = frame.outcome {
        let won = match outcome.winner {
            Some(seat) => format!("; {} wins {}", record.players[seat.index()], outcome.points),
            None => "; drawn".to_owned(),
        };
        text.push_str(&won);
    }
    text
}

/// The pieces as the script reads them.
fn placed(picture: &Picture) -> String {
    let pieces = picture.pieces.iter().map(|piece| {
        let [x, y] = piece.at.map(|at| format!("{at:.1}"));
        let short = |text: String| text.strip_suffix(".0").map(str::to_owned).unwrap_or(text);
        format!("{} {} {}", piece.glyph, short(x), short(y))
    });
    pieces.collect::<Vec<_>>().join(";")
}
