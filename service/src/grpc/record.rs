use std::fmt::Write;

use dragontooth_games::Seat;
use dragontooth_proto::v1 as wire;
use dragontooth_service_domain::{Event, MatchId, MatchState, Recorded, Replay, Sequence};

use super::fault::Fault;
use super::to_proto;
use crate::matches::{Matches, Refusal};

/// Events that are read from the log at once.
const PAGE_EVENTS: usize = 1000;

/// The record of a match: its events, and a text for people.
pub(super) fn export(matches: &Matches, id: MatchId) -> Result<wire::ExportMatchResponse, Fault> {
    matches.find(id)?;
    let mut replay = Replay::new();
    let mut events = Vec::new();
    let mut text = RecordText::default();
    loop {
        let head = replay.state().map_or(Sequence(0), MatchState::head);
        let page = matches
            .log()
            .read(id, head, PAGE_EVENTS)
            .map_err(|error| Refusal::damaged(id, error))?;
        if page.is_empty() {
            break;
        }
        for recorded in &page {
            let after = replay
                .push(recorded)
                .map_err(|error| Refusal::damaged(id, error))?;
            events.push(to_proto::match_event(id, recorded, after));
            text.add(recorded, after);
        }
    }
    let state = replay.into_state().ok_or(Refusal::MatchNotFound(id))?;
    let given = state.result().and_then(|_| state.created().seed.given());
    let seed = given.map_or_else(String::new, ToString::to_string);
    Ok(wire::ExportMatchResponse {
        text: text.finish(id, &state),
        r#match: Some(to_proto::match_resource(id, &state)),
        events,
        seed,
    })
}

/// The record as text: headers, then each game with its opening position and numbered actions.
#[derive(Default)]
struct RecordText {
    body: String,
    action: u32,
}

impl RecordText {
    fn add(&mut self, recorded: &Recorded, after: &MatchState) {
        match &recorded.event {
            Event::Created(_) | Event::SeatJoined { .. } | Event::MatchEnded { .. } => {}
            Event::GameStarted { number, position } => {
                self.action = 0;
                self.line(&format!("\nGame {number}: {position}"));
            }
            Event::ActionPlayed { seat, action, .. } => {
                self.action += 1;
                self.line(&format!("{:>3}. {seat:<6} {action}", self.action));
            }
            Event::Rolled { roll } => self.line(&format!("     roll   {roll}")),
            Event::TurnPassed { seat } => self.line(&format!("     {seat:<6} --")),
            Event::GameEnded {
                winner,
                points,
                reason,
            } => {
                let score = after.play().score();
                let winner = winner.map_or("nobody".to_owned(), |winner| winner.to_string());
                self.line(&format!("{winner} wins {points} by {reason}: {score}"));
            }
        }
    }

    fn line(&mut self, text: &str) {
        self.body.push_str(text);
        self.body.push('\n');
    }

    fn finish(self, id: MatchId, state: &MatchState) -> String {
        let created = state.created();
        let name = |seat: Seat| {
            state
                .seated(seat)
                .map_or_else(|| "?".to_owned(), |seated| quoted(&seated.name.to_string()))
        };
        let result = match state.result() {
            None => "unfinished".to_owned(),
            Some(result) => {
                let winner = result
                    .winner
                    .map_or("nobody".to_owned(), |seat| seat.to_string());
                format!("{winner} {} {:?}", state.play().score(), result.termination).to_lowercase()
            }
        };
        let headers = [
            ("Match", id.to_string()),
            ("Title", quoted(&created.title.to_string())),
            ("Game", created.game.clone()),
            ("Variant", created.variant.clone()),
            ("Target", created.target.to_string()),
            ("First", name(Seat::First)),
            ("Second", name(Seat::Second)),
            ("Result", result),
        ];
        let mut text = String::new();
        for (header, value) in headers {
            writeln!(text, "[{header} \"{value}\"]").expect("writing to a string does not fail");
        }
        text + &self.body
    }
}

/// A value as it may stand between quotation marks.
fn quoted(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"")
}
