use uuid::Uuid;

use super::Name;

/// Namespace of all ids. It never changes, so that a file always gives the same ids.
const NAMESPACE: Uuid = Uuid::from_u128(0x6472_6167_6f6e_4074_b074_685f_7275_6e31);

/// Returns the default seed of a bot, derived from the event's seed and the bot's name. It is below
/// 2^63, like the whole numbers of a configuration.
#[must_use]
pub fn bot_seed(event_seed: u64, bot: &Name) -> u64 {
    let (high, low) = id(&namespace(event_seed), "bot", bot.as_str()).as_u64_pair();
    (high ^ low) >> 1
}

/// Returns the namespace of the ids of an event with this seed.
pub(super) fn namespace(event_seed: u64) -> Uuid {
    Uuid::new_v5(&NAMESPACE, format!("seed {event_seed}").as_bytes())
}

/// Returns the id of a name in a namespace.
pub(super) fn id(namespace: &Uuid, purpose: &str, text: &str) -> Uuid {
    Uuid::new_v5(namespace, format!("{purpose} {text}").as_bytes())
}
