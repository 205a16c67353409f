/// What is documented of a reason of refusals.
pub(super) struct ReasonInfo {
    /// Its name on the wire.
    pub(super) name: &'static str,
    /// The gRPC code.
    pub(super) code: &'static str,
    /// What is the case.
    pub(super) meaning: &'static str,
    /// What a bot does about it.
    pub(super) advice: &'static str,
}
