/// The path of the stream on which a player plays all of its matches.
pub const PLAY: &str = "/dragontooth.v1.GameService/Play";
/// The path of the call that answers a decision.
pub const SUBMIT_ACTION: &str = "/dragontooth.v1.GameService/SubmitAction";
/// The path of the call that asks for the decision that is due.
pub const GET_DECISION: &str = "/dragontooth.v1.GameService/GetDecision";
/// The path of the stream that tells the events of a match.
pub const WATCH_MATCH: &str = "/dragontooth.v1.MatchService/WatchMatch";
/// The path of the call that takes a seat.
pub(super) const JOIN_MATCH: &str = "/dragontooth.v1.MatchService/JoinMatch";
/// The path of the call that resigns a match.
pub(super) const RESIGN_MATCH: &str = "/dragontooth.v1.MatchService/ResignMatch";
