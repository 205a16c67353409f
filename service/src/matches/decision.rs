use std::fmt::{Display, Write};
use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::match_play::{Match, Score};
use dragontooth_service_domain::MatchState;
use dragontooth_service_vocabulary::{History, MatchId, Sequence, Timestamp};

/// The decision that a seat has to make.
#[derive(Clone, Debug)]
pub(crate) struct DecisionView {
    pub(crate) match_id: MatchId,
    pub(crate) decision: Sequence,
    pub(crate) seat: Seat,
    pub(crate) game_number: u32,
    pub(crate) ply: u32,
    pub(crate) position: String,
    pub(crate) legal_actions: Notations,
    pub(crate) offers: Vec<String>,
    pub(crate) roll: Option<String>,
    pub(crate) score: Score,
    pub(crate) remaining: [Option<Duration>; 2],
    pub(crate) deadline: Option<Timestamp>,
    pub(crate) illegal_actions_left: Option<u32>,
    pub(crate) since: History,
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
                Notations::of_legal_actions(play)
            } else {
                Notations::default()
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
            since: state.history_since(due.seat),
        })
    }
}

/// Notations in one text: every decision is sent with its legal actions, which may be hundreds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notations {
    text: String,
    /// The end of each of them in the text.
    ends: Vec<usize>,
}

impl Notations {
    /// Numbers for which the memory is taken at once; enough for most decisions.
    const USUAL: usize = 32;
    const USUAL_BYTES: usize = 256;

    pub(crate) fn of_legal_actions(play: &dyn Match) -> Self {
        let mut all = Self {
            text: String::with_capacity(Self::USUAL_BYTES),
            ends: Vec::with_capacity(Self::USUAL),
        };
        play.for_each_legal_action(&mut |action| all.push(action));
        all
    }

    fn push(&mut self, notation: &dyn Display) {
        write!(self.text, "{notation}").expect("a String takes any text");
        self.ends.push(self.text.len());
    }

    /// Each of them, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> + Clone {
        let begins = [0].into_iter().chain(self.ends.iter().copied());
        let ends = self.ends.iter();
        begins.zip(ends).map(|(begin, end)| &self.text[begin..*end])
    }
}
