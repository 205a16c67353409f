//! Merges a file with the file that it extends.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The tables whose keys are overridden one by one.
const SECTIONS: [&str; 3] = ["event", "service", "limits"];
/// The keys that say what plays for a bot.
const KINDS: [&str; 3] = ["builtin", "command", "player"];

/// Returns the merged table; `over` has precedence over the file that it extends.
pub(super) fn merge<'i>(over: DeTable<'i>, base: DeTable<'i>) -> DeTable<'i> {
    let mut merged = base;
    for (key, value) in over {
        let below = merged.remove(key.get_ref().as_ref());
        let value = match below {
            Some(below) if SECTIONS.contains(&key.get_ref().as_ref()) => join(value, below),
            Some(below) if key.get_ref() == "bot" => join_bots(value, below),
            Some(_) | None => value,
        };
        merged.insert(key, value);
    }
    merged
}

/// A table whose keys override those of another; anything else replaces it.
fn join<'i>(over: Spanned<DeValue<'i>>, base: Spanned<DeValue<'i>>) -> Spanned<DeValue<'i>> {
    let span = over.span();
    let joined = match (over.into_inner(), base.into_inner()) {
        (DeValue::Table(over), DeValue::Table(mut base)) => {
            for (key, value) in over {
                base.remove(key.get_ref().as_ref());
                base.insert(key, value);
            }
            DeValue::Table(base)
        }
        (over, _) => over,
    };
    Spanned::new(span, joined)
}

/// The bots of both: those that are called the same are one.
fn join_bots<'i>(over: Spanned<DeValue<'i>>, base: Spanned<DeValue<'i>>) -> Spanned<DeValue<'i>> {
    let span = over.span();
    let joined = match (over.into_inner(), base.into_inner()) {
        (DeValue::Array(over), DeValue::Array(base)) => {
            let mut bots: Vec<Spanned<DeValue<'i>>> = base.into_iter().collect();
            let count = bots.len();
            for bot in over {
                let twin = name(&bot).and_then(|own| {
                    let below = bots[..count].iter();
                    below.map(name).position(|other| other == Some(own))
                });
                match twin {
                    // It says itself what plays: nothing is left of the other.
                    Some(twin) if says_what_plays(&bot) => bots[twin] = bot,
                    Some(twin) => {
                        let below = std::mem::replace(&mut bots[twin], nothing());
                        bots[twin] = join(bot, below);
                    }
                    None => bots.push(bot),
                }
            }
            DeValue::Array(bots.into_iter().collect())
        }
        (over, _) => over,
    };
    Spanned::new(span, joined)
}

fn nothing<'i>() -> Spanned<DeValue<'i>> {
    Spanned::new(0..0, DeValue::Boolean(false))
}

fn name<'v>(bot: &'v Spanned<DeValue<'_>>) -> Option<&'v str> {
    bot.get_ref().as_table()?.get("name")?.get_ref().as_str()
}

fn says_what_plays(bot: &Spanned<DeValue<'_>>) -> bool {
    let table = bot.get_ref().as_table();
    table.is_some_and(|table| KINDS.iter().any(|kind| table.contains_key(*kind)))
}

/// Returns a table with its spans moved `by` bytes.
pub(super) fn shifted(table: DeTable<'_>, by: usize) -> DeTable<'_> {
    let entries = table.into_iter().map(|(key, value)| {
        let span = key.span();
        let key = Spanned::new(span.start + by..span.end + by, key.into_inner());
        (key, shifted_value(value, by))
    });
    entries.collect()
}

fn shifted_value(value: Spanned<DeValue<'_>>, by: usize) -> Spanned<DeValue<'_>> {
    let span = value.span();
    let inner = match value.into_inner() {
        DeValue::Array(items) => {
            let items = items.into_iter().map(|item| shifted_value(item, by));
            DeValue::Array(items.collect())
        }
        DeValue::Table(table) => DeValue::Table(shifted(table, by)),
        scalar @ (DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_)) => scalar,
    };
    Spanned::new(span.start + by..span.end + by, inner)
}
