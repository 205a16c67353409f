//! The nouns that both sides of the API share, as text and as values.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test fails by panicking, as the test does"
)]

mod identifiers;
mod names;
mod scopes;
mod texts;
