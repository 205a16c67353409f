use dragontooth_games::Seat;

use crate::GameOutcome;

/// A question about a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnalysisQuestion {
    /// The game's name.
    pub game: String,
    /// The variant's name; none for the default.
    pub variant: Option<String>,
    /// The position, in the game's notation; none for the first one of a match.
    pub position: Option<String>,
    /// Actions to play from there, and rolls where chance is due; at most 10,000.
    pub actions: Vec<String>,
    /// Whether to tell what each legal action leads to.
    pub results: bool,
    /// What the first position is drawn from, in a variant that draws it; at most 64 bytes.
    pub seed: String,
}

/// What the rules say of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// The position after the actions and the passes that they forced.
    pub position: String,
    /// The seat that decides; none if the game is over or chance gives a roll.
    pub seat: Option<Seat>,
    /// What it may play.
    pub legal: Vec<String>,
    /// The offers that it may make besides.
    pub offers: Vec<String>,
    /// What chance gave for the decision.
    pub roll: Option<String>,
    /// Where chance is due, the rolls that make a difference.
    pub rolls: Vec<String>,
    /// The position in the notations of other programs, each with its name.
    pub other_notations: Vec<(String, String)>,
    /// The seats whose turn passed after the last action, in order.
    pub passes: Vec<Seat>,
    /// How the game ended; none if it goes on.
    pub outcome: Option<GameOutcome>,
    /// If asked for, the position after each legal action, in the order of `legal`.
    pub results: Vec<String>,
}
