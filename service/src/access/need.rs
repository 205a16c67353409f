use dragontooth_service_vocabulary::Scope;

/// The token that a method needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// None.
    Nothing,
    /// One with any scope.
    Token,
    /// One with this scope.
    Scope(Scope),
    /// One with the scope `watch`; on an open service none, or any valid one.
    Reader,
}
