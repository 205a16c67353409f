use super::{Format, InvalidEvent, MAX_BOTS, MAX_MATCHES, MatchRules, Name};

/// An event: everything that determines its schedule except the results.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    name: Name,
    seed: u64,
    rules: MatchRules,
    bots: Vec<Name>,
    format: Format,
    named: Vec<BotIndex>,
}

/// A bot's index in the list of an event, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BotIndex(u16);

impl Event {
    /// Creates an event of `bots`. Whenever two of them meet they play an encounter of two matches.
    ///
    /// # Errors
    ///
    /// The number of bots or matches is too small or too large, two bots have one name, or the
    /// format does not fit these bots.
    pub fn new(
        name: Name,
        seed: u64,
        rules: MatchRules,
        bots: Vec<Name>,
        format: Format,
    ) -> Result<Self, InvalidEvent> {
        let least = format.least_bots();
        if bots.len() < least {
            let bots = bots.len();
            return Err(InvalidEvent::TooFewBots { bots, least });
        }
        if bots.len() > MAX_BOTS {
            return Err(InvalidEvent::TooManyBots(bots.len()));
        }
        if let Some(twin) = first_duplicate(&bots) {
            return Err(InvalidEvent::DuplicateBot(bots[twin].clone()));
        }
        format.check(bots.len())?;
        let named = places(&format, &bots)?;
        let event = Self {
            name,
            seed,
            rules,
            bots,
            format,
            named,
        };
        let (bots, matches) = (event.bots.len(), event.most_matches());
        if matches > MAX_MATCHES {
            return Err(InvalidEvent::TooManyMatches {
                bots,
                cycles: event.format.cycles(),
                matches,
            });
        }
        Ok(event)
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &Name {
        &self.name
    }

    /// The seed from which the ids of its matches follow, together with the id of the run directory where a service plays
    /// them, and the seeds of bots that have none of their own.
    /// Dice and other draws follow from a secret of the run.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// The game, variant and target of every match.
    #[must_use]
    pub const fn rules(&self) -> MatchRules {
        self.rules
    }

    /// The bots in the order of the event's list.
    #[must_use]
    pub fn bots(&self) -> &[Name] {
        &self.bots
    }

    /// The indices of all bots, in order.
    pub fn bot_indices(&self) -> impl ExactSizeIterator<Item = BotIndex> + use<> {
        (0..self.bots.len()).map(BotIndex::new)
    }

    /// Returns the name of a bot.
    ///
    /// # Panics
    ///
    /// If `bot` belongs to a larger event.
    #[must_use]
    pub fn bot(&self, bot: BotIndex) -> &Name {
        &self.bots[bot.get()]
    }

    /// The format: the pairing system and its length.
    #[must_use]
    pub const fn format(&self) -> &Format {
        &self.format
    }

    /// The bots named by the format: the challengers of a gauntlet, or all bots in the order of
    /// their seeds.
    #[must_use]
    pub fn named(&self) -> &[BotIndex] {
        &self.named
    }

    /// The number of matches; for a knockout or a sequential test the largest possible number.
    #[must_use]
    pub fn most_matches(&self) -> u64 {
        self.format.most_matches(self.bots.len())
    }
}

impl BotIndex {
    pub(super) fn new(index: usize) -> Self {
        Self(u16::try_from(index).expect("an event has at most MAX_BOTS"))
    }

    /// The index, from 0, into [`Event::bots`].
    #[must_use]
    pub const fn get(self) -> usize {
        self.0 as usize
    }
}

/// Returns the index of the first name that occurs earlier in the list.
fn first_duplicate(names: &[Name]) -> Option<usize> {
    (1..names.len()).find(|i| names[..*i].contains(&names[*i]))
}

/// Returns the indices of the bots named by the format.
fn places(format: &Format, bots: &[Name]) -> Result<Vec<BotIndex>, InvalidEvent> {
    let names = format.named();
    if let Some(twin) = first_duplicate(names) {
        return Err(InvalidEvent::NamedTwice(names[twin].clone()));
    }
    let place = |name: &Name| {
        let place = bots.iter().position(|bot| bot == name);
        place
            .map(BotIndex::new)
            .ok_or_else(|| InvalidEvent::UnknownBot(name.clone()))
    };
    let found: Vec<BotIndex> = names.iter().map(place).collect::<Result<_, _>>()?;
    let needs_all = match format {
        Format::Swiss { .. } | Format::Knockout { .. } | Format::Ladder { .. } => true,
        Format::RoundRobin { .. }
        | Format::Gauntlet { .. }
        | Format::Sprt { .. }
        | Format::Arena { .. } => false,
    };
    let missing = bots.iter().find(|bot| !names.contains(bot));
    match missing {
        Some(bot) if needs_all => Err(InvalidEvent::NoSeed(bot.clone())),
        Some(_) | None => Ok(found),
    }
}
