/// The way the pieces are set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// All pieces are shuffled again for each game.
    Random,
    /// The fixed start.
    Fixed,
    /// The players place their pieces.
    Tournament,
}

impl crate::match_play::Variant for Variant {
    const ALL: &'static [Self] = &[Self::Random, Self::Fixed, Self::Tournament];

    fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Fixed => "fixed",
            Self::Tournament => "tournament",
        }
    }

    fn summary(self) -> &'static str {
        match self {
            Self::Random => "All sixty pieces are shuffled onto the board for each game.",
            Self::Fixed => "Every game starts from the fixed start of the rulebook.",
            Self::Tournament => "The players take turns placing their pieces on the empty board.",
        }
    }
}
