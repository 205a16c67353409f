/// The standing of a token: whether the service accepts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenStanding {
    /// It is accepted.
    Live,
    /// Its life is over.
    Expired,
    /// It was revoked.
    Revoked,
}
