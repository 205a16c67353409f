use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::match_play::Score;
use dragontooth_service_domain::MatchState;
use dragontooth_service_vocabulary::{MatchId, Sequence, Timestamp};

/// The decision that a seat has to make.
#[derive(Clone, Debug)]
pub(crate) struct DecisionView {
    pub(crate) match_id: MatchId,
    pub(crate) decision: Sequence,
    pub(crate) seat: Seat,
    pub(crate) game_number: u32,
    pub(crate) ply: u32,
    pub(crate) position: String,
    pub(crate) legal_actions: Vec<String>,
    pub(crate) offers: Vec<String>,
    pub(crate) roll: Option<String>,
    pub(crate) score: Score,
    pub(crate) remaining: [Option<Duration>; 2],
    pub(crate) deadline: Option<Timestamp>,
    pub(crate) illegal_actions_left: Option<u32>,
}

impl DecisionView {
    /// The decision that is due in a match.
    pub(crate) fn of(id: MatchId, state: &MatchState, with_legal_actions: bool) -> Option<Self> {
        let due = state.due()?;
        let play = state.play();
        Some(Self {
            match_id: id,
            decision: due.decision,
            seat: due.seat,
            game_number: play.game_number(),
            ply: state.ply(),
            position: play.position().unwrap_or_default(),
            legal_actions: if with_legal_actions {
                play.legal_actions()
            } else {
                Vec::new()
            },
            offers: if with_legal_actions {
                play.offers()
            } else {
                Vec::new()
            },
            roll: play.rolled(),
            score: play.score(),
            remaining: Seat::BOTH.map(|seat| state.clocks().remaining(seat)),
            deadline: state.deadline(),
            illegal_actions_left: state.illegal_actions_left(),
        })
    }
}
