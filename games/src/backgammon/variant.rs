/// The variants: a match to a number of points, or one game for money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// A match to a number of points with the Crawford rule.
    Standard,
    /// One game for money.
    Money,
    /// One game for money in which gammons count only after a double.
    MoneyJacoby,
}

impl crate::match_play::Variant for Variant {
    const ALL: &'static [Self] = &[Self::Standard, Self::Money, Self::MoneyJacoby];

    fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Money => "money",
            Self::MoneyJacoby => "money_jacoby",
        }
    }

    fn summary(self) -> &'static str {
        match self {
            Self::Standard => "A match with the doubling cube and the Crawford rule.",
            Self::Money => "One game with the doubling cube and no match score.",
            Self::MoneyJacoby => {
                "One game with the doubling cube, in which gammons count only after a double."
            }
        }
    }
}
