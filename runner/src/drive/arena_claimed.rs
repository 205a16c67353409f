/// Another process is present with the token of the arena.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArenaClaimed {
    /// It was there before.
    #[error(
        "the token of the runner is in use: {0} is present with it, and there is one arena at a time"
    )]
    Before(String),
    /// It came later.
    #[error(
        "another process has taken the place of this one: it is present with the token of the runner"
    )]
    Later,
}
