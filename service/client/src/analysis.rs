use dragontooth_games::Seat;

use crate::GameOutcome;

/// A question about a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnalysisQuestion {
    /// The game's name.
    pub game: String,
    /// The variant's name; `None` means the default.
    pub variant: Option<String>,
    /// The position, in the game's notation; `None` means the first one of a match.
    pub position: Option<String>,
    /// Actions to play from there, and rolls where one is due; at most 10,000.
    pub actions: Vec<String>,
    /// True to include the position after each legal action.
    pub results: bool,
    /// Seed of the first position, in a variant that draws it; at most 64 bytes.
    pub seed: String,
}

/// A position analysed by the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// The position after the actions and the forced passes.
    pub position: String,
    /// The seat to act; `None` if the game is over or a roll is due.
    pub seat: Option<Seat>,
    /// The legal actions of that seat.
    pub legal: Vec<String>,
    /// The offers that it may make besides.
    pub offers: Vec<String>,
    /// The roll for the decision.
    pub roll: Option<String>,
    /// The distinct rolls, if one is due.
    pub rolls: Vec<String>,
    /// The position in the notations of other programs, each with its name.
    pub other_notations: Vec<(String, String)>,
    /// The seats that were forced to pass after the last action, in order.
    pub passes: Vec<Seat>,
    /// The result of the game; `None` if it is not over.
    pub outcome: Option<GameOutcome>,
    /// The position after each legal action, in the order of `legal`, if the question asked for it.
    pub results: Vec<String>,
}
