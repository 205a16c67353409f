/// Path of the stream that carries all of a player's matches.
pub const PLAY: &str = "/dragontooth.v1.GameService/Play";
/// Path of the call that answers a decision.
pub const SUBMIT_ACTION: &str = "/dragontooth.v1.GameService/SubmitAction";
/// Path of the call that returns the decision that is due.
pub const GET_DECISION: &str = "/dragontooth.v1.GameService/GetDecision";
/// Path of the stream of a match's events.
pub const WATCH_MATCH: &str = "/dragontooth.v1.MatchService/WatchMatch";
/// Path of the call that names the caller.
pub const WHO_AM_I: &str = "/dragontooth.v1.PlayerService/WhoAmI";
/// Path of the call that takes a seat.
pub(super) const JOIN_MATCH: &str = "/dragontooth.v1.MatchService/JoinMatch";
/// Path of the call that resigns a match.
pub(super) const RESIGN_MATCH: &str = "/dragontooth.v1.MatchService/ResignMatch";
