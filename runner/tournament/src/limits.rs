/// Fewest bots in an event.
pub const MIN_BOTS: usize = 2;
/// Most bots in an event.
pub const MAX_BOTS: usize = 256;
/// Most matches in an event: each takes a place in memory and a line in the results.
pub const MAX_MATCHES: u64 = 1_000_000;
/// Most cycles in an event.
pub const MAX_CYCLES: u32 = 100_000;
/// Most rounds of a ladder.
pub const MAX_LADDER_ROUNDS: u32 = 10_000;
/// Most extra encounters after a drawn one in a knockout.
pub const MAX_EXTRA_ENCOUNTERS: u32 = 100;
