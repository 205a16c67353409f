use super::CubeLimit;

/// The variants: a match to a number of points, or one game for money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// A match to a number of points with the Crawford rule.
    Standard,
    /// One game for money.
    Money(CubeLimit),
    /// One game for money in which gammons count only after a double.
    MoneyJacoby(CubeLimit),
}

impl crate::match_play::Variant for Variant {
    const ALL: &'static [Self] = &[
        Self::Standard,
        Self::Money(CubeLimit::HIGHEST),
        Self::MoneyJacoby(CubeLimit::HIGHEST),
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Money(limit) => MONEY[usize::from(limit.doublings())],
            Self::MoneyJacoby(limit) => MONEY_JACOBY[usize::from(limit.doublings())],
        }
    }

    fn summary(self) -> &'static str {
        match self {
            Self::Standard => "A match with the doubling cube and the Crawford rule.",
            Self::Money(_) => "One game with the doubling cube and no match score.",
            Self::MoneyJacoby(_) => {
                "One game with the doubling cube, in which gammons count only after a double."
            }
        }
    }

    fn find(name: &str) -> Option<Self> {
        let limit = |names: &[&str]| {
            let doublings = names.iter().position(|known| *known == name)?;
            CubeLimit::of_doublings(u8::try_from(doublings).ok()?)
        };
        if name == Self::Standard.name() {
            return Some(Self::Standard);
        }
        let money = limit(&MONEY).map(Self::Money);
        money.or_else(|| limit(&MONEY_JACOBY).map(Self::MoneyJacoby))
    }

    fn capped(self, max_cube: u32) -> Option<Self> {
        let limit = CubeLimit::of_value(max_cube)?;
        match self {
            Self::Standard => None,
            Self::Money(_) => Some(Self::Money(limit)),
            Self::MoneyJacoby(_) => Some(Self::MoneyJacoby(limit)),
        }
    }
}

/// The names of games for money, by the doublings of their highest cube.
const MONEY: [&str; 16] = [
    "money_1",
    "money_2",
    "money_4",
    "money_8",
    "money_16",
    "money_32",
    "money_64",
    "money_128",
    "money_256",
    "money_512",
    "money_1024",
    "money_2048",
    "money_4096",
    "money_8192",
    "money_16384",
    "money",
];

/// The same with the Jacoby rule.
const MONEY_JACOBY: [&str; 16] = [
    "money_jacoby_1",
    "money_jacoby_2",
    "money_jacoby_4",
    "money_jacoby_8",
    "money_jacoby_16",
    "money_jacoby_32",
    "money_jacoby_64",
    "money_jacoby_128",
    "money_jacoby_256",
    "money_jacoby_512",
    "money_jacoby_1024",
    "money_jacoby_2048",
    "money_jacoby_4096",
    "money_jacoby_8192",
    "money_jacoby_16384",
    "money_jacoby",
];
