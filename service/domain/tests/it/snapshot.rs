use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::match_play::{Score, Step};
use dragontooth_service_domain::{DueDecision, MatchState, Seated};
use dragontooth_service_vocabulary::{Created, MatchOutcome, Sequence, Timestamp};

/// All that can be seen of a match.
#[derive(Debug, PartialEq)]
pub(crate) struct Snapshot {
    created: Created,
    created_at: Timestamp,
    head: Sequence,
    seats: [Option<Seated>; 2],
    is_full: bool,
    game: (&'static str, &'static str, u32),
    score: Score,
    game_number: u32,
    position: Option<String>,
    legal_actions: Vec<String>,
    step: Step,
    ply: u32,
    remaining: [Option<Duration>; 2],
    allowance: [Option<Duration>; 2],
    due: Option<DueDecision>,
    deadline: Option<Timestamp>,
    result: Option<MatchOutcome>,
    ended_at: Option<Timestamp>,
    /// What else there is, such as the requests that are remembered.
    all: String,
}

impl Snapshot {
    pub(crate) fn of(state: &MatchState) -> Self {
        let play = state.play();
        Self {
            created: state.created().clone(),
            created_at: state.created_at(),
            head: state.head(),
            seats: Seat::BOTH.map(|seat| state.seated(seat).cloned()),
            is_full: state.is_full(),
            game: (play.game(), play.variant(), play.target().points()),
            score: play.score(),
            game_number: play.game_number(),
            position: play.position(),
            legal_actions: play.legal_actions(),
            step: play.step(),
            ply: state.ply(),
            remaining: Seat::BOTH.map(|seat| state.clocks().remaining(seat)),
            allowance: Seat::BOTH.map(|seat| state.clocks().allowance(seat)),
            due: state.due(),
            deadline: state.deadline(),
            result: state.result().cloned(),
            ended_at: state.ended_at(),
            all: format!("{state:?}"),
        }
    }
}
